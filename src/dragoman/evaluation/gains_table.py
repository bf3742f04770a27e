"""Gains over the years from a table of scores: one line per metric and language pair, and the mean over pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dragoman.errors import InputError
from dragoman.evaluation.longitudinal import Gain, longitudinal_gain, mean_gain, sampled_cells
from dragoman.evaluation.report import Document, Heading, Paragraph, Picture, Table
from dragoman.evaluation.score_files import ScoreRow

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["GainsTable", "PairGain", "gains_table"]

Cell = tuple[str, str]


@dataclass(frozen=True)
class PairGain:
    """The gain of one metric for one language pair, from one system on its test set to another on its own."""

    metric: str
    pair: str
    old: Cell
    new: Cell
    scores: Mapping[Cell, float]
    gain: Gain


@dataclass(frozen=True)
class GainsTable:
    """All gains, and their means over language pairs by metric."""

    benchmark: str
    gains: tuple[PairGain, ...]
    means: Mapping[str, Gain]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "benchmark": self.benchmark,
            "gains": [
                {"metric": one.metric, "pair": one.pair, "old": list(one.old), "new": list(one.new), **_plain(one.gain)}
                for one in self.gains
            ],
            "means": {metric: _plain(gain) for metric, gain in self.means.items()},
        }

    def document(self) -> Document:
        """A table and a plot."""
        from dragoman.charts import forest_plot

        rows = [
            (
                one.metric,
                one.pair,
                one.old[0],
                one.new[0],
                f"{one.gain.naive:+.2f}",
                f"{one.gain.difficulty:+.2f}",
                str(one.gain),
            )
            for one in self.gains
        ]
        drawn = [
            (f"{one.metric} {one.pair}", one.gain.interval[0], one.gain.gain, one.gain.interval[1])
            for one in self.gains
            if one.gain.interval is not None
        ]
        for metric, mean in self.means.items():
            rows.append((metric, "mean", "", "", f"{mean.naive:+.2f}", f"{mean.difficulty:+.2f}", str(mean)))
            if mean.interval is not None:
                drawn.append((f"{metric} mean", mean.interval[0], mean.gain, mean.interval[1]))
        header = ("metric", "pair", "old", "new", "plain difference", "difficulty", "gain")
        parts: list[Heading | Paragraph | Table | Picture] = [
            Table(header, tuple(rows)),
            Paragraph(
                f"difficulty: how much {self.benchmark} loses from the old to the new test set;"
                " gain = plain difference + difficulty; positive is better"
            ),
        ]
        if drawn:
            parts.append(Picture("gains", forest_plot(drawn, title="Gains with 95% intervals")))
        return Document("Gains over time", tuple(parts))

    def __rich__(self) -> RenderableType:
        return self.document()

    def _repr_html_(self) -> str:
        return self.document().html_parts()


def gains_table(
    rows: Iterable[ScoreRow],
    *,
    old: str,
    new: str,
    benchmark: str,
    lower_is_better: Collection[str] = (),
    samples: int = 1000,
    seed: int = 1,
    threads: int = 0,
) -> GainsTable:
    """Gains between two test sets (`TESTSET` for its best system, or `TESTSET:SYSTEM`), by metric and language pair."""
    tables: dict[tuple[str, str], dict[Cell, list[ScoreRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        tables[row.metric, row.pair][row.system, row.test_set].append(row)
    found: list[PairGain] = []
    for (metric, pair), table in tables.items():
        sign = -1.0 if metric in lower_is_better else 1.0
        where = f"{metric}, {pair}"
        means = {cell: sign * fmean(row.score for row in members) for cell, members in table.items()}
        ends = [_end(means, wanted, benchmark, where) for wanted in (old, new)]
        if ends[0][1] == ends[1][1]:
            raise InputError("the old and the new test set are one", where=where)
        for _, test_set in ends:
            if (benchmark, test_set) not in table:
                raise InputError(f"{benchmark} has no score on {test_set}", where=where)
        cells = [*ends, *((benchmark, test_set) for _, test_set in ends)]
        whole = {cell: means[cell] for cell in cells}
        drawn = None
        if all(row.segment is not None for cell in cells for row in table[cell]):
            ordered = {
                cell: [sign * row.score for row in sorted(table[cell], key=lambda row: str(row.segment))]
                for cell in cells
            }
            _, drawn = sampled_cells(
                ordered, paired=_parallel(table, cells), samples=samples, seed=seed + len(found), threads=threads
            )
        found.append(
            PairGain(
                metric, pair, ends[0], ends[1], whole, longitudinal_gain(whole, old=ends[0], new=ends[1], samples=drawn)
            )
        )
    if not found:
        raise InputError("no scores")
    by_metric: dict[str, list[Gain]] = defaultdict(list)
    for one in found:
        by_metric[one.metric].append(one.gain)
    return GainsTable(
        benchmark, tuple(found), {metric: mean_gain(gains) for metric, gains in by_metric.items() if len(gains) > 1}
    )


def _end(means: Mapping[Cell, float], wanted: str, benchmark: str, where: str) -> Cell:
    test_set, _, system = wanted.partition(":")
    if not system:
        there = [cell for cell in means if cell[1] == test_set and cell[0] != benchmark]
        if not there:
            raise InputError(f"no system but {benchmark} has scores on {test_set}", where=where)
        return max(there, key=lambda cell: means[cell])
    if (system, test_set) not in means:
        raise InputError(f"{system} has no score on {test_set}", where=where)
    return system, test_set


def _parallel(table: Mapping[Cell, list[ScoreRow]], cells: Collection[Cell]) -> bool:
    """Whether systems were scored on the same segments of their test set, once each."""
    names: dict[str, list[str | None]] = {}
    for cell in cells:
        mine = sorted((row.segment for row in table[cell]), key=str)
        if names.setdefault(cell[1], mine) != mine or len(set(mine)) != len(mine):
            return False
    return True


def _plain(gain: Gain) -> dict[str, Any]:
    return {
        "gain": gain.gain,
        "difficulty": gain.difficulty,
        "naive": gain.naive,
        "interval": list(gain.interval) if gain.interval else None,
    }
