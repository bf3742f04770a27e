"""Planning: how many judgements show a difference, and what they cost.

The formula is that of two independent samples, with the efficiency of the rank-sum test; it is quick and assumes that
judgements are independent. The simulation lets a population with careless people in it judge a designed campaign,
filters and standardizes as the analysis does, and counts how often the better of two systems is found: slower, and
closer to life. Experience: an adequacy judgement takes about 18 seconds and a fluency judgement 13, about 60% of
judgements survive the filter, and a ranking of systems wants some 500 judgements each (Graham, Baldwin, Moffat and
Zobel 2014).

    >>> judgements_needed(5.0, sd=25.0, power=0.8)
    324
    >>> plan(systems=10, judgements=500).tasks
    105
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dragoman.assessment.protocol import get_protocol
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from dragoman.assessment.simulate import Population

__all__ = ["Plan", "detectable", "judgements_needed", "plan", "power", "simulated_power"]

_EFFICIENCY = 3 / math.pi
"""Of the rank-sum test against the t-test, for normal scores."""
_GENUINE = 0.8


def judgements_needed(difference: float, *, sd: float = 25.0, alpha: float = 0.05, power: float = 0.8) -> int:
    """Judgements of each of two systems that show a difference of means, one-sided, with that power."""
    _check(alpha, power, sd)
    check_argument("difference", difference, float, above=0)
    return math.ceil(2 * (_quantile(alpha) + _quantile(1 - power)) ** 2 * (sd / difference) ** 2 / _EFFICIENCY)


def detectable(judgements: int, *, sd: float = 25.0, alpha: float = 0.05, power: float = 0.8) -> float:
    """The difference of means that so many judgements of each system show with that power."""
    _check(alpha, power, sd)
    check_argument("judgements", judgements, int, least=1)
    return sd * (_quantile(alpha) + _quantile(1 - power)) * math.sqrt(2 / (judgements * _EFFICIENCY))


def power(difference: float, judgements: int, *, sd: float = 25.0, alpha: float = 0.05) -> float:
    """The probability that so many judgements of each system show a difference of means."""
    from scipy import stats

    _check(alpha, 0.5, sd)
    noncentral = difference / sd * math.sqrt(judgements * _EFFICIENCY / 2)
    return float(stats.norm.cdf(noncentral - _quantile(alpha)))


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
    from dragoman.assessment.campaign import Campaign
    from dragoman.assessment.pool import Output
    from dragoman.assessment.quality import assess_quality
    from dragoman.assessment.ratings import join
    from dragoman.assessment.scores import rank_systems
    from dragoman.assessment.simulate import simulate
    from dragoman.assessment.standardize import standardize
    from dragoman.assessment.tasks import Design, build_tasks

    protocol = get_protocol("adequacy")
    qualities = {f"S{at}": 50 + difference * ((systems - 1) / 2 - at) for at in range(systems)}
    tasks = max(1, round(systems * judgements / (100 * _GENUINE)))
    pool = [
        Output(name, f"output {segment} of system {name}", "", f"reference {segment}", "", "en", "", segment)
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


@dataclass(frozen=True, slots=True)
class Plan:
    """A campaign's size: `judgements` per system after filtering; cost is tasks times pay, hours are one person's."""

    systems: int
    judgements: int
    tasks: int
    items: int
    minutes_per_task: float
    hours: float
    cost: float
    detectable: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(
    *,
    systems: int,
    judgements: int,
    protocol: str = "adequacy",
    items: int = 100,
    passing: float = 0.6,
    pay: float = 0.0,
    sd: float = 25.0,
    alpha: float = 0.05,
    power: float = 0.8,
) -> Plan:
    """Tasks, hours and cost of so many judgements of each system after filtering.

    `passing` is the share of judgements that survive quality control, `pay` the price of a task.
    """
    for name, value in (("systems", systems), ("judgements", judgements), ("items", items)):
        check_argument(name, value, int, least=1)
    check_argument("pay", pay, float, least=0)
    check_argument("passing", passing, float, above=0, most=1)
    tasks = math.ceil(systems * judgements / (_GENUINE * items * passing))
    minutes = items * get_protocol(protocol).seconds / 60
    reach = detectable(judgements, sd=sd, alpha=alpha, power=power)
    return Plan(systems, judgements, tasks, items, minutes, tasks * minutes / 60, tasks * pay, reach)


def _quantile(tail: float) -> float:
    from scipy import stats

    return float(stats.norm.isf(tail))


def _check(alpha: float, power: float, sd: float) -> None:
    check_argument("alpha", alpha, float, above=0, below=1)
    check_argument("power", power, float, above=0, below=1)
    check_argument("sd", sd, float, above=0)
