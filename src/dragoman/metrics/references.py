"""Hypotheses and references as people give them, brought into one form and refused in one place.

A test set has one list of references, or several lists with an entry per segment each, None where a segment lacks that
one. Metrics, reports, comparisons and tuners all take both; what is wrong with them is said here and nowhere else.

    >>> given = References.of([["a house", "a cat"], ["one house", None]])
    >>> given.segments, given.lines, given.groups.tolist()
    (2, ['a house', 'one house', 'a cat'], [2, 3])
    >>> References.of(["a house", "a cat"]).streams
    (('a house', 'a cat'),)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import InputError, LengthMismatch

__all__ = ["ReferenceText", "References", "Texts", "check_hypotheses", "check_length", "check_list"]

Texts = Sequence[str]
ReferenceText = Sequence[str] | Sequence[Sequence[str | None]]
"""One list of references, or several, each with one entry per segment; None where a segment lacks that reference."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class References:
    """The references of a test set; `References.of` makes them from whatever was given."""

    streams: tuple[tuple[str | None, ...], ...]
    """One for each reference that a segment may have, each with an entry per segment."""
    lines: list[str] = field(repr=False)
    """All references, segment by segment."""
    groups: Numbers = field(repr=False)
    """Where those of each segment end in `lines`."""

    @staticmethod
    def of(references: ReferenceText | References) -> References:
        """References in their one form; what is in it already stays as it is."""
        if isinstance(references, References):
            return references
        check_list(references, "references")
        first = next((one for one in references if one is not None), "")
        single = isinstance(first, str) or not isinstance(first, Iterable)
        given: Iterable[Sequence[str | None]] = [references] if single else references  # type: ignore[list-item]
        streams = tuple(_checked(stream, number) for number, stream in enumerate(given, 1))
        sizes = {len(stream) for stream in streams}
        if len(sizes) > 1:
            raise LengthMismatch(
                f"lists of references of different lengths: {', '.join(map(str, sorted(sizes)))}",
                remedy="one entry per segment in each",
            )
        if len(streams) == 1 and None not in streams[0]:
            lines: list[str] = list(streams[0])  # type: ignore[arg-type]
            return References(streams, lines, np.arange(1, len(lines) + 1, dtype=np.int64))
        lines = []
        groups = np.zeros(sizes.pop(), dtype=np.int64)
        for segment, row in enumerate(zip(*streams, strict=True)):
            before = len(lines)
            lines.extend(line for line in row if line is not None)
            groups[segment] = len(lines)
            if len(lines) == before:
                raise InputError("no reference", where=f"segment {segment + 1}")
        return References(streams, lines, groups)

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return len(self.groups)

    def require_segments(self) -> None:
        """Raise unless there is at least one segment."""
        if not self.segments:
            raise InputError("there are no segments", remedy="give at least one, with its reference")

    def part(self, segments: Iterable[int]) -> References:
        """Those of some segments."""
        numbers = list(segments)
        return References.of([[stream[number] for number in numbers] for stream in self.streams])


def check_list(lines: object, what: str, *, where: str = "") -> None:
    """Refuse one string where a list of texts is meant: it would be taken for a list of its letters."""
    if isinstance(lines, str):
        raise InputError(f"one string where a list of {what} is needed", where=where, remedy="write [segment]")


def check_length(lines: Sequence[object], segments: int, what: str = "hypotheses", *, where: str = "") -> None:
    """Refuse what is not one thing for each segment of the references."""
    check_list(lines, what, where=where)
    if len(lines) != segments:
        raise LengthMismatch(f"{len(lines)} {what}, but {segments} references", where=where)


def check_hypotheses(lines: Sequence[object], segments: int, *, where: str = "") -> None:
    """Refuse what is not one text for each segment of the references."""
    check_length(lines, segments, where=where)
    _check_texts(lines, "hypothesis", where=where)


def _checked(stream: Sequence[str | None], number: int) -> tuple[str | None, ...]:
    where = f"reference {number}"
    check_list(stream, "references", where=where)
    lines = tuple(stream)
    _check_texts(("" if line is None else line for line in lines), "segment", where=where)
    return lines


def _check_texts(lines: Iterable[object], one: str, *, where: str) -> None:
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise InputError(f"{one} {number} is of type {type(line).__name__}, not a string", where=where)
