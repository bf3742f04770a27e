"""Out and in: results and tasks in the forms that other programs read, and judgements that they collected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from dragoman.assessment import appraise, mturk, pearmut
from dragoman.assessment.access import Access
from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.assessment.ratings import join, lines_of
from dragoman.assessment.results import collected, open_campaign
from dragoman.assessment.scores import SegmentScore
from dragoman.assessment.simulate import simulate
from dragoman.assessment.workspace import add_judgements, judgement_line, links_csv, read_judgements
from dragoman.errors import SettingError
from dragoman.files import read_lines, writing
from dragoman.settings import check_argument

__all__ = ["FORMS", "export_text", "import_judgements", "parse_gain", "rehearsal", "write_segments"]

FORMS = (
    "csv", "jsonl", "judgements", "appraise-scores", "pearmut-annotations", "mturk-batch", "appraise", "pearmut",
    "mturk", "links",
)  # fmt: skip


def export_text(campaign: Campaign, path: Path, form: str, *, server: str = "", database: str = "") -> Iterator[str]:
    """The text of an export, in pieces."""
    judged = collected(path, campaign, database=database)
    check_argument("form", form, choices=FORMS)
    if form in ("csv", "jsonl"):
        yield from lines_of(join(campaign, judged).ratings, form)
    elif form == "judgements":
        yield from map(judgement_line, judged)
    elif form == "appraise-scores":
        yield appraise.appraise_scores(campaign, judged)
    elif form == "pearmut-annotations":
        yield from pearmut.pearmut_annotations(campaign, judged)
    elif form == "mturk-batch":
        groups: dict[tuple[str, str], list[Judgement]] = {}
        for judgement in judged:
            groups.setdefault((judgement.task, judgement.assessor), []).append(judgement)
        yield mturk.filled_batch(campaign, groups)
    elif form == "appraise":
        yield json.dumps(appraise.appraise_batches(campaign), ensure_ascii=False, indent=1) + "\n"
    elif form == "pearmut":
        yield json.dumps(pearmut.pearmut_campaign(campaign), ensure_ascii=False, indent=1) + "\n"
    elif form == "mturk":
        yield mturk.mturk_input(campaign)
    else:
        assert form == "links", form
        yield links_csv(Access.read(path), server)


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


def rehearsal(campaign: Campaign, qualities: Sequence[str], *, seed: int = 1) -> list[Judgement]:
    """Judgements of a simulated crowd; `qualities` are written `SYSTEM=QUALITY`, others stand two points apart."""
    systems = sorted({system for item in campaign for system in item.systems})
    planted = {system: 60.0 - 2 * at for at, system in enumerate(systems)}
    for text in qualities:
        system, _, value = text.rpartition("=")
        if system not in planted:
            raise SettingError(f"no system is called {system!r}", remedy=f"choose from {', '.join(systems)}")
        try:
            planted[system] = float(value)
        except ValueError:
            raise SettingError(f"{value!r} is not a quality", remedy="a number from 0 to 100") from None
    return simulate(campaign, planted, seed=seed)[0]


def parse_gain(text: str) -> tuple[tuple[str, str], tuple[str, str], str]:
    """`OLD@TESTSET:NEW@TESTSET:BENCHMARK` as two cells and the benchmark."""
    parts = text.split(":")
    cells = [tuple(part.rpartition("@")[::2]) for part in parts[:2]]
    if len(parts) != 3 or not parts[2] or not all(a and b for a, b in cells):
        raise SettingError(f"{text!r} does not name a gain", remedy="write OLD@TESTSET:NEW@TESTSET:BENCHMARK")
    return (cells[0][0], cells[0][1]), (cells[1][0], cells[1][1]), parts[2]


def write_segments(path: Path | str, segments: Sequence[SegmentScore]) -> None:
    """Segment scores as a tab-separated table."""
    with writing(path) as file:
        file.write("protocol\tpair\ttestset\tsystem\tsegment\traw\tz\tjudgements\tsd\n")
        for one in segments:
            values = (one.protocol, one.pair, one.testset, one.system, one.segment)
            file.write(
                "\t".join([*values, f"{one.raw:.4f}", f"{one.z:.6f}", str(one.judgements), f"{one.sd:.6f}"]) + "\n"
            )
