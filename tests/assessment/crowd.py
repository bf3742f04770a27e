"""Small campaigns and simulated crowds that the tests of this room share."""

from __future__ import annotations

from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.assessment.design.pool import SystemOutput, with_context
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.simulation.assessors import Population, simulate

CAREFUL = Population({"conscientious": 1.0})


def outputs(systems: int = 3, segments: int = 60, *, testset: str = "news", document: int = 0) -> list[SystemOutput]:
    found = [
        SystemOutput(
            f"S{system}",
            f"system {system} says of segment {segment} this and that, truly",
            f"zdroj {segment}",
            f"the reference says of segment {segment} something else",
            "cs",
            "en",
            testset,
            segment,
            f"doc{segment // document}" if document else "",
        )
        for system in range(systems)
        for segment in range(segments)
    ]
    return with_context(found, 3) if document else found


def campaign(protocol: str = "adequacy", *, pool: list[SystemOutput] | None = None, **design: object) -> Campaign:
    chosen = get_protocol(protocol)
    tasks = build_tasks(pool or outputs(), chosen, Design(**design), seed=4)  # type: ignore[arg-type]
    return Campaign(f"test of {protocol}", tuple(tasks), {protocol: chosen})


def judged(
    made: Campaign, *, population: Population | None = None, step: float = 8.0, seed: int = 2
) -> tuple[list[Judgement], dict[str, str]]:
    names = sorted({system for item in made for system in item.systems if system})
    qualities = {name: 70 - step * at for at, name in enumerate(names)}
    return simulate(made, {**qualities, "": 50.0}, population=population, seed=seed)
