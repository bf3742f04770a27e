"""Import: campaigns and results from anywhere.

Results come from a campaign's folder, our own tables, Appraise, Pearmut, Mechanical Turk and plain crowd tables. The
form is found out by looking at the first line, so that `dragoman assess analyse` takes what people have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dragoman.assessment.campaign import FORMAT, Campaign, Judgement
from dragoman.assessment.campaign_folder import JUDGEMENTS, add_judgements, read_judgements
from dragoman.assessment.exchange import appraise, mturk, pearmut
from dragoman.assessment.exchange.crowd_table import looks_like_crowd_table, read_crowd_table
from dragoman.assessment.ratings import Ratings, join, read_ratings
from dragoman.assessment.strict_reading import csv_cells
from dragoman.errors import FileError, FormatError
from dragoman.files import open_binary, read_lines
from dragoman.plain_data import parse_json

__all__ = ["collected", "import_judgements", "open_campaign", "read_results"]


def collected(path: Path, campaign: Campaign, *, database: str = "") -> Iterator[Judgement]:
    """All judgements of a campaign: what its folder holds, and what its server collected, in `database` if not there.

    Reading while the server runs is safe.
    """
    folder = path if path.is_dir() else path.parent
    if (folder / JUDGEMENTS).exists():
        yield from read_judgements(folder / JUDGEMENTS)
    if database or (folder / "judgements.sqlite").exists():
        from dragoman.assessment.web.store import Store, database_url

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
        values = parse_json(file.read(), where=str(path))
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
    if looks_like_crowd_table(first):
        return read_crowd_table(path)
    return read_ratings(path)


def import_judgements(folder: Path, files: Sequence[Path]) -> int:
    """Add judgements from files to a campaign's folder; how many were new."""
    campaign = open_campaign(folder)
    found: list[Judgement] = []
    for path in files:
        if pearmut.looks_like_annotations(next(read_lines(path), "")):
            read = pearmut.read_annotations(path, campaign=campaign)
            assert isinstance(read, list)
            found += read
        else:
            found += read_judgements(path)
    for judgement in found:
        task, at = campaign.place(judgement.item)
        judgement.check(task.items[at], campaign.protocol_of(task))
    return add_judgements(folder, found)


def _needed(campaign: Campaign | None, path: Path) -> Campaign:
    if campaign is None:
        raise FormatError(
            "these judgements name items only", where=str(path), remedy="give the campaign too: --campaign FOLDER"
        )
    return campaign
