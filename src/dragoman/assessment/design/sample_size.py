"""Sample size: how many judgements show a difference, and what they cost.

The formula is that of two independent samples, with the efficiency of the rank-sum test; it is quick and assumes that
judgements are independent (`dragoman.assessment.simulation.power` is slower, and closer to life). Experience: an
adequacy judgement takes about 18 seconds and a fluency judgement 13, about 60% of judgements survive the filter, and a
ranking of systems wants some 500 judgements each (Graham, Baldwin, Moffat and Zobel 2014).

    >>> judgements_needed(5.0, sd=25.0, power=0.8)
    324
    >>> campaign_size(systems=10, judgements=500).tasks
    105
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from dragoman.assessment.protocol import get_protocol
from dragoman.settings import check_argument

__all__ = ["CampaignSize", "campaign_size", "detectable", "judgements_needed", "power"]

_EFFICIENCY = 3 / math.pi
"""Of the rank-sum test against the t-test, for normal scores."""
GENUINE = 0.8
"""The share of a task's items that are outputs of systems or repeats of them, the rest being other controls."""


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


@dataclass(frozen=True, slots=True)
class CampaignSize:
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


def campaign_size(
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
) -> CampaignSize:
    """Tasks, hours and cost of so many judgements of each system after filtering.

    `passing` is the share of judgements that survive quality control, `pay` the price of a task.
    """
    for name, value in (("systems", systems), ("judgements", judgements), ("items", items)):
        check_argument(name, value, int, least=1)
    check_argument("pay", pay, float, least=0)
    check_argument("passing", passing, float, above=0, most=1)
    tasks = math.ceil(systems * judgements / (GENUINE * items * passing))
    minutes = items * get_protocol(protocol).seconds / 60
    reach = detectable(judgements, sd=sd, alpha=alpha, power=power)
    return CampaignSize(systems, judgements, tasks, items, minutes, tasks * minutes / 60, tasks * pay, reach)


def _quantile(tail: float) -> float:
    from scipy import stats

    return float(stats.norm.isf(tail))


def _check(alpha: float, power: float, sd: float) -> None:
    check_argument("alpha", alpha, float, above=0, below=1)
    check_argument("power", power, float, above=0, below=1)
    check_argument("sd", sd, float, above=0)
