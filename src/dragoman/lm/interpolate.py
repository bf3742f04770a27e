"""Interpolation: several models mixed into one, with weights fitted on held-out text.

p(w | h) = sum of weight_k p_k(w | h). The weights that make a text most probable are found by EM; the mixture is then
written as one ordinary model over the joint vocabulary, with back-off weights computed anew. A word that one of the
models does not know has probability zero in it; words that none knows are left out of the fit and counted.

    >>> from dragoman.lm import estimate
    >>> first, second = (estimate([line] * 3, order=2).ngrams for line in ("a b", "a c"))
    >>> mixture = fit_weights([first.build(), second.build()], ["a c", "a c", "a b"])
    >>> bool(mixture.weights[1] > mixture.weights[0])
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dragoman._native import lm as native
from dragoman.errors import InputError, SettingError
from dragoman.lm.model import NgramModel, Ngrams

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

__all__ = ["Mixture", "fit_weights", "interpolate", "weights_by_em"]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Fitted weights, and the perplexity of the text under each model and under the mixture."""

    weights: tuple[float, ...]
    perplexity: float
    alone: tuple[float, ...]
    events: int
    unknown: int
    iterations: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "weights": list(self.weights),
            "perplexity": self.perplexity,
            "perplexity_alone": list(self.alone),
            "events": self.events,
            "unknown": self.unknown,
            "iterations": self.iterations,
        }


def weights_by_em(
    probabilities: NDArray[float64],
    *,
    start: Sequence[float] | None = None,
    tolerance: float = 1e-4,
    max_iterations: int = 1000,
) -> tuple[NDArray[float64], int]:
    """EM for mixture weights, from one row of probabilities per event; stops when no weight moves by `tolerance`."""
    import numpy as np

    events, models = probabilities.shape
    weights = np.full(models, 1.0 / models) if start is None else np.asarray(start, dtype=np.float64)
    for iteration in range(1, max_iterations + 1):
        joint = probabilities * weights
        new = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0) / events
        change = float(np.abs(new - weights).max())
        weights = new
        if change < tolerance:
            return weights, iteration
    return weights, max_iterations


def fit_weights(models: Sequence[NgramModel], sentences: Iterable[str], *, tolerance: float = 1e-4) -> Mixture:
    """Weights that make a text most probable."""
    import numpy as np

    if not models:
        raise SettingError("no models to mix")
    text = list(sentences)
    columns, known = [], []
    for model in models:
        logprobs, ids, _, _ = model.native.events(text)
        # A model without sentence ends has id 0 for them, as for any word it does not know.
        columns.append(np.where(ids != 0, np.exp(logprobs), 0.0))
        known.append(ids != 0)
    probabilities = np.stack(columns, axis=1)
    usable = np.stack(known, axis=1).any(axis=1)
    if not usable.any():
        raise InputError("no model knows a word of the text", remedy="fit the weights on a text of the same kind")
    weights, iterations = weights_by_em(probabilities[usable], tolerance=tolerance)
    alone = []
    for column, mask in zip(columns, known, strict=True):
        alone.append(float(np.exp(-np.log(column[mask]).mean())) if mask.any() else float("inf"))
    mixed = float(np.exp(-np.log(probabilities[usable] @ weights).mean()))
    return Mixture(
        tuple(float(weight) for weight in weights),
        mixed,
        tuple(alone),
        int(usable.sum()),
        int((~usable).sum()),
        iterations,
    )


def interpolate(lists: Sequence[Ngrams], weights: Sequence[float]) -> Ngrams:
    """Mix models into one: the weighted mean for every n-gram that one of them lists, normalised anew."""
    if len(lists) != len(weights):
        raise SettingError(f"{len(weights)} weights for {len(lists)} models", remedy="give one weight per model")
    return Ngrams(native.interpolate([ngrams.native for ngrams in lists], list(weights)))
