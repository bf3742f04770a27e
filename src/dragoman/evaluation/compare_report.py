"""What a comparison found, and how it is told: in words, in tables, in pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.charts import forest_plot
from dragoman.drawing import Drawing
from dragoman.evaluation.clusters import show_ranks
from dragoman.evaluation.pictures import significance_map
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Picture, Table, write_report
from dragoman.evaluation.resampling import Difference, SignificanceTest

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Comparison", "MetricComparison"]

SMALLEST_P = 0.0001
FEW_DIGITS_FROM = 10
"""Scores as large as this are shown with two decimals, smaller ones (COMET, say) with four."""
MOST_PAIRS_DRAWN = 15
"""With more pairs, the forest plot shows every system against the best only."""


@dataclass(frozen=True)
class MetricComparison:
    """Systems by one metric, best first: scores with intervals, pairwise differences and p-values, clusters, ranks."""

    label: str
    signature: str
    higher_is_better: bool
    order: tuple[str, ...]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    differences: Mapping[tuple[str, str], Difference]
    """Keyed by (first, second); a positive difference means that the first is better."""
    p: Mapping[str, Mapping[str, float]]
    """`p[a][b]`: how likely so clear a lead of a over b is by luck, corrected; absent where a does not lead."""
    clusters: tuple[tuple[str, ...], ...]
    """Empty where only pairs with a baseline were tested."""
    ranks: Mapping[str, tuple[int, int]]

    @property
    def arrow(self) -> str:
        """Whether more is better."""
        return "↑" if self.higher_is_better else "↓"

    def difference(self, x: str, y: str) -> Difference | None:
        """The difference of two systems in the order in which it was tested, or None."""
        return self.differences.get((x, y)) or self.differences.get((y, x))

    def pair_p(self, x: str, y: str) -> float:
        """The corrected p-value of a pair, whichever of the two leads."""
        return self.p[x][y] if y in self.p[x] else self.p[y][x]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "signature": self.signature,
            "higher_is_better": self.higher_is_better,
            "order": list(self.order),
            "systems": {
                name: {
                    "score": self.scores[name],
                    "low": self.intervals[name][0],
                    "high": self.intervals[name][1],
                    "ranks": list(self.ranks[name]) if name in self.ranks else None,
                }
                for name in self.order
            },
            "pairs": [
                {"first": x, "second": y, **found.to_dict(), "p_corrected": self.pair_p(x, y)}
                for (x, y), found in self.differences.items()
            ],
            "clusters": [list(group) for group in self.clusters],
        }


@dataclass(frozen=True)
class Comparison:
    """What `compare` found; it can show itself, and write itself as a report."""

    systems: tuple[str, ...]
    metrics: Mapping[str, MetricComparison]
    test: SignificanceTest
    segments: int
    alpha: float
    correction: str
    baseline: str | None
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.systems)} by {', '.join(self.metrics)}; {self.segments:,} segments)"

    def __getitem__(self, metric: str) -> MetricComparison:
        return self.metrics[metric]

    def __iter__(self) -> Iterator[MetricComparison]:
        return iter(self.metrics.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "segments": self.segments,
            "test": {
                "name": self.test.name,
                "sided": self.test.sided,
                "samples": self.test.samples,
                "seed": self.test.seed,
                "exact": self.test.enumerates(self.segments),
                "smoothing": self.test.smoothing,
                "strict_ties": self.test.strict_ties,
                "confidence": self.test.confidence,
            },
            "alpha": self.alpha,
            "correction": self.correction,
            "baseline": self.baseline,
            "metrics": {label: found.to_dict() for label, found in self.metrics.items()},
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def document(self) -> Document:
        """The result as tables, sentences and pictures."""
        return _document(self)

    def to_markdown(self) -> str:
        """Tables and sentences; pictures are links (`write` makes them)."""
        return self.document().markdown()

    def to_html(self) -> str:
        """One page with the pictures inside."""
        return self.document().html()

    def to_latex(self) -> str:
        """A complete article."""
        return self.document().latex()

    def write(self, path: Path | str) -> list[Path]:
        """Write a report: `.md`, `.html`, `.tex` or `.json`."""
        return write_report(self.document(), self.to_dict(), path)

    def __rich__(self) -> RenderableType:
        return self.document()

    def _repr_html_(self) -> str:
        return self.document().html_parts()

    def __str__(self) -> str:
        return "\n".join(f"{found.label}: {line}" for found in self for line in _in_words(self, found))


def _document(found: Comparison) -> Document:
    """Sections by metric, then how it was done."""
    parts: list[Part] = []
    for number, metric in enumerate(found, 1):
        parts.append(Heading(f"{metric.label} {metric.arrow}"))
        parts.append(_ranking(found, metric))
        parts += [Paragraph(line) for line in _in_words(found, metric)]
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


def _in_words(found: Comparison, metric: MetricComparison) -> list[str]:
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
                _signed(sign * difference.delta, digits),
                f"[{_signed(low, digits)}, {_signed(high, digits)}]",
                _signed(sign * difference.effect, 2),
                _p(p) + (" *" if p <= found.alpha else ""),
            ]
        if ranked:
            cells.insert(1, show_ranks(metric.ranks[name]))
        rows.append(tuple(cells))
    if ranked:
        header = (header[0], "rank", *header[1:])
    starts = {metric.order.index(group[0]) for group in metric.clusters}
    return Table(header, tuple(rows), rules=frozenset(starts - {0}))


def _signed(value: float, digits: int) -> str:
    return f"{value + 0.0:+.{digits}f}"  # there is no minus before nothing


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
