"""The segmenter: raw text into the words of a treebank, learnt from the treebank itself.

Tokenisers differ, and a tagger is only as good as the agreement between its words and those it was trained on. So a
model divides raw text by the conventions of its own treebank: a tagger over letters says where a token starts, and a
second one over tokens says which of them stand for several words (`im` is `in dem`, `don't` is `do n't`). Lines are
sentences and stay so; offsets into the raw line are kept.

    >>> letters("Ja, im")
    (['J', 'a', ',', '_', 'i', 'm'], ['Lu', 'Ll', 'Po', '_', 'Ll', 'Ll'])
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dragoman.annotations.layers import Multiword
from dragoman.annotations.learners import SequenceTagger
from dragoman.annotations.sentence import Sentence, Token
from dragoman.progress import ProgressCallback

__all__ = ["Segmenter", "letters"]

_START, _INSIDE, _SPACE, _ONE = "B", "I", "_", "1"


@cache
def _category(letter: str) -> str:
    return "_" if letter.isspace() else unicodedata.category(letter)


def letters(text: str) -> tuple[list[str], list[str]]:
    """The letters of a text, white space as `_`, and their Unicode categories."""
    return ["_" if letter.isspace() else letter for letter in text], [_category(letter) for letter in text]


class Segmenter:
    """Divides raw lines into words."""

    def __init__(self, boundaries: SequenceTagger, words: SequenceTagger | None) -> None:
        self._boundaries, self._words = boundaries, words

    @classmethod
    def train(
        cls,
        treebank: Sequence[Sentence],
        *,
        epochs: int,
        seed: int = 1,
        least: float = 0.0,
        progress: ProgressCallback | None = None,
    ) -> Segmenter:
        """Learn from sentences that know their raw text."""
        texts, marks = [], []
        surfaces: list[list[str]] = []
        expansions: list[list[str]] = []
        for sentence in treebank:
            mark = [_SPACE if letter.isspace() else _INSIDE for letter in sentence.text]
            for token in sentence.tokens:
                mark[token.start] = _START
            texts.append(letters(sentence.text))
            marks.append(mark)
            several = {multiword.start: multiword for multiword in sentence.layers.multiwords or ()}
            inside = {at for multiword in several.values() for at in range(multiword.start + 1, multiword.end)}
            starts = [at for at in range(len(sentence)) if at not in inside]
            surfaces.append([several[at].text if at in several else sentence.tokens[at].text for at in starts])
            expansions.append(
                [
                    _expansion(several[at].text, sentence.words[at : several[at].end]) if at in several else _ONE
                    for at in starts
                ]
            )
        boundaries = SequenceTagger.train(
            [text for text, _ in texts],
            marks,
            given=[[kinds for _, kinds in texts]],
            epochs=epochs,
            seed=seed,
            least=least,
            progress=progress,
            stage="token boundaries",
        )
        words = None
        if any(label != _ONE for sentence in expansions for label in sentence):
            words = SequenceTagger.train(
                surfaces, expansions, epochs=epochs, seed=seed, least=least, progress=progress, stage="words of tokens"
            )
        return cls(boundaries, words)

    def divide(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        """The lines as sentences with tokens; a token that stands for several words gives them its own span."""
        parts = [letters(line) for line in lines]
        marks = self._boundaries.tag(
            [text for text, _ in parts], given=[[kinds for _, kinds in parts]], threads=threads
        )
        spans = [_spans(line, mark) for line, mark in zip(lines, marks, strict=True)]
        surfaces = [[line[start:end] for start, end in found] for line, found in zip(lines, spans, strict=True)]
        if self._words is None:
            labels: list[tuple[str, ...]] = [(_ONE,) * len(surface) for surface in surfaces]
        else:
            labels = self._words.tag(surfaces, threads=threads)
        return [
            _sentence(line, found, expansions) for line, found, expansions in zip(lines, spans, labels, strict=True)
        ]

    def save(self, folder: Path) -> None:
        self._boundaries.save(folder, "boundaries")
        if self._words is not None:
            self._words.save(folder, "words")

    @classmethod
    def load(cls, folder: Path) -> Segmenter:
        words = SequenceTagger.load(folder, "words") if (folder / "words.labels.txt").exists() else None
        return cls(SequenceTagger.load(folder, "boundaries"), words)


def _spans(line: str, marks: Sequence[str]) -> list[tuple[int, int]]:
    """Tokens as spans: white space always divides, whatever the labels say."""
    found: list[tuple[int, int]] = []
    start = -1
    for at, (letter, mark) in enumerate(zip(line, marks, strict=True)):
        if letter.isspace():
            if start >= 0:
                found.append((start, at))
            start = -1
        elif start < 0:
            start = at
        elif mark == _START:
            found.append((start, at))
            start = at
    if start >= 0:
        found.append((start, len(line)))
    return found


def _expansion(surface: str, words: Sequence[str]) -> str:
    """How several words come from one token: lengths of its parts where they are its parts, else the words."""
    if "".join(words).lower() == surface.lower():
        return "-" + " ".join(str(len(word)) for word in words[1:])
    return "=" + " ".join(word.lower() for word in words)


def _expand(surface: str, expansion: str) -> list[str]:
    if expansion.startswith("="):
        words = expansion[1:].split(" ")
        return [words[0].capitalize() if surface[:1].isupper() else words[0], *words[1:]]
    if expansion.startswith("-"):
        sizes = [int(size) for size in expansion[1:].split(" ")]
        cut = len(surface) - sum(sizes)
        if cut > 0:
            words = [surface[:cut]]
            for size in sizes:
                words.append(surface[cut : cut + size])
                cut += size
            return words
    return [surface]


def _sentence(line: str, spans: Sequence[tuple[int, int]], expansions: Sequence[str]) -> Sentence:
    tokens: list[Token] = []
    several: list[Multiword] = []
    for (start, end), expansion in zip(spans, expansions, strict=True):
        words = _expand(line[start:end], expansion)
        if len(words) > 1:
            misc = "_" if end == len(line) or line[end].isspace() else "SpaceAfter=No"
            several.append(Multiword(len(tokens), len(tokens) + len(words), line[start:end], misc))
        tokens += [Token(word, start, end) for word in words]
    sentence = Sentence(line, tuple(tokens))
    return sentence.with_layers(multiwords=tuple(several)) if several else sentence
