"""Power by simulation: how often a campaign finds the better of two systems, with careless people in it.

A population judges a designed campaign; its judgements are filtered and standardized as in the analysis. This is slower
than the formula of `dragoman.assessment.design.sample_size`, and closer to life.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from dragoman.executors import Executor, LocalExecutor, Shard, ShardPlace, ShardStep, Shared

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
    executor: Executor | None = None,
) -> float:
    """The share of simulated campaigns in which the best system is found significantly better than the next.

    Systems stand `difference` apart; tasks of adequacy are made until each gets about so many genuine judgements,
    before filtering; everyone does one task. Campaigns follow from their seeds, so any `executor` may work on them.
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
    planned = _Planned(campaign, qualities, population, alpha)
    working = executor or LocalExecutor()
    shards = (Shard(range(seed + first, seed + min(first + _AT_ONCE, runs))) for first in range(0, runs, _AT_ONCE))
    return sum(working.run(_CAMPAIGNS, shards, shared=Shared(planned))) / runs


_AT_ONCE = 10
"""Campaigns of a shard."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """What all simulated campaigns share."""

    campaign: Campaign
    qualities: dict[str, float]
    population: Population | None
    alpha: float


def _found(shard: Shard[range], planned: _Planned, place: ShardPlace) -> int:
    """How many campaigns, one for each seed, find the difference."""
    found = 0
    for seed in shard.value:
        judged, _ = simulate(planned.campaign, planned.qualities, population=planned.population, seed=seed)
        ratings = join(planned.campaign, judged).ratings
        kept = {one.assessor_key for one in assess_quality(ratings, alpha=planned.alpha) if one.kept}
        ranked = rank_systems(standardize([one for one in ratings if one.assessor_key in kept]), alpha=planned.alpha)
        if ranked:
            value = ranked[0].p.get("S0", {}).get("S1")
            found += value is not None and value < planned.alpha
    return found


_CAMPAIGNS = ShardStep("simulating campaigns", _found)
