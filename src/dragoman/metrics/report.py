"""Scores of systems by metrics, with confidence intervals, and how they are shown.

Intervals are percentiles of scores of bootstrap samples of segments (Koehn 2004): all metrics and systems share the
samples. They speak of the choice of test segments, not of whether one system is better than another.

    >>> from dragoman import score
    >>> report = score(["the cat sat on mat"] * 100, ["the cat sat on the mat"] * 100, ["wer", "per"], confidence=None)
    >>> round(report["system", "wer"].value, 2)
    16.67
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dragoman.charts import heat_map
from dragoman.drawing import Drawing, escape_latex
from dragoman.errors import SettingError
from dragoman.metrics.base import Floats
from dragoman.metrics.bootstrap import bootstrap_scores, interval
from dragoman.metrics.fitting import MetricSpecs, fitting
from dragoman.metrics.inputs import check_texts
from dragoman.metrics.measuring import measured
from dragoman.metrics.references import References, ReferenceText, Texts
from dragoman.progress import ProgressCallback
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["DEFAULT_METRICS", "Score", "ScoreReport", "score"]

DEFAULT_METRICS = ("bleu", "chrf", "ter")


@dataclass(frozen=True, slots=True)
class Score:
    """One system by one metric, in points; `low` and `high` bound the confidence interval, if one was asked for."""

    system: str
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    sentences: Floats | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} ± {(self.high - self.low) / 2:.2f}"


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """A table of systems by metrics that can show itself."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Mapping[tuple[str, str], Score]
    signatures: Mapping[str, str]
    higher_is_better: Mapping[str, bool]
    segments: int
    confidence: float | None
    samples: int

    def __repr__(self) -> str:
        shown = [f"{system} {metric} {self.scores[system, metric].value:.2f}" for system, metric in self.scores]
        more = len(shown) - 4
        return f"ScoreReport({', '.join(shown[:4])}{f', and {more} more' if more > 0 else ''})"

    seed: int
    warnings: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> Score:
        return self.scores[key]

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores.values())

    def best(self, metric: str) -> str:
        """The system with the best score."""
        sign = 1 if self.higher_is_better[metric] else -1
        return max(self.systems, key=lambda system: sign * self.scores[system, metric].value)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "segments": self.segments,
            "confidence": self.confidence,
            "samples": self.samples if self.confidence else None,
            "seed": self.seed if self.confidence else None,
            "metrics": {
                name: {"signature": self.signatures[name], "higher_is_better": self.higher_is_better[name]}
                for name in self.metrics
            },
            "systems": {
                system: {metric: _plain(self.scores[system, metric]) for metric in self.metrics}
                for system in self.systems
            },
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_latex(self) -> str:
        """A `tabular` with the best score of each metric in bold."""
        heads = (f"{escape_latex(name)} {self._arrow(name, latex=True)}" for name in self.metrics)
        head = " & ".join(["system", *heads])
        rows = []
        for system in self.systems:
            cells = [escape_latex(system)]
            for metric in self.metrics:
                value = f"{self.scores[system, metric].value:.2f}"
                cells.append(f"\\textbf{{{value}}}" if self._marked(system, metric) else value)
            rows.append(" & ".join(cells) + r" \\")
        notes = [f"% {name}: {self.signatures[name]}" for name in self.metrics]
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * len(self.metrics)}}}",
                r"\hline",
                head + r" \\",
                r"\hline",
                *rows,
                r"\hline",
                r"\end{tabular}",
                *notes,
            ]
        )

    def heat_map(self) -> Drawing:
        """Systems by metrics, each metric shaded from its worst to its best system."""
        return heat_map(
            [(system, [self.scores[system, metric].value for metric in self.metrics]) for system in self.systems],
            self.metrics,
            title=f"{len(self.systems)} systems by {len(self.metrics)} metrics",
            lower_is_better=[metric for metric in self.metrics if not self.higher_is_better[metric]],
        )

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        def cell(system: str, metric: str) -> Text:
            return Text(str(self.scores[system, metric]), style="bold" if self._marked(system, metric) else "")

        table = Table(box=None, pad_edge=False)
        heads = {name: f"{name} {self._arrow(name)}" for name in self.metrics}
        width = max(map(len, self.systems)) + sum(2 + max(len(head), 14) for head in heads.values())
        if width <= 80:
            table.add_column("system")
            for head in heads.values():
                table.add_column(Text(head), justify="right")
            for system in self.systems:
                table.add_row(Text(system), *(cell(system, metric) for metric in self.metrics))
        else:  # many metrics: they go down the page
            table.add_column("metric")
            for system in self.systems:
                table.add_column(Text(system), justify="right")
            for metric, head in heads.items():
                table.add_row(Text(head), *(cell(system, metric) for system in self.systems))
        return Group(table, *(Text(line, style="dim") for line in ["", *self._notes()]))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)} {self._arrow(name)}</th>" for name in self.metrics)
        rows = []
        for system in self.systems:
            cells = [f"<th>{html.escape(system)}</th>"]
            for metric in self.metrics:
                shown = html.escape(str(self.scores[system, metric]))
                cells.append(f"<td>{f'<b>{shown}</b>' if self._marked(system, metric) else shown}</td>")
            rows.append(f"<tr>{''.join(cells)}</tr>")
        notes = "<br>".join(html.escape(note) for note in self._notes())
        return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table><small>{notes}</small>"

    def __str__(self) -> str:
        width = max(map(len, self.systems))
        lines = []
        for system in self.systems:
            cells = "  ".join(f"{metric} {self.scores[system, metric]}" for metric in self.metrics)
            lines.append(f"{system:<{width}}  {cells}")
        return "\n".join(lines)

    def _marked(self, system: str, metric: str) -> bool:
        return (
            len(self.systems) > 1 and self.scores[system, metric].value == self.scores[self.best(metric), metric].value
        )

    def _arrow(self, metric: str, *, latex: bool = False) -> str:
        if latex:
            return r"$\uparrow$" if self.higher_is_better[metric] else r"$\downarrow$"
        return "↑" if self.higher_is_better[metric] else "↓"

    def _notes(self) -> list[str]:
        notes = [f"{name}: {self.signatures[name]}" for name in self.metrics]
        if self.confidence:
            notes.append(
                f"{self.confidence:.0%} intervals from {self.samples} bootstrap samples of {self.segments} segments,"
                f" seed {self.seed}"
            )
        return notes


def score(
    hypotheses: Texts | Mapping[str, Texts],
    references: ReferenceText,
    metrics: MetricSpecs = DEFAULT_METRICS,
    *,
    language: str = "",
    confidence: float | None = 0.95,
    samples: int = 1000,
    seed: int = 1,
    sentence_level: bool = False,
    allow_empty_references: bool = False,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> ScoreReport:
    """Score one system's hypotheses, or several systems' by name, against one list of references or several lists.

    `language` is that of the references, for metrics that stem. Text without blanks between words is recognised.
    """
    systems = dict(hypotheses) if isinstance(hypotheses, Mapping) else {"system": hypotheses}
    if not systems:
        raise SettingError("nothing to score: no system")
    given = References.of(references)
    chosen, remarks = fitting(metrics, given, language=language)
    if not chosen:
        raise SettingError("nothing to score with: no metric", remedy="`dragoman list metrics` shows them all")
    if confidence is not None:
        check_argument("confidence", confidence, float, above=0, below=1)
        check_argument("samples", samples, int, least=10, most=10**7)
    warnings = check_texts(systems, given, allow_empty_references=allow_empty_references) + remarks
    found: dict[tuple[str, str], Score] = {}
    signatures: dict[str, str] = {}
    for one in measured(systems, given, chosen, threads=threads, progress=progress):
        metric = one.metric
        low, high = None, None
        if confidence is not None:
            drawn = bootstrap_scores(metric.scores, one.statistics, samples=samples, seed=seed, threads=threads)
            low, high = (metric.scale * bound for bound in interval(drawn, confidence))
        sentences = one.sentence_scores if sentence_level else None
        details = metric.details(one.statistics.sum(axis=0))
        found[one.system, one.label] = Score(one.system, one.label, one.score, low, high, details, sentences)
        signatures[one.label] = one.signature
    return ScoreReport(
        systems=tuple(systems),
        metrics=tuple(chosen),
        scores=found,
        signatures=signatures,
        higher_is_better={label: metric.higher_is_better for label, metric in chosen.items()},
        segments=given.segments,
        confidence=confidence,
        samples=samples,
        seed=seed,
        warnings=tuple(warnings),
    )


def _plain(cell: Score) -> dict[str, Any]:
    plain: dict[str, Any] = {"score": cell.value}
    if cell.low is not None:
        plain |= {"low": cell.low, "high": cell.high}
    if cell.details:
        plain["details"] = dict(cell.details)
    if cell.sentences is not None:
        plain["sentences"] = cell.sentences.tolist()
    return plain
