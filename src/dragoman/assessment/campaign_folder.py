"""A campaign's folder: the design, the keys, the links, and what has been judged so far.

campaign.json      the design; secret while the campaign runs
access.json        tokens and the signing key; for its owner only
links.csv          what to send to whom
judgements.jsonl   judgements collected without the server (imported from a crowd platform, say)
judgements.sqlite  judgements collected by `dragoman assess serve`
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from dragoman.assessment.access_keys import PLATFORMS, AccessKeys, link, platform_link
from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.errors import FileError
from dragoman.files import read_lines, writing
from dragoman.plain_data import parse_json

__all__ = [
    "add_judgements",
    "create_campaign_folder",
    "judgement_line",
    "links_csv",
    "read_judgements",
    "write_judgements",
]

JUDGEMENTS = "judgements.jsonl"


def create_campaign_folder(campaign: Campaign, folder: Path, *, server: str, force: bool = False) -> AccessKeys:
    """Make the folder of a new campaign, with fresh keys; one that has judgements is never replaced."""
    for name in (JUDGEMENTS, "judgements.sqlite"):
        if (folder / name).exists():
            raise FileError(
                f"the campaign there has judgements ({name})", where=str(folder), remedy="choose another folder"
            )
    if (folder / "campaign.json").exists() and not force:
        raise FileError("a campaign is there already", where=str(folder), remedy="choose another folder, or --force")
    names = list(dict.fromkeys(name for task in campaign.tasks for name in task.assessors))
    tasks = {name: tuple(task.id for task in campaign.tasks if name in task.assessors) for name in names}
    access = AccessKeys.fresh(names, tasks=tasks)
    campaign.write(folder / "campaign.json")
    access.write(folder / "access.json")
    with writing(folder / "links.csv") as file:
        file.write(links_csv(access, server))
    (folder / "links.csv").chmod(0o600)
    return access


def links_csv(access: AccessKeys, server: str) -> str:
    """Who opens which address: named assessors, workers of crowd platforms, and the organiser."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["who", "tasks", "link"])
    for assessor in access.assessors:
        rows.writerow([assessor.id, len(assessor.tasks), link(server, assessor.token)])
    if access.crowd:
        for platform in PLATFORMS:
            rows.writerow([f"workers from {platform}", "", platform_link(server, access, platform)])
    rows.writerow(["organiser", "", f"{server.rstrip('/')}/o/{access.organizer}"])
    return out.getvalue()


def judgement_line(judgement: Judgement) -> str:
    """A judgement as a line of JSON, which `read_judgements` reads."""
    return json.dumps(judgement.to_dict(), ensure_ascii=False) + "\n"


def read_judgements(path: Path | str) -> Iterator[Judgement]:
    """Judgements from JSON lines."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        yield Judgement.from_dict(parse_json(line, where=where), where=where)


def write_judgements(path: Path | str, judgements: Iterable[Judgement]) -> None:
    """Judgements as JSON lines."""
    with writing(path) as file:
        for judgement in judgements:
            file.write(judgement_line(judgement))


def add_judgements(folder: Path, judgements: Iterable[Judgement]) -> int:
    """Add imported judgements to a campaign's folder, those that it does not have yet; how many were new."""
    path = folder / JUDGEMENTS
    have = list(read_judgements(path)) if path.exists() else []
    known = {(one.item, one.assessor) for one in have}
    fresh = []
    for judgement in judgements:
        if (judgement.item, judgement.assessor) not in known:
            known.add((judgement.item, judgement.assessor))
            fresh.append(judgement)
    write_judgements(path, [*have, *fresh])
    return len(fresh)
