"""Pictures of an analysis: intervals of systems, and assessors by their control pairs and their pace."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from dragoman.assessment.analysis.assessor_quality import Quality
from dragoman.assessment.analysis.scores import Ranking
from dragoman.charts import forest_plot, scatter_plot
from dragoman.drawing import Drawing

__all__ = ["assessor_picture", "pace_picture", "ranking_picture"]


def ranking_picture(ranking: Ranking) -> Drawing:
    """Each system's standardized score with its interval, best first; a line between clusters."""
    return forest_plot(
        [(one.system, one.interval[0], one.z, one.interval[1]) for one in ranking.systems],
        title=f"{ranking.protocol} {ranking.pair}: standardized scores with 95% intervals",
        unit="z",
        sure=[True] * len(ranking.systems),
        figure="+.3f",
        rules=set(itertools.accumulate(map(len, ranking.clusters[:-1]))),
    )


def assessor_picture(quality: Sequence[Quality]) -> Drawing:
    """Every assessor at the mean difference of repeats (across) and of degraded copies (up): careful is top left."""
    return scatter_plot(
        _by_verdict((one, one.mean_d1, one.mean_d2) for one in quality if one.degraded and one.repeats),
        title="assessors by their control pairs",
        x_name="mean difference of repeats (d1)",
        y_name="mean loss of degraded copies (d2)",
        zero=True,
        diagonal=True,
    )


def pace_picture(quality: Sequence[Quality]) -> Drawing:
    """Every assessor at seconds per item (across) and the p-value of the paired test (up): careful is low."""
    return scatter_plot(
        _by_verdict((one, one.seconds, one.p_paired) for one in quality if one.p_paired is not None and one.seconds),
        title="reliability and pace",
        x_name="seconds per item",
        y_name="p of the paired test",
        zero=True,
    )


def _by_verdict(places: Iterable[tuple[Quality, float, float]]) -> dict[str, list[tuple[float, float, str]]]:
    """Points of kept and of dropped assessors."""
    groups: dict[str, list[tuple[float, float, str]]] = {"kept": [], "dropped": []}
    for one, x, y in places:
        groups["kept" if one.kept else "dropped"].append((x, y, f"{one.assessor}: {one.reason}"))
    return groups
