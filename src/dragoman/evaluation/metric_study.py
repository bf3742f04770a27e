"""Does a metric follow people, and does one follow them better than another?

A study takes scores of people and of metrics for the same things — systems, or systems' outputs of segments — and gives
every metric's correlations with people and, for every pair of metrics, Williams' test with its contrasts. (Graham and
Baldwin 2014; Macháček and Bojar 2014.)

    >>> human = {"A": 61.0, "B": 58.5, "C": 55.0, "D": 49.0, "E": 47.5}
    >>> bleu = {"A": 31.0, "B": 29.0, "C": 28.5, "D": 27.0, "E": 22.0}
    >>> ter = {"A": 50.0, "B": 51.0, "C": 58.0, "D": 55.0, "E": 60.0}
    >>> study = study_metrics(human, {"BLEU": bleu, "TER": ter}, StudySettings(higher_is_better={"TER": False}))
    >>> [(found.metric, round(found.pearson.r, 3)) for found in study.agreements]
    [('BLEU', 0.887), ('TER', 0.812)]
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from dragoman.errors import InputError, SettingError
from dragoman.evaluation.correlation import (
    Correlation,
    ScoredPreference,
    correlate,
    fisher_difference,
    interval,
    kendall,
    pearson,
    rmse,
    spearman,
    wmt_kendall,
)
from dragoman.evaluation.metric_report import (
    Array,
    Contrast,
    MetricAgreement,
    MetricStudy,
    StudySettings,
    Thing,
)
from dragoman.evaluation.score_files import HUMAN, ScoreRow
from dragoman.evaluation.williams import (
    MetricMatrix,
    difference_interval,
    metric_matrix,
    steiger,
    williams,
)

__all__ = [
    "Contrast",
    "MetricAgreement",
    "MetricStudy",
    "StudySettings",
    "preferences_from_scores",
    "studies",
    "study_metrics",
]

ThingT = TypeVar("ThingT", bound=Thing)

FEWEST = 3


def study_metrics(
    human: Mapping[ThingT, float],
    metrics: Mapping[str, Mapping[ThingT, float]],
    settings: StudySettings | None = None,
    *,
    level: str = "system",
    pair: str = "-",
    test_set: str = "-",
) -> MetricStudy:
    """Correlate metrics with people, and compare metrics with each other."""
    settings = settings or StudySettings()
    if not metrics:
        raise SettingError("no metric to correlate")
    where = f"{pair}, {test_set}" if (pair, test_set) != ("-", "-") else ""
    things, dropped = _common(human, metrics, settings.intersect, where)
    warnings = []
    if dropped:
        warnings.append(f"{dropped} of {dropped + len(things)} {level}s were dropped: not everybody scored them")
    if len(things) < FEWEST:
        raise InputError(
            f"{len(things)} {level}s",
            where=where,
            remedy=f"a correlation needs at least {FEWEST}, a test of two needs 4",
        )
    people = _vector(human, things, HUMAN, where)
    scores = {name: _vector(given, things, name, where) for name, given in metrics.items()}
    coefficient = settings.coefficient
    signs = {}
    for name, values in scores.items():
        better = settings.higher_is_better.get(name)
        if better is None:
            better = correlate(values, people, "pearson" if coefficient == "kendall" else coefficient).r >= 0
        signs[name] = 1.0 if better else -1.0
    agreements = [_agreement(name, values, people, signs[name], things, settings) for name, values in scores.items()]
    agreements.sort(key=lambda found: (-_by(found, coefficient).r, found.metric))
    matrix: MetricMatrix | None = None
    contrasts: tuple[Contrast, ...] = ()
    if len(scores) > 1 and len(things) > FEWEST and coefficient != "kendall":
        matrix = metric_matrix(
            people,
            scores,
            higher_is_better={name: sign > 0 for name, sign in signs.items()},
            coefficient=coefficient,
            alternative=settings.alternative,
            correction=settings.correction,
            df=settings.df,
        )
        warnings += matrix.warnings
        contrasts = _contrasts(matrix, settings)
    elif len(scores) > 1:
        why = (
            "Williams' test is not for Kendall's tau" if coefficient == "kendall" else "Williams' test needs 4 systems"
        )
        warnings.append(f"metrics were not compared with each other: {why}")
    return MetricStudy(
        level=level,
        pair=pair,
        test_set=test_set,
        n=len(things),
        settings=settings,
        agreements=tuple(agreements),
        matrix=matrix,
        contrasts=contrasts,
        human=people,
        scores=scores,
        things=tuple(things),
        warnings=tuple(warnings),
    )


def studies(
    human: Iterable[ScoreRow],
    metrics: Iterable[ScoreRow],
    settings: StudySettings | None = None,
    *,
    pair: str | None = None,
    test_set: str | None = None,
) -> list[MetricStudy]:
    """One study for each language pair and test set that people scored, from rows of metrics-task tables."""
    people, by_metric = _grouped(human), _grouped(metrics)
    chosen = [key for key in people if pair in (None, key[0]) and test_set in (None, key[1])]
    if not chosen:
        known = ", ".join(sorted({f"{a} {b}" for a, b in people})) or "nothing"
        raise InputError(f"people scored nothing of {pair or 'any pair'}, {test_set or 'any test set'}; only {known}")
    found = []
    for key in chosen:
        where = f"{key[0]}, {key[1]}"
        if len(people[key]) > 1:
            raise InputError(f"more than one human score: {', '.join(people[key])}", where=where)
        if key not in by_metric:
            raise InputError("no metric scored what people scored", where=where)
        (truth,) = people[key].values()
        level = "segment" if any(isinstance(thing, tuple) for thing in truth) else "system"
        found.append(study_metrics(truth, by_metric[key], settings, level=level, pair=key[0], test_set=key[1]))
    return found


def preferences_from_scores(
    human: Mapping[ThingT, float], metric: Mapping[ThingT, float], *, gap: float = 0.0
) -> list[ScoredPreference]:
    """Pairs of systems' outputs of one segment, with what people and the metric make of them (higher is better)."""
    by_segment: dict[str, list[ThingT]] = defaultdict(list)
    for thing in human:
        if isinstance(thing, tuple):
            by_segment[thing[1]].append(thing)
    found = []
    for outputs in by_segment.values():
        for one, other in itertools.combinations(outputs, 2):
            difference = human[one] - human[other]
            if difference and abs(difference) >= gap:
                found.append(ScoredPreference(1 if difference > 0 else -1, metric[one], metric[other]))
    return found


def _agreement(
    name: str, values: Array, people: Array, sign: float, things: Sequence[Thing], settings: StudySettings
) -> MetricAgreement:
    linear = pearson(sign * values, people)
    pairs = preferences_from_scores(
        dict(zip(things, people.tolist(), strict=True)),
        dict(zip(things, (sign * values).tolist(), strict=True)),
        gap=settings.gap,
    )
    return MetricAgreement(
        metric=name,
        higher_is_better=sign > 0,
        pearson=linear,
        interval=interval(linear.r, linear.n) if linear.n >= 4 else None,
        spearman=spearman(sign * values, people),
        kendall=kendall(sign * values, people),
        rmse=rmse(values, people),
        fitted_rmse=float(people.std()) * math.sqrt(max(0.0, 1 - linear.r**2)),
        preference_kendall=wmt_kendall(pairs, settings.variant) if pairs else None,
    )


def _by(found: MetricAgreement, coefficient: str) -> Correlation:
    return {"pearson": found.pearson, "spearman": found.spearman, "kendall": found.kendall}[coefficient]


def _contrasts(matrix: MetricMatrix, settings: StudySettings) -> tuple[Contrast, ...]:
    found = []
    for a, b in itertools.combinations(matrix.order, 2):
        if matrix.p[a].get(b) is None:
            continue
        r12, r13, r23, n = matrix.between[a][b], matrix.r[a], matrix.r[b], matrix.n
        tested = williams(r12=r12, r13=r13, r23=r23, n=n, alternative=settings.alternative, df=settings.df)
        normal, fisher = None, None
        if max(abs(r13), abs(r23)) < 1:
            normal = steiger(r12=r12, r13=r13, r23=r23, n=n, alternative=settings.alternative)
            fisher = min(1.0, fisher_difference(r13, r23, n, n) * (2 if settings.alternative == "two-sided" else 1))
        bounds = difference_interval(r12=r12, r13=r13, r23=r23, n=n)
        found.append(Contrast(a, b, r12, tested.t, tested.df, tested.p, normal, fisher, bounds))
    return tuple(found)


def _common(
    human: Mapping[Any, float], metrics: Mapping[str, Mapping[Any, float]], intersect: bool, where: str
) -> tuple[list[Thing], int]:
    everything = dict.fromkeys([*human, *(thing for scores in metrics.values() for thing in scores)])
    shared = [thing for thing in everything if thing in human and all(thing in scores for scores in metrics.values())]
    if not intersect:
        for scorer, scores in {HUMAN: human, **metrics}.items():
            missing = next((thing for thing in everything if thing not in scores), None)
            if missing is not None:
                raise InputError(
                    f"{scorer} has no score of {_said(missing)}",
                    where=where,
                    remedy="`intersect` leaves such out",
                )
    return shared, len(everything) - len(shared)


def _vector(scores: Mapping[Any, float], things: Sequence[Thing], name: str, where: str) -> Array:
    values = np.array([scores[thing] for thing in things], np.float64)
    place = ", ".join(filter(None, [where, name]))
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(f"the score of {_said(things[bad[0]])} is {values[bad[0]]}", where=place)
    if np.ptp(values) == 0:
        raise InputError("all scores are equal, so nothing correlates with them", where=place)
    return values


def _said(thing: Thing) -> str:
    return thing if isinstance(thing, str) else f"{thing[0]}, segment {thing[1]}"


def _grouped(rows: Iterable[ScoreRow]) -> dict[tuple[str, str], dict[str, dict[Thing, float]]]:
    found: dict[tuple[str, str], dict[str, dict[Thing, float]]] = {}
    for row in rows:
        scores = found.setdefault((row.pair, row.test_set), {}).setdefault(row.metric, {})
        if row.thing in scores:
            raise InputError(
                f"{row.metric} scores {_said(row.thing)} of {row.pair}, {row.test_set} twice", where=f"line {row.line}"
            )
        scores[row.thing] = row.score
    return found
