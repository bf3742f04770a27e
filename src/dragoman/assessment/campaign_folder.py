"""A campaign's folder: the design, the keys, the links, and what has been judged so far.

campaign.json      the design; secret while the campaign runs
access.json        tokens and the signing key
links.csv          what to send to whom
judgements.jsonl   judgements collected without the server (imported from a crowd platform, say)
judgements.sqlite  judgements collected by `dragoman assess serve`

Nobody but their owner can read any of them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dragoman.assessment.access_keys import PLATFORMS, AccessFile, AccessKeys, link, platform_link
from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.errors import FileError
from dragoman.files import read_lines, require_own_folder, writing
from dragoman.plain_data import parse_json

__all__ = [
    "add_judgements",
    "change_links",
    "create_campaign_folder",
    "judgement_line",
    "links_csv",
    "read_judgements",
    "write_judgements",
    "write_links",
]

JUDGEMENTS, LINKS = "judgements.jsonl", "links.csv"


def create_campaign_folder(campaign: Campaign, folder: Path, *, server: str, force: bool = False) -> AccessKeys:
    """Make the folder of a new campaign, with fresh keys; one that has judgements is never replaced."""
    for name in (JUDGEMENTS, "judgements.sqlite"):
        if (folder / name).exists():
            raise FileError(
                f"the campaign there has judgements ({name})", where=str(folder), remedy="choose another folder"
            )
    if (folder / "campaign.json").exists() and not force:
        raise FileError("a campaign is there already", where=str(folder), remedy="choose another folder, or --force")
    require_own_folder(folder, lambda there: ("campaign.json", "access.json", LINKS))
    names = list(dict.fromkeys(name for task in campaign.tasks for name in task.assessors))
    tasks = {name: tuple(task.id for task in campaign.tasks if name in task.assessors) for name in names}
    access = AccessKeys.fresh(names, tasks=tasks)
    campaign.write(folder / "campaign.json")
    access.write(folder / "access.json")
    write_links(access, folder, server)
    return access


def write_links(access: AccessKeys, folder: Path, server: str) -> None:
    """Write `links.csv`, for its owner only."""
    with writing(folder / LINKS, private=True) as file:
        file.write(links_csv(access, server))


def change_links(file: AccessFile, how: Callable[[AccessKeys], AccessKeys], *, server: str = "") -> AccessKeys:
    """Change the keys of a campaign, and `links.csv` with them; a server that runs notices by itself.

    `server` is the address in links, by default the one that `links.csv` had.
    """
    table = file.path.with_name(LINKS)
    if not server and table.exists():
        # The organiser's link is in the last row, and nothing but the address stands before its path.
        server = list(csv.reader(read_lines(table)))[-1][-1].rpartition("/o/")[0]
    access = file.change(how)
    write_links(access, file.path.parent, server or "http://localhost:8000")
    return access


def links_csv(access: AccessKeys, server: str) -> str:
    """Who opens which address: named assessors, workers of crowd platforms, and the organiser."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["who", "tasks", "link"])
    for assessor in access.assessors:
        address = link(server, assessor.token) if assessor.token else "taken back"
        rows.writerow([assessor.id, len(assessor.tasks), address])
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
    """Judgements as JSON lines, for their owner only: they name people."""
    with writing(path, private=True) as file:
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
