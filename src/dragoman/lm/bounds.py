"""Bounds: how probable can a word be at most, and at least, when only its nearest context is known?

An exact decoder works with partial contexts and needs the true maximum of p(z | H P) over every possible history H
before the known words P; for a feature with a negative weight it needs the minimum. Both are computed from the listed
n-grams alone, exactly and in near-linear time, for pruned models too (Aziz, Dymetman and Specia 2014; the contexts of
`dragoman.lm` models are closed under taking parts, which the construction requires). They are stored in a file beside
the model and belong to its stored values, so that a quantised model has bounds of its own.

    >>> from dragoman.lm import estimate
    >>> made = estimate(["a b c", "a b d", "b c"], order=3)
    >>> model = made.build()
    >>> bounds = Bounds.of(made.ngrams, model)
    >>> bounds.upper("b", "c") >= bounds.upper("a b", "c") >= bounds.lower("b", "c")
    True
"""

from __future__ import annotations

from pathlib import Path

from dragoman._native import lm as native
from dragoman.lm.model import NgramModel, Ngrams

__all__ = ["Bounds"]


class Bounds:
    """Upper and lower bounds of one model."""

    def __init__(self, bounds: native.Bounds, model: NgramModel) -> None:
        self.native, self.model = bounds, model

    @classmethod
    def of(cls, ngrams: Ngrams, model: NgramModel | None = None) -> Bounds:
        """Compute the bounds of a model from the n-grams that it was built from."""
        model = model or ngrams.build()
        return cls(native.Bounds.of(ngrams.native, model.native), model)

    @classmethod
    def open(cls, path: Path | str, model: NgramModel) -> Bounds:
        """Map the bounds stored beside a model; those of another model are refused."""
        return cls(native.Bounds.open(path, model.native), model)

    def save(self, path: Path | str) -> None:
        self.native.save(path)

    def range(self, context: str, word: str) -> tuple[float, float]:
        """Smallest and largest log p(word | H context) over all histories H."""
        ids = [self.model.native.id(token) for token in context.split()]
        return self.native.range(self.model.native, ids, self.model.native.id(word))

    def upper(self, context: str, word: str) -> float:
        return self.range(context, word)[1]

    def lower(self, context: str, word: str) -> float:
        return self.range(context, word)[0]
