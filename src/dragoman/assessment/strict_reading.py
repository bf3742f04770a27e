"""Tables and objects of other programs, read strictly: rows with their line numbers, and errors in our own words."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from pathlib import Path

from dragoman.errors import FormatError
from dragoman.files import read_lines

__all__ = ["csv_cells", "csv_rows", "foreign", "named_rows"]


@contextlib.contextmanager
def foreign(what: str, *, where: str) -> Iterator[None]:
    """Turn errors of reading an object of another program into a `FormatError`: it is not what it should be."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise FormatError(f"not {what}: {type(error).__name__} {error}", where=where) from None


def csv_cells(line: str) -> list[str]:
    """The cells of a single line; none where it is not CSV by itself."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []


def csv_rows(path: Path | str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file, each with the number of its last line."""
    reader = csv.reader((line + "\n" for line in read_lines(path)), strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise FormatError(f"not CSV: {error}", where=f"{path}, line {reader.line_num}") from None
        if cells is None:
            return
        if cells:
            yield reader.line_num, cells


def named_rows(path: Path | str, *, needed: set[str], remedy: str = "") -> Iterator[tuple[int, dict[str, str]]]:
    """Rows as mappings from the names in the first line, all of its length."""
    rows = csv_rows(path)
    _, header = next(rows, (1, []))
    if missing := needed - set(header):
        raise FormatError(f"no column is called {sorted(missing)[0]!r}", where=f"{path}, line 1", remedy=remedy)
    for number, cells in rows:
        if len(cells) != len(header):
            raise FormatError(f"{len(cells)} columns where {len(header)} are needed", where=f"{path}, line {number}")
        yield number, dict(zip(header, cells, strict=True))
