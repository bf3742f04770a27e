"""Pieces: what words are cut into for a model, and how they become words again.

Rare words are made of frequent pieces, so that a model that knows the pieces translates words it never saw. Three ways
to cut compete: subwords (`dragoman.text.subword`), morphs (`dragoman.text.morphs`) and the parts of compounds
(`dragoman.text.compounds`). Each says the pieces of a word, whether a piece continues the word before it, and what word
a row of pieces is; a preprocessor asks for no more. Text that is only translated from may be cut without a way back:
parts of compounds are then words like any other (`compounds`), else they carry a mark (`marked-compounds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from dragoman.text.compounds import PRESETS, CompoundModel
from dragoman.text.morphs import Morphs
from dragoman.text.subword import Subwords

__all__ = ["PIECES", "PieceKind", "Pieces", "WordPieces"]

Pieces = Literal["words", "subwords", "morphs", "compounds", "marked-compounds"]

_JOINER = "￭"
"""Begins every part of a compound but the first: a character that text does not have."""


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
    return CompoundModel.train(_lines(sentences), settings=replace(PRESETS["wmt13"], marker=_JOINER))


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
