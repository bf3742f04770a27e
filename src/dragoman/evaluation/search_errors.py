"""Search errors: how much of what a decoder gets wrong is the fault of its search, and not of its model?

An output is a search error if the model itself scores another derivation higher. Exact search knows the best score, or
two numbers between which it lies, and so it can be counted how often a search missed it, by how much, and whether that
matters to a metric. (Aziz, Dymetman and Specia 2014.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from dragoman.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from dragoman.drawing import Drawing

__all__ = [
    "AppliedRule",
    "KnownOptimum",
    "Output",
    "SearchError",
    "SearchErrors",
    "SystemErrors",
    "count_errors",
    "plot_errors",
]

TOLERANCE = 1e-3
"""Differences of scores below it are no errors: so far exact search goes."""


@dataclass(frozen=True, slots=True)
class AppliedRule:
    """A phrase pair or rule of a derivation.

    `span` are the source words that it covers, its nonterminals included; `depth` says within how many rules it stands.
    """

    source: str
    target: str
    span: tuple[int, int]
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """What a search found for a sentence: its text, its score under the model, and the time it took."""

    text: str
    score: float
    seconds: float
    derivation: tuple[AppliedRule, ...] = ()
    """Phrases in target order; of hierarchical rules each before those that stand in it."""


@dataclass(frozen=True, slots=True)
class KnownOptimum:
    """The best that is known, and what nothing exceeds."""

    best: Output
    bound: float
    proved: bool


@dataclass(frozen=True, slots=True)
class SearchError:
    """An output that the model scores lower than another derivation of the same sentence."""

    sentence: int
    source: str
    found: Output
    best: Output

    @property
    def gap(self) -> float:
        return self.best.score - self.found.score

    def __rich__(self) -> Table:
        """Both derivations, step by step, side by side; rules within rules are indented."""
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(f"{self.sentence + 1}: {self.source}"), title_justify="left", box=None, pad_edge=False)
        for name, output in (("found", self.found), ("best", self.best)):
            table.add_column(f"{name}, {output.score:.3f}")
            table.add_column("")
        for steps in zip_longest(self.found.derivation, self.best.derivation, fillvalue=AppliedRule("", "", (0, 0))):
            table.add_row(*(Text(side) for each in steps for side in ("  " * each.depth + each.source, each.target)))
        return table


@dataclass(frozen=True, slots=True)
class SystemErrors:
    """One search: its errors, out of the sentences where that is known, and what they cost."""

    name: str
    errors: tuple[SearchError, ...]
    decided: int
    """Sentences of which it is known whether there is an error."""
    metric: float | None
    seconds: float
    """Per sentence."""

    @property
    def share(self) -> float:
        return len(self.errors) / self.decided if self.decided else math.nan

    @property
    def mean_gap(self) -> float:
        """Over errors."""
        return sum(error.gap for error in self.errors) / len(self.errors) if self.errors else 0.0

    @property
    def largest_gap(self) -> float:
        return max((error.gap for error in self.errors), default=0.0)


@dataclass(frozen=True, slots=True)
class SearchErrors:
    """All searches beside the optimum."""

    systems: tuple[SystemErrors, ...]
    sentences: int
    proved: int
    metric: float | None
    """Of the optimum."""
    seconds: float
    """Of exact search, per sentence."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentences": self.sentences,
            "proved": self.proved,
            "metric": self.metric,
            "seconds": self.seconds,
            "systems": [
                {
                    "name": system.name,
                    "errors": len(system.errors),
                    "decided": system.decided,
                    "share": system.share,
                    "mean_gap": system.mean_gap,
                    "largest_gap": system.largest_gap,
                    "metric": system.metric,
                    "seconds": system.seconds,
                    "lines": [{"gap": error.gap, **asdict(error)} for error in system.errors],
                }
                for system in self.systems
            ],
        }

    def __rich__(self) -> Table:
        from rich.table import Table

        title = f"{self.proved} of {self.sentences} sentences proved optimal"
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        table.add_column("search")
        for header in ("errors", "share", "mean gap", "largest", "metric", "s/sentence"):
            table.add_column(header, justify="right")

        def shown(value: float | None) -> str:
            return "" if value is None else f"{value:.2f}"

        for system in self.systems:
            table.add_row(
                system.name,
                str(len(system.errors)),
                f"{system.share:.1%}",
                f"{system.mean_gap:.3f}",
                f"{system.largest_gap:.3f}",
                shown(system.metric),
                f"{system.seconds:.4f}",
            )
        table.add_row("exact", "0", "0.0%", "", "", shown(self.metric), f"{self.seconds:.4f}")
        return table


def plot_errors(found: Mapping[str, SearchErrors]) -> Drawing:
    """Share of errors by beam: a line for each run and each search whose name ends in its beam (`cube:100`).

    Runs are told apart by their names, such as the distortion limit or the order of the language model.
    """
    from dragoman.charts import line_plot

    lines: dict[str, list[tuple[float, float]]] = {}
    for label, errors in found.items():
        for system in errors.systems:
            name, _, beam = system.name.rpartition(":")
            if beam.isdecimal() and int(beam) > 0:
                line = ", ".join(filter(None, (name or "beam", label)))
                lines.setdefault(line, []).append((math.log10(int(beam)), 100 * system.share))
    if not lines:
        raise InputError(
            "no search to draw: their names do not end in a beam", remedy="name some like cube:10,100,1000"
        )
    return line_plot(lines, title="Search errors", x_name="log10 of the beam", y_name="% of sentences")


def count_errors(
    sources: Sequence[str],
    optima: Sequence[KnownOptimum],
    outputs: Mapping[str, Sequence[Output]],
    *,
    metric: Callable[[Sequence[str]], float] | None = None,
) -> SearchErrors:
    """Compare what searches found with what exact search did; `metric` scores all outputs of a system together.

    Where exact search reached a limit, an output that is worse than its best is an error all the same; one that is not
    is left undecided. An output that exceeds the bound was scored by another model, and is refused.
    """
    systems = []
    for name, found in outputs.items():
        if len(found) != len(optima):
            raise InputError(f"{len(found)} outputs for {len(optima)} sentences", where=name)
        errors, decided = [], 0
        for number, (output, optimum) in enumerate(zip(found, optima, strict=True)):
            if output.score > optimum.bound + TOLERANCE * (1 + abs(optimum.bound)):
                raise InputError(
                    f"an output scores {output.score:.6f}, above the bound of {optimum.bound:.6f}",
                    where=f"{name}, sentence {number + 1}",
                    remedy="compare searches of one model, with the same options and limits",
                )
            worse = optimum.best.score - output.score > TOLERANCE
            decided += worse or optimum.proved
            if worse:
                errors.append(SearchError(number, sources[number], output, optimum.best))
        value = metric([output.text for output in found]) if metric else None
        seconds = sum(output.seconds for output in found) / max(1, len(found))
        systems.append(SystemErrors(name, tuple(errors), decided, value, seconds))
    return SearchErrors(
        tuple(systems),
        len(optima),
        sum(optimum.proved for optimum in optima),
        metric([optimum.best.text for optimum in optima]) if metric else None,
        sum(optimum.best.seconds for optimum in optima) / max(1, len(optima)),
    )
