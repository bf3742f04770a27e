"""How a comparison is told: in words, in tables, in pictures."""

from __future__ import annotations

from dragoman.charts import forest_plot
from dragoman.drawing import Drawing
from dragoman.evaluation.clusters import show_ranks
from dragoman.evaluation.compare import Comparison, MetricComparison
from dragoman.evaluation.pictures import significance_map
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Picture, Table

__all__ = ["comparison_document", "in_words"]

SMALLEST_P = 0.0001
FEW_DIGITS_FROM = 10
"""Scores as large as this are shown with two decimals, smaller ones (COMET, say) with four."""
MOST_PAIRS_DRAWN = 15
"""With more pairs, the forest plot shows every system against the best only."""


def comparison_document(found: Comparison) -> Document:
    """Sections by metric, then how it was done."""
    parts: list[Part] = []
    for number, metric in enumerate(found, 1):
        parts.append(Heading(f"{metric.label} {metric.arrow}"))
        parts.append(_ranking(found, metric))
        parts += [Paragraph(line) for line in in_words(found, metric)]
        if len(found.systems) > 2 and found.baseline is None:
            parts.append(_matrix(found, metric))
        parts.append(Picture(f"differences-{number}", _forest(found, metric)))
        parts.append(
            Picture(
                f"significance-{number}",
                significance_map(
                    metric.order, metric.p, title=f"{metric.label}: p-values of all pairs", alpha=found.alpha
                ),
            )
        )
    parts.append(Heading("How it was done"))
    for metric in found:
        parts.append(Paragraph(f"{metric.label}: {metric.signature}"))
    corrected = {"none": "p-values not corrected", "holm": "Holm's correction", "bh": "Benjamini-Hochberg correction"}
    parts.append(
        Paragraph(
            f"{found.segments} segments; {found.test.describe(found.segments)}; level {found.alpha:g};"
            f" {corrected[found.correction]}; {found.test.confidence:.0%} intervals from"
            f" {found.test.drawn:,} bootstrap samples;"
            " positive differences are better"
        )
    )
    parts += [Paragraph(line, warning=True) for line in found.warnings]
    return Document("Comparison of systems", tuple(parts))


def in_words(found: Comparison, metric: MetricComparison) -> list[str]:
    """What was shown and what was not, in plain sentences."""
    if found.baseline is not None:
        return [_sentence(found, metric, name, found.baseline) for name in metric.order if name != found.baseline]
    if len(metric.order) == 2:
        return [_sentence(found, metric, *metric.order)]
    if len(metric.clusters) == 1:
        return [f"No system stands apart: the {len(metric.order)} systems form one cluster."]
    groups = (group[0] if len(group) == 1 else f"{{{', '.join(group)}}}" for group in metric.clusters)
    return [f"Clusters, best first: {' > '.join(groups)}."]


def _sentence(found: Comparison, metric: MetricComparison, x: str, y: str) -> str:
    difference = metric.difference(x, y)
    assert difference is not None
    p = metric.pair_p(x, y)
    lead, behind = (x, y) if difference.delta >= 0 else (y, x)
    chance = f"p = {_p(p)}" if p >= SMALLEST_P else f"p < {SMALLEST_P:.4f}"
    if p <= found.alpha:
        return f"{lead} is significantly better than {behind} ({chance})."
    if difference.sided == 1:
        return f"{x} was not shown to be better than {y} ({chance})."
    return f"No significant difference between {x} and {y} ({chance}); this does not show that they are equal."


def _ranking(found: Comparison, metric: MetricComparison) -> Table:
    """Systems best first, with lines between clusters, and how far each is from the best or the baseline."""
    against = found.baseline if found.baseline is not None else metric.order[0]
    header: tuple[str, ...] = ("system", "score", f"to {against}", "interval", "effect", "p")
    ranked = bool(metric.ranks)
    digits = 2 if max(map(abs, metric.scores.values())) >= FEW_DIGITS_FROM else 4
    rows: list[tuple[str, ...]] = []
    for name in metric.order:
        low, high = metric.intervals[name]
        cells = [name, f"{metric.scores[name]:.{digits}f} ± {(high - low) / 2:.{digits}f}"]
        difference = metric.difference(name, against) if name != against else None
        if difference is None:
            cells += ["", "", "", ""]
        else:
            sign = 1 if (name, against) in metric.differences else -1
            low, high = sorted(sign * bound for bound in difference.interval)
            p = metric.pair_p(name, against)
            cells += [
                f"{sign * difference.delta:+.{digits}f}",
                f"[{low:+.{digits}f}, {high:+.{digits}f}]",
                f"{sign * difference.effect:+.2f}",
                _p(p) + (" *" if p <= found.alpha else ""),
            ]
        if ranked:
            cells.insert(1, show_ranks(metric.ranks[name]))
        rows.append(tuple(cells))
    if ranked:
        header = (header[0], "rank", *header[1:])
    starts = {metric.order.index(group[0]) for group in metric.clusters}
    return Table(header, tuple(rows), rules=frozenset(starts - {0}))


def _matrix(found: Comparison, metric: MetricComparison) -> Table:
    rows: list[tuple[str, ...]] = []
    bold = set()
    for at, name in enumerate(metric.order):
        cells = [name]
        for column, other in enumerate(metric.order, 1):
            p = metric.p[name].get(other)
            cells.append("" if p is None else _p(p))
            if p is not None and p <= found.alpha:
                bold.add((at, column))
        rows.append(tuple(cells))
    return Table(("p: row better than column", *metric.order), tuple(rows), bold=frozenset(bold))


def _forest(found: Comparison, metric: MetricComparison) -> Drawing:
    pairs = list(metric.differences)
    if len(pairs) > MOST_PAIRS_DRAWN:
        pairs = [pair for pair in pairs if metric.order[0] in pair]
    rows, sure = [], []
    for x, y in pairs:
        difference = metric.differences[x, y]
        rows.append((f"{x} - {y}", difference.interval[0], difference.delta, difference.interval[1]))
        sure.append(metric.pair_p(x, y) <= found.alpha)
    return forest_plot(
        rows,
        title=f"{metric.label}: differences with {found.test.confidence:.0%} intervals",
        unit="right of zero: the first is better",
        sure=sure,
    )


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= SMALLEST_P else "<0.0001"
