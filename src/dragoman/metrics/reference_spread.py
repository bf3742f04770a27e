"""How much a score depends on who wrote the reference.

Each segment is scored against each of its references by itself and against all together; the spread of a segment is the
highest of the single scores minus the lowest. A large spread says that one reference is a noisy teacher, and that a
system tuned to one learns its wording rather than its meaning (Green, Cer and Manning 2014).

    >>> spread = reference_spread(["the cat sat"], [["the cat sat"], ["the cat sat down"]], "bleu+1")
    >>> spread.each.round(2).tolist(), round(spread.mean, 2)
    ([[100.0, 71.65]], 28.35)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dragoman.errors import InputError
from dragoman.metrics.base import Floats, Metric
from dragoman.metrics.fitting import MetricSpecs, fitting
from dragoman.metrics.measuring import measured
from dragoman.metrics.references import References, ReferenceText, Texts
from dragoman.progress import ProgressCallback

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["ReferenceSpread", "reference_spread", "reference_spreads", "spread_table"]


@dataclass(frozen=True, slots=True)
class ReferenceSpread:
    """Sentence scores by reference, in points."""

    metric: str
    signature: str
    higher_is_better: bool
    each: Floats
    """A row per segment, a column per reference; nan where a segment lacks that reference."""
    together: Floats
    """Scores against all references of a segment."""

    @property
    def spreads(self) -> Floats:
        """Highest minus lowest score of each segment that has two references or more."""
        several = self.each[(~np.isnan(self.each)).sum(axis=1) > 1]
        found: Floats = np.nanmax(several, axis=1) - np.nanmin(several, axis=1)
        return found

    @property
    def mean(self) -> float:
        """Mean of the spreads."""
        return float(self.spreads.mean())

    @property
    def sd(self) -> float:
        """Standard deviation of the spreads over segments (of a sample); 0 for one segment."""
        spreads = self.spreads
        return float(spreads.std(ddof=1)) if len(spreads) > 1 else 0.0

    def mean_of(self, which: str) -> float:
        """Mean score over segments against `all` references together, the `best` single one or the `worst`."""
        if which == "all":
            return float(self.together.mean())
        highest = (which == "best") == self.higher_is_better
        return float((np.nanmax if highest else np.nanmin)(self.each, axis=1).mean())

    def to_dict(self, *, sentences: bool = False) -> dict[str, Any]:
        """For JSON; `sentences` adds the scores of segments, null where there is no such reference."""
        found: dict[str, Any] = {
            "signature": self.signature,
            "references": self.each.shape[1],
            "segments": len(self.spreads),
            "mean": {name: self.mean_of(name) for name in ("all", "best", "worst")},
            "spread": {"mean": self.mean, "sd": self.sd},
        }
        if sentences:
            each = [[None if np.isnan(value) else value for value in row] for row in self.each.tolist()]
            found["sentences"] = {"each": each, "all": self.together.tolist()}
        return found


def reference_spread(
    hypotheses: Texts, references: ReferenceText, metric: str | Metric = "bleu+1", *, threads: int = 0
) -> ReferenceSpread:
    """Score each segment of one system against each of its references and against all."""
    ((_, found),) = reference_spreads({"system": hypotheses}, references, metric, threads=threads).items()
    return found


def reference_spreads(
    systems: Mapping[str, Texts],
    references: ReferenceText | References,
    metrics: MetricSpecs = "bleu+1",
    *,
    language: str = "",
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> dict[tuple[str, str], ReferenceSpread]:
    """The same for several systems, and for each of several metrics.

    A reference that is None or blank is missing. At least one segment must have two.
    """
    streams = [
        [line if line is not None and line.strip() else None for line in stream]
        for stream in References.of(references).streams
    ]
    given = References.of(streams)
    chosen, _ = fitting(metrics, given, language=language)
    if not (np.diff(given.groups, prepend=0) > 1).any():
        raise InputError("no segment has two references", remedy="give several; repeat --ref on the command line")
    together = list(measured(systems, given, chosen, threads=threads, progress=progress, stage="all references"))
    each = {(one.system, one.label): np.full((given.segments, len(streams)), np.nan) for one in together}
    for column, stream in enumerate(streams):
        places = [place for place, line in enumerate(stream) if line is not None]
        texts = {name: [lines[place] for place in places] for name, lines in systems.items()}
        single = [line for line in stream if line is not None]
        stage = f"reference {column + 1}"
        for one in measured(texts, single, chosen, threads=threads, progress=progress, stage=stage):
            each[one.system, one.label][places, column] = one.sentence_scores
    return {
        key: ReferenceSpread(one.label, one.signature, one.metric.higher_is_better, each[key], one.sentence_scores)
        for one in together
        for key in [(one.system, one.label)]
    }


def spread_table(found: Mapping[tuple[str, str], ReferenceSpread]) -> Table:
    """A row for each system and metric."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("system", "metric", "all", "best", "worst", "spread", "sd", "segments"):
        table.add_column(name, justify="left" if name in ("system", "metric") else "right", no_wrap=True)
    for (system, metric), one in found.items():
        values = [one.mean_of("all"), one.mean_of("best"), one.mean_of("worst"), one.mean, one.sd]
        table.add_row(Text(system), Text(metric), *(f"{value:.2f}" for value in values), str(len(one.spreads)))
    return table
