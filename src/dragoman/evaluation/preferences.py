"""Metrics against people's preferences between two outputs of a segment: Kendall's tau as the metrics tasks define it.

From 2008 to 2016 people ranked outputs side by side. A metric agrees with a preference if it scores the preferred
output higher. How its ties count changed over the years, and all three forms are given (Macháček and Bojar 2014).
Intervals come from bootstrap samples of segments, because the preferences of one segment are not independent.

    >>> pairs = [JudgedPair("1", "A", "B", 1), JudgedPair("2", "A", "B", -1), JudgedPair("2", "A", "C", 1)]
    >>> scores = {("A", "1"): 0.9, ("B", "1"): 0.5, ("A", "2"): 0.4, ("B", "2"): 0.6, ("C", "2"): 0.4}
    >>> found = study_preferences(pairs, {"metric": scores})["metric"]
    >>> {variant: round(tau, 2) for variant, tau in found.tau.items()}
    {'wmt12': 0.33, 'wmt13': 1.0, 'wmt14': 0.67}
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dragoman._native.metrics import bootstrap_sums
from dragoman.errors import FormatError, InputError
from dragoman.evaluation.correlation import ScoredPreference, wmt_kendall
from dragoman.evaluation.report import Document, Heading, Paragraph, Part, Picture, Table
from dragoman.files import display_name, read_lines
from dragoman.metrics.bootstrap import interval

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["JudgedPair", "PreferenceStudy", "Tau", "holds_preferences", "read_preferences", "study_preferences"]

VARIANTS = ("wmt12", "wmt13", "wmt14")
_COLUMNS = {"segment": "segment", "segmentid": "segment", "sid": "segment", "system1": "first", "system1id": "first",
            "rank1": "rank1", "system1rank": "rank1", "system2": "second", "system2id": "second", "rank2": "rank2",
            "system2rank": "rank2"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One comparison: `preferred` is 1 for the first system, -1 for the second, 0 for a tie."""

    segment: str
    first: str
    second: str
    preferred: int


@dataclass(frozen=True)
class Tau:
    """One metric: tau by variant, each with its 95% interval."""

    metric: str
    tau: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class PreferenceStudy:
    """Metrics against preferences, best first (by the variant of 2014)."""

    pairs: int
    segments: int
    ties: int
    metrics: tuple[Tau, ...]

    def __getitem__(self, metric: str) -> Tau:
        for found in self.metrics:
            if found.metric == metric:
                return found
        raise KeyError(metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "level": "preference",
            "pairs": self.pairs,
            "segments": self.segments,
            "ties": self.ties,
            "order": [found.metric for found in self.metrics],
            "metrics": {
                found.metric: {
                    variant: {"tau": found.tau[variant], "interval": list(found.intervals[variant])}
                    for variant in VARIANTS
                }
                for found in self.metrics
            },
        }

    def document(self) -> Document:
        """A table and a forest plot."""
        from dragoman.charts import forest_plot

        def cell(found: Tau, variant: str) -> str:
            low, high = found.intervals[variant]
            return f"{found.tau[variant]:.3f} [{low:.3f}, {high:.3f}]"

        rows = tuple((found.metric, *(cell(found, variant) for variant in VARIANTS)) for found in self.metrics)
        drawn = [
            (found.metric, found.intervals["wmt14"][0], found.tau["wmt14"], found.intervals["wmt14"][1])
            for found in self.metrics
        ]
        parts: list[Part] = [
            Heading(f"{self.pairs} preferences, {self.segments} segments"),
            Table(("metric", *(f"tau {variant}" for variant in VARIANTS)), rows),
            Paragraph(
                f"{self.ties} ties of people are left out. Ties of a metric are errors (wmt12), left out (wmt13), or in"
                " the denominator only (wmt14). 95% intervals from bootstrap samples of segments."
            ),
            Picture("preferences", forest_plot(drawn, title="Kendall's tau with preferences (wmt14)")),
        ]
        return Document("Metrics against preferences", tuple(parts))

    def __rich__(self) -> RenderableType:
        return self.document()

    def _repr_html_(self) -> str:
        return self.document().html_parts()


def holds_preferences(path: Path | str) -> bool:
    """Whether a file is a table of comparisons, by its first line; standard input, which is read once, is not."""
    if str(path) == "-":
        return False
    first = next(iter(read_lines(path)), "")
    return {"first", "rank1", "second", "rank2"} <= {_COLUMNS.get(name.lower(), "") for name in _fields(first)}


def read_preferences(path: Path | str) -> list[JudgedPair]:
    """Comparisons from a table with columns segment, system1, rank1, system2, rank2; rank 1 is best."""
    name = display_name(path)
    lines: Iterator[tuple[int, str]] = enumerate(read_lines(path), 1)
    _, header = next(lines, (0, ""))
    columns = {_COLUMNS[field.lower()]: at for at, field in enumerate(_fields(header)) if field.lower() in _COLUMNS}
    missing = {"segment", "first", "rank1", "second", "rank2"} - set(columns)
    if missing:
        raise FormatError(
            "not a table of comparisons",
            where=f"{name}, line 1",
            remedy="it needs segment, system1, rank1, system2, rank2",
        )
    found = []
    for number, line in lines:
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        fields = _fields(line)
        if len(fields) <= max(columns.values()):
            raise FormatError(f"{len(fields)} fields where {max(columns.values()) + 1} are needed", where=where)
        cells = {kind: fields[at] for kind, at in columns.items()}
        ranks = []
        for kind in ("rank1", "rank2"):
            if not re.fullmatch(r"\d{1,9}", cells[kind], re.ASCII):
                raise FormatError(f"{cells[kind]!r} is not a rank", where=where)
            ranks.append(int(cells[kind]))
        preferred = (ranks[0] < ranks[1]) - (ranks[0] > ranks[1])
        found.append(JudgedPair(cells["segment"], cells["first"], cells["second"], preferred))
    if not found:
        raise InputError("no comparisons", where=name)
    return found


def study_preferences(
    pairs: Iterable[JudgedPair],
    metrics: Mapping[str, Mapping[tuple[str, str], float]],
    *,
    higher_is_better: Mapping[str, bool] | None = None,
    intersect: bool = False,
    samples: int = 1000,
    seed: int = 1,
) -> PreferenceStudy:
    """Tau of each metric's scores of (system, segment); `intersect` drops pairs that a metric did not score."""
    judged = list(pairs)
    if not metrics:
        raise InputError("no metric to correlate")
    kept = []
    for pair in judged:
        absent = next(
            (
                (name, system)
                for name, scores in metrics.items()
                for system in (pair.first, pair.second)
                if (system, pair.segment) not in scores
            ),
            None,
        )
        if absent is None:
            kept.append(pair)
        elif not intersect:
            raise InputError(
                f"{absent[0]} has no score of {absent[1]}, segment {pair.segment}", remedy="`intersect` leaves such out"
            )
    if not any(pair.preferred for pair in kept):
        raise InputError("no pair was preferred by anybody, so there is nothing to correlate with")
    found = []
    for name, scores in metrics.items():
        sign = 1.0 if (higher_is_better or {}).get(name, True) else -1.0
        found.append(_tau(name, kept, {thing: sign * score for thing, score in scores.items()}, samples, seed))
    found.sort(key=lambda one: (-one.tau["wmt14"], one.metric))
    segments = {pair.segment for pair in kept}
    return PreferenceStudy(len(kept), len(segments), sum(not pair.preferred for pair in kept), tuple(found))


def _tau(
    name: str, pairs: Sequence[JudgedPair], scores: Mapping[tuple[str, str], float], samples: int, seed: int
) -> Tau:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])  # agree, disagree, tied, by segment
    preferences = []
    for pair in pairs:
        first, second = scores[pair.first, pair.segment], scores[pair.second, pair.segment]
        preferences.append(ScoredPreference(pair.preferred, first, second))
        lead = (first - second) * pair.preferred
        if pair.preferred:
            counts[pair.segment][0 if lead > 0 else 1 if lead < 0 else 2] += 1
    table = np.array(list(counts.values()), np.float64)
    agree, disagree, tied = bootstrap_sums(table, samples=samples, seed=seed).T
    tau: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for variant, above, below in (
        ("wmt12", agree - disagree - tied, agree + disagree + tied),
        ("wmt13", agree - disagree, agree + disagree),
        ("wmt14", agree - disagree, agree + disagree + tied),
    ):
        tau[variant] = wmt_kendall(preferences, variant)  # type: ignore[arg-type]
        intervals[variant] = interval(above / np.maximum(below, 1), 0.95)
    return Tau(name, tau, intervals)


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t" if "\t" in line else ",")]
