"""The analysis of a campaign, from ratings to rankings: check assessors, standardize, score, test, draw lines.

>>> from dragoman.assessment.ratings import Ratings
>>> analyse(Ratings()).rankings
()
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from dragoman.assessment.analysis.agreement import (
    Agreement,
    Differences,
    agreement,
    differences,
    krippendorff_alpha,
    one_versus_rest,
    score_pairs,
)
from dragoman.assessment.analysis.assessor_quality import Quality, assess_quality
from dragoman.assessment.analysis.gains import GainRow, human_gains
from dragoman.assessment.analysis.preferences import (
    PreferenceAgreement,
    expected_wins,
    preference_agreement,
    sign_tests,
)
from dragoman.assessment.analysis.scores import Ranking, SegmentScore, combined_order, rank_systems, segment_scores
from dragoman.assessment.analysis.standardize import Standardized, standardize
from dragoman.assessment.analysis.votes import VoteTest, assessor_weights, vote_tests
from dragoman.assessment.protocol import PROTOCOLS, SIMILARITY, Scale
from dragoman.assessment.ratings import Preference, Rating, Ratings
from dragoman.evaluation.clusters import clusters, rank_ranges

__all__ = ["AgreementRow", "Analysis", "ErrorCounts", "PreferenceRanking", "analyse"]

KINDS: dict[Literal["intra", "inter"], str] = {"intra": "same assessor", "inter": "distinct assessors"}
LOW_AGREEMENT = 0.5
"""One-versus-rest correlation below which a crowd that grades similarity is not worth going on with.

A crowd of Agirre et al. (2014) that did not work out had 0.23, the one that replaced it 0.74.
"""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement in one protocol, of all assessors or the kept ones, on raw or on standardized (`z`) scores."""

    protocol: str
    assessors: str
    scores: str
    found: Agreement

    def to_dict(self) -> dict[str, Any]:
        one = self.found
        return {
            "protocol": self.protocol,
            "assessors": self.assessors,
            "scores": self.scores,
            "kind": one.kind,
            "categories": one.categories,
            "share": one.share,
            "kappa": one.kappa,
            "pairs": one.pairs,
        }


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Marked errors of a system: how many per output, by severity."""

    protocol: str
    pair: str
    system: str
    outputs: int
    per_output: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {
            "protocol": self.protocol,
            "pair": self.pair,
            "system": self.system,
            "outputs": self.outputs,
            "per_output": dict(self.per_output),
        }


@dataclass(frozen=True, slots=True)
class PreferenceRanking:
    """Systems of a ranking task by expected wins, with clusters by sign tests, votes over items, and agreement."""

    pair: str
    wins: Mapping[str, float]
    clusters: tuple[tuple[str, ...], ...]
    ranges: Mapping[str, tuple[int, int]]
    comparisons: int
    weights: Mapping[str, float]
    """What the vote of each assessor weighs."""
    votes: tuple[VoteTest, ...]
    intra: PreferenceAgreement | None
    inter: PreferenceAgreement | None

    def to_dict(self) -> dict[str, Any]:
        def plain(one: PreferenceAgreement | None) -> dict[str, Any] | None:
            return None if one is None else asdict(one)

        return {
            "pair": self.pair,
            "wins": dict(self.wins),
            "clusters": [list(group) for group in self.clusters],
            "ranks": dict(self.ranges),
            "comparisons": self.comparisons,
            "weights": dict(self.weights),
            "votes": [one.to_dict() for one in self.votes],
            "intra": plain(self.intra),
            "inter": plain(self.inter),
        }


@dataclass(frozen=True)
class Analysis:
    """All that an analysis finds; `dragoman.assessment.analysis.report` shows it."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    quality: tuple[Quality, ...] = ()
    judgements: int = 0
    kept_judgements: int = 0
    rankings: tuple[Ranking, ...] = ()
    combined: Mapping[str, Mapping[str, Mapping[str, tuple[str, float]]]] = field(default_factory=dict)
    preferences: tuple[PreferenceRanking, ...] = ()
    segments: tuple[SegmentScore, ...] = ()
    errors: tuple[ErrorCounts, ...] = ()
    agreement: tuple[AgreementRow, ...] = ()
    differences: Mapping[str, Differences] = field(default_factory=dict)
    one_versus_rest: Mapping[str, float] = field(default_factory=dict)
    alpha_interval: Mapping[str, float] = field(default_factory=dict)
    gains: tuple[GainRow, ...] = ()
    repost: tuple[tuple[str, str, int], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kept(self) -> int:
        return sum(one.kept for one in self.quality)

    def to_dict(self) -> dict[str, Any]:
        return {
            "settings": dict(self.settings),
            "judgements": self.judgements,
            "kept_judgements": self.kept_judgements,
            "assessors": [one.to_dict() for one in self.quality],
            "rankings": [one.to_dict() for one in self.rankings],
            "combined": {pair: {a: dict(row) for a, row in table.items()} for pair, table in self.combined.items()},
            "preferences": [one.to_dict() for one in self.preferences],
            "segments": [one.to_dict() for one in self.segments],
            "errors": [one.to_dict() for one in self.errors],
            "agreement": [one.to_dict() for one in self.agreement],
            "differences": {
                name: {"mean": one.mean, "sd": one.sd, "pairs": one.pairs} for name, one in self.differences.items()
            },
            "one_versus_rest": dict(self.one_versus_rest),
            "krippendorff_alpha": dict(self.alpha_interval),
            "gains": [one.to_dict() for one in self.gains],
            "repost": [{"protocol": p, "task": t, "kept": kept} for p, t, kept in self.repost],
            "warnings": list(self.warnings),
        }


def analyse(
    found: Ratings,
    *,
    test: str = "auto",
    alpha: float = 0.05,
    level: float = 0.05,
    least: int = 1,
    exclude_references: bool = False,
    on: Literal["z", "raw"] = "z",
    gain: tuple[tuple[str, str], tuple[str, str], str] | None = None,
    least_kept: int = 1,
    scales: Mapping[str, Scale] | None = None,
    seed: int = 1,
) -> Analysis:
    """The whole analysis.

    `test` and `level` decide about assessors (see `quality`), `alpha` about differences of systems. `least` judgements
    make a segment score. `gain` is (old system, its test set), (new system, its test set) and the benchmark. Tasks that
    fewer than `least_kept` kept assessors did are listed for re-posting. `scales` are those of protocols of your own.
    """
    known = {name: scale for name in PROTOCOLS if (scale := PROTOCOLS.get(name).scale)}
    known.update(scales or {})
    quality: list[Quality] = []
    by_protocol: dict[str, list[Rating]] = defaultdict(list)
    for one in found.ratings:
        by_protocol[one.protocol].append(one)
    for protocol in sorted(by_protocol):
        full = float(known[protocol].high) if protocol in known else 100.0
        quality += assess_quality(by_protocol[protocol], test=test, alpha=level, full_marks=full)
    keep = {one.assessor_key for one in quality if one.kept}
    kept = [one for one in found.ratings if one.assessor_key in keep]
    scored = standardize(kept, exclude_references=exclude_references)
    rankings = rank_systems(_systems_only(scored), alpha=alpha, on=on)
    rests = {name: r for name, rows in by_protocol.items() if (r := one_versus_rest(_kept(rows, keep))) is not None}
    warnings = list(found.problems)
    warnings += [f"{who} gave one score to everything in {what} and is left out" for who, what, _ in scored.dropped]
    for name in SIMILARITY:
        if rests.get(name, 1.0) < LOW_AGREEMENT:
            warnings.append(f"one-versus-rest is only {rests[name]:.2f}: consider stopping this crowd")
    gains = human_gains(scored, old=gain[0], new=gain[1], benchmark=gain[2], seed=seed) if gain else []
    warnings += [
        f"too few assessors ({one.assessors}) judged {one.protocol} {one.pair} for an interval that holds for others: "
        "that of the gain is of their judgements only"
        for one in gains
        if one.drawn == "judgements"
    ]
    screens = len({one.screen for one in found.preferences})
    agreed = [
        _agreement(name, rows, keep, scored, known.get(name, Scale(0, 100)))
        for name, rows in sorted(by_protocol.items())
    ]
    return Analysis(
        settings={
            "test": test,
            "level": level,
            "alpha": alpha,
            "least": least,
            "on": on,
            "exclude_references": exclude_references,
        },
        quality=tuple(quality),
        judgements=len(found.ratings) + screens,
        kept_judgements=len(scored.ratings) + screens,
        rankings=tuple(rankings),
        combined=_combined(rankings, alpha),
        preferences=tuple(_preferences(found.preferences, alpha)),
        segments=tuple(segment_scores(scored, least=least)),
        errors=tuple(_errors(kept)),
        agreement=tuple(row for rows, _ in agreed for row in rows),
        differences={name: sizes for _, each in agreed for name, sizes in each.items()},
        one_versus_rest=rests,
        alpha_interval={
            name: value
            for name, rows in by_protocol.items()
            if (value := krippendorff_alpha(_kept(rows, keep))) is not None
        },
        gains=tuple(gains),
        repost=tuple(_repost(found.ratings, keep, least_kept)),
        warnings=tuple(warnings),
    )


def _kept(ratings: Sequence[Rating], keep: set[tuple[str, str, str]]) -> list[Rating]:
    return [one for one in ratings if one.assessor_key in keep]


def _systems_only(scored: Standardized) -> Standardized:
    """Without graded similarity, which scores pairs of sentences and not systems."""
    places = [at for at, one in enumerate(scored.ratings) if one.protocol not in SIMILARITY]
    return Standardized([scored.ratings[at] for at in places], [scored.z[at] for at in places], scored.dropped)


def _combined(rankings: Sequence[Ranking], alpha: float) -> dict[str, Any]:
    by_pair: dict[str, dict[str, Ranking]] = defaultdict(dict)
    for one in rankings:
        by_pair[one.pair][one.protocol] = one
    return {
        pair: combined_order(own["adequacy"], own["fluency"], alpha=alpha)
        for pair, own in by_pair.items()
        if {"adequacy", "fluency"} <= set(own)
    }


def _preferences(preferences: Sequence[Preference], alpha: float) -> list[PreferenceRanking]:
    groups: dict[str, list[Preference]] = defaultdict(list)
    for one in preferences:
        groups[one.pair].append(one)
    found = []
    for pair, rows in sorted(groups.items()):
        ordinary = [one for one in rows if one.kind == "system"]
        wins, p = expected_wins(ordinary), sign_tests(ordinary)
        order, weights = list(wins), assessor_weights(ordinary)
        found.append(
            PreferenceRanking(
                pair,
                wins,
                clusters(order, p, alpha=alpha),
                rank_ranges(order, p, alpha=alpha),
                len(ordinary),
                weights,
                vote_tests(ordinary, weights=weights),
                preference_agreement(rows, same=True),
                preference_agreement(ordinary, same=False),
            )
        )
    return found


def _errors(ratings: Sequence[Rating]) -> list[ErrorCounts]:
    groups: dict[tuple[str, str, str], list[Rating]] = defaultdict(list)
    for one in ratings:
        if one.kind == "system":
            groups[one.protocol, one.pair, one.system].append(one)
    found = []
    for key, rows in sorted(groups.items()):
        severities = sorted({span.severity for one in rows for span in one.spans})
        counts = {
            severity: sum(span.severity == severity for one in rows for span in one.spans) / len(rows)
            for severity in severities
        }
        if counts:
            found.append(ErrorCounts(*key, len(rows), counts))
    return found


def _agreement(
    protocol: str, everyone: Sequence[Rating], keep: set[tuple[str, str, str]], scored: Standardized, scale: Scale
) -> tuple[list[AgreementRow], dict[str, Differences]]:
    """Agreement and sizes of differences in one protocol, for all assessors and for the kept ones."""
    rows: list[AgreementRow] = []
    sizes: dict[str, Differences] = {}
    points = len(scale.points)
    z = [
        replace(one, score=value)
        for one, value in zip(scored.ratings, scored.z, strict=True)
        if one.protocol == protocol
    ]
    for kind, who in KINDS.items():
        parts = (("all", "raw", everyone), ("kept", "raw", _kept(everyone, keep)), ("kept", "z", z))
        for name, scores, part in parts:
            pairs = score_pairs(part, kind=kind)
            found = differences(pairs)
            if found is None:
                continue
            if scores == "raw":
                sizes[f"{protocol}, {name}, {who}"] = found
            shares = [one.score for one in part] if scores == "z" else None
            for size in (5, 4, 2) if points > 10 else (points,):
                one = agreement(pairs, kind=kind, categories=size, low=scale.low, high=scale.high, shares=shares)
                assert one is not None  # there are pairs
                rows.append(AgreementRow(protocol, name, scores, one))
    return rows, sizes


def _repost(ratings: Sequence[Rating], keep: set[tuple[str, str, str]], least: int) -> list[tuple[str, str, int]]:
    kept: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in ratings:
        kept[one.protocol, one.task] |= {one.assessor} if one.assessor_key in keep else set()
    return [(protocol, task, len(people)) for (protocol, task), people in sorted(kept.items()) if len(people) < least]
