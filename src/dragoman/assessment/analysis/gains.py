"""Gains over the years on human scores: systems of different test sets, compared through a benchmark system.

Absolute scores of two years cannot be subtracted while one test set is harder. A benchmark system that translated both
test sets, judged in the same tasks by the same people, shows by how much (Graham, Baldwin, Moffat and Zobel 2014); the
estimate is `dragoman.evaluation.longitudinal`'s. Its interval comes from drawing whole assessors, whose judgements
belong together; few of them make it too narrow, so it is stretched as far as Student's distribution asks. Fewer than
five cannot be drawn from at all: then judgements are drawn, those of each cell by themselves, and the interval says
nothing about other people.

A gain in points is in points of the scales that people used. Many use a part of the line only, and every careless click
pulls all systems together, so a gain of 10 on the full line comes out as 7 or 8. The share of the distance from the old
system to the human references, judged in the same tasks by the same people, shrinks on both sides alike and is free of
that, as long as references do not all stand at the end of the line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dragoman.assessment.analysis.standardize import Standardized
from dragoman.assessment.ratings import Rating
from dragoman.errors import InputError, SettingError
from dragoman.evaluation.longitudinal import Gain, longitudinal_gain, sampled_cells
from dragoman.metrics.bootstrap import interval

__all__ = ["GainRow", "human_gains", "parse_gain"]

Cell = tuple[str, str]
Array = NDArray[np.float64]
LEAST_ASSESSORS = 5
"""Whole assessors are drawn from this many on: in simulations the interval then covers 93 to 97%."""
REFERENCES = ("references", "")
"""The cell of all references; it is drawn with the others and is no part of the fit."""


@dataclass(frozen=True, slots=True)
class GainRow:
    """The gain in one protocol and language pair, on raw and on standardized scores, with the number of judgements.

    `share` is the gain as a share of the distance from the old system to the references, on raw scores; None without
    references that stand clearly above the old system. `drawn` says what the intervals were made from.
    """

    protocol: str
    pair: str
    raw: Gain
    z: Gain
    share: Gain | None
    judgements: dict[str, int]
    assessors: int
    drawn: Literal["assessors", "judgements"]

    def to_dict(self) -> dict[str, Any]:
        def plain(gain: Gain | None) -> dict[str, Any] | None:
            if gain is None:
                return None
            bounds = None if gain.interval is None else [float(bound) for bound in gain.interval]
            return {"gain": gain.gain, "difficulty": gain.difficulty, "naive": gain.naive, "interval": bounds}

        return {
            "protocol": self.protocol,
            "pair": self.pair,
            "raw": plain(self.raw),
            "z": plain(self.z),
            "share": plain(self.share),
            "judgements": self.judgements,
            "assessors": self.assessors,
            "drawn": self.drawn,
        }


def human_gains(
    scored: Standardized, *, old: Cell, new: Cell, benchmark: str, samples: int = 1000, seed: int = 1
) -> list[GainRow]:
    """The gain from one system on its test set to another on its own, for every protocol and language pair.

    `old` and `new` are (system, test set); `benchmark` translated both test sets.
    """
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, one in enumerate(scored.ratings):
        if one.genuine or one.kind == "reference":
            groups[one.protocol, one.pair].append(at)
    cells = {"old": old, "new": new, "benchmark_on_old": (benchmark, old[1]), "benchmark_on_new": (benchmark, new[1])}
    found = []
    for (protocol, pair), group in sorted(groups.items()):
        places: dict[Cell, list[int]] = {}
        for name, cell in cells.items():
            judged = [at for at in group if scored.ratings[at].genuine and _cell(scored.ratings[at]) == cell]
            places[name if name in ("old", "new") else "benchmark", cell[1]] = judged
            if not judged:
                raise InputError(
                    f"no judgement of {cell[0]} on {cell[1]}",
                    where=f"{protocol}, {pair}",
                    remedy="a gain needs all four cells: old, new, and the benchmark on both test sets",
                )
        counts = dict(zip(cells, map(len, places.values()), strict=True))
        references = [
            at
            for at in group
            if scored.ratings[at].kind == "reference" and _cell(scored.ratings[at])[1] in (old[1], new[1])
        ]
        if references:
            places[REFERENCES] = references
        people = {cell: [scored.ratings[at].assessor for at in each] for cell, each in places.items()}
        raw, z = (
            _drawn(
                {cell: np.array([values[at] for at in each]) for cell, each in places.items()}, people, samples, seed
            )
            for values in ([one.score for one in scored.ratings], scored.z)
        )
        gains = [one.gain(("old", old[1]), ("new", new[1])) for one in (raw, z)]
        share = _share(gains[0], raw, ("old", old[1])) if references else None
        found.append(GainRow(protocol, pair, gains[0], gains[1], share, counts, _crowd(people), raw.drawn))
    return found


def parse_gain(text: str) -> tuple[Cell, Cell, str]:
    """`OLD@TESTSET:NEW@TESTSET:BENCHMARK` as two cells and the benchmark."""
    parts = text.split(":")
    cells = [tuple(part.rpartition("@")[::2]) for part in parts[:2]]
    if len(parts) != 3 or not parts[2] or not all(a and b for a, b in cells):
        raise SettingError(f"{text!r} does not name a gain", remedy="write OLD@TESTSET:NEW@TESTSET:BENCHMARK")
    return (cells[0][0], cells[0][1]), (cells[1][0], cells[1][1]), parts[2]


def _cell(one: Rating) -> Cell:
    return one.system, one.testset


def _crowd(people: Mapping[Cell, Sequence[str]]) -> int:
    return len({name for names in people.values() for name in names})


@dataclass(frozen=True)
class _Drawn:
    """Means of cells, and their means in bootstrap samples of one thing or the other."""

    means: Mapping[Cell, float]
    samples: Mapping[Cell, Array]
    drawn: Literal["assessors", "judgements"]
    known: bool
    """Whether every cell has judgements enough to vary."""

    def gain(self, old: Cell, new: Cell) -> Gain:
        means = {cell: value for cell, value in self.means.items() if cell != REFERENCES}
        samples = {cell: value for cell, value in self.samples.items() if cell != REFERENCES}
        return longitudinal_gain(means, old=old, new=new, samples=samples if self.known else None)


def _drawn(values: Mapping[Cell, Array], people: Mapping[Cell, Sequence[str]], samples: int, seed: int) -> _Drawn:
    crowd = _crowd(people)
    known = all(len(scores) > 1 for scores in values.values())
    if crowd >= LEAST_ASSESSORS:
        try:
            means, draws = sampled_cells(values, groups=people, samples=samples, seed=seed)
        except InputError:  # so few of them judged a cell that some samples leave it empty
            pass
        else:
            wider = _stretch(crowd)
            stretched = {cell: means[cell] + wider * (drawn - means[cell]) for cell, drawn in draws.items()}
            return _Drawn(means, stretched, "assessors", known)
    means, draws = sampled_cells(values, paired=False, samples=samples, seed=seed)
    return _Drawn(means, draws, "judgements", known)


def _stretch(groups: int) -> float:
    """How much too narrow 95% intervals from so many drawn groups are.

    The bootstrap divides by their number where it should divide by one less, and knows the normal distribution where
    Student's is due (Davison and Hinkley 1997).
    """
    from scipy import special

    return float(special.stdtrit(groups - 1, 0.975) / special.ndtri(0.975) * np.sqrt(groups / (groups - 1)))


def _share(gain: Gain, found: _Drawn, old: Cell) -> Gain | None:
    """The gain in units of the distance from the old system to the references."""
    distance = found.means[REFERENCES] - found.means[old]
    distances = found.samples[REFERENCES] - found.samples[old]
    if distance <= 0 or (found.known and interval(distances, gain.confidence)[0] <= 0):
        return None
    shares = gain.samples / distances if found.known else gain.samples
    bounds = interval(shares, gain.confidence) if found.known else None
    return Gain(
        gain.gain / distance, gain.difficulty / distance, gain.naive / distance, bounds, gain.confidence, shares
    )
