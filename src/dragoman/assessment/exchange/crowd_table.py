"""Plain tables of crowd ratings: a header, and one rating a line, separated by tabs or commas.

Columns are worker, hit, position, attribute, type, system, segment, score and time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dragoman.assessment.campaign import ItemKind
from dragoman.assessment.ratings import Rating, Ratings, pair_up
from dragoman.assessment.strict_reading import csv_cells, named_rows
from dragoman.errors import FormatError
from dragoman.files import read_lines

__all__ = ["looks_like_crowd_table", "read_crowd_table"]

_CROWD_KINDS: dict[str, ItemKind] = {
    "system": "system", "repeat": "repeat", "cal": "degraded", "degraded": "degraded", "bad_ref": "degraded",
    "bad": "degraded", "ref": "reference", "reference": "reference", "gold": "gold",
}  # fmt: skip


def looks_like_crowd_table(header: str) -> bool:
    """Whether a header is that of a table of crowd ratings."""
    return {"worker", "hit", "type", "score"} <= set(header.split("\t") if "\t" in header else csv_cells(header))


def read_crowd_table(path: Path) -> Ratings:
    """Ratings from a table of crowd ratings."""
    found, seconds = [], {}
    for number, row in _tab_rows(path) if "\t" in next(read_lines(path)) else named_rows(path, needed=set()):
        where = f"{path}, line {number}"
        found.append(_crowd_rating(row, number, where))
        if row.get("seconds_for_hit", "").isdecimal():
            seconds[found[-1].assessor, found[-1].task] = int(row["seconds_for_hit"])
    sizes = Counter((one.assessor, one.task) for one in found)
    timed = [
        replace(one, milliseconds=round(1000 * seconds[key] / sizes[key]))
        if (key := (one.assessor, one.task)) in seconds and not one.milliseconds
        else one
        for one in found
    ]
    return Ratings(pair_up(timed))


def _tab_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    lines = read_lines(path)
    names = next(lines).split("\t")
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(names):
            raise FormatError(f"{len(cells)} columns where {len(names)} are needed", where=f"{path}, line {number}")
        yield number, dict(zip(names, cells, strict=True))


def _crowd_rating(row: dict[str, str], number: int, where: str) -> Rating:
    kind = _CROWD_KINDS.get(row["type"].lower())
    if kind is None:
        raise FormatError(f"type {row['type']!r} is not known", where=where, remedy=f"one of {', '.join(_CROWD_KINDS)}")
    attribute = row.get("attribute") or row.get("item", "")
    try:
        score = float(row["score"])
        position = int(row.get("position") or row.get("pos") or number)
        milliseconds = int(row["ms"]) if row.get("ms") else 0
    except ValueError as error:
        raise FormatError(str(error), where=where) from None
    if not 0 <= score <= 100:
        raise FormatError(f"the score {row['score']} is not within 0 to 100", where=where)
    return Rating(
        row["worker"],
        row["hit"],
        position,
        f"{row['hit']}.{position}",
        kind,
        score,
        row.get("lp", ""),
        {"ad": "adequacy", "fl": "fluency"}.get(attribute, attribute or "adequacy"),
        row.get("testset", ""),
        row.get("system", ""),
        row.get("segment") or row.get("sid", ""),
        milliseconds=milliseconds,
        submitted=row.get("time", ""),
    )
