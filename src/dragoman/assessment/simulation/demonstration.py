"""A campaign to try out: three invented systems, a crowd that has done its part, and a short task for you.

The texts come from the synthetic language pair, the systems are references worsened more or less, and the crowd is
simulated, careless workers included, so that the analysis has something to find: which system is best is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.assessment.access_keys import AccessKeys
from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.assessment.campaign_folder import create_campaign_folder
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.simulation.assessors import Population, simulate
from dragoman.assessment.web.store import Store
from dragoman.seeds import stream
from dragoman.text import synthetic

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SYSTEMS", "YOU", "Demonstration", "make_demonstration", "set_up"]

SYSTEMS = {"steady": 0.06, "middling": 0.2, "hasty": 0.4}
"""Systems, best first, and the share of words that each gets wrong."""

YOU = "you"

_CONSENT = (
    "This is a demonstration. What you answer is kept in a file on this computer and goes nowhere else.\n\n"
    "You can stop at any time and go on later."
)


@dataclass(frozen=True)
class Demonstration:
    """A campaign, what the simulated crowd has judged, and what kind each of them is."""

    campaign: Campaign
    history: list[Judgement]
    kinds: dict[str, str]


def make_demonstration(*, crowd: int = 8, items: int = 20, seed: int = 5) -> Demonstration:
    """Design the campaign: `crowd` tasks of full size that are done, and one of `items` items for you."""
    protocol = get_protocol("adequacy")
    sentences = list(synthetic.pair("en-de").generate(120, seed=seed))
    references = [sentence.source.text for sentence in sentences]
    sources = [sentence.target.text for sentence in sentences]
    words = [word for reference in references for word in reference.split()]
    pool = [
        SystemOutput(
            system,
            worsened(reference, words, share, stream(seed, "demonstration", system, at)),
            sources[at],
            reference,
            "de",
            "en",
            "demonstration",
            at,
        )
        for system, share in SYSTEMS.items()
        for at, reference in enumerate(references)
    ]
    theirs = build_tasks(pool, protocol, Design(items=100, tasks=crowd), seed=seed)
    theirs = [replace(task, assessors=(f"worker{at}",)) for at, task in enumerate(theirs, 1)]
    yours = build_tasks(pool, protocol, Design(items=items, tasks=1), seed=seed + 1, first=crowd + 1)
    tasks = (*theirs, *(replace(task, assessors=(YOU,)) for task in yours))
    protocols = {protocol.name: protocol}
    qualities = {system: 90 - 120 * share for system, share in SYSTEMS.items()}
    population = Population({"conscientious": 0.7, "half-attentive": 0.0, "random": 0.2, "constant": 0.1})
    done = Campaign("demonstration", tuple(theirs), protocols)
    history, kinds = simulate(done, qualities, population=population, seed=seed)
    return Demonstration(Campaign("demonstration", tasks, protocols, seed, consent=_CONSENT), history, kinds)


def worsened(text: str, words: Sequence[str], share: float, rng: np.random.Generator) -> str:
    """A text of which about this share of words is lost, doubled, replaced or out of place."""
    found = text.split()
    for at in range(len(found) - 1, -1, -1):
        if rng.random() >= share:
            continue
        match int(rng.integers(4)):
            case 0 if len(found) > 2:
                del found[at]
            case 1:
                found.insert(at, found[at])
            case 2 if at + 1 < len(found):
                found[at], found[at + 1] = found[at + 1], found[at]
            case _:
                found[at] = str(words[int(rng.integers(len(words)))])
    return " ".join(found)


def set_up(demonstration: Demonstration, folder: Path, *, server: str, database: str) -> AccessKeys:
    """Make the campaign's folder and enter the history of its crowd."""
    access = create_campaign_folder(demonstration.campaign, folder, server=server)
    store = Store(database, demonstration.campaign)
    tokens = {assessor.id: assessor.token for assessor in access.assessors}
    by_task: dict[str, list[Judgement]] = {}
    for judgement in demonstration.history:
        by_task.setdefault(judgement.task, []).append(judgement)
    try:
        for task, judgements in by_task.items():
            worker = judgements[0].assessor
            seat = store.admit(worker=worker, token=tokens[worker])
            store.mark(seat, "consented")
            store.claim(seat)
            store.save(seat, judgements, key=f"history of {task}"[:100])
            store.finish(seat, task)
    finally:
        store.close()
    return access
