"""Jobs of the assessment room: designing a campaign, analysing it, agreement against nltk."""

from __future__ import annotations

from functools import cache

from numpy.testing import assert_allclose

from bench.contest import Contest, bench
from dragoman.assessment.analysis.agreement import krippendorff_alpha
from dragoman.assessment.analysis.campaign_analysis import analyse
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import Rating, Ratings, join
from dragoman.assessment.simulation.assessors import simulate
from dragoman.seeds import stream

TASKS = 100


@cache
def pool() -> list[SystemOutput]:
    return [
        SystemOutput(
            f"S{system}",
            f"system {system} says of segment {segment} this and that, and some more",
            "",
            f"the reference says of segment {segment} something else",
            "",
            "en",
            "t",
            segment,
        )
        for system in range(10)
        for segment in range(1000)
    ]


@cache
def judged() -> Ratings:
    protocol = get_protocol("adequacy")
    tasks = build_tasks(pool(), protocol, Design(tasks=TASKS, judgements=2))
    made = Campaign("bench", tuple(tasks), {"adequacy": protocol})
    return join(made, simulate(made, {f"S{at}": 60.0 - at for at in range(10)})[0])


@bench("Campaign of 100 tasks from 10,000 outputs")
def design() -> Contest:
    protocol = get_protocol("adequacy")
    return Contest(lambda: build_tasks(pool(), protocol, Design(tasks=TASKS)), units=100.0 * TASKS, unit="items")


@bench("Analysis of 20,000 ratings by 200 assessors")
def analysis() -> Contest:
    found = judged()
    return Contest(lambda: analyse(found), units=float(len(found.ratings)), unit="ratings")


@bench("Krippendorff's alpha, 300 outputs, 5 assessors", peer="nltk", target=1.0)
def alpha() -> Contest:
    from nltk.metrics.agreement import AnnotationTask

    rng = stream(1, "alpha")
    truth = rng.uniform(0, 100, 300)
    scores = [(truth + rng.normal(0, 15, 300)).round().tolist() for _ in range(5)]
    rows = [
        Rating(f"a{who}", "t", at, f"i{at}", "system", score, system="S", segment=str(at))
        for who, column in enumerate(scores)
        for at, score in enumerate(column)
    ]
    data = [(f"a{who}", str(at), score) for who, column in enumerate(scores) for at, score in enumerate(column)]
    return Contest(
        lambda: krippendorff_alpha(rows),
        lambda: AnnotationTask(data=data, distance=lambda a, b: (a - b) ** 2).alpha(),
        agree=lambda ours, theirs: assert_allclose(ours, theirs),
        units=float(len(rows)),
        unit="ratings",
    )
