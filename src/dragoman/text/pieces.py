"""Pieces: what words are cut into for a model, and how they become words again.

Rare words are made of frequent pieces, so that a model that knows the pieces translates words it never saw. Three ways
to cut compete: subwords (`dragoman.text.subword`), morphs (`dragoman.text.morphs`) and the parts of compounds
(`dragoman.text.compounds`). Each says the pieces of a word, whether a piece continues the word before it, and what word
a row of pieces is; a preprocessor asks for no more. Text that is only translated from may be cut without a way back:
parts of compounds are then words like any other (`compounds`), else they carry a mark (`marked-compounds`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from dragoman.text.compounds import PRESETS, CompoundModel
from dragoman.text.morphs import JOINER, Morphs
from dragoman.text.subword import Subwords

__all__ = ["PIECES", "PieceKind", "Pieces", "WordPieces", "seen_once", "usual_pieces"]

Pieces = Literal["words", "subwords", "morphs", "compounds", "marked-compounds"]


class WordPieces(Protocol):
    """A way to cut words."""

    def pieces(self, word: str) -> tuple[str, ...]:
        """The pieces of a word; one that stays whole is one piece."""

    def continues(self, piece: str) -> bool:
        """Whether a piece belongs to the word before it."""

    def word(self, pieces: Sequence[str]) -> str:
        """The word that a row of pieces makes."""

    def save(self, path: Path | str) -> None:
        """Write the model."""


@dataclass(frozen=True, slots=True)
class PieceKind:
    """How a kind of pieces is learned from tokenised sentences, and the file it is kept in."""

    file: str
    train: Callable[[Sequence[Sequence[str]], int, int], WordPieces]
    """From sentences, the number of pieces to learn, and threads."""
    open: Callable[[Path], WordPieces]


def _lines(sentences: Iterable[Sequence[str]]) -> list[str]:
    return [" ".join(tokens) for tokens in sentences]


def _compounds(sentences: Sequence[Sequence[str]], _size: int, _threads: int) -> CompoundModel:
    return CompoundModel.train(_lines(sentences), preset="wmt11")


def _marked(sentences: Sequence[Sequence[str]], _size: int, _threads: int) -> CompoundModel:
    return CompoundModel.train(_lines(sentences), settings=replace(PRESETS["wmt13"], marker=JOINER))


PIECES: dict[str, PieceKind] = {
    "subwords": PieceKind(
        "subwords.model",
        lambda sentences, size, threads: Subwords.train(sentences, size=size, threads=threads),
        Subwords.load,
    ),
    "morphs": PieceKind("morphs.tsv", lambda sentences, size, threads: Morphs.train(_lines(sentences)), Morphs.open),
    "compounds": PieceKind("compounds.json", _compounds, CompoundModel.open),
    "marked-compounds": PieceKind("compounds.json", _marked, CompoundModel.open),
}
"""Kinds of pieces by name; `words` is none of them."""

SMALL = 10_000
"""Lines from which on words stay whole: larger text was not measured, and has fewer rare words."""
RARE = 0.04
"""Share of a source's words seen once from which on cutting them pays."""
RICHER = 3.0
"""How many times that of the target it must be: of two languages equally rich in forms, whole words are as good."""


def seen_once(lines: Iterable[str]) -> float:
    """The share of the words of a text that it has only once: about that of unknown words in the next text (Good 1953).

    >>> seen_once(["the cat saw the dog", "the dog ran"])
    0.375
    """
    counts = Counter(word for line in lines for word in line.lower().split() if word.isalpha())
    return sum(count == 1 for count in counts.values()) / max(1, counts.total())


def usual_pieces(source: Sequence[str], target: Sequence[str]) -> tuple[Pieces, Pieces]:
    """What words of a bitext are cut into unless somebody says otherwise: those of its source and of its target.

    Forms that the target does not tell apart are noise to a model: a small source that has many words only once, and
    many more than its target, is cut into morphs, as was best on dev sets of Swahili, Latvian and Ukrainian.
    """
    if len(source) >= SMALL:
        return "words", "words"
    ours, theirs = seen_once(source), seen_once(target)
    return ("morphs" if ours >= RARE and ours >= RICHER * theirs else "words"), "words"
