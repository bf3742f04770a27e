"""Mechanical Turk: tasks as an input table, result batches back into ratings.

The input table has one task a line: languages, attribute, and for each place the system, the segment, the kind and the
opaque id of the item (the layout of the scripts of Graham et al. 2014), then the texts that the page shows. A result
batch repeats the input in columns `Input.*` and holds all answers in one column,
`position_id_score|position_id_score|…`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from dragoman.assessment.campaign import Campaign, ItemKind, Judgement
from dragoman.assessment.ratings import Rating, Ratings, pair_up
from dragoman.assessment.strict_reading import named_rows
from dragoman.errors import FormatError, InputError

__all__ = ["filled_batch", "looks_like_batch", "mturk_input", "read_batch"]

_KINDS: dict[str, ItemKind] = {
    "SYSTEM": "system", "REPEAT": "repeat", "BAD_REF": "degraded", "REF": "reference", "GOLD": "gold",
}  # fmt: skip
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ATTRIBUTES = {"adequacy": "ad", "fluency": "fl"}
_ANSWER = re.compile(r"\d+_[^_|]+_-?\d+(\.\d+)?(\|\d+_[^_|]+_-?\d+(\.\d+)?)*\|?")


def mturk_input(campaign: Campaign) -> str:
    """The input table of a campaign; all its tasks have as many columns as the longest one."""
    longest = max((len(task.items) for task in campaign.tasks), default=0)
    header = ["src", "trg", "item"]
    for at in range(longest):
        header += [f"sys_id_{at}", f"sid_{at}", f"tst_{at}", f"rid_{at}"]
    header += [f"{name}_{at}" for at in range(longest) for name in ("source", "reference", "candidate")]
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow(header)
    for task in campaign.tasks:
        protocol = campaign.protocol_of(task)
        if not protocol.scored:
            raise InputError(f"{protocol.name} has no scores to collect in one answer column")
        ids: list[object] = []
        texts: list[str] = []
        for item in task.items:
            ids += [item.system, item.segment, _NAMES[item.kind], item.id]
            shown = item.public(protocol)
            texts += [shown.get("source", ""), shown.get("reference", ""), shown["candidates"][0]]
        ids += [""] * (4 * (longest - len(task.items)))
        texts += [""] * (3 * (longest - len(task.items)))
        first = task.items[0]
        attribute = _ATTRIBUTES.get(task.protocol, task.protocol)
        rows.writerow([first.source_language, first.target_language, attribute, *ids, *texts])
    return out.getvalue()


def filled_batch(campaign: Campaign, judgements: Mapping[tuple[str, str], list[Judgement]]) -> str:
    """A result batch as the platform would return it, for judgements by (task, assessor): for tests and for moving."""
    inputs = list(csv.reader(io.StringIO(mturk_input(campaign))))
    header = ["HITId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime", "WorkTimeInSeconds"]
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow([*header, *(f"Input.{name}" for name in inputs[0]), "Answer.scores"])
    places = {task.id: at for at, task in enumerate(campaign.tasks, 1)}
    for (task, assessor), own in judgements.items():
        answers = "|".join(f"{campaign.place(one.item)[1]}_{one.item}_{one.score:g}" for one in own)
        seconds = round(sum(one.milliseconds for one in own) / 1000)
        rows.writerow([task, assessor, "Submitted", "", "", seconds, *inputs[places[task]], answers])
    return out.getvalue()


def looks_like_batch(line: str) -> bool:
    """Whether a header is that of a result batch."""
    return "WorkerId" in line and "AssignmentStatus" in line and "Input.rid_0" in line


def read_batch(path: Path | str, *, partial: bool = False, protocol: str = "") -> Ratings:
    """Ratings from a result batch.

    Rejected assignments and incomplete ones are left out and counted; `partial` keeps what an incomplete one has.
    """
    found = Ratings()
    rejected = incomplete = 0
    for number, row in named_rows(path, needed={"HITId", "WorkerId", "AssignmentStatus"}):
        where = f"{path}, line {number}"
        if row["AssignmentStatus"] == "Rejected":
            rejected += 1
            continue
        answers = next((v for n, v in row.items() if n.startswith("Answer.") and _ANSWER.fullmatch(v.strip())), None)
        if answers is None:
            raise FormatError(
                "no answer column holds scores",
                where=where,
                remedy="one column as `position_id_score|position_id_score`",
            )
        size = sum(1 for name, value in row.items() if name.startswith("Input.rid_") and value)
        given = [one.split("_") for one in answers.strip("| \n").split("|")]
        if len({one[0] for one in given}) < size:
            incomplete += 1
            if not partial:
                continue
        attribute = {"ad": "adequacy", "fl": "fluency"}.get(row.get("Input.item", ""), row.get("Input.item", ""))
        seconds = row.get("WorkTimeInSeconds", "")
        each = round(1000 * float(seconds) / max(1, len(given))) if seconds.replace(".", "", 1).isdigit() else 0
        ratings = [
            _rating(row, position, rid, score, protocol or attribute or "adequacy", each, where)
            for position, rid, score in given
        ]
        found.ratings.extend(pair_up(ratings))
    if rejected:
        found.problems.append(f"{path}: {rejected} rejected assignments left out")
    if incomplete:
        found.problems.append(f"{path}: {incomplete} incomplete tasks{'' if partial else ' left out'}")
    return found


def _rating(
    row: Mapping[str, str], position: str, rid: str, score: str, protocol: str, milliseconds: int, where: str
) -> Rating:
    if row.get(f"Input.rid_{position}") != rid:
        raise FormatError(f"answer {position} is for item {rid!r}, which the task does not show there", where=where)
    kind = _KINDS.get(row.get(f"Input.tst_{position}", ""))
    if kind is None:
        raise FormatError(f"place {position} has no kind", where=where, remedy=f"one of {', '.join(_KINDS)}")
    value = float(score)
    if not value.is_integer() or not 0 <= value <= 100:
        raise InputError(f"the score {score} of item {rid} is not a whole number of 0 to 100", where=where)
    return Rating(
        row["WorkerId"],
        row["HITId"],
        int(position),
        rid,
        kind,
        value,
        "-".join(filter(None, (row.get("Input.src", ""), row.get("Input.trg", "")))),
        protocol,
        "",
        row.get(f"Input.sys_id_{position}", ""),
        row.get(f"Input.sid_{position}", ""),
        milliseconds=milliseconds,
        submitted=_time(row.get("SubmitTime", "")),
    )


def _time(text: str) -> str:
    """The platform's `Mon Nov 16 09:00:00 PST 2026` as an ISO time; its zone is not resolved, so it stays local."""
    parts = text.split()
    if len(parts) != 6:
        return ""
    try:
        local = datetime.strptime(" ".join([*parts[:4], parts[5]]), "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        return ""
    return local.isoformat().removesuffix("+00:00")
