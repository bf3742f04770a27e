"""Runs of similarity systems against what people said: the measures, ranks and tests of the shared tasks.

Each set gives a Pearson correlation, weighted by a run's own confidences where it states any. A run as a whole is
summed up in three ways (Agirre et al. 2012, 2013, 2014):

| measure | what it is |
|---|---|
| `mean` | correlations of the sets, each counted by the number of its pairs; a set that a run left out counts as 0 |
| `all` | the correlation over all sets at once: it asks that scores of different sets mean the same |
| `allnrm` | the same after each set's scores were fitted to the gold by least squares |

`allnrm` is optimistic, because it fits to the answers: random scores get a positive value, and it cannot see whether a
correlation is negative. `mean` has been the official measure since 2013 and is the one that runs are ordered by.

Whether one run is better: the papers compared means by Fisher's transformation as if the runs were independent samples
(`fisher`); since all runs share the gold, Williams' test on each set and a paired bootstrap of the mean say more.

    >>> gold = {"a": [0, 1, 2, 3], "b": [3, 4, 5]}
    >>> run = {"a": RunScores.of([1, 2, 2, 4]), "b": RunScores.of([1, 0, 3])}
    >>> found = study_runs(gold, {"mine": run})["mine"]
    >>> round(found.mean, 5), round(found.all, 5), round(found.allnrm, 5)
    (0.80821, 0.18542, 0.94546)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.evaluation.correlation import fisher_difference, pearson, weighted_pearson
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Table
from dragoman.evaluation.williams import compare_metrics
from dragoman.files import display_name, read_lines
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = [
    "MEASURES",
    "NAN_CHOICES",
    "RunDifference",
    "RunResult",
    "RunScores",
    "RunStudy",
    "normalized_correlation",
    "read_run",
    "study_runs",
    "weighted_mean",
]

MEASURES = ("mean", "all", "allnrm")
NAN_CHOICES = ("error", "0", "5", "skip")
"""What becomes of a score that is no number: refused, scored 0 or 5 (as in 2013), or left out."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RunScores:
    """What a system gave the pairs of a set, and how sure it was of each (0 to 100), if it said so."""

    scores: Array
    confidences: Array | None = None

    @classmethod
    def of(cls, scores: ArrayLike, confidences: ArrayLike | None = None) -> RunScores:
        """Plain lists; confidences that are all 0 say nothing and count as 100."""
        values = np.asarray(scores, np.float64)
        if confidences is None:
            return cls(values)
        sure = np.asarray(confidences, np.float64)
        if sure.shape != values.shape:
            raise LengthMismatch(f"{len(values)} scores but {len(sure)} confidences")
        if not ((sure >= 0) & (sure <= 100)).all():
            raise InputError("a confidence outside 0 to 100", remedy="write 100 where you are sure")
        return cls(values, sure if sure.any() else np.full_like(sure, 100.0))


def read_run(path: Path | str, *, nan: str = "error") -> RunScores:
    """A file of `score` or `score<TAB>confidence` lines; lines that start with `#` are remarks.

    `nan` is what becomes of scores that are no number (`NAN_CHOICES`); what is skipped stays NaN.
    """
    check_argument("nan", nan, choices=NAN_CHOICES)
    scores: list[float] = []
    confidences: list[float] = []
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("#"):
            continue
        where = f"{display_name(path)}, line {number}"
        cells = line.split("\t")
        if len(cells) > 2:
            raise FormatError(f"{len(cells)} fields", where=where, remedy="write score, or score<TAB>confidence")
        value = _float(cells[0])
        if not math.isfinite(value):
            if nan == "error":
                raise FormatError(f"{cells[0]!r} is not a score", where=where, remedy="see what `nan` may be")
            value = math.nan if nan == "skip" else float(nan)
        scores.append(value)
        if len(cells) == 2:
            sure = _float(cells[1])
            if not 0 <= sure <= 100:
                raise FormatError(f"{cells[1]!r} is not a confidence", where=where, remedy="write a number up to 100")
            confidences.append(sure)
    if confidences and len(confidences) != len(scores):
        raise FormatError(f"{len(confidences)} of {len(scores)} lines have a confidence", where=display_name(path))
    return RunScores.of(scores, confidences or None)


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def weighted_mean(correlations: Mapping[str, float], sizes: Mapping[str, int]) -> float:
    """Correlations counted by the sizes of their sets; a set without one counts as 0.

    >>> round(weighted_mean({"wiki": 0.7802, "news": 0.825}, {"wiki": 324, "news": 480}), 5)
    0.80695
    """
    return sum(size * correlations.get(name, 0.0) for name, size in sizes.items()) / sum(sizes.values())


def normalized_correlation(
    correlations: Mapping[str, float],
    sizes: Mapping[str, int],
    means: Mapping[str, float],
    deviations: Mapping[str, float],
) -> float:
    """`allnrm` from correlations of sets and the number, mean and standard deviation (of n) of their gold scores.

    After least squares in each set, what remains unexplained of a set's variance is 1 - r^2 of it, and the differences
    between sets are explained whole. Published tables can be checked so without their data.
    """
    total = sum(sizes.values())
    centre = sum(size * means[name] for name, size in sizes.items()) / total
    between = sum(size * (means[name] - centre) ** 2 for name, size in sizes.items())
    within = {name: size * deviations[name] ** 2 for name, size in sizes.items()}
    explained = between + sum(correlations.get(name, 0.0) ** 2 * spread for name, spread in within.items())
    return math.sqrt(explained / (between + sum(within.values())))


@dataclass(frozen=True)
class RunResult:
    """One run: correlations by set, and the three ways to sum them up."""

    name: str
    correlations: Mapping[str, float]
    missing: tuple[str, ...]
    mean: float
    all: float
    allnrm: float
    """This and `all` are over the sets that the run has."""
    pairs: int

    def measure(self, name: str) -> float:
        """A measure by name."""
        check_argument("measure", name, choices=MEASURES)
        value: float = getattr(self, name)
        return value


@dataclass(frozen=True)
class RunDifference:
    """How two runs compare: the difference of means with a 95% interval, and p-values, one-sided that the first is
    better; `williams` by set."""

    first: str
    second: str
    difference: float
    interval: tuple[float, float]
    bootstrap: float
    fisher: float
    williams: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": list(self.interval),
            "bootstrap": self.bootstrap,
            "fisher": self.fisher,
            "williams": dict(self.williams),
        }


@dataclass(frozen=True)
class RunStudy:
    """Runs on one task, best mean first."""

    sizes: Mapping[str, int]
    runs: tuple[RunResult, ...]
    gold: Mapping[str, Array]
    outputs: Mapping[str, Mapping[str, RunScores]]
    warnings: tuple[str, ...] = ()
    seed: int = 1
    samples: int = 10_000

    def __getitem__(self, name: str) -> RunResult:
        for run in self.runs:
            if run.name == name:
                return run
        raise InputError(f"no run is called {name!r}", remedy=f"choose from {', '.join(run.name for run in self.runs)}")

    def ranks(self, measure: str = "mean") -> dict[str, int]:
        """Places by a measure, 1 for the best; equal runs share the better place."""
        values = {run.name: run.measure(measure) for run in self.runs}
        return {name: 1 + sum(other > value for other in values.values()) for name, value in values.items()}

    def compare(self, first: str, second: str, *, n: int | None = None) -> RunDifference:
        """Test whether one run is better than another.

        `n` is the number of pairs that Fisher's test takes; all that were scored, unless said otherwise. A set that
        one of the two lacks, or whose scores are constant, has no Williams test.
        """
        one, other = self[first], self[second]
        pairs = n if n is not None else one.pairs
        williams: dict[str, float] = {}
        for name in self.sizes:
            if name in one.missing or name in other.missing:
                continue
            ours, theirs = (self.outputs[run][name].scores for run in (first, second))
            usable = np.isfinite(ours) & np.isfinite(theirs)
            try:
                found = compare_metrics(
                    ours[usable],
                    theirs[usable],
                    self.gold[name][usable],
                    a_higher_is_better=True,
                    b_higher_is_better=True,
                )
            except InputError:  # constant scores
                continue
            williams[name] = found.p
        drawn = self._resampled[first] - self._resampled[second]
        low, high = np.quantile(drawn, [0.025, 0.975])
        beaten = (1 + int((drawn <= 0).sum())) / (1 + len(drawn))
        fisher = fisher_difference(one.mean, other.mean, pairs, pairs)
        return RunDifference(first, second, one.mean - other.mean, (float(low), float(high)), beaten, fisher, williams)

    @cached_property
    def _resampled(self) -> dict[str, Array]:
        """The mean of each run in bootstrap samples of the pairs within each set, the same samples for every run."""
        total = sum(self.sizes.values())
        found = {run.name: np.zeros(self.samples) for run in self.runs}
        for at, (set_name, size) in enumerate(self.sizes.items()):
            names = [run.name for run in self.runs if set_name not in run.missing]
            if not names:
                continue
            sums = np.concatenate([self._sums(name, set_name) for name in names], axis=1)
            draws = np.random.default_rng([self.seed, at])
            for start in range(0, self.samples, 500):
                counts = draws.multinomial(size, np.full(size, 1 / size), size=min(500, self.samples - start))
                drawn = (counts @ sums).reshape(len(counts), len(names), 6)
                w, sx, sy, sxx, syy, sxy = np.moveaxis(drawn, 2, 0)
                w = np.maximum(w, 1e-300)
                above = sxy - sx * sy / w
                below = np.sqrt(np.maximum(sxx - sx * sx / w, 0) * np.maximum(syy - sy * sy / w, 0))
                r = np.divide(above, below, out=np.zeros_like(above), where=below > 1e-12)
                for name, column in zip(names, r.T, strict=True):
                    found[name][start : start + len(column)] += size / total * column
        return found

    def _sums(self, name: str, set_name: str) -> Array:
        """What of each pair the correlation is summed up from."""
        output = self.outputs[name][set_name]
        usable = np.isfinite(output.scores)
        x, y = np.where(usable, output.scores, 0.0), self.gold[set_name]
        weight = usable * (1.0 if output.confidences is None else output.confidences)
        return np.stack([weight, weight * x, weight * y, weight * x * x, weight * y * y, weight * x * y], axis=1)

    def against_next(self) -> list[RunDifference]:
        """Each run against the one after it."""
        return [self.compare(a.name, b.name) for a, b in zip(self.runs, self.runs[1:], strict=False)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ranks = {measure: self.ranks(measure) for measure in MEASURES}
        return {
            "sets": dict(self.sizes),
            "runs": [
                {
                    "name": run.name,
                    **{measure: run.measure(measure) for measure in MEASURES},
                    "ranks": {measure: ranks[measure][run.name] for measure in MEASURES},
                    "sets": dict(run.correlations),
                    "missing": list(run.missing),
                }
                for run in self.runs
            ],
            "tests": [test.to_dict() for test in self.against_next()],
            "warnings": list(self.warnings),
        }

    def document(self) -> Document:
        """Tables as in the papers: correlations by set, sums with ranks, and tests of neighbours."""
        ranks = {measure: self.ranks(measure) for measure in MEASURES}
        header = ("run", *(f"{name} ({size})" for name, size in self.sizes.items()), "Mean", "ALL", "ALLnrm")
        rows = tuple(
            (
                run.name,
                *(f"{run.correlations[name]:.4f}" if name in run.correlations else "-" for name in self.sizes),
                *(f"{run.measure(measure):.4f} ({ranks[measure][run.name]})" for measure in MEASURES),
            )
            for run in self.runs
        )
        best = frozenset(
            (max(range(len(self.runs)), key=lambda at: self.runs[at].correlations.get(name, -2.0)), column)
            for column, name in enumerate(self.sizes, 1)
        )
        parts: list[Part] = [
            Heading(f"{len(self.runs)} runs, {sum(self.sizes.values())} pairs in {len(self.sizes)} sets"),
            Table(header, rows, bold=best),
            Paragraph(
                "Pearson correlation with the gold by set; Mean counts sets by their pairs and what is missing as 0;"
                " ALL is over all sets at once, ALLnrm after least squares in each set. Ranks in brackets."
            ),
        ]
        if len(self.runs) > 1:
            parts += [Heading("Is each better than the next?"), self._tests()]
            parts.append(
                Paragraph(
                    f"Difference of Mean with its 95% interval and one-sided p from {self.samples} paired bootstrap"
                    " samples of pairs within sets; Fisher as the papers had it, for independent samples; Williams:"
                    " sets in which the first is significantly better at 0.05 (and in which the second is)."
                )
            )
        parts += [Paragraph(warning, warning=True) for warning in self.warnings]
        return Document("Similarity runs", tuple(parts))

    def _tests(self) -> Table:
        rows = []
        for test in self.against_next():
            better = sum(p < 0.05 for p in test.williams.values())
            worse = sum(p > 0.95 for p in test.williams.values())
            low, high = test.interval
            rows.append(
                (
                    f"{test.first} > {test.second}",
                    f"{test.difference:+.4f} [{low:+.4f}, {high:+.4f}]",
                    f"{test.bootstrap:.4f}",
                    f"{test.fisher:.4f}",
                    f"{better} of {len(test.williams)} ({worse})",
                )
            )
        return Table(("runs", "difference of Mean", "p bootstrap", "p Fisher", "Williams"), tuple(rows))

    def __rich__(self) -> RenderableType:
        return self.document()

    def _repr_html_(self) -> str:
        return self.document().html_parts()


def study_runs(
    gold: Mapping[str, ArrayLike],
    runs: Mapping[str, Mapping[str, RunScores]],
    *,
    scale: tuple[float, float] | None = None,
    seed: int = 1,
    samples: int = 10_000,
) -> RunStudy:
    """Measure runs on sets of gold scores.

    Scores may be NaN where a pair is to be left out. Constant scores have no correlation: it counts as 0, with a
    warning, as the task's own script had it. A `scale` only warns of scores outside of it.
    """
    if not gold or not runs:
        raise InputError("nothing to measure", remedy="give at least one set and one run")
    answers = {name: np.asarray(scores, np.float64) for name, scores in gold.items()}
    for name, scores in answers.items():
        if len(scores) < 2 or not np.isfinite(scores).all():
            raise InputError("gold scores must be at least two finite numbers", where=name)
    sizes = {name: len(scores) for name, scores in answers.items()}
    warnings: list[str] = []
    results = []
    for run, outputs in runs.items():
        unknown = [name for name in outputs if name not in answers]
        if unknown:
            raise InputError(f"run {run} scores {unknown[0]!r}, which is no set of this task")
        results.append(_result(run, outputs, answers, sizes, scale, warnings))
    ordered = tuple(sorted(results, key=lambda result: (-result.mean, result.name)))
    return RunStudy(sizes, ordered, answers, runs, tuple(warnings), seed, samples)


def _result(
    run: str,
    outputs: Mapping[str, RunScores],
    gold: Mapping[str, Array],
    sizes: Mapping[str, int],
    scale: tuple[float, float] | None,
    warnings: list[str],
) -> RunResult:
    correlations: dict[str, float] = {}
    kept: list[tuple[Array, Array, Array | None]] = []
    for name, answers in gold.items():
        if name not in outputs:
            continue
        output = outputs[name]
        if len(output.scores) != len(answers):
            raise LengthMismatch(f"{len(output.scores)} scores for {len(answers)} pairs", where=f"{run}, {name}")
        usable = np.isfinite(output.scores)
        if not usable.all():
            warnings.append(f"{run}, {name}: {int((~usable).sum())} pairs without a score are left out")
        x, y = output.scores[usable], answers[usable]
        sure = None if output.confidences is None else output.confidences[usable]
        if scale is not None and len(x) and (x.min() < scale[0] or x.max() > scale[1]):
            warnings.append(f"{run}, {name}: scores outside of the scale from {scale[0]:g} to {scale[1]:g}")
        try:
            correlations[name] = pearson(x, y).r if sure is None else weighted_pearson(x, y, sure)
        except InputError as error:
            correlations[name] = 0.0
            warnings.append(f"{run}, {name}: {error.what}; it counts as 0")
        kept.append((x, y, sure))
    missing = tuple(name for name in gold if name not in outputs)
    if missing:
        warnings.append(f"{run} has no scores of {', '.join(missing)}; they count as 0 in its mean")
    if not kept:
        raise InputError(f"run {run} scores no set at all")
    fitted = []
    for x, y, _ in kept:
        centred, spread = x - x.mean(), float(np.var(x))
        slope = float(centred @ y) / (len(x) * spread) if spread > 0 else 0.0
        fitted.append(slope * centred + y.mean())
    answers_in_a_row = np.concatenate([y for _, y, _ in kept])
    return RunResult(
        run,
        correlations,
        missing,
        weighted_mean(correlations, sizes),
        _over_all([x for x, _, _ in kept], answers_in_a_row, [sure for *_, sure in kept]),
        _over_all(fitted, answers_in_a_row, None),
        sum(map(len, fitted)),
    )


def _over_all(parts: Sequence[Array], gold: Array, confidences: Sequence[Array | None] | None) -> float:
    scores = np.concatenate(list(parts))
    try:
        if confidences is not None and any(sure is not None for sure in confidences):
            sure = [
                np.full(len(part), 100.0) if one is None else one for one, part in zip(confidences, parts, strict=True)
            ]
            return weighted_pearson(scores, gold, np.concatenate(sure))
        return pearson(scores, gold).r
    except InputError:
        return 0.0
