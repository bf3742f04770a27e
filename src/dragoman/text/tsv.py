"""Tab-separated values: one pair a line, with or without a line of column names.

A header is recognised when its columns are asked for by name, or when it names `source` and `target`. Columns called
`reference`, `reference2`, ... hold further translations; all others become metadata. Every line must have as many
fields as the first: a stray tab shifts columns, and a shifted column is a wrong translation that nobody sees.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import FormatError, InputError, SettingError
from dragoman.files import display_name, read_lines, writing
from dragoman.text.formats import BitextLayout, Format, Put, SegmentPair, write_line

__all__ = ["Tsv"]


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which column is what, counted from 0."""

    source: int
    target: int
    references: tuple[int, ...]
    metadata: tuple[tuple[str, int], ...]
    count: int
    header: bool

    @classmethod
    def of(cls, first: Sequence[str], layout: BitextLayout, *, where: str) -> _Columns:
        """Decide from the first line."""
        wanted = layout.fields
        header = wanted is None and {"source", "target"} <= set(first)
        if wanted is None:
            wanted = ("source", "target") if header else (1, 2)
        places: list[int] = []
        for name in wanted:
            if isinstance(name, str):
                header = True
                if name not in first:
                    raise FormatError(f"no column is called {name!r}", where=where, remedy=f"it has {', '.join(first)}")
                places.append(first.index(name))
            elif 1 <= name <= len(first):
                places.append(name - 1)
            else:
                raise FormatError(
                    f"there is no field {name} of {len(first)}", where=where, remedy="fields count from 1"
                )
        source, target = places
        others = [(name, column) for column, name in enumerate(first) if column not in (source, target)]
        if not header:
            others = [(str(column + 1), column) for _, column in others]
        references = tuple(column for name, column in others if _is_reference(name))
        metadata = tuple((name, column) for name, column in others if not _is_reference(name))
        return cls(source, target, references, metadata, len(first), header)

    def pair(self, cells: Sequence[str]) -> SegmentPair:
        return SegmentPair(
            cells[self.source],
            cells[self.target],
            tuple([cells[column] for column in self.references]),
            {name: cells[column] for name, column in self.metadata},
        )


def _is_reference(name: str) -> bool:
    return name == "reference" or (name.startswith("reference") and name[9:].isdecimal())


class Tsv(Format):
    """One file, a pair a line, fields separated by tabs."""

    def read(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[SegmentPair]:
        name = display_name(paths[0])
        columns: _Columns | None = None
        for number, line in enumerate(read_lines(paths[0]), start=1):
            cells = line.split("\t")
            if columns is None:
                columns = _Columns.of(cells, layout, where=f"{name}, line 1")
                if columns.header:
                    continue
            if len(cells) != columns.count:
                raise FormatError(
                    f"{len(cells)} fields where the first line has {columns.count}",
                    where=f"{name}, line {number}",
                    remedy="a segment must not contain a tab",
                )
            yield columns.pair(cells)

    @contextlib.contextmanager
    def writing(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[Put]:
        if layout.fields is not None and not all(isinstance(name, str) for name in layout.fields):
            raise SettingError("columns are written by name, not by number")
        source, target = layout.fields or ("source", "target")
        name = display_name(paths[0])
        number = references = 0
        facts: tuple[str, ...] = ()
        with writing(paths[0]) as file:

            def put(pair: SegmentPair) -> None:
                nonlocal number, references, facts
                number += 1
                where = f"{name}, line {number}"
                if number == 1:
                    facts, references = tuple(pair.metadata), len(pair.references)
                    # A bare file of pairs needs no header, unless its first pair would be taken for one.
                    if facts or references or layout.fields or {"source", "target"} <= set(pair):
                        more = [f"reference{i or ''}" for i in (0, *range(2, references + 1))][:references]
                        write_line(file, [str(source), str(target), *more, *facts], where=where)
                        number += 1
                if len(pair.references) != references or not pair.metadata.keys() <= set(facts):
                    raise InputError(
                        "references or metadata that the first pair does not have",
                        where=where,
                        remedy="write `.jsonl`, whose lines may differ",
                    )
                values = [str(pair.metadata.get(fact, "")) for fact in facts]
                write_line(file, [pair.source, pair.target, *pair.references, *values], where=where)

            yield put
