"""Ratings: judgements joined with what was judged, as flat rows that can be analysed without the campaign.

One row per score. A row keeps the kind of its item and, for a control, which ordinary item of the same task it belongs
to, so that a file of rows is all that quality control needs. Rankings become preferences: one row per pair of
candidates.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

from dragoman.assessment.campaign import Campaign, ErrorSpan, ItemKind, Judgement
from dragoman.assessment.gold_gate import GateState, GoldGate
from dragoman.assessment.json_fields import checked
from dragoman.assessment.strict_reading import named_rows
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing
from dragoman.plain_data import parse_json

__all__ = ["COLUMNS", "Preference", "Rating", "Ratings", "join", "pair_up", "read_ratings", "write_ratings"]

COLUMNS = (
    "assessor", "task", "position", "item", "kind", "partner", "pair", "protocol", "testset", "system", "segment",
    "document", "score", "expected", "milliseconds", "submitted", "spans",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rating:
    """One score: who gave it, to what, and when. `partner` is the item that a control belongs to."""

    assessor: str
    task: str
    position: int
    item: str
    kind: ItemKind
    score: float
    pair: str = ""
    protocol: str = "adequacy"
    testset: str = ""
    system: str = ""
    segment: str = ""
    document: str = ""
    partner: str = ""
    expected: float | None = None
    milliseconds: int = 0
    submitted: str = ""
    spans: tuple[ErrorSpan, ...] = ()

    @property
    def output(self) -> tuple[str, str, str, str, str]:
        """What was judged, the same for an output and its repeats by anyone."""
        return self.protocol, self.pair, self.testset, self.system, self.segment

    @property
    def assessor_key(self) -> tuple[str, str, str]:
        """An assessor in one attribute and language pair: what quality and scale are computed for."""
        return self.assessor, self.protocol, self.pair

    @property
    def genuine(self) -> bool:
        """Whether it scores a system's output: ordinary items and their repeats."""
        return self.kind in ("system", "repeat")

    def to_dict(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in COLUMNS if name != "spans"}
        values["spans"] = [[s.start, s.end, s.severity, s.category] for s in self.spans]
        return values


@dataclass(frozen=True, slots=True)
class Preference:
    """One comparison: `margin` is positive if `first` was ranked better than `second`, 0 for a tie.

    `screen` tells apart the occasions on which an assessor saw the same two outputs.
    """

    assessor: str
    pair: str
    testset: str
    segment: str
    first: str
    second: str
    margin: int
    screen: str = ""
    kind: ItemKind = "system"

    @property
    def ordered(self) -> tuple[str, str, int]:
        """The two systems in alphabetical order, and which is better: 1 the first, -1 the second, 0 none."""
        sign = (self.margin > 0) - (self.margin < 0)
        return (self.first, self.second, sign) if self.first <= self.second else (self.second, self.first, -sign)


@dataclass(frozen=True)
class Ratings:
    """Everything that was read: scores, preferences, and what had to be left out, in words."""

    ratings: list[Rating] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __add__(self, other: Ratings) -> Ratings:
        return Ratings(
            self.ratings + other.ratings, self.preferences + other.preferences, self.problems + other.problems
        )


def join(campaign: Campaign, judgements: Iterable[Judgement]) -> Ratings:
    """Judgements of a campaign as rows; an item judged twice by one assessor counts the first time."""
    found = Ratings()
    seen: set[tuple[str, str]] = set()
    twice = declined = 0
    given = list(judgements)
    stopped = _stopped(campaign, given)
    for judgement in given:
        task, position = campaign.place(judgement.item)
        item, protocol = task.items[position], campaign.protocol_of(task)
        if (judgement.item, judgement.assessor) in seen:
            twice += 1
            continue
        seen.add((judgement.item, judgement.assessor))
        if judgement.not_applicable:
            declined += 1
            continue
        if judgement.assessor in stopped and item.kind != "gold":
            continue
        judgement.check(item, protocol)
        if protocol.answer == "ranking":
            found.preferences.extend(
                Preference(
                    judgement.assessor,
                    item.pair,
                    item.testset,
                    str(item.segment),
                    item.systems[a],
                    item.systems[b],
                    judgement.ranks[b] - judgement.ranks[a],
                    f"{judgement.item} {judgement.assessor}",
                    item.kind,
                )
                for a in range(len(item.systems))
                for b in range(a + 1, len(item.systems))
            )
            continue
        assert judgement.score is not None
        found.ratings.append(
            Rating(
                judgement.assessor,
                task.id,
                position,
                item.id,
                item.kind,
                judgement.score,
                item.pair,
                protocol.name,
                item.testset,
                item.system,
                str(item.segment),
                item.document,
                item.partner,
                item.expected,
                judgement.milliseconds,
                judgement.submitted,
                judgement.spans,
            )
        )
    if twice:
        found.problems.append(f"{twice} judgements of an item that their assessor had judged before: the first counts")
    if stopped:
        found.problems.append(f"the gold gate stopped {', '.join(sorted(stopped))}: their judgements do not count")
    if declined:
        found.problems.append(f"{declined} items were declined as impossible to judge")
    return found


def _stopped(campaign: Campaign, judgements: Sequence[Judgement]) -> set[str]:
    """Assessors whom the campaign's gold gate stopped, if it discards what they did."""
    gate = GoldGate.from_settings(campaign.gate)
    if gate is None or not gate.discard:
        return set()
    answers: dict[str, list[bool]] = {}
    for one in sorted(judgements, key=lambda judgement: judgement.submitted):
        item = campaign.item(one.item)
        if item.kind == "gold" and one.score is not None:
            answers.setdefault(one.assessor, []).append(gate.right(one.score, item.accepted))
    return {name for name, right in answers.items() if gate.state(right) is GateState.STOPPED}


def pair_up(ratings: Sequence[Rating]) -> list[Rating]:
    """The same rows with `partner` filled in where a file does not say it.

    A control belongs to the ordinary item of the same assessor, task, system and segment.
    """
    ordinary = {(one.assessor, one.task, *one.output): one.item for one in ratings if one.kind == "system"}
    return [
        replace(one, partner=ordinary.get((one.assessor, one.task, *one.output), ""))
        if one.kind in ("repeat", "degraded", "reference") and not one.partner
        else one
        for one in ratings
    ]


def write_ratings(path: Path | str, ratings: Iterable[Rating], *, form: str = "") -> None:
    """Rows as CSV, or as JSON lines where `form` or the file's name says so; `-` is standard output."""
    with writing(path) as file:
        for line in lines_of(ratings, form or ("jsonl" if str(path).endswith((".jsonl", ".json")) else "csv")):
            file.write(line)


def lines_of(ratings: Iterable[Rating], form: str) -> Iterator[str]:
    """The lines of a file of rows, header included."""
    if form == "jsonl":
        for rating in ratings:
            yield json.dumps(rating.to_dict(), ensure_ascii=False) + "\n"
        return
    yield ",".join(COLUMNS) + "\n"
    for rating in ratings:
        values = rating.to_dict()
        values["spans"] = json.dumps(values["spans"], ensure_ascii=False) if values["spans"] else ""
        values["expected"] = "" if values["expected"] is None else _plain(values["expected"])
        values["score"] = _plain(values["score"])
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow([values[name] for name in COLUMNS])
        yield out.getvalue()


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def read_ratings(path: Path | str) -> Ratings:
    """Rows from CSV or JSON lines as `write_ratings` writes them."""
    lines = read_lines(path)
    first = next(lines, "")
    found = []
    if first.startswith("{"):
        for number, line in enumerate([first, *lines], 1):
            where = f"{path}, line {number}"
            if line.strip():
                found.append(_rating(parse_json(line, where=where), where))
        return Ratings(found)
    remedy = "tables of other programs must be whole to be recognised; see the guide on assessment"
    for number, row in named_rows(path, needed={"assessor", "task", "item", "kind", "score"}, remedy=remedy):
        where = f"{path}, line {number}"
        found.append(_rating(_typed(row, where), where))
    return Ratings(found)


def _typed(row: dict[str, str], where: str) -> dict[str, Any]:
    values: dict[str, Any] = {name: value for name, value in row.items() if value != ""}
    try:
        for name in ("score", "expected"):
            if name in values:
                values[name] = float(values[name])
        for name in ("position", "milliseconds"):
            if name in values:
                values[name] = int(values[name])
        if "spans" in values:
            values["spans"] = parse_json(values["spans"], where=where)
    except ValueError as error:
        raise FormatError(f"{error}", where=where) from None
    return values


def _rating(values: Any, where: str) -> Rating:
    if not isinstance(values, dict):
        raise FormatError("a rating must be an object", where=where)
    given = {"position": 0, **{name: value for name, value in values.items() if value is not None}}
    known = {f.name for f in fields(Rating)}
    found = checked(Rating, {name: value for name, value in given.items() if name in known}, where=where)
    if found["kind"] not in get_args(ItemKind):
        raise FormatError(f"no item is of kind {found['kind']!r}", where=where)
    if not math.isfinite(found["score"]):
        raise InputError(f"the score {found['score']!r} is not a number", where=where)
    spans = []
    for span in found.get("spans", ()):
        shape = (int, int, str, str)
        if not isinstance(span, list) or len(span) != 4 or not all(map(isinstance, span, shape)):
            raise FormatError(f"{span!r} is not a marked error", where=where, remedy="[start, end, severity, category]")
        spans.append(ErrorSpan(*span))
    found["spans"] = tuple(spans)
    return Rating(**found)
