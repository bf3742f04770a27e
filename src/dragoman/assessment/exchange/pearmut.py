"""Pearmut: campaigns and annotations of that platform, in and out (github.com/zouharvi/pearmut).

A campaign is one JSON object. Its `data` is a list of tasks, a task a list of documents, a document a list of segments
with the outputs by system in `tgt`; in a `single-stream` campaign `data` is one list of documents that all assessors
share. Annotations are JSON lines, one document each, with a score and error spans per segment and system. Positions of
spans count characters, the last one included.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Item, ItemKind, Judgement
from dragoman.assessment.protocol import Protocol, get_protocol
from dragoman.assessment.ratings import Rating, Ratings
from dragoman.assessment.strict_reading import foreign
from dragoman.errors import FormatError
from dragoman.files import read_lines
from dragoman.plain_data import parse_json

__all__ = [
    "looks_like_annotations",
    "looks_like_campaign",
    "pearmut_annotations",
    "pearmut_campaign",
    "read_annotations",
    "read_campaign",
]

_KIND_MARK = "#"
"""Between a system and the kind of a control in the names that Pearmut sees, so that it does not average them."""
_CONTROLS: dict[str, ItemKind] = {
    "repeat": "repeat", "degraded": "degraded", "reference": "reference", "gold": "gold",
}  # fmt: skip


def pearmut_campaign(campaign: Campaign) -> dict[str, Any]:
    """A campaign for Pearmut: one task for each copy, in the designed order."""
    names = {task.protocol for task in campaign.tasks}
    if len(names) > 1:
        raise FormatError("a Pearmut campaign has one protocol", remedy="make a campaign for each")
    protocol = campaign.protocols[names.pop()]
    info: dict[str, Any] = {
        "assignment": "task-based",
        "protocol": "ESA" if protocol.answer == "spans" else "DA",
        "shuffle": False,
    }
    if protocol.scale is not None and protocol.answer == "choices":
        scale = protocol.scale
        info["sliders"] = [{"name": protocol.name, "min": scale.low, "max": scale.high, "step": scale.step}]
    people = [name for task in campaign.tasks for name in task.assessors]
    if len(people) == sum(task.copies for task in campaign.tasks) and len(set(people)) == len(people):
        info["users"] = people
    data = []
    for task in campaign.tasks:
        documents = [
            [_segment(item, protocol) for item in group]
            for _, group in groupby(task.items, key=lambda item: (item.document or item.id, item.systems, item.kind))
        ]
        data += [documents] * task.copies
    return {"info": info, "campaign_id": campaign.name, "data": data}


def _segment(item: Item, protocol: Protocol) -> dict[str, Any]:
    values: dict[str, Any] = {"item_id": item.id}
    if "source" in protocol.shows and item.source:
        values["src"] = item.source
    if "reference" in protocol.shows and item.reference:
        values["ref"] = item.reference
    mark = "" if item.kind == "system" else f"{_KIND_MARK}{item.kind}"
    names = [f"{system}{mark}" for system in item.systems]
    values["tgt"] = dict(zip(names, item.candidates, strict=True))
    if item.kind == "gold" and item.accepted:
        values["validation"] = {names[0]: [{"score": [min(item.accepted), max(item.accepted)]}]}
    return values


def looks_like_campaign(values: Any) -> bool:
    """Whether parsed JSON is a Pearmut campaign."""
    return isinstance(values, dict) and "campaign_id" in values and "data" in values


def read_campaign(values: Mapping[str, Any], *, language: str = "", where: str = "") -> Campaign:
    """A campaign from a Pearmut file (parsed JSON).

    Segments with several outputs become one item for each; segments with validation of their score become gold items.
    """
    with foreign("a Pearmut campaign", where=where):
        return _campaign(values, language, where)


def _campaign(values: Mapping[str, Any], language: str, where: str) -> Campaign:
    info = values.get("info", {})
    name = str(info.get("protocol", "ESA")).lower()
    kind = {"da": "source-adequacy", "esa": "esa", "mqm": "esa"}.get(name)
    if kind is None:
        raise FormatError(f"protocol {info.get('protocol')!r} is not known", where=where, remedy="DA and ESA are read")
    protocol = get_protocol(kind)
    if name == "da" and not any("src" in segment for segment in _segments(values["data"])):
        protocol = get_protocol("adequacy" if any("ref" in s for s in _segments(values["data"])) else "fluency")
    data = values["data"]
    if info.get("assignment") == "single-stream":
        data = [[document] for document in data]
    tasks = []
    for number, documents in enumerate(data, 1):
        items = tuple(_items(documents, number, language, f"{where}, task {number}"))
        if items:
            tasks.append(CampaignTask(f"task{number}", number, protocol.name, items))
    return Campaign(str(values["campaign_id"]), tuple(tasks), {protocol.name: protocol})


def _segments(node: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(node, dict):
        yield node
    elif isinstance(node, list):
        for inner in node:
            yield from _segments(inner)


def _items(documents: Any, number: int, language: str, where: str) -> Iterator[Item]:
    if not isinstance(documents, list):
        raise FormatError("a task must be a list of documents", where=where)
    for at, document in enumerate(documents):
        for place, segment in enumerate(document):
            with foreign("a segment with `tgt`", where=f"{where}, document {at + 1}"):
                outputs = dict(segment["tgt"])
                checks = segment.get("validation", {}) or {}
            for system, text in outputs.items():
                known = _expected(checks.get(system) if isinstance(checks, dict) else None)
                original, kind = _split(system)
                yield Item(
                    f"{number}.{at + 1}.{place + 1}.{system}",
                    "gold" if known else kind,
                    (original,),
                    (str(text),),
                    str(segment.get("src", "")),
                    str(segment.get("ref", "")),
                    target_language=language,
                    segment=place,
                    document=str(segment.get("item_id", f"{number}.{at + 1}")),
                    expected=sum(known) / 2 if known else None,
                    accepted=tuple(float(one) for one in range(int(known[0]), int(known[1]) + 1)) if known else (),
                )


def _expected(checks: Any) -> tuple[float, float] | None:
    first = checks[0] if isinstance(checks, list) and checks else checks
    score = first.get("score") if isinstance(first, dict) else None
    if isinstance(score, list) and len(score) == 2 and all(isinstance(one, (int, float)) for one in score):
        return float(score[0]), float(score[1])
    return None


def pearmut_annotations(campaign: Campaign, judgements: Iterable[Judgement]) -> Iterator[str]:
    """Judgements as Pearmut's lines of annotations, one item each, in the order in which they were given."""
    for one in judgements:
        task, at = campaign.place(one.item)
        item, protocol = task.items[at], campaign.protocol_of(task)
        segment = _segment(item, protocol)
        answer: dict[str, dict[str, Any]] = {}
        for place, system in enumerate(segment["tgt"]):
            length = len(item.candidates[place])
            spans = [
                {
                    "start_i": span.start if span.start < span.end else length,
                    "end_i": span.end - 1 if span.start < span.end else length,
                    "severity": span.severity,
                    "category": span.category or None,
                }
                for span in one.spans
            ]
            score = one.score if one.score is not None else 100 - 10 * one.ranks[place]
            answer[system] = {"score": score, "error_spans": spans, "textfield": one.comment or None}
        seconds = [datetime.fromisoformat(time).timestamp() for time in (one.started, one.submitted) if time]
        actions = [{"time": time, "action": name} for time, name in zip(seconds, ("load", "submit"), strict=False)]
        entry = {"annotation": [answer], "actions": actions, "item": [segment], "user_id": one.assessor, "item_i": at}
        yield json.dumps(entry, ensure_ascii=False) + "\n"


def looks_like_annotations(line: str) -> bool:
    """Whether a line of JSON is one of Pearmut's annotations."""
    return line.startswith("{") and '"annotation"' in line and '"user_id"' in line


def read_annotations(path: Path | str, *, campaign: Campaign | None = None) -> Ratings | list[Judgement]:
    """Judgements of a campaign that was written for Pearmut; without the campaign, ratings as the file tells them.

    Tutorials and other extras are left out; a document that was submitted twice counts the last time.
    """
    ratings: dict[tuple[str, str, str], Rating] = {}
    judgements: dict[tuple[str, str], Judgement] = {}
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        with foreign("an annotation", where=where):
            for segment, system, answer, about in _answers(parse_json(line, where=where), number):
                text = str(segment.get("tgt", {}).get(system, ""))
                spans = _spans(answer.get("error_spans") or [], text)
                label = str(segment.get("item_id", about.place))
                original, kind = _split(system)
                ratings[about.user, label, system] = Rating(
                    about.user,
                    about.place,
                    number,
                    f"{label}:{system}",
                    kind,
                    float(answer["score"]),
                    "",
                    "esa" if "error_spans" in answer else "adequacy",
                    "",
                    original,
                    label,
                    milliseconds=about.each,
                    submitted=_iso(about.ended),
                    spans=spans,
                )
                if campaign is not None:
                    judgements[label, about.user] = _judgement(campaign, label, float(answer["score"]), spans, about)
    return Ratings(list(ratings.values())) if campaign is None else list(judgements.values())


@dataclass(frozen=True, slots=True)
class _Visit:
    """Who annotated a document, when, and how long each of its segments took on average."""

    user: str
    place: str
    started: float
    ended: float
    each: int


def _answers(entry: Mapping[str, Any], number: int) -> Iterator[tuple[dict[str, Any], str, dict[str, Any], _Visit]]:
    """Every scored output of a line; tutorials and other extras have none."""
    segments, annotations = entry.get("item") or [], entry.get("annotation") or []
    place = entry.get("item_i", number)
    if isinstance(place, str) and place.startswith(("welcome_", "random_", "goodbye_")):
        return
    started, ended = _times(entry.get("actions") or [])
    visit = _Visit(
        str(entry["user_id"]), str(place), started, ended, round(1000 * (ended - started) / max(1, len(segments)))
    )
    for segment, annotation in zip(segments, annotations, strict=False):
        for system, answer in (annotation or {}).items():
            if answer is not None and answer.get("score") is not None:
                yield segment, system, answer, visit


def _split(system: str) -> tuple[str, ItemKind]:
    """A name as Pearmut sees it: the system, and the kind of item."""
    original, _, control = system.partition(_KIND_MARK)
    return (original, _CONTROLS[control]) if control in _CONTROLS else (system, "system")


def _judgement(campaign: Campaign, item: str, score: float, spans: Sequence[ErrorSpan], visit: _Visit) -> Judgement:
    task, _ = campaign.place(item)
    kept = tuple(spans) if campaign.protocol_of(task).answer == "spans" else ()
    return Judgement(
        item,
        task.id,
        visit.user,
        score,
        spans=kept,
        started=_iso(visit.started),
        submitted=_iso(visit.ended),
        milliseconds=visit.each,
    )


def _times(actions: Sequence[Any]) -> tuple[float, float]:
    times = [
        float(one["time"]) for one in actions if isinstance(one, dict) and isinstance(one.get("time"), (int, float))
    ]
    return (times[0], times[-1]) if times else (0.0, 0.0)


def _spans(values: Sequence[Mapping[str, Any]], text: str) -> tuple[ErrorSpan, ...]:
    """Marked errors; a place outside the text is where Pearmut shows that something is missing."""
    found = []
    for span in values:
        severity, category = str(span.get("severity") or "minor"), str(span.get("category") or "")
        start, end = span["start_i"], span["end_i"]
        inside = isinstance(start, int) and isinstance(end, int) and 0 <= start <= end < len(text)
        first, last = (start, end + 1) if inside else (len(text), len(text))
        found.append(ErrorSpan(first, last, severity, category))
    return tuple(found)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z") if seconds else ""
