"""Files of scores: the tables of the WMT metrics tasks, and segment scores as metrics elsewhere print them.

A metrics-task table has a line per score, `METRIC LP TESTSET SYSTEM SCORE`, with `SEGMENT` before `SCORE` at segment
level; human scores have the metric `HUMAN`. With a line of column names, columns may come in any order, others are
ignored, and all but the system and the score may be missing (`SID` stands for the segment, `HUMAN` for the score of
people). Without one, they come in the order of the task. Fields are separated by tabs, else by commas, else by spaces.

Segment scores for a comparison come as one number a line; as a table with a column per system; as the lines that
`comet-score` prints; or as a metrics-task table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import FormatError, InputError
from dragoman.files import display_name, read_lines, writing

__all__ = ["HUMAN", "ScoreRow", "read_metrics_task", "read_segment_scores", "write_metrics_task"]

HUMAN = "HUMAN"
"""What the metrics tasks call the scores of people."""

_NUMBER = re.compile(r"[-+]?((\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?|nan|inf(inity)?)", re.ASCII | re.IGNORECASE)
_COMET = re.compile(r"(?P<system>[^\t]+)\tSegment (?P<segment>\d+)\tscore: (?P<score>\S+)")
_COMET_SYSTEM = re.compile(r"[^\t]+\tscore: \S+")
_NAMES = {
    "metric": "metric", "lp": "pair", "pair": "pair", "testset": "test_set", "system": "system",
    "segment": "segment", "sid": "segment", "score": "score", "human": "score",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score: of a system (`segment` None) or of its output of a segment; `line` is where it was read."""

    metric: str
    pair: str
    test_set: str
    system: str
    segment: str | None
    score: float
    line: int = 0

    @property
    def thing(self) -> str | tuple[str, str]:
        """What was scored: a system, or a system and a segment."""
        return self.system if self.segment is None else (self.system, self.segment)


def read_metrics_task(path: Path | str) -> list[ScoreRow]:
    """All scores of a metrics-task table, in order."""
    name = display_name(path)
    return list(_rows(enumerate(read_lines(path), 1), name))


def write_metrics_task(rows: Iterable[ScoreRow], path: Path | str) -> None:
    """Write a table with a line of column names; scores come back exactly as they were."""
    kept = list(rows)
    by_segment = any(row.segment is not None for row in kept)
    header = ["METRIC", "LP", "TESTSET", "SYSTEM", *(["SEGMENT"] if by_segment else []), "SCORE"]
    with writing(path) as file:
        file.write("\t".join(header) + "\n")
        for row in kept:
            if by_segment and row.segment is None:
                raise InputError("scores of systems and of segments cannot stand in one table", where=row.system)
            segment = [row.segment] if row.segment is not None else []
            fields = [row.metric, row.pair, row.test_set, row.system, *segment]
            for field in fields:
                if not field.strip() or set(field) & set("\t\r\n") or field.startswith("#"):
                    raise InputError(f"{field!r} cannot be a field of a table")
            file.write("\t".join([*fields, repr(row.score)]) + "\n")


def _rows(lines: Iterator[tuple[int, str]], name: str) -> Iterator[ScoreRow]:
    columns: dict[str, int] | None = None
    separator: str | None = None
    for number, line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{name}, line {number}"
        if columns is None:
            separator = "\t" if "\t" in line else "," if "," in line else None
            fields = [field.strip() for field in line.split(separator)]
            known = [_NAMES.get(field.lower(), "") for field in fields]
            header = "system" in known and "score" in known and len(set(filter(None, known))) >= 2
            columns = _named(known, fields, where) if header else _in_order(fields, where)
            if header:
                continue
        fields = [field.strip() for field in line.split(separator)]
        if len(fields) <= max(columns.values()):
            raise FormatError(
                f"{len(fields)} fields where at least {max(columns.values()) + 1} are needed",
                where=where,
                remedy="METRIC, LP, TESTSET, SYSTEM, SCORE, separated by tabs",
            )

        def cell(what: str, default: str, fields: Sequence[str] = fields, at: Mapping[str, int] = columns) -> str:
            return fields[at[what]] if what in at else default

        segment = cell("segment", "") or None
        if "segment" in columns and segment is None:
            raise FormatError("no segment", where=where)
        system = cell("system", "")
        if not system:
            raise FormatError("no name of a system", where=where)
        yield ScoreRow(
            cell("metric", HUMAN),
            cell("pair", "-"),
            cell("test_set", "-"),
            system,
            segment,
            _number(cell("score", ""), where),
            number,
        )


def _named(known: Sequence[str], fields: Sequence[str], where: str) -> dict[str, int]:
    """Columns by name. `HUMAN` is a score only where no column is called `SCORE`."""
    columns: dict[str, int] = {}
    plain = any(field.lower() == "score" for field in fields)
    for at, (kind, field) in enumerate(zip(known, fields, strict=True)):
        if not kind or (plain and field.lower() == "human"):
            continue
        if kind in columns:
            raise FormatError(f"two columns say the {kind}", where=where)
        columns[kind] = at
    return columns


def _in_order(fields: Sequence[str], where: str) -> dict[str, int]:
    """Columns of a table without names: a segment is a whole number that another number follows."""
    if len(fields) < 5:
        raise FormatError(
            f"{len(fields)} fields where 5 are needed",
            where=where,
            remedy="METRIC, LP, TESTSET, SYSTEM, SCORE, separated by tabs; or name the columns in the first line",
        )
    columns = {"metric": 0, "pair": 1, "test_set": 2, "system": 3, "score": 4}
    if len(fields) > 5 and fields[4].isdecimal() and _is_number(fields[5]):
        columns |= {"segment": 4, "score": 5}
    return columns


def read_segment_scores(path: Path | str, *, system: str | None = None) -> dict[str, list[float]]:
    """Segment scores by system, from any of the forms above; with the name of a system, one number a line."""
    name = display_name(path)
    lines = [(number, line) for number, line in enumerate(read_lines(path), 1) if line.strip()]
    if not lines:
        raise InputError("no scores", where=name)
    if system is not None:
        return {system: [_number(line.strip(), f"{name}, line {number}") for number, line in lines]}
    first = lines[0][1]
    if _COMET.fullmatch(first):
        return _printed_by_comet(lines, name)
    if _is_number(first):
        raise InputError("whose scores are these?", where=name, remedy="write METRIC:SYSTEM=FILE")
    fields = [field.strip() for field in first.split("\t")]
    lowered = {field.lower() for field in fields}
    if ("system" in lowered and lowered & {"score", "human"}) or (
        len(fields) >= 5 and _is_number(fields[4]) and not _is_number(fields[0])
    ):
        return _by_system(_rows(iter(lines), name), name)
    if any(_is_number(field) for field in fields):
        raise FormatError("a table needs the names of its systems in the first line", where=f"{name}, line 1")
    if len(set(fields)) != len(fields):
        raise FormatError("two columns have the same name", where=f"{name}, line 1")
    table: dict[str, list[float]] = {field: [] for field in fields}
    for number, line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(fields):
            raise FormatError(f"{len(cells)} fields where {len(fields)} are needed", where=f"{name}, line {number}")
        for field, cell in zip(fields, cells, strict=True):
            table[field].append(_number(cell.strip(), f"{name}, line {number}, column {field!r}"))
    return table


def _printed_by_comet(lines: Sequence[tuple[int, str]], name: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for number, line in lines:
        where = f"{name}, line {number}"
        match = _COMET.fullmatch(line)
        if match is None:
            if _COMET_SYSTEM.fullmatch(line):
                continue  # the mean of a system
            raise FormatError("not a line as comet-score prints it", where=where)
        scores = found.setdefault(match["system"], [])
        if int(match["segment"]) != len(scores):
            raise FormatError(f"segment {match['segment']} where {len(scores)} is next", where=where)
        scores.append(_number(match["score"], where))
    return found


def _by_system(rows: Iterable[ScoreRow], name: str) -> dict[str, list[float]]:
    found: dict[str, dict[str, float]] = {}
    kinds = set()
    for row in rows:
        where = f"{name}, line {row.line}"
        if row.segment is None:
            raise FormatError("scores of whole systems", where=where, remedy="a comparison needs a score per segment")
        kinds.add((row.metric, row.pair, row.test_set))
        if len(kinds) > 1:
            raise FormatError("more than one metric, language pair or test set", where=where, remedy="split the file")
        if row.segment in found.setdefault(row.system, {}):
            raise FormatError(f"segment {row.segment} of {row.system} has two scores", where=where)
        found[row.system][row.segment] = row.score
    order = list(dict.fromkeys(segment for scores in found.values() for segment in scores))
    order.sort(key=lambda segment: (not segment.isdecimal(), int(segment) if segment.isdecimal() else 0, segment))
    for system, scores in found.items():
        missing = next((segment for segment in order if segment not in scores), None)
        if missing is not None:
            raise InputError(f"{system} has no score of segment {missing}", where=name)
    return {system: [scores[segment] for segment in order] for system, scores in found.items()}


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None


def _number(text: str, where: str) -> float:
    if not _is_number(text):
        raise FormatError(f"{text!r} is not a number", where=where)
    value = float(text)
    if not math.isfinite(value):
        raise InputError(f"the score is {text}", where=where, remedy="scores must be finite numbers")
    return value
