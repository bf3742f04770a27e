"""Appraise: batches and score tables of the WMT annotation system, in and out (github.com/AppraiseDev/Appraise).

A batch file is a JSON list of tasks; an item has a number, a type (TGT an output, CHK its repeat, BAD a damaged copy,
REF the reference), the text that it is judged against in `sourceText` (the reference, in reference-based assessment)
and the output in `targetText`. Scores come as CSV without a header: user, system, item number, type, source language,
target language, score; then document, completeness flag and marked errors in document tasks; then start and end time.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dragoman.assessment.campaign import Campaign, CampaignTask, ErrorSpan, Item, ItemKind, Judgement
from dragoman.assessment.protocol import Protocol, get_protocol
from dragoman.assessment.ratings import Rating, Ratings, pair_up
from dragoman.assessment.strict_reading import csv_rows, foreign
from dragoman.errors import FormatError
from dragoman.plain_data import parse_json

__all__ = ["appraise_batches", "appraise_scores", "looks_like_scores", "read_batches", "read_scores"]

_KINDS: dict[str, ItemKind] = {"TGT": "system", "CHK": "repeat", "BAD": "degraded", "REF": "reference"}
_TYPES = {kind: name for name, kind in _KINDS.items()}
_LONG = {
    "ar": "ara", "bg": "bul", "bn": "ben", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa",
    "et": "est", "fa": "fas", "fi": "fin", "fr": "fra", "gu": "guj", "ha": "hau", "he": "heb", "hi": "hin", "hr": "hrv",
    "hu": "hun", "is": "isl", "it": "ita", "ja": "jpn", "kk": "kaz", "ko": "kor", "lt": "lit", "lv": "lav", "nl": "nld",
    "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp", "sv": "swe", "sw": "swa",
    "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "zh": "zho",
}  # fmt: skip
_SHORT = {long: short for short, long in _LONG.items()}


def appraise_batches(campaign: Campaign) -> list[dict[str, Any]]:
    """The tasks of a campaign as an Appraise batch file. Items are numbered through the campaign, from 1."""
    found, number = [], 0
    for task in campaign.tasks:
        protocol = campaign.protocol_of(task)
        items = []
        for at, item in enumerate(task.items):
            number += 1
            items.append(_batch_item(item, protocol, number, at))
        found.append(
            {
                "items": items,
                "task": {
                    "batchNo": task.number,
                    "batchSize": len(items),
                    "randomSeed": campaign.seed,
                    "requiredAnnotations": task.copies,
                    "sourceLanguage": _long(task.items[0].source_language or task.target_language),
                    "targetLanguage": _long(task.target_language),
                },
            }
        )
    return found


def _batch_item(item: Item, protocol: Protocol, number: int, at: int) -> dict[str, Any]:
    against = item.reference if "reference" in protocol.shows and protocol.answer != "ranking" else item.source
    values: dict[str, Any] = {
        "_block": at // 10,
        "_item": at,
        "itemID": number,
        "itemType": _TYPES.get(item.kind, "TGT"),
        "sourceID": item.testset or "source",
        "sourceText": against,
    }
    if protocol.answer == "ranking":
        values["targets"] = [
            {"itemID": number, "targetID": system, "targetText": text}
            for system, text in zip(item.systems, item.candidates, strict=True)
        ]
    else:
        values.update(targetID="reference" if item.kind == "reference" else item.system, targetText=item.candidates[0])
    if item.document or protocol.answer == "spans":
        values.update(documentID=item.document or str(item.segment), isCompleteDocument=False)
    if protocol.answer == "spans":
        values["mqm"] = []
    return values


def appraise_scores(campaign: Campaign, judgements: Iterable[Judgement]) -> str:
    """Judgements as Appraise's table of scores, with times."""
    numbers = {item.id: number for number, item in enumerate(campaign, 1)}
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for one in judgements:
        task, at = campaign.place(one.item)
        item, protocol = task.items[at], campaign.protocol_of(task)
        if one.score is None:
            continue
        start, end = _seconds(one.started), _seconds(one.submitted)
        row: list[Any] = [
            one.assessor,
            "reference" if item.kind == "reference" else item.system,
            numbers[item.id],
            _TYPES.get(item.kind, "TGT"),
            _long(item.source_language or item.target_language),
            _long(item.target_language),
            round(one.score),
        ]
        if item.document or protocol.answer == "spans":
            row += [item.document or str(item.segment), False]
        if protocol.answer == "spans":
            row.append(json.dumps([_appraise_span(span, len(item.candidates[0])) for span in one.spans]))
        rows.writerow([*row, start or 0.0, end or (start or 0.0) + one.milliseconds / 1000])
    return out.getvalue()


def _appraise_span(span: ErrorSpan, length: int) -> dict[str, Any]:
    missing = span.start == span.end == length
    return {
        "start_i": "missing" if missing else span.start,
        "end_i": "missing" if missing else span.end,
        "severity": span.severity,
    }


def read_batches(values: Any, *, name: str, protocol: str = "", where: str = "") -> Campaign:
    """A campaign from an Appraise batch file (parsed JSON).

    Without a protocol named, items with error annotation are ESA, others source-based adequacy: a batch does not say
    whether its `sourceText` is a source or a reference.
    """
    if not isinstance(values, list) or not all(isinstance(task, dict) and "items" in task for task in values):
        raise FormatError("not an Appraise batch file", where=where)
    with foreign("an Appraise batch file", where=where):
        spans = any("mqm" in item for task in values for item in task["items"])
        chosen = get_protocol(protocol or ("esa" if spans else "source-adequacy"))
        tasks = [_read_task(task, at, chosen, f"{where}, task {at}") for at, task in enumerate(values, 1)]
    return Campaign(name, tuple(tasks), {chosen.name: chosen})


def _read_task(values: Mapping[str, Any], number: int, protocol: Protocol, where: str) -> CampaignTask:
    about = values.get("task", {})
    languages = (_short(str(about.get("sourceLanguage", ""))), _short(str(about.get("targetLanguage", ""))))
    items: list[Item] = []
    originals: dict[tuple[str, str], str] = {}
    by_text: dict[str, str] = {}
    raw = [item for item in values["items"] if not (isinstance(item.get("mqm"), dict) and "tutorial" in item["mqm"])]
    for at, entry in enumerate(raw):
        with foreign("an item", where=f"{where}, item {at + 1}"):
            kind = _KINDS.get(str(entry["itemType"]).partition(".")[0])
            text, against, system = str(entry["targetText"]), str(entry["sourceText"]), str(entry["targetID"])
            segment = int(entry["itemID"])
        if kind is None:
            raise FormatError(f"item {at + 1} is of type {entry['itemType']!r}", where=where)
        by_reference = "reference" in protocol.shows
        item = Item(
            f"{number}.{at + 1}",
            kind,
            (system,),
            (text,),
            "" if by_reference else against,
            against if by_reference else "",
            *languages,
            str(entry.get("sourceID", "")),
            segment,
            str(entry.get("documentID", "")),
        )
        items.append(item)
        if kind == "system":
            originals.setdefault((system, against), item.id)
            by_text.setdefault(against, item.id)
    paired = [item if item.kind == "system" else _with_partner(item, originals, by_text, protocol) for item in items]
    copies = about.get("requiredAnnotations", 1)
    return CampaignTask(
        f"batch{number}", number, protocol.name, tuple(paired), copies if isinstance(copies, int) else 1
    )


def _with_partner(
    item: Item, originals: Mapping[tuple[str, str], str], by_text: Mapping[str, str], protocol: Protocol
) -> Item:
    against = item.reference if "reference" in protocol.shows else item.source
    fallback = by_text.get(against, "") if item.kind == "reference" else ""
    return replace(item, partner=originals.get((item.system, against), fallback))


def looks_like_scores(cells: Sequence[str]) -> bool:
    """Whether a row of CSV is one of Appraise's scores."""
    return len(cells) >= 7 and cells[3].partition(".")[0] in _KINDS and _is_number(cells[6])


def read_scores(path: Path | str, *, protocol: str = "") -> Ratings:
    """Ratings from Appraise's table of scores."""
    found = []
    for number, cells in csv_rows(path):
        where = f"{path}, line {number}"
        if not looks_like_scores(cells):
            raise FormatError("not a line of Appraise scores", where=where)
        user, system, item, kind, source, target, score, *rest = cells
        document, spans = "", None
        if len(rest) > 1 and rest[1] in ("True", "False"):
            document, rest = rest[0], rest[2:]
        if rest and not _is_number(rest[0]):
            spans, rest = _read_spans(rest[0], where), rest[1:]
        start, end = (float(rest[0]), float(rest[1])) if len(rest) > 1 and all(map(_is_number, rest[:2])) else (0, 0)
        found.append(
            Rating(
                user,
                rest[2] if len(rest) > 2 else "",
                number,
                f"{item}:{kind}:{number}",
                _KINDS[kind.partition(".")[0]],
                float(score),
                f"{_short(source)}-{_short(target)}",
                protocol or ("esa" if spans is not None else "adequacy"),
                "",
                system,
                item,
                document,
                milliseconds=round(1000 * max(0.0, end - start)),
                spans=spans or (),
            )
        )
    return Ratings(pair_up(found))


def _read_spans(text: str, where: str) -> tuple[ErrorSpan, ...]:
    try:
        values = parse_json(text, where=where) if text else []
        return tuple(
            ErrorSpan(-1, -1, str(span["severity"]), str(span.get("error_type") or ""))
            if span["start_i"] == "missing"
            else ErrorSpan(
                int(span["start_i"]), int(span["end_i"]), str(span["severity"]), str(span.get("error_type") or "")
            )
            for span in values
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise FormatError(f"not a list of marked errors: {error}", where=where) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _seconds(time: str) -> float | None:
    from datetime import datetime

    return datetime.fromisoformat(time).timestamp() if time else None


def _long(code: str) -> str:
    return _LONG.get(code, code)


def _short(code: str) -> str:
    return _SHORT.get(code, code)
