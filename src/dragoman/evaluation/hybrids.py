"""Hybrid systems: thousands of systems out of a few, so that metrics can be told apart (Graham and Liu 2016).

A hybrid takes for every segment the output of a system drawn at random among those that were judged. Its metric score
is computed from the summed statistics of those outputs, its human score is the mean of their human scores. Ten thousand
hybrids of a dozen systems separate metrics that a dozen points cannot. What they cannot do is stand for systems of
another kind: the p-values say how well the correlation over hybrids of *these* systems is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman._native import evaluation as native
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.measures import Measure
from dragoman.evaluation.metric_study import MetricStudy, StudySettings, study_metrics
from dragoman.settings import check_argument

__all__ = ["HYBRIDS", "hybrid_scores", "study_hybrids"]

Array = NDArray[np.float64]
HYBRIDS = 10_000
FEWEST_CHOICES = 10
"""Segments with more than one judged output; with fewer, hybrids are all alike."""


def hybrid_scores(
    measures: Sequence[Measure],
    human: Mapping[str, ArrayLike],
    *,
    hybrids: int = HYBRIDS,
    seed: int = 1,
    threads: int = 0,
) -> tuple[Array, dict[str, Array]]:
    """Human scores of hybrids, and their scores by each measure.

    `human` has a score per segment for each system; NaN where an output was not judged. Hybrids are made of judged
    outputs only, so that people and metrics see the same text; segments of which none was judged are left out. All
    measures see the same hybrids.
    """
    if not measures:
        raise SettingError("no metric to correlate")
    check_argument("hybrids", hybrids, int, least=10, most=10**7)
    names = list(measures[0].statistics)
    if len(names) < 2:
        raise InputError("hybrids need at least two systems to draw from")
    segments = measures[0].segments
    people = np.full((segments, len(names)), np.nan)
    for k, name in enumerate(names):
        if name not in human:
            raise InputError(f"people did not score {name}")
        values = np.asarray(human[name], np.float64)
        if len(values) != segments:
            raise LengthMismatch(f"{len(values)} human scores of {segments} segments", where=name)
        if np.isinf(values).any():
            raise InputError("a human score is infinite", where=name)
        people[:, k] = values
    judged = ~np.isnan(people)
    if (judged.sum(axis=1) > 1).sum() < FEWEST_CHOICES:
        raise InputError(
            "too few segments of which outputs of two systems were judged", remedy="hybrids need outputs to choose from"
        )
    columns = [np.stack([np.where(judged, people, 0.0), np.ones_like(people)], axis=2)]
    for measure in measures:
        if set(measure.statistics) != set(names) or measure.segments != segments:
            raise LengthMismatch("metrics saw different systems or segments", where=measure.label)
        columns.append(np.stack([measure.statistics[name] for name in names], axis=1))
    table = np.ascontiguousarray(np.concatenate(columns, axis=2)[judged])
    per_segment = judged.sum(axis=1)
    ends = np.cumsum(per_segment[per_segment > 0], dtype=np.int64)
    sums = native.hybrid_sums(table, ends, hybrids=hybrids, seed=seed, threads=threads)
    found, at = {}, 2
    for measure, column in zip(measures, columns[1:], strict=True):
        found[measure.label] = measure.scores(np.ascontiguousarray(sums[:, at : at + column.shape[2]]))
        at += column.shape[2]
    means: Array = sums[:, 0] / sums[:, 1]
    return means, found


def study_hybrids(
    measures: Sequence[Measure],
    human: Mapping[str, ArrayLike],
    settings: StudySettings | None = None,
    *,
    hybrids: int = HYBRIDS,
    seed: int = 1,
    threads: int = 0,
    pair: str = "-",
    test_set: str = "-",
) -> MetricStudy:
    """A study of metrics over hybrid systems; metrics' directions are the measures' own."""
    people, scores = hybrid_scores(measures, human, hybrids=hybrids, seed=seed, threads=threads)
    directions = {measure.label: measure.higher_is_better for measure in measures}
    names = [f"hybrid {k + 1}" for k in range(hybrids)]
    return study_metrics(
        dict(zip(names, people.tolist(), strict=True)),
        {label: dict(zip(names, values.tolist(), strict=True)) for label, values in scores.items()},
        replace(settings or StudySettings(), higher_is_better=directions),
        level="hybrid",
        pair=pair,
        test_set=test_set,
    )
