"""Mutual information of words of two languages, by the sentence pairs in which they occur together.

Of all that mutual information is made of, the one term of both words occurring, weighted by its probability, smoothed
so that pairs that were never seen have a small negative value: neither pointwise mutual information nor the whole
(Guo et al.; Aziz and Specia 2010). The best partners of a word are a dictionary; averages over the content words around
a word say which of them suits a sentence.

Lines may be plain tokens, or lemmas with their part of speech (`bank.n`): see `dragoman.semantics.word_views`. Of plain
tokens all but the most frequent ones count as content words, of tagged ones nouns, verbs, adjectives and adverbs.

    >>> english = ["river bank", "bank money", "bank money"]
    >>> made = MutualInformation.train(english, ["orilla río", "banco dinero", "banco dinero"], function_words=0)
    >>> [entry.phrase for entry in made.dictionary("money", size=2)]
    ['banco', 'dinero']
    >>> context = made.context(["river", "bank"], 1, ["banco", "orilla"])
    >>> bool(context.others[1] > context.others[0])
    True
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import semantics as native
from dragoman.align.alignment import Alignment
from dragoman.errors import InputError, LengthMismatch
from dragoman.semantics.neighbor import Neighbor
from dragoman.settings import check_argument

__all__ = ["CONTENT", "ContextScores", "MutualInformation", "tag_of", "without_tag"]

CONTENT = "nvar"
"""Tags of content words: nouns, verbs, adjectives, adverbs."""

_LETTER = re.compile(r"[^\W\d_]")
_LOOKED_AT = 200


def tag_of(word: str) -> str:
    """The tag of `lemma.tag`; empty for a plain word."""
    return word[-1] if len(word) > 2 and word[-2] == "." and "a" <= word[-1] <= "z" else ""


def without_tag(word: str) -> str:
    """The lemma of `lemma.tag`."""
    return word[:-2] if tag_of(word) else word


@dataclass(frozen=True, slots=True)
class ContextScores:
    """What a sentence says about candidates for the translation of one of its words, one number each."""

    own: NDArray[np.float64]
    """Of the word itself."""
    all: NDArray[np.float64]
    """Mean over the content words of the window, itself among them."""
    others: NDArray[np.float64]
    """The same without itself: what listens to the context."""


class MutualInformation:
    """Mutual information of the words of a bitext."""

    def __init__(self, made: native.MutualInformation) -> None:
        self.native = made

    @classmethod
    def train(
        cls,
        source: Iterable[str],
        target: Iterable[str],
        *,
        smoothing: float = 0.1,
        min_count: int = 1,
        max_words: int = 100,
        function_words: int = 100,
        only: Collection[str] = (),
        links: Iterable[Alignment | str] = (),
        window: int = 5,
        threads: int = 0,
    ) -> MutualInformation:
        """Count the words of tokenised sentence pairs; those with a side of more than `max_words` are passed over.

        With `only`, pairs are counted for these source words alone (the others keep their own counts). Of plain tokens
        the `function_words` most frequent of a side are no content words. With `links`, the scores of all linked
        content words say how large such scores are, which features of a decoder are divided by.
        """
        check_argument("smoothing", smoothing, float, above=0)
        sides = [[line.split() for line in side] for side in (source, target)]
        if len(sides[0]) != len(sides[1]):
            raise LengthMismatch(f"{len(sides[0])} source sentences, {len(sides[1])} target sentences")
        usable = [
            row
            for row, (one, other) in enumerate(zip(*sides, strict=True))
            if one and other and len(one) <= max_words and len(other) <= max_words
        ]
        if not usable:
            raise InputError("no sentence pairs to count", remedy="give a text that is not empty")
        texts = [[side[row] for row in usable] for side in sides]
        tagged = all(map(tag_of, (word for line in texts[0][:_LOOKED_AT] for word in line)))
        counted = [_Side(side, min_count, tagged, function_words) for side in texts]
        wanted = np.zeros(len(counted[0].counts), np.uint8)
        rows = [counted[0].ids[word] for word in only if word in counted[0].ids] if only else range(1, len(wanted))
        wanted[list(rows)] = 1
        columns = np.ones(len(counted[1].counts), np.uint8)
        columns[0] = 0
        together = native.count_together(*counted[0].encoded, *counted[1].encoded, wanted, columns, threads=threads)

        def made(scales: NDArray[np.float64]) -> MutualInformation:
            return cls(
                native.MutualInformation(
                    *counted[0].parts,
                    *counted[1].parts,
                    *together,
                    sentences=len(usable),
                    smoothing=smoothing,
                    tagged=tagged,
                    scales=scales,
                )
            )

        found = made(np.ones(3))
        given = [links_of for row, links_of in enumerate(links) if row in set(usable)] if links else []
        return made(found._spread(texts, given, window)) if given else found

    def _spread(
        self, texts: Sequence[Sequence[Sequence[str]]], links: Sequence[Alignment | str], window: int
    ) -> NDArray[np.float64]:
        """Standard deviations of the three scores over linked content words, of a sample of the sentences."""
        sums = []
        step = max(1, len(links) // 2000)
        for row in range(0, len(links), step):
            words, others = list(texts[0][row]), texts[1][row]
            points = links[row]
            for i, j in (points if isinstance(points, Alignment) else Alignment.parse(points)).links:
                if self.is_content(words[i]) and self.is_content(others[j], target=True):
                    sums.append(self.native.context(words, i, [others[j]], window=window)[0])
        found = np.std(sums, axis=0) if len(sums) > 1 else np.ones(3)
        return np.where(found > 0, found, 1.0)

    @classmethod
    def open(cls, path: Path | str) -> MutualInformation:
        """Read a file that `save` wrote; one that is damaged is refused."""
        return cls(native.MutualInformation.open(Path(path)))

    def save(self, path: Path | str) -> None:
        self.native.save(Path(path))

    def __repr__(self) -> str:
        return f"MutualInformation({self.native.size:,} pairs of {int(self.native.sentences):,} sentences)"

    def is_content(self, word: str, *, target: bool = False) -> bool:
        """Whether a word says something about its sentence."""
        return self.native.is_content(word, target=target)

    def value(self, source: str, target: str) -> float:
        """Of two words; one that was never seen counts as seen once, with nothing."""
        return self.native.value(source, target)

    def dictionary(self, word: str, *, size: int = 50) -> list[Neighbor]:
        """The best partners of a word: content words, and of tagged words those with its tag."""
        tag = tag_of(word) if self.native.tagged else ""
        found = [
            (other, value)
            for other, value in self.native.partners(word)
            if self.is_content(other, target=True) and (not tag or tag_of(other) == tag)
        ]
        return [Neighbor(*each) for each in sorted(found, key=lambda each: (-each[1], each[0]))[:size]]

    def context(
        self, sentence: Sequence[str], position: int, candidates: Sequence[str], *, window: int = 5
    ) -> ContextScores:
        """What a sentence says about translations of the word at a position."""
        found = self.native.context(list(sentence), position, list(candidates), window=window)
        return ContextScores(found[:, 0], found[:, 1], found[:, 2])


class _Side:
    """Sentences as ids, and in how many of them each word is."""

    def __init__(self, sentences: Sequence[Sequence[str]], min_count: int, tagged: bool, function_words: int) -> None:
        seen: Counter[str] = Counter()
        tokens: Counter[str] = Counter()
        for sentence in sentences:
            seen.update(set(sentence))
            tokens.update(sentence)
        kept = sorted(word for word in seen if seen[word] >= min_count and word != "<unk>")
        self.ids = {word: number for number, word in enumerate(kept, 1)}
        self.counts = np.array([0.0, *(seen[word] for word in kept)], np.float32)
        frequent = {word for word, _ in sorted(tokens.items(), key=lambda each: (-each[1], each[0]))[:function_words]}
        content = [
            tag_of(word) in CONTENT and bool(tag_of(word))
            if tagged
            else word not in frequent and bool(_LETTER.search(word))
            for word in kept
        ]
        flat = np.array([self.ids.get(word, 0) for sentence in sentences for word in sentence], np.uint32)
        self.encoded = flat, np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)
        self.parts = kept, self.counts, np.array([False, *content]).astype(np.uint8)
