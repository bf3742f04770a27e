"""Plain text: line n of one file belongs to line n of the other.

The oldest format and still the one that every tool reads. Its one weakness is that a lost line shifts all that follow,
so unequal lengths are an error that names both files and the first line without a partner; nothing is cut silently.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dragoman.errors import LengthMismatch
from dragoman.files import display_name, read_lines, writing
from dragoman.text.formats import BitextLayout, Format, Put, SegmentPair, write_line

__all__ = ["Plain", "read_parallel", "read_sides"]

_END = object()


def read_parallel(paths: Sequence[Path | str]) -> Iterator[tuple[str, ...]]:
    """Line n of every file, for all n; files of unequal length are refused at the first line that one of them lacks."""
    readers = [read_lines(path) for path in paths]
    first, *others = readers
    number = 0
    try:
        for number, line in enumerate(first, start=1):
            row = (line, *(next(other, _END) for other in others))
            if _END in row:
                raise _mismatch(paths, readers, number, [cell is not _END for cell in row])
            yield row  # type: ignore[misc]
        have = [False, *(next(other, _END) is not _END for other in others)]
        if any(have):
            raise _mismatch(paths, readers, number + 1, have)
    finally:
        for reader in readers:
            reader.close()  # type: ignore[attr-defined]


def _mismatch(
    paths: Sequence[Path | str], readers: Sequence[Iterator[str]], number: int, have: Sequence[bool]
) -> LengthMismatch:
    """Count the rest of each file, so that the message gives whole numbers."""
    counts = [
        (number + sum(1 for _ in reader)) if has else number - 1 for reader, has in zip(readers, have, strict=True)
    ]
    short = next(display_name(path) for path, has in zip(paths, have, strict=True) if not has)
    sizes = ", ".join(
        f"{display_name(path)} has {count:,} {'line' if count == 1 else 'lines'}"
        for path, count in zip(paths, counts, strict=True)
    )
    return LengthMismatch(
        f"{sizes}: line {number} has no partner in {short}",
        remedy="parallel files need one line per segment, in the same order",
    )


def read_sides(
    source: Path | str,
    target: Path | str,
    *,
    references: Sequence[Path | str] = (),
    metadata: Mapping[str, Path | str] | None = None,
) -> Iterator[SegmentPair]:
    """Pairs from one file per side; further references and facts about each line come from files of the same length."""
    if not references and not metadata:
        for source_line, target_line in read_parallel([source, target]):
            yield SegmentPair(source_line, target_line)
        return
    facts = dict(metadata or {})
    for row in read_parallel([source, target, *references, *facts.values()]):
        values = row[2 + len(references) :]
        yield SegmentPair(
            row[0], row[1], row[2 : 2 + len(references)], dict(zip(facts, values, strict=True)) if facts else {}
        )


class Plain(Format):
    """Two files of lines, one per side."""

    paths = 2

    def read(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[SegmentPair]:
        return read_sides(paths[0], paths[1])

    @contextlib.contextmanager
    def writing(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[Put]:
        names = [display_name(path) for path in paths]
        number = 0
        with writing(paths[0]) as source, writing(paths[1]) as target:

            def put(pair: SegmentPair) -> None:
                nonlocal number
                number += 1
                for file, segment, name in zip((source, target), pair, names, strict=True):
                    write_line(file, [segment], where=f"{name}, line {number}")

            yield put
