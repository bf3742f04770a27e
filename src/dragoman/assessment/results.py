"""Results from anywhere: a campaign's folder, our own tables, Appraise, Pearmut, Mechanical Turk, plain crowd tables.

The form is found out by looking at the first line, so that `dragoman assess analyse` takes what people have.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from dragoman.assessment import appraise, mturk, pearmut
from dragoman.assessment.campaign import FORMAT, Campaign, ItemKind, Judgement
from dragoman.assessment.ratings import Rating, Ratings, join, pair_up, read_ratings
from dragoman.assessment.tables import csv_cells, named_rows
from dragoman.assessment.workspace import JUDGEMENTS, read_judgements
from dragoman.errors import FileError, FormatError
from dragoman.files import open_binary, read_lines

__all__ = ["collected", "open_campaign", "read_results"]

_CROWD_KINDS: dict[str, ItemKind] = {
    "system": "system", "repeat": "repeat", "cal": "degraded", "degraded": "degraded", "bad_ref": "degraded",
    "bad": "degraded", "ref": "reference", "reference": "reference", "gold": "gold",
}  # fmt: skip


def collected(path: Path, campaign: Campaign, *, database: str = "") -> Iterator[Judgement]:
    """All judgements of a campaign: what its folder holds, and what its server collected, in `database` if not there.

    Reading while the server runs is safe.
    """
    folder = path if path.is_dir() else path.parent
    if (folder / JUDGEMENTS).exists():
        yield from read_judgements(folder / JUDGEMENTS)
    if database or (folder / "judgements.sqlite").exists():
        from dragoman.assessment.store import Store, database_url

        store = Store(database or database_url(folder), campaign)
        try:
            yield from store.judgements()
        finally:
            store.close()


def open_campaign(path: Path | str) -> Campaign:
    """A campaign from its folder or `campaign.json`, from an Appraise batch file or from a Pearmut campaign."""
    path = Path(path)
    if path.is_dir():
        return Campaign.read(path)
    with open_binary(path) as file:
        try:
            values: Any = json.loads(file.read().decode("utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise FormatError(f"not JSON: {error}", where=str(path)) from None
    if isinstance(values, dict) and values.get("format") == FORMAT:
        return Campaign.from_dict(values, where=str(path))
    if pearmut.looks_like_campaign(values):
        return pearmut.read_campaign(values, where=str(path))
    return appraise.read_batches(values, name=path.stem, where=str(path))


def read_results(path: Path | str, *, campaign: Campaign | None = None, database: str = "") -> Ratings:
    """Everything that a folder or file of results says; `campaign` where the file speaks of items by their ids only."""
    path = Path(path)
    if path.is_dir():
        found = Campaign.read(path)
        judgements = list(collected(path, found, database=database))
        if not judgements:
            raise FileError("no judgements are there yet", where=str(path))
        return join(found, judgements)
    first = next(read_lines(path), "")
    if pearmut.looks_like_annotations(first):
        read = pearmut.read_annotations(path, campaign=campaign)
        return read if isinstance(read, Ratings) else join(_needed(campaign, path), read)
    if first.startswith("{") and '"kind"' not in first:
        return join(_needed(campaign, path), read_judgements(path))
    if mturk.looks_like_batch(first):
        return mturk.read_batch(path)
    if appraise.looks_like_scores(csv_cells(first)):
        return appraise.read_scores(path)
    if {"worker", "hit", "type", "score"} <= set(first.split("\t") if "\t" in first else csv_cells(first)):
        return _crowd_table(path)
    return read_ratings(path)


def _needed(campaign: Campaign | None, path: Path) -> Campaign:
    if campaign is None:
        raise FormatError(
            "these judgements name items only", where=str(path), remedy="give the campaign too: --campaign FOLDER"
        )
    return campaign


def _crowd_table(path: Path) -> Ratings:
    """A table of crowd ratings with a header: worker, hit, position, attribute, type, system, segment, score, time."""
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
