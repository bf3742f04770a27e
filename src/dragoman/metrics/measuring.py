"""The one loop over systems and metrics: scoring, comparing and studies of references all take statistics from it.

References are prepared once for each metric and serve all systems; statistics come one matrix at a time, so that a
caller who needs only a score of each keeps no more in memory.

    >>> from dragoman.metrics import get_metric
    >>> metrics = {name: get_metric(name) for name in ("wer", "per")}
    >>> found = list(measured({"A": ["a b"], "B": ["a c"]}, ["a b"], metrics))
    >>> [(one.system, one.label, one.score) for one in found]
    [('A', 'wer', 0.0), ('B', 'wer', 50.0), ('A', 'per', 0.0), ('B', 'per', 50.0)]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dragoman.metrics.base import Floats, Metric
from dragoman.metrics.references import References, ReferenceText, Texts
from dragoman.progress import Progress, ProgressCallback

__all__ = ["Measured", "measured"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One system seen by one metric: its statistics, a row per segment."""

    system: str
    label: str
    """What the metric is called, as it was asked for."""
    metric: Metric
    signature: str
    """How to get the same scores again: the number of references, and what the metric states."""
    statistics: Floats = field(repr=False)

    @property
    def score(self) -> float:
        """Of all segments together, in points."""
        return self.metric.scale * self.metric.score(self.statistics.sum(axis=0))

    @property
    def sentence_scores(self) -> Floats:
        """Of each segment by itself, in points."""
        return self.metric.scale * self.metric.scores(self.statistics)


def measured(
    systems: Mapping[str, Texts],
    references: ReferenceText | References,
    metrics: Mapping[str, Metric],
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    stage: str = "scoring",
) -> Iterator[Measured]:
    """Each metric with each system: all systems by the first metric, then by the next."""
    given = References.of(references)
    done, total = 0, len(metrics) * len(systems)
    for label, metric in metrics.items():
        prepared = metric.prepare(given, threads=threads)
        signature = f"nrefs:{prepared.per_segment}|{metric.signature}"
        for name, lines in systems.items():
            yield Measured(name, label, metric, signature, metric.statistics(lines, prepared, threads=threads))
            done += 1
            if progress is not None:
                progress(Progress(stage, done, total))
