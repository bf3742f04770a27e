"""How a study of metrics is told: correlations in a table, pairs of metrics in a matrix, both in pictures."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.charts import forest_plot, scatter_plot
from dragoman.evaluation.metric_study import MetricStudy
from dragoman.evaluation.pictures import correlation_map, significance_map
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Picture, Table

__all__ = ["study_document"]


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
