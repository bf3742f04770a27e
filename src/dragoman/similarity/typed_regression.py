"""Typed similarity that is learned: one regression for each type, over what all fields say.

The best systems of 2013 trained a support-vector regression per type on the features of all types, with a linear or a
Gaussian kernel, because the respects in which two records are alike go together (Agirre et al. 2013). Features: the
eight cosines of the baseline, shares of words in common by field, how near the closest years are, how alike titles and
creators are spelled, and which fields are missing. All are the same for (a, b) and (b, a).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.bundle import Bundle, Provenance, writing_bundle
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.settings import Settings, check_argument, setting
from dragoman.similarity.overlap import same_words
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.records import TYPES, Number, Record, TermWeights, baseline_scores
from dragoman.similarity.regression import Regressor, fit_regressor, read_regressor
from dragoman.text.strings import string_similarities

__all__ = ["KIND", "KINDS", "TypedRegression", "check_kind", "cosine_reasons", "record_features", "record_reasons"]

KIND = "typed-similarity"
KINDS = ("rbf", "linear", "ridge")
_COMPARED = ("author", "subject", "description", "general")


def record_features(first: Record, second: Record, weights: TermWeights) -> dict[str, float]:
    """What a regression of any type sees of two records."""
    found = {f"cosine, {kind}": value for kind, value in baseline_scores(first, second, weights).items()}
    for kind in _COMPARED:
        ours, theirs = set(first.words(kind)), set(second.words(kind))
        common, either = len(ours & theirs), len(ours | theirs)
        found[f"in common, {kind}"] = common / either if either else 0.0
        found[f"contained, {kind}"] = common / min(len(ours), len(theirs)) if ours and theirs else 0.0
    apart = [abs(one - other) for one in first.years for other in second.years]
    found["years"] = 1 / (1 + min(apart) / 10) if apart else 0.0
    texts = {"title": (first.title, second.title), "creator": tuple(" ".join(r.creator) for r in (first, second))}
    for name, (one, other) in texts.items():
        alike = string_similarities([one.lower()], [other.lower()], threads=1)[0] if one and other else 0.0
        found[f"spelling, {name}"] = float(alike)
    for name in ("title", "subject", "description", "creator", "date"):
        found[f"missing, {name}"] = sum(not getattr(record, name) for record in (first, second)) / 2
    return found


def check_kind(kind: str) -> str:
    """A type that there is."""
    check_argument("kind", kind, choices=TYPES)
    return kind


def record_reasons(
    pair: tuple[Record, Record],
    kind: str,
    scorer: str,
    score: float,
    features: Sequence[Contribution],
    notes: tuple[str, ...] = (),
) -> PairReasons:
    """Reasons of a type: the words that it compares, equal ones matched, and features."""
    first, second = (record.words(kind) for record in pair)
    return PairReasons(scorer, score, first, second, same_words(first, second), tuple(features), notes=notes)


def cosine_reasons(pair: tuple[Record, Record], kind: str, weights: TermWeights, scorer: str) -> PairReasons:
    """Why the baseline gives a type its score: what each common word adds."""
    first, second = (record.words(check_kind(kind)) for record in pair)
    shares = weights.shares(first, second)
    features = [Contribution(f"in both: {word}", weights.weight(word), share) for word, share in shares.items()]
    features += [] if features else [Contribution("words in both", 0.0, 0.0)]
    missing = [side for side, words in (("first", first), ("second", second)) if not words]
    notes = tuple(f"the {side} record says nothing of this" for side in missing)
    return record_reasons(pair, kind, scorer, weights.cosine(first, second), features, notes)


@dataclass(kw_only=True, eq=False)
class TypedRegression(Settings):
    """One regression for each type (Agirre et al. 2013); scores are on the scale of 0 to 1."""

    kind: str = setting("rbf", "A Gaussian kernel, a linear one, or ridge regression.", choices=KINDS)
    cost: float = setting(1.0, "How much an error of a training pair costs (support vectors).", above=0)
    epsilon: float = setting(0.05, "Errors up to this cost nothing, on the scale from 0 to 1.", least=0, most=1)
    _weights: TermWeights | None = field(default=None, init=False, repr=False)
    _regressors: dict[str, Regressor] = field(default_factory=dict, init=False, repr=False)

    def _matrix(self, pairs: Sequence[tuple[Record, Record]]) -> tuple[tuple[str, ...], Number]:
        if self._weights is None:
            raise SettingError("typed similarity must be fitted first", remedy="use `dragoman similarity records fit`")
        rows = [record_features(one, other, self._weights) for one, other in pairs]
        names = tuple(rows[0]) if rows else ()
        return names, np.array([list(row.values()) for row in rows], np.float64).reshape(len(rows), -1)

    def fit(self, pairs: Sequence[tuple[Record, Record]], gold: Number, weights: TermWeights) -> TypedRegression:
        """Learn from pairs and a row of eight scores (0 to 1) for each; `weights` come from the collection."""
        if len(pairs) != len(gold) or gold.ndim != 2 or gold.shape[1] != len(TYPES):
            raise LengthMismatch(f"{len(pairs)} pairs but gold scores of shape {gold.shape}")
        if len(pairs) < 2:
            raise InputError("too few pairs to learn from")
        self._weights = weights
        names, rows = self._matrix(pairs)
        settings: dict[str, Any] = {}
        if self.kind != "ridge":
            settings = {"cost": self.cost, "epsilon": self.epsilon, "gamma": 0.0 if self.kind == "linear" else None}
        model = "ridge" if self.kind == "ridge" else "svr"
        self._regressors = {
            kind: fit_regressor(model, names, rows, gold[:, at], **settings) for at, kind in enumerate(TYPES)
        }
        return self

    def score(self, pairs: Sequence[tuple[Record, Record]]) -> Number:
        """A row of eight scores for each pair."""
        _, rows = self._matrix(pairs)
        return np.stack([self._regressors[kind].predict(rows) for kind in TYPES], axis=1)

    def explain(self, pair: tuple[Record, Record], kind: str) -> PairReasons:
        """What decided the score of a type: what it compares, and what each feature adds."""
        names, rows = self._matrix([pair])
        regressor = self._regressors[check_kind(kind)]
        shares = regressor.shares(rows[0]).tolist()
        return record_reasons(
            pair,
            kind,
            f"typed, {kind}",
            float(regressor.predict(rows)[0]),
            [Contribution(*each) for each in zip(names, rows[0].tolist(), shares, strict=True)],
            notes=("a feature's share is what the score changes when it has its mean over the training pairs",),
        )

    def save(self, path: Path | str, *, provenance: Provenance | None = None) -> None:
        """Write a bundle."""
        if self._weights is None:
            raise SettingError("typed similarity must be fitted first", remedy="use `dragoman similarity records fit`")
        with writing_bundle(path, kind=KIND, settings=self.to_dict(), provenance=provenance) as folder:
            self._weights.save(folder)
            for kind, regressor in self._regressors.items():
                (folder / kind).mkdir()
                regressor.save(folder / kind)

    @classmethod
    def open(cls, path: Path | str) -> TypedRegression:
        """What `save` wrote."""
        bundle = Bundle.open(path, kind=KIND)
        found = cls.from_dict(bundle.settings, where=str(path))
        found._weights = TermWeights.open(bundle.path)
        found._regressors = {kind: read_regressor(bundle.path / kind) for kind in TYPES}
        return found
