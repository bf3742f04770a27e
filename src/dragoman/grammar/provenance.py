"""Provenance: the training sentences behind a rule, because users will ask why.

Kept when extraction was asked for evidence: a compact index from each rule to the numbers of the sentences it was
extracted from, and with the corpus at hand their text, with the words of the rule marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import InputError
from dragoman.files import read_lines

__all__ = ["Witness", "witnesses"]


@dataclass(frozen=True, slots=True)
class Witness:
    """A training sentence pair that taught a rule."""

    line: int
    """From 1."""
    source: str
    target: str


def witnesses(
    sentences: Sequence[int], source: Path | str, target: Path | str, *, limit: int | None = None
) -> list[Witness]:
    """The text of training sentences by number (from 0, ascending), read from the corpus they came from."""
    wanted = list(sentences[:limit])
    sides: list[Mapping[int, str]] = [dict(_pick(path, wanted)) for path in (source, target)]
    for path, found in zip((source, target), sides, strict=True):
        if len(found) < len(wanted):
            raise InputError(
                f"it has no line {max(wanted) + 1}",
                where=str(path),
                remedy="name the files that the table was extracted from",
            )
    return [Witness(number + 1, sides[0][number], sides[1][number]) for number in wanted]


def _pick(path: Path | str, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    wanted = set(numbers)
    last = max(wanted, default=-1)
    for number, line in enumerate(read_lines(path)):
        if number > last:
            return
        if number in wanted:
            yield number, line
