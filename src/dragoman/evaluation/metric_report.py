"""What a study of metrics found, and how it is told: tables of correlations and of pairs of metrics, and pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dragoman.charts import forest_plot, scatter_plot
from dragoman.evaluation.correction import CORRECTIONS
from dragoman.evaluation.correlation import CORRELATIONS, Correlation
from dragoman.evaluation.pictures import correlation_map, significance_map
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Picture, Table, write_report
from dragoman.evaluation.williams import Alternative, Degrees, MetricMatrix
from dragoman.settings import Settings, setting

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = [
    "Array",
    "Contrast",
    "KendallVariant",
    "MetricAgreement",
    "MetricStudy",
    "StudySettings",
    "Thing",
    "study_document",
]

Array = NDArray[np.float64]
Thing = str | tuple[str, str]
"""What is scored: a system, or a system and a segment."""

KendallVariant = Literal["wmt12", "wmt13", "wmt14"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings(Settings):
    """How metrics are correlated with people and compared."""

    higher_is_better: Mapping[str, bool] = setting(
        factory=dict, help="Directions of metrics; that of its correlation for a metric that is not named."
    )
    coefficient: str = setting("pearson", "What metrics are ordered and tested by.", choices=CORRELATIONS)
    alternative: Alternative = setting("greater", "What a test asks.")
    correction: str = setting("none", "For many tests.", choices=CORRECTIONS)
    df: Degrees = setting("n-3", "Degrees of freedom of Williams' test.")
    alpha: float = setting(0.05, "Level of tests.", above=0, below=1)
    intersect: bool = setting(False, "Drop things that somebody did not score; else they are an error.")
    variant: KendallVariant = setting("wmt14", "How ties count in Kendall's tau at segment level.")
    gap: float = setting(
        0.0, "How far apart people's scores of two outputs must be to count as a preference, there.", least=0
    )


@dataclass(frozen=True)
class MetricAgreement:
    """One metric with people, its direction put right: higher correlations are better for all metrics."""

    metric: str
    higher_is_better: bool
    pearson: Correlation
    interval: tuple[float, float] | None
    """95% interval of Pearson's correlation, from four scores on."""
    spearman: Correlation
    kendall: Correlation
    rmse: float
    """Of the scores as they stand: meaningful where the metric predicts people's scale."""
    fitted_rmse: float
    """After the best straight line: how far a prediction from this metric is off, in people's points."""
    preference_kendall: float | None
    """Kendall's tau as the metrics tasks compute it, from pairs of outputs of one segment."""


@dataclass(frozen=True)
class Contrast:
    """Two metrics compared by Williams' test, and by others for contrast; the first correlates higher."""

    first: str
    second: str
    between: float
    t: float
    df: int
    p: float
    """Uncorrected; the study's matrix has the corrected ones."""
    p_steiger: float | None
    p_fisher: float | None
    """By Fisher's transformation for independent samples: not for this use, shown because it is in use."""
    interval: tuple[float, float]


@dataclass(frozen=True)
class MetricStudy:
    """What was found for one language pair and test set; metrics are ordered by their correlation with people."""

    level: str
    pair: str
    test_set: str
    n: int
    settings: StudySettings
    agreements: tuple[MetricAgreement, ...]
    matrix: MetricMatrix | None
    """None for a single metric, or for three things."""
    contrasts: tuple[Contrast, ...]
    human: Array = field(repr=False, compare=False)
    scores: Mapping[str, Array] = field(repr=False, compare=False)
    things: tuple[Thing, ...] = field(repr=False)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> MetricAgreement:
        for found in self.agreements:
            if found.metric == metric:
                return found
        raise KeyError(metric)

    @property
    def significant_share(self) -> float:
        """Share of the pairs of metrics that differ significantly."""
        pairs = len(self.agreements) * (len(self.agreements) - 1) / 2
        return len(self.matrix.significant(self.settings.alpha)) / pairs if self.matrix is not None else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "level": self.level,
            "pair": self.pair,
            "test_set": self.test_set,
            "n": self.n,
            "coefficient": self.settings.coefficient,
            "alpha": self.settings.alpha,
            "metrics": {found.metric: _plain(found) for found in self.agreements},
            "order": [found.metric for found in self.agreements],
            "alternative": self.matrix.alternative if self.matrix else None,
            "correction": self.matrix.correction if self.matrix else None,
            "p": {a: dict(row) for a, row in self.matrix.p.items()} if self.matrix else {},
            "between": {a: dict(row) for a, row in self.matrix.between.items()} if self.matrix else {},
            "pairs": [
                {
                    "first": one.first,
                    "second": one.second,
                    "between": one.between,
                    "t": one.t,
                    "df": one.df,
                    "p": one.p,
                    "p_steiger": one.p_steiger,
                    "p_fisher": one.p_fisher,
                    "interval": list(one.interval),
                }
                for one in self.contrasts
            ],
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def document(self) -> Document:
        """The result as tables and pictures."""
        return study_document([self])

    def write(self, path: Path | str) -> list[Path]:
        """Write a report: `.md`, `.html`, `.tex` or `.json`."""
        return write_report(self.document(), self.to_dict(), path)

    def __rich__(self) -> RenderableType:
        return self.document()

    def _repr_html_(self) -> str:
        return self.document().html_parts()


def study_document(studies: Sequence[MetricStudy]) -> Document:
    """One section per language pair and test set."""
    parts: list[Part] = []
    for number, study in enumerate(studies, 1):
        parts += _section(study, number)
    return Document("Metrics against people", tuple(parts))


def _section(study: MetricStudy, number: int) -> list[Part]:
    named = [name for name in (study.pair, study.test_set) if name != "-"]
    parts: list[Part] = [Heading(", ".join([*named, f"{study.n} {study.level}s"])), _correlations(study)]
    if study.matrix is not None:
        parts.append(_matrix(study))
        tail = "one-sided" if study.matrix.alternative == "greater" else "two-sided"
        corrected = {"none": "not corrected", "holm": "Holm's correction", "bh": "Benjamini-Hochberg correction"}
        share = len(study.matrix.significant(study.settings.alpha))
        pairs = len(study.agreements) * (len(study.agreements) - 1) // 2
        parts.append(
            Paragraph(
                f"Williams' test, {tail}, {corrected[study.matrix.correction]}: the metric of the row correlates higher"
                f" than that of the column; {share} of {pairs} pairs at level {study.settings.alpha:g}."
            )
        )
    rows = [(found.metric, *_bounds(found.interval, found.pearson.r)) for found in study.agreements if found.interval]
    if rows:
        parts.append(
            Picture(
                f"correlations-{number}", forest_plot(rows, title="Pearson's correlation with people, 95% intervals")
            )
        )
    if study.matrix is not None:
        order = study.matrix.order
        title = f"{named[0]}: Williams' test" if named else "Williams' test"
        drawn = significance_map(order, study.matrix.p, title=title, alpha=study.settings.alpha)
        parts.append(Picture(f"williams-{number}", drawn))
        parts.append(
            Picture(f"between-{number}", correlation_map(order, study.matrix.between, title="Metrics with each other"))
        )
    if study.level != "segment":
        best = study.agreements[0].metric
        few = slice(0, 500)
        points = list(zip(study.scores[best][few], study.human[few], map(str, study.things[few]), strict=True))
        drawn = scatter_plot({best: points}, title=f"{best} and people", x_name=best, y_name="people")
        parts.append(Picture(f"scatter-{number}", drawn))
    return parts + [Paragraph(line, warning=True) for line in study.warnings]


def _bounds(interval: tuple[float, float], middle: float) -> tuple[float, float, float]:
    return interval[0], middle, interval[1]


def _correlations(study: MetricStudy) -> Table:
    preferences = any(found.preference_kendall is not None for found in study.agreements)
    header = ["metric", "pearson", "95% interval", "spearman", "kendall", "rmse"]
    if preferences:
        header.append(f"tau {study.settings.variant}")
    rows = []
    for found in study.agreements:
        bounds = f"[{found.interval[0]:.3f}, {found.interval[1]:.3f}]" if found.interval else ""
        cells = [
            f"{found.metric} {'↑' if found.higher_is_better else '↓'}",
            f"{found.pearson.r:.4f}",
            bounds,
            f"{found.spearman.r:.3f}",
            f"{found.kendall.r:.3f}",
            f"{found.fitted_rmse:.3f}",
        ]
        if preferences:
            cells.append("" if found.preference_kendall is None else f"{found.preference_kendall:.3f}")
        rows.append(tuple(cells))
    return Table(tuple(header), tuple(rows))


def _matrix(study: MetricStudy) -> Table:
    assert study.matrix is not None
    rows, bold = [], set()
    for at, name in enumerate(study.matrix.order):
        cells = [name]
        for column, other in enumerate(study.matrix.order, 1):
            p = study.matrix.p[name].get(other)
            cells.append("-" if p is None else f"{p:.4f}")
            if p is not None and p < study.settings.alpha:
                bold.add((at, column))
        rows.append(tuple(cells))
    return Table(("p", *study.matrix.order), tuple(rows), bold=frozenset(bold))


def _plain(found: MetricAgreement) -> dict[str, Any]:
    return {
        "higher_is_better": found.higher_is_better,
        "pearson": found.pearson.r,
        "interval": list(found.interval) if found.interval else None,
        "spearman": found.spearman.r,
        "kendall": found.kendall.r,
        "rmse": found.rmse,
        "fitted_rmse": found.fitted_rmse,
        "preference_kendall": found.preference_kendall,
    }
