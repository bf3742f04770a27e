"""Composed text: one spelling (NFC) for what Unicode can spell in several ways, with the way back to the raw text.

A file from a Mac, a PDF or some keyboards has `u` and a combining diaeresis where another has `ü`. To a model they
would be different words, so everything that goes into one is composed first; what comes out still points into the raw
text.

    >>> line = composed("u\u0308ber alles")
    >>> line.text
    'über alles'
    >>> line.raw_spans([(0, 4), (5, 10)])
    ((0, 5), (6, 11))
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

__all__ = ["CharacterRange", "Composed", "composed", "nfc"]

CharacterRange = tuple[int, int]
"""Half-open, in code points."""

_CLUSTER = regex.compile(r"\X")
"""A character with its marks; nothing is ever composed across its ends (Unicode, annex 29)."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed text, and the raw range behind each of its code points; none where nothing had to be done."""

    text: str
    places: Sequence[CharacterRange] | None = None

    def raw_spans(self, spans: Iterable[CharacterRange]) -> tuple[CharacterRange, ...]:
        """The raw ranges behind ranges of the composed text."""
        if self.places is None:
            return tuple(spans)
        return tuple(self._raw(start, end) for start, end in spans)

    def _raw(self, start: int, end: int) -> CharacterRange:
        assert self.places is not None
        if start < end:
            return self.places[start][0], self.places[end - 1][1]
        at = self.places[start][0] if start < len(self.places) else self.places[-1][1]
        return at, at


def nfc(text: str) -> str:
    """Unicode normal form C: one code for each accented letter."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def composed(raw: str) -> Composed:
    """The composed form of a text, with the way back."""
    if raw.isascii() or unicodedata.is_normalized("NFC", raw):
        return Composed(raw)
    pieces: list[str] = []
    places: list[CharacterRange] = []
    for cluster in _CLUSTER.finditer(raw):
        start, end = cluster.span()
        piece = nfc(cluster.group())
        if piece == cluster.group():
            places += [(at, at + 1) for at in range(start, end)]
        else:
            places += [(start, end)] * len(piece)
        pieces.append(piece)
    return Composed("".join(pieces), places)
