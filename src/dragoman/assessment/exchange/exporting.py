"""Export: results and tasks of a campaign in the forms that other programs read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dragoman.assessment.access_keys import AccessKeys
from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.assessment.campaign_folder import judgement_line, links_csv
from dragoman.assessment.exchange import appraise, mturk, pearmut
from dragoman.assessment.exchange.importing import collected
from dragoman.assessment.ratings import join, lines_of
from dragoman.settings import check_argument

__all__ = ["FORMS", "export_text"]

FORMS = (
    "csv", "jsonl", "judgements", "appraise-scores", "pearmut-annotations", "mturk-batch", "appraise", "pearmut",
    "mturk", "links",
)  # fmt: skip


def export_text(campaign: Campaign, path: Path, form: str, *, server: str = "", database: str = "") -> Iterator[str]:
    """The text of an export, in pieces."""
    check_argument("form", form, choices=FORMS)
    judged = collected(path, campaign, database=database)
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
        yield links_csv(AccessKeys.read(path), server)
