"""Is A better than B? Any number of systems, any metrics, tested pair by pair and put in clusters.

>>> import dragoman
>>> reference = [f"the cat number {n} sat on the mat" for n in range(200)]
>>> a = [line.replace("the", "a", 1) for line in reference]
>>> b = [line if n % 2 else line.replace("sat", "lay") for n, line in enumerate(a)]
>>> found = dragoman.compare({"A": a, "B": b}, reference, "bleu")
>>> found["bleu"].order, found["bleu"].p["A"]["B"] < 0.01
(('A', 'B'), True)
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from numpy.typing import ArrayLike

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.clusters import clusters, rank_ranges
from dragoman.evaluation.compare_report import Comparison, MetricComparison
from dragoman.evaluation.correction import adjusted
from dragoman.evaluation.measures import Measure, measure_scores, measure_texts
from dragoman.evaluation.resampling import DEFAULT_SAMPLES, Difference, SignificanceTest, compare_all
from dragoman.metrics.fitting import MetricSpecs
from dragoman.metrics.references import ReferenceText, Texts
from dragoman.metrics.report import DEFAULT_METRICS
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import check_argument

__all__ = ["Comparison", "MetricComparison", "compare", "compare_measures"]


def compare(
    systems: Mapping[str, Texts] | None = None,
    references: ReferenceText | None = None,
    metrics: MetricSpecs = DEFAULT_METRICS,
    *,
    language: str = "",
    scores: Mapping[str, Mapping[str, ArrayLike]] | None = None,
    higher_is_better: Mapping[str, bool] | None = None,
    test: str = "randomization",
    sided: int = 2,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    exact: bool | None = None,
    smoothing: bool = True,
    strict_ties: bool = False,
    confidence: float = 0.95,
    alpha: float = 0.05,
    correction: str = "none",
    baseline: str | None = None,
    allow_empty_references: bool = False,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Compare systems by metrics over their texts, by scores made elsewhere, or by both.

    `language` is that of the references, for metrics that stem. `scores` gives segment scores by metric and system;
    `higher_is_better` says of which of them more is worse. With a `baseline` every other system is compared with it and
    with nothing else.
    """
    settings = SignificanceTest(
        name=test,
        sided=sided,
        samples=samples,
        seed=seed,
        exact=exact,
        smoothing=smoothing,
        strict_ties=strict_ties,
        confidence=confidence,
    )
    measures: list[Measure] = []
    warnings: list[str] = []
    if systems:
        if references is None:
            raise SettingError("no references", remedy="metrics over texts need them")
        measures, warnings = measure_texts(
            systems,
            references,
            metrics,
            language=language,
            allow_empty_references=allow_empty_references,
            threads=threads,
            progress=progress,
        )
        warnings += _same_texts(systems)
    directions = higher_is_better or {}
    unknown = next((name for name in directions if name not in (scores or {})), None)
    if unknown is not None:
        raise SettingError(f"a direction for {unknown!r}, which has no scores from elsewhere")
    for label, given in (scores or {}).items():
        if any(label == measure.label for measure in measures):
            raise SettingError(f"two metrics are called {label!r}", remedy="give the scores another name")
        measures.append(measure_scores(label, given, higher_is_better=directions.get(label)))
    return compare_measures(
        measures,
        settings,
        alpha=alpha,
        correction=correction,
        baseline=baseline,
        warnings=warnings,
        threads=threads,
        progress=progress,
    )


def _same_texts(systems: Mapping[str, Texts]) -> list[str]:
    """A warning for each system that says the same as an earlier one."""
    first: dict[tuple[str, ...], str] = {}
    return [
        f"{name} and {other} are the same texts: no test can tell them apart"
        for name, texts in systems.items()
        if (other := first.setdefault(tuple(texts), name)) != name
    ]


def compare_measures(
    measures: Sequence[Measure],
    test: SignificanceTest | None = None,
    *,
    alpha: float = 0.05,
    correction: str = "none",
    baseline: str | None = None,
    warnings: Collection[str] = (),
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Compare systems of which statistics are at hand; p-values are corrected within each metric."""
    test = test or SignificanceTest()
    names, segments = _checked(measures, test, alpha, baseline)
    notes = [*warnings, *(note for measure in measures for note in measure.warnings)]
    pairs_per_metric = len(names) - 1 if baseline is not None else len(names) * (len(names) - 1) // 2
    if pairs_per_metric > 1 and correction == "none":
        notes.append(
            f"{pairs_per_metric} pairs were tested without correction: at level {alpha:g}, about one in"
            f" {1 / alpha:.0f} pairs of equally good systems will seem to differ"
        )
    total = pairs_per_metric * len(measures)
    done = itertools.count(1)

    def advance() -> None:
        if progress is not None:
            progress(Progress("testing", next(done), total))

    found: dict[str, MetricComparison] = {}
    for measure in measures:
        order = _best_first(measure)
        if baseline is None:
            pairs = list(itertools.combinations(order, 2))
        else:
            pairs = [(name, baseline) for name in order if name != baseline]
        tested = compare_all(
            measure.statistics,
            measure.scores,
            test,
            higher_is_better=measure.higher_is_better,
            pairs=pairs,
            threads=threads,
            advance=advance,
        )
        for pair, difference in tested.differences.items():
            if difference.p == 1 and difference.error == 0:
                notes.append(f"{measure.label} sees no difference between {pair[0]} and {pair[1]}")
        found[measure.label] = _ranked(
            measure,
            order,
            tested.scores,
            tested.intervals,
            tested.differences,
            correction=correction,
            alpha=alpha,
            all_pairs=baseline is None,
        )
    return Comparison(
        systems=names,
        metrics=found,
        test=test,
        segments=segments,
        alpha=alpha,
        correction=correction,
        baseline=baseline,
        warnings=tuple(notes),
    )


def _best_first(measure: Measure) -> tuple[str, ...]:
    """Systems by score; of equal ones, the first named comes first."""
    sign = -1 if measure.higher_is_better else 1
    whole = measure.corpus_scores()
    return tuple(sorted(whole, key=lambda name: sign * whole[name]))


def _ranked(
    measure: Measure,
    order: tuple[str, ...],
    scores: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    differences: Mapping[tuple[str, str], Difference],
    *,
    correction: str,
    alpha: float,
    all_pairs: bool,
) -> MetricComparison:
    corrected = adjusted([difference.p for difference in differences.values()], correction)
    p: dict[str, dict[str, float]] = {name: {} for name in order}
    for ((x, y), difference), value in zip(differences.items(), corrected, strict=True):
        if difference.delta >= 0 or difference.sided == 1:
            p[x][y] = value
        else:
            p[y][x] = value
    return MetricComparison(
        label=measure.label,
        signature=measure.signature,
        higher_is_better=measure.higher_is_better,
        order=order,
        scores=scores,
        intervals=intervals,
        differences=differences,
        p=p,
        clusters=clusters(order, p, alpha=alpha) if all_pairs else (),
        ranks=rank_ranges(order, p, alpha=alpha) if all_pairs else {},
    )


def _checked(
    measures: Sequence[Measure], test: SignificanceTest, alpha: float, baseline: str | None
) -> tuple[tuple[str, ...], int]:
    """The names of the systems and the number of segments, the same for all measures."""
    if not measures:
        raise SettingError("nothing to compare by: no metric and no scores")
    first = measures[0]
    names = tuple(first.statistics)
    if len(names) < 2:
        raise InputError(f"{len(names)} system", remedy="a comparison needs at least two")
    for measure in measures[1:]:
        missing = set(names) ^ set(measure.statistics)
        if missing:
            without, having = sorted((first, measure), key=lambda one: min(missing) in one.statistics)
            raise InputError(
                f"{having.label} has scores of {min(missing)!r}, {without.label} has none",
                remedy="give every metric the same systems",
            )
        if measure.segments != first.segments:
            raise LengthMismatch(
                f"{measure.segments} segments, but {first.segments} by {first.label}",
                where=measure.label,
                remedy="one score per segment of the test set",
            )
    if baseline is not None:
        check_argument("baseline", baseline, choices=names)
    check_argument("alpha", alpha, float, above=0, below=1)
    if not test.enumerates(first.segments) and alpha < 2 / (test.samples + 1):
        raise SettingError(
            f"{test.samples} samples cannot decide at level {alpha:g}", remedy=f"take at least {round(2 / alpha)}"
        )
    return names, first.segments
