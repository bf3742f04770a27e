"""Scores of systems and segments, which differences mean something, and where lines can be drawn.

A system's score is the mean over judgements of its outputs, originals and repeats, by assessors who were kept; controls
of other kinds only help to find each assessor's scale. Two systems differ if a one-sided Wilcoxon rank-sum test on the
standardized scores says so; a line between clusters is drawn where every system above is better than every system below
(as the WMT evaluations do). Where adequacy cannot separate two systems, fluency may (Graham et al. 2014); fluency alone
never ranks, because a bad translation can read well.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dragoman.assessment.analysis.standardize import Standardized
from dragoman.errors import InputError
from dragoman.evaluation.clusters import clusters, rank_ranges
from dragoman.evaluation.ranks import rank_sum
from dragoman.files import writing

__all__ = [
    "Ranking",
    "SegmentScore",
    "SystemScore",
    "combined_order",
    "rank_systems",
    "segment_scores",
    "system_scores",
    "write_segment_scores",
]


@dataclass(frozen=True, slots=True)
class SystemScore:
    """Mean raw and standardized score of a system, with the interval of the latter's mean and what it rests on."""

    system: str
    raw: float
    z: float
    interval: tuple[float, float]
    judgements: int
    segments: int
    assessors: int

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SegmentScore:
    """The score of one output from all who judged it."""

    protocol: str
    pair: str
    testset: str
    system: str
    segment: str
    raw: float
    z: float
    judgements: int
    sd: float

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Ranking:
    """Systems of one protocol and language pair, best first, with p-values of all leads, clusters and rank ranges."""

    protocol: str
    pair: str
    systems: tuple[SystemScore, ...]
    p: Mapping[str, Mapping[str, float | None]]
    clusters: tuple[tuple[str, ...], ...]
    ranges: Mapping[str, tuple[int, int]]

    def to_dict(self) -> dict[str, Any]:
        return {
            "protocol": self.protocol,
            "pair": self.pair,
            "systems": [
                {**one.to_dict(), "cluster": self.cluster_of(one.system), "ranks": self.ranges[one.system]}
                for one in self.systems
            ],
            "p": self.p,
        }

    def cluster_of(self, system: str) -> int:
        """The number of a system's cluster, from 1."""
        return next(at for at, group in enumerate(self.clusters, 1) if system in group)


def system_scores(scored: Standardized, *, confidence: float = 0.95) -> list[SystemScore]:
    """The score of every system, best z first; ratings must be of one protocol and language pair.

    The interval of the mean treats the means of assessors as the independent observations where at least three
    assessors judged the system, and single judgements otherwise: judgements of one person are not independent of each
    other.
    """
    from scipy import stats

    raw: dict[str, list[float]] = defaultdict(list)
    z: dict[str, list[float]] = defaultdict(list)
    segments: dict[str, set[tuple[str, str]]] = defaultdict(set)
    people: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one, value in zip(scored.ratings, scored.z, strict=True):
        if one.genuine:
            raw[one.system].append(one.score)
            z[one.system].append(value)
            segments[one.system].add((one.testset, one.segment))
            people[one.system][one.assessor].append(value)
    found = []
    for system, values in z.items():
        mean = statistics.fmean(values)
        error, df = _standard_error(values, list(people[system].values()))
        half = float(stats.t.ppf((1 + confidence) / 2, df)) * error if df else math.inf
        found.append(
            SystemScore(
                system,
                statistics.fmean(raw[system]),
                mean,
                (mean - half, mean + half),
                len(values),
                len(segments[system]),
                len(people[system]),
            )
        )
    return sorted(found, key=lambda one: (-one.z, one.system))


def _standard_error(values: Sequence[float], by_person: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The standard error of a mean, and its degrees of freedom.

    Judgements of one person belong together, which makes a mean less certain; but standardizing also ties a person's
    scores of all systems to a mean of 0, which hides that. The larger of the two errors is the honest one.
    """
    n = len(values)
    if n < 2:
        return 0.0, 0
    single = float(np.std(values, ddof=1)) / math.sqrt(n)
    if len(by_person) < 3:
        return single, n - 1
    mean, groups = statistics.fmean(values), len(by_person)
    between = sum((sum(own) - len(own) * mean) ** 2 for own in by_person)
    clustered = math.sqrt(between * groups / (groups - 1)) / n
    return (clustered, groups - 1) if clustered > single else (single, n - 1)


def rank_systems(scored: Standardized, *, alpha: float = 0.05, on: Literal["z", "raw"] = "z") -> list[Ranking]:
    """A ranking for each protocol and language pair, with one-sided rank-sum tests of all pairs."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, one in enumerate(scored.ratings):
        groups[one.protocol, one.pair].append(at)
    found = []
    for (protocol, pair), places in sorted(groups.items()):
        part = Standardized([scored.ratings[at] for at in places], [scored.z[at] for at in places], [])
        systems = system_scores(part)
        if on == "raw":
            systems.sort(key=lambda one: (-one.raw, one.system))
        if not systems:
            continue
        values: dict[str, list[float]] = defaultdict(list)
        for one, z in zip(part.ratings, part.z, strict=True):
            if one.genuine:
                values[one.system].append(z if on == "z" else one.score)
        arrays = {name: np.array(scores, np.float64) for name, scores in values.items()}
        p: dict[str, dict[str, float | None]] = {
            a: {b: rank_sum(arrays[a], arrays[b]).p for b in arrays if b != a} for a in arrays
        }
        order = [one.system for one in systems]
        grouped = clusters(order, p, alpha=alpha)
        found.append(Ranking(protocol, pair, tuple(systems), p, grouped, rank_ranges(order, p, alpha=alpha)))
    return found


def segment_scores(scored: Standardized, *, least: int = 1) -> list[SegmentScore]:
    """Scores of outputs that at least so many judgements were given for (15 make it reliable; Graham et al. 2015)."""
    if least < 1:
        raise InputError("a segment needs at least one judgement")
    raw: dict[tuple[str, str, str, str, str], list[float]] = defaultdict(list)
    z: dict[tuple[str, str, str, str, str], list[float]] = defaultdict(list)
    for one, value in zip(scored.ratings, scored.z, strict=True):
        if one.genuine:
            raw[one.output].append(one.score)
            z[one.output].append(value)
    return [
        SegmentScore(
            *output,
            statistics.fmean(raw[output]),
            statistics.fmean(values),
            len(values),
            float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
        )
        for output, values in sorted(z.items())
        if len(values) >= least
    ]


def write_segment_scores(path: Path | str, segments: Sequence[SegmentScore]) -> None:
    """Segment scores as a tab-separated table."""
    with writing(path) as file:
        file.write("protocol\tpair\ttestset\tsystem\tsegment\traw\tz\tjudgements\tsd\n")
        for one in segments:
            values = (one.protocol, one.pair, one.testset, one.system, one.segment)
            file.write(
                "\t".join([*values, f"{one.raw:.4f}", f"{one.z:.6f}", str(one.judgements), f"{one.sd:.6f}"]) + "\n"
            )


def combined_order(
    adequacy: Ranking, fluency: Ranking, *, alpha: float = 0.05
) -> dict[str, dict[str, tuple[Literal["adequacy", "fluency"], float]]]:
    """Who is better than whom, and by which attribute: adequacy decides where it can, else fluency, else nobody.

    `found[a][b]` is there if a is better than b; it says which attribute decided and its p-value.
    """
    names = [one.system for one in adequacy.systems if any(one.system == two.system for two in fluency.systems)]
    found: dict[str, dict[str, tuple[Literal["adequacy", "fluency"], float]]] = {name: {} for name in names}
    for a in names:
        for b in names:
            if a == b:
                continue
            first = _decides(adequacy, a, b, alpha)
            if first is not None:
                found[a][b] = ("adequacy", first)
            elif _decides(adequacy, b, a, alpha) is None and (second := _decides(fluency, a, b, alpha)) is not None:
                found[a][b] = ("fluency", second)
    return found


def _decides(ranking: Ranking, a: str, b: str, alpha: float) -> float | None:
    value = ranking.p.get(a, {}).get(b)
    return value if value is not None and value < alpha else None
