"""Decisions from features: weights set by hand, weights learned, or the alignment alone.

Learned weights are those of logistic regression with a Gaussian prior of small variance: with some hundreds of pairs
and forty features a free fit learns the pairs by heart (MacCartney et al. 2006). Features with real values are
standardised by what was seen in training; the bias is free. The prior may stand around the weights set by hand instead
of around 0 (`around`): then little evidence leaves what a reader would say as it is, and much moves it. Weights set by
hand say which features count and how much each against the others, not how sure they all are; so they are first scaled
to be as sure as they are right. The alignment alone answers yes above a threshold and shows what the features are
worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dragoman.entailment.decision_features import FEATURES, REAL, DecisionFeatures, ScoreReferences
from dragoman.entailment.hybrid import middle_threshold
from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.plain_data import parse_toml

__all__ = [
    "KINDS", "PRIORS", "DecisionModel", "cross_validated_prior", "cross_validated_scores", "fit_logistic",
    "hand_weights",
]  # fmt: skip

PRIORS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Variances to choose from by cross-validation."""
_STEPS, _FLAT = 100, 1e-8
"""The most steps of the regression, and the slope that ends it."""
KINDS = ("adjusted", "learned", "alignment")
"""What may be learned from pairs with answers."""


@dataclass(frozen=True)
class DecisionModel:
    """Weights of features, and what they were standardised by."""

    kind: str
    """hand, learned, adjusted or alignment."""
    weights: Mapping[str, float]
    bias: float = 0.0
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Mean and spread of each real-valued feature in training."""
    references: ScoreReferences = field(default_factory=ScoreReferences)

    def contributions(self, features: DecisionFeatures) -> dict[str, float]:
        """What each feature adds to the score."""
        found = {}
        for name, weight in self.weights.items():
            mean, spread = self.scales.get(name, (0.0, 1.0))
            value = weight * (features.values[name] - mean) / spread
            if value:
                found[name] = value
        return found

    def score(self, features: DecisionFeatures) -> float:
        """Weights times features; above 0 is yes."""
        return self.bias + sum(self.contributions(features).values())

    def probability(self, features: DecisionFeatures) -> float:
        """How probable yes is."""
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, self.score(features)))))

    @classmethod
    def hand(cls) -> Self:
        """The shipped weights."""
        plain = hand_weights()
        return cls("hand", plain["weights"], plain["bias"], {}, ScoreReferences(**plain["references"]))

    @classmethod
    def fit(
        cls,
        vectors: Sequence[DecisionFeatures],
        labels: Sequence[bool],
        *,
        prior: float = 0.1,
        names: Sequence[str] = FEATURES,
        references: ScoreReferences | None = None,
        around: Mapping[str, float] | None = None,
    ) -> Self:
        """Learn weights of the named features, near those of `around` if these are given."""
        rows, scales = _standardised(vectors, names)
        weights, bias = _fitted(rows, labels, prior, _in_units(around, names, scales))
        kept = {name: float(value) for name, value in zip(names, weights, strict=True)}
        return cls("learned" if around is None else "adjusted", kept, bias, scales, references or ScoreReferences())

    @classmethod
    def alignment_only(
        cls, vectors: Sequence[DecisionFeatures], labels: Sequence[bool], *, references: ScoreReferences | None = None
    ) -> Self:
        """Yes above the alignment score half way between those of true and of false pairs here."""
        scores = np.array([each.values["score"] for each in vectors])
        _check(scores, labels)
        cut = middle_threshold(scores.tolist(), labels)
        spread = max(float(scores.std()), 1e-6)
        return cls("alignment", {"score": 1 / spread}, -cut / spread, {}, references or ScoreReferences())

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `from_dict` reads them back."""
        return {
            "kind": self.kind,
            "weights": dict(self.weights),
            "bias": self.bias,
            "scales": {name: list(pair) for name, pair in self.scales.items()},
            "references": {name: getattr(self.references, name) for name in self.references.__slots__},
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], *, where: str = "") -> Self:
        """The model that `to_dict` described; anything else is a `FormatError`."""
        try:
            unknown = set(plain["weights"]) - set(FEATURES)
            if unknown:
                raise ValueError(f"no feature is called {min(unknown)!r}")
            return cls(
                str(plain["kind"]),
                {name: float(plain["weights"][name]) for name in FEATURES if name in plain["weights"]},
                float(plain["bias"]),
                {str(name): (float(pair[0]), float(pair[1])) for name, pair in plain["scales"].items()},
                ScoreReferences(**plain["references"]),
            )
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise FormatError(f"not a decision model ({error})", where=where) from None


@cache
def hand_weights() -> dict[str, Any]:
    """The shipped file of hand-set weights."""
    file = resources.files("dragoman.entailment") / "markers" / "hand-weights.toml"
    return parse_toml(file.read_text("utf-8"), where=file.name)


def fit_logistic(
    rows: NDArray[np.float64], labels: Sequence[bool], prior: float, around: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], float]:
    """Weights and bias that minimise -sum log p(y|f) + sum (w - around)^2 / (2 prior); the bias is free.

    Newton's steps, halved until they help: there are some dozens of weights, so that the matrix of second derivatives
    is cheap, and a handful of steps is enough however weak the prior is.
    """
    gold = _check(rows, labels)
    signs = np.where(gold, 1.0, -1.0)
    design = np.column_stack([rows, np.ones(len(rows))])
    stiffness = np.append(np.full(rows.shape[1], 1 / prior), 0.0)
    middle = np.zeros(design.shape[1]) if around is None else np.append(around, 0.0)

    def loss(at: NDArray[np.float64]) -> float:
        return float(np.logaddexp(0.0, -signs * (design @ at)).sum() + stiffness @ (at - middle) ** 2 / 2)

    packed = middle.copy()
    for _ in range(_STEPS):
        wrong = np.exp(-np.logaddexp(0.0, signs * (design @ packed)))  # 1 - p of the right answer
        slope = stiffness * (packed - middle) - design.T @ (signs * wrong)
        if np.abs(slope).max() < _FLAT:
            break
        bend = (design.T * (wrong * (1 - wrong))) @ design + np.diag(stiffness + _FLAT)
        step, size, here = np.linalg.solve(bend, slope), 1.0, loss(packed)
        while loss(packed - size * step) > here and size > _FLAT:
            size /= 2
        packed = packed - size * step
    return packed[:-1], float(packed[-1])


def _in_units(
    around: Mapping[str, float] | None, names: Sequence[str], scales: Mapping[str, tuple[float, float]]
) -> NDArray[np.float64] | None:
    """Weights for features that are standardised."""
    if around is None:
        return None
    return np.array([around.get(name, 0.0) * scales.get(name, (0.0, 1.0))[1] for name in names])


def _fitted(
    rows: NDArray[np.float64], labels: Sequence[bool], prior: float, around: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], float]:
    """Weights and bias; those to stay near to are scaled first, to be as sure as they are right."""
    if around is None:
        return fit_logistic(rows, labels, prior)
    sureness, _ = fit_logistic((rows @ around)[:, None], labels, prior=1.0)
    return fit_logistic(rows, labels, prior, max(float(sureness[0]), 0.0) * around)


def cross_validated_prior(
    vectors: Sequence[DecisionFeatures],
    labels: Sequence[bool],
    *,
    names: Sequence[str] = FEATURES,
    folds: int = 10,
    around: Mapping[str, float] | None = None,
) -> float:
    """The variance whose models find the answers of pairs they have not seen most probable; of equals the smallest.

    How often they are right would be a coarser measure: on some hundreds of pairs it differs by what is chance, and
    then chooses a prior so weak that the pairs are learned by heart.
    """
    signs = np.where(np.array(labels, bool), 1.0, -1.0)
    best, chosen = -math.inf, PRIORS[0]
    for prior in PRIORS:
        scores = cross_validated_scores(vectors, labels, prior=prior, names=names, folds=folds, around=around)
        likely = -float(np.logaddexp(0.0, -signs * np.array(scores)).sum())
        if likely > best:
            best, chosen = likely, prior
    return chosen


def cross_validated_scores(
    vectors: Sequence[DecisionFeatures],
    labels: Sequence[bool],
    *,
    prior: float = 0.1,
    names: Sequence[str] = FEATURES,
    folds: int = 10,
    around: Mapping[str, float] | None = None,
) -> list[float]:
    """The score of each pair by a model that learned from the other folds."""
    rows, scales = _standardised(vectors, names)
    near = _in_units(around, names, scales)
    gold = _check(rows, labels)
    parts = np.arange(len(gold)) % min(folds, len(gold))
    scores = np.zeros(len(gold))
    for part in np.unique(parts):
        inside = parts == part
        weights, bias = _fitted(rows[~inside], gold[~inside].tolist(), prior, near)
        scores[inside] = rows[inside] @ weights + bias
    return [float(score) for score in scores]


def _standardised(
    vectors: Sequence[DecisionFeatures], names: Sequence[str]
) -> tuple[NDArray[np.float64], dict[str, tuple[float, float]]]:
    rows = np.array([[each.values[name] for name in names] for each in vectors]).reshape(len(vectors), len(names))
    scales = {}
    for column, name in enumerate(names):
        if name in REAL and len(rows):
            mean, spread = float(rows[:, column].mean()), max(float(rows[:, column].std()), 1e-6)
            rows[:, column] = (rows[:, column] - mean) / spread
            scales[name] = (mean, spread)
    return rows, scales


def _check(rows: NDArray[np.float64], labels: Sequence[bool]) -> NDArray[np.bool_]:
    gold = np.array(labels, bool)
    if len(gold) != len(rows):
        raise LengthMismatch(f"{len(rows)} pairs but {len(gold)} labels")
    if gold.all() or not gold.any():
        raise InputError("all pairs have the same label", remedy="give pairs with both answers")
    return gold
