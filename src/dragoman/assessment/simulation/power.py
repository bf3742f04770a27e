"""Power by simulation: how often a campaign finds the better of two systems, with careless people in it.

A population judges a designed campaign; its judgements are filtered and standardized as in the analysis. This is slower
than the formula of `dragoman.assessment.design.sample_size`, and closer to life.
"""

from __future__ import annotations

from dragoman.assessment.analysis.assessor_quality import assess_quality
from dragoman.assessment.analysis.scores import rank_systems
from dragoman.assessment.analysis.standardize import standardize
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.sample_size import GENUINE
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import join
from dragoman.assessment.simulation.assessors import Population, simulate

__all__ = ["simulated_power"]


def simulated_power(
    difference: float,
    judgements: int,
    *,
    systems: int = 2,
    alpha: float = 0.05,
    population: Population | None = None,
    runs: int = 100,
    seed: int = 1,
) -> float:
    """The share of simulated campaigns in which the best system is found significantly better than the next.

    Systems stand `difference` apart; tasks of adequacy are made until each gets about so many genuine judgements,
    before filtering; everyone does one task.
    """
    protocol = get_protocol("adequacy")
    qualities = {f"S{at}": 50 + difference * ((systems - 1) / 2 - at) for at in range(systems)}
    tasks = max(1, round(systems * judgements / (100 * GENUINE)))
    pool = [
        SystemOutput(name, f"output {segment} of system {name}", "", f"reference {segment}", "", "en", "", segment)
        for name in qualities
        for segment in range(max(70, 70 * tasks // systems))
    ]
    built = build_tasks(pool, protocol, Design(tasks=tasks), seed=seed)
    campaign = Campaign("plan", tuple(built), {protocol.name: protocol})
    found = 0
    for run in range(runs):
        judged, _ = simulate(campaign, qualities, population=population, seed=seed + run)
        ratings = join(campaign, judged).ratings
        kept = {one.judge for one in assess_quality(ratings, alpha=alpha) if one.kept}
        ranked = rank_systems(standardize([one for one in ratings if one.judge in kept]), alpha=alpha)
        if ranked:
            value = ranked[0].p.get("S0", {}).get("S1")
            found += value is not None and value < alpha
    return found / runs
