"""Gains over the years on human scores: systems of different test sets, compared through a benchmark system.

Absolute scores of two years cannot be subtracted while one test set is harder. A benchmark system that translated both
test sets, judged in the same tasks by the same people, shows by how much (Graham, Baldwin, Moffat and Zobel 2014); the
estimate is `dragoman.evaluation.longitudinal`'s. Its interval comes from drawing whole assessors, whose judgements
belong together, and single judgements where there are too few assessors to draw from.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from dragoman.assessment.analysis.standardize import Standardized
from dragoman.errors import InputError, SettingError
from dragoman.evaluation.longitudinal import Gain, longitudinal_gain, sampled_cells

__all__ = ["GainRow", "human_gains", "parse_gain"]

Cell = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GainRow:
    """The gain in one protocol and language pair, on raw and on standardized scores, with the number of judgements."""

    protocol: str
    pair: str
    raw: Gain
    z: Gain
    judgements: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        def plain(gain: Gain) -> dict[str, Any]:
            bounds = None if gain.interval is None else [float(bound) for bound in gain.interval]
            return {"gain": gain.gain, "difficulty": gain.difficulty, "naive": gain.naive, "interval": bounds}

        return {
            "protocol": self.protocol,
            "pair": self.pair,
            "raw": plain(self.raw),
            "z": plain(self.z),
            "judgements": self.judgements,
        }


def human_gains(
    scored: Standardized, *, old: Cell, new: Cell, benchmark: str, samples: int = 1000, seed: int = 1
) -> list[GainRow]:
    """The gain from one system on its test set to another on its own, for every protocol and language pair.

    `old` and `new` are (system, test set); `benchmark` translated both test sets.
    """
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, one in enumerate(scored.ratings):
        if one.genuine:
            groups[one.protocol, one.pair].append(at)
    cells = {"old": old, "new": new, "benchmark_on_old": (benchmark, old[1]), "benchmark_on_new": (benchmark, new[1])}
    found = []
    for (protocol, pair), places in sorted(groups.items()):
        raw: dict[Cell, list[float]] = defaultdict(list)
        z: dict[Cell, list[float]] = defaultdict(list)
        people: dict[Cell, list[str]] = defaultdict(list)
        counts = {}
        for name, (system, testset) in cells.items():
            label = (name if name in ("old", "new") else "benchmark", testset)
            for at in places:
                one = scored.ratings[at]
                if (one.system, one.testset) == (system, testset):
                    raw[label].append(one.score)
                    z[label].append(scored.z[at])
                    people[label].append(one.assessor)
            counts[name] = len(raw[label])
            if not raw[label]:
                raise InputError(
                    f"no judgement of {system} on {testset}",
                    where=f"{protocol}, {pair}",
                    remedy="a gain needs all four cells: old, new, and the benchmark on both test sets",
                )
        gains = [_gain(values, people, old[1], new[1], samples, seed) for values in (raw, z)]
        found.append(GainRow(protocol, pair, gains[0], gains[1], counts))
    return found


def parse_gain(text: str) -> tuple[Cell, Cell, str]:
    """`OLD@TESTSET:NEW@TESTSET:BENCHMARK` as two cells and the benchmark."""
    parts = text.split(":")
    cells = [tuple(part.rpartition("@")[::2]) for part in parts[:2]]
    if len(parts) != 3 or not parts[2] or not all(a and b for a, b in cells):
        raise SettingError(f"{text!r} does not name a gain", remedy="write OLD@TESTSET:NEW@TESTSET:BENCHMARK")
    return (cells[0][0], cells[0][1]), (cells[1][0], cells[1][1]), parts[2]


def _gain(
    values: dict[Cell, list[float]], people: dict[Cell, list[str]], old: str, new: str, samples: int, seed: int
) -> Gain:
    arrays = {cell: np.array(scores, np.float64) for cell, scores in values.items()}
    try:
        means, drawn = sampled_cells(arrays, groups=people, samples=samples, seed=seed)
    except InputError:  # so few assessors that some samples leave a cell empty
        means, drawn = sampled_cells(arrays, samples=samples, seed=seed)
    return longitudinal_gain(means, old=("old", old), new=("new", new), samples=drawn)
