"""Sentences of text with protected spans: found as if tags were not there and placeholders were words.

For tokenising and splitting, every protected span is one character, U+FFFC, which Unicode reserves for what is no text;
where it stands is remembered, so that the same character in the raw text is not taken for one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from dragoman.text.composing import CharacterRange
from dragoman.text.placeholders import TAG_KINDS, ProtectedSpan
from dragoman.text.sentences import Breaks, blocks, sentences_in

__all__ = ["Masked", "masked", "sentence_ranges"]


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose protected spans are single characters, with the way back to the raw text."""

    STAND_IN: ClassVar[str] = "\ufffc"

    raw: str
    text: str
    protected: dict[int, ProtectedSpan]  # by the place of the stand-in
    starts: Sequence[int]  # places in `text` after which the distance to the raw text changes ...
    shifts: Sequence[int]  # ... to this

    def raw_span(self, start: int, end: int) -> CharacterRange:
        """The raw range behind a range of the text."""
        if not self.protected:
            return start, end
        return self._raw(start), max(self._raw(start), self._raw(end - 1, end=True)) if end > start else self._raw(
            start
        )

    def raw_spans(self, spans: Sequence[CharacterRange], start: int) -> Sequence[CharacterRange]:
        """The raw ranges behind ranges of the text that count from `start`."""
        if self.protected:
            return [self.raw_span(first + start, last + start) for first, last in spans]
        return [(first + start, last + start) for first, last in spans] if start else spans

    def _raw(self, place: int, *, end: bool = False) -> int:
        found = self.protected.get(place)
        if found is not None:
            return found.end if end else found.start
        return place + self.shifts[bisect_right(self.starts, place) - 1] + (1 if end else 0)


def masked(raw: str, spans: Sequence[ProtectedSpan]) -> Masked:
    """Put a stand-in in the place of each span."""
    if not spans:
        return Masked(raw, raw, {}, (), ())
    pieces: list[str] = []
    protected: dict[int, ProtectedSpan] = {}
    starts, shifts = [0], [0]
    at = length = 0
    for span in spans:
        pieces += (raw[at : span.start], Masked.STAND_IN)
        length += span.start - at + 1
        protected[length - 1] = span
        at = span.end
        starts.append(length)
        shifts.append(at - length)
    pieces.append(raw[at:])
    return Masked(raw, "".join(pieces), protected, starts, shifts)


class SplitSettings(Protocol):
    """What decides about sentences."""

    @property
    def language(self) -> str: ...
    @property
    def split(self) -> bool: ...
    @property
    def breaks(self) -> Breaks: ...


def sentence_ranges(text: Masked, settings: SplitSettings) -> list[CharacterRange]:
    """Ranges of the sentences in `text.text`; what lies between them is white space."""
    if not settings.split:
        found = (_stripped(text.text, start, end) for start, end in blocks(text.text, settings.breaks))
        return [(start, end) for start, end in found if start < end]
    if not text.protected:
        return sentences_in(text.text, settings.language, settings.breaks)
    view, places = _view(text)
    found_in_view = sentences_in(view, settings.language, settings.breaks)
    inner = [(places[start], places[end - 1] + 1) for start, end in found_in_view]
    return list(_with_tags(text, inner))


def _stripped(text: str, start: int, end: int) -> CharacterRange:
    block = text[start:end]
    start += len(block) - len(block.lstrip())
    return start, start + len(block.strip())


def _view(text: Masked) -> tuple[str, list[int]]:
    """The text without tags and with a word for every other span, and the place each character comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text.text):
        found = text.protected.get(place)
        shown = character if found is None else "" if found.kind in TAG_KINDS else "item"
        characters.append(shown)
        places += [place] * len(shown)
    return "".join(characters), places


def _with_tags(text: Masked, inner: Sequence[CharacterRange]) -> Iterator[CharacterRange]:
    """Give the tags between sentences to the sentence that they touch; others stand alone."""
    bounds = [0, *(edge for span in inner for edge in span), len(text.text)]
    sentences = [list(span) for span in inner]
    alone: list[CharacterRange] = []
    for gap in range(len(inner) + 1):
        start, end = bounds[2 * gap], bounds[2 * gap + 1]
        for chunk in re.finditer(r"\S+", text.text[start:end]):
            first, last = start + chunk.start(), start + chunk.end()
            before = gap > 0 and first == start
            after = gap < len(inner) and last == end
            if before and after:
                last = first = _boundary(text, first, last)
            if before:
                sentences[gap - 1][1] = last
            if after:
                sentences[gap][0] = first
            if not before and not after:
                alone.append((first, last))
    yield from sorted([*((start, end) for start, end in sentences), *alone])


def _boundary(text: Masked, first: int, last: int) -> int:
    """Between two sentences without a space, closing tags belong to the first."""
    while first < last and _closes(text, first):
        first += 1
    return first


def _closes(text: Masked, place: int) -> bool:
    span = text.protected[place]
    return text.raw.startswith("</", span.start)
