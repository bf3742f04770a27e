"""What certificates of exact decoding have in common: language models by name, what they say at most, and a verdict.

A certificate names language models with their weights; the verifier has the models themselves, and asks them for exact
probabilities of a text and for what they can say at most when only the nearest words are known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.features.language_model import LanguageModel
from dragoman.lm import Bounds

__all__ = ["BEGIN", "END", "CertifiedModels", "ModelUse", "Verdict", "Words", "differences", "first_of", "same"]

BEGIN, END = "<s>", "</s>"
TOLERANCE = 1e-6
"""How far numbers may lie apart that are the same but for rounding, by their size."""
_SHOWN = 5
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A language model by name, with its weight and order."""

    name: str
    weight: float
    order: int

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ModelUse:
        return cls(str(given["name"]), float(given["weight"]), int(given["order"]))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a certificate, if anything; score and bound as the verifier finds them."""

    problems: tuple[str, ...]
    score: float
    bound: float

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def gap(self) -> float:
        """No derivation is better than the answer by more than this."""
        return self.bound - self.score


def same(one: float, other: float) -> bool:
    """Whether two numbers differ by rounding alone."""
    return abs(one - other) <= TOLERANCE * (1 + abs(one))


def first_of(found: Sequence[str]) -> list[str]:
    """Some of many problems: where there are more, it is another model."""
    rest = len(found) - _SHOWN
    return [*found[:_SHOWN], *([f"and {rest} more"] if rest > 0 else [])]


def differences(score: float, bound: float, *, stated_score: float, stated_bound: float) -> list[str]:
    """What a verifier found that is not as a certificate says."""
    found = []
    if not same(score, stated_score):
        found.append(f"the derivation scores {score:.6f}, not {stated_score:.6f}")
    if not bound <= stated_bound + TOLERANCE * (1 + abs(bound)):
        found.append(f"the contexts prove a bound of {bound:.6f}, not {stated_bound:.6f}")
    return found


class CertifiedModels:
    """The language models that a certificate names, with its weights; `problems` says which are not there."""

    def __init__(
        self, uses: Sequence[ModelUse], given: Sequence[LanguageModel], bounds: Sequence[Bounds] | None
    ) -> None:
        by_name = {use.name: use for use in given}
        made = {} if bounds is None else {use.name: each for use, each in zip(given, bounds, strict=True)}
        self.problems: list[str] = []
        self._models: list[_Model] = []
        self._known: dict[tuple[Words, Words], float] = {}
        for use in uses:
            found = by_name.get(use.name)
            if found is None:
                self.problems.append(f"no language model is called {use.name!r}")
            elif found.model.order != use.order:
                self.problems.append(f"{use.name!r} is of order {found.model.order}, not {use.order}")
            elif not math.isfinite(use.weight):
                self.problems.append(f"the weight of {use.name!r} is no number")
            else:
                self._models.append(_Model(found, use.weight, made.get(use.name)))

    def exact(self, history: Words, words: Words) -> float:
        """The weighted log probability of words after a history from the beginning."""
        return sum(model.exact(history, words) for model in self._models)

    def most(self, context: Words, words: Words) -> float:
        """The most that words can score if no more than a context is known of what stands before them."""
        key = context, words
        if key not in self._known:
            self._known[key] = sum(model.most(context, words) for model in self._models)
        return self._known[key]


class _Model:
    """What a language model says of words after a context: exactly, or at most."""

    def __init__(self, use: LanguageModel, weight: float, bounds: Bounds | None) -> None:
        self.use, self.weight = use, weight
        self.bounds = bounds or Bounds.of(use.model.list_ngrams(), use.model)
        self.reach = use.model.order - 1

    def exact(self, history: Words, words: Words) -> float:
        model = self.use.model
        said = self.use.said(history)
        state = model.begin_state() if said[0] == BEGIN else model.empty_state()
        for word in said[1:] if said[0] == BEGIN else said:
            _, state = model.step(state, word)
        total = 0.0
        for word in self.use.said(words):
            score, state = model.step(state, word)
            total += score
        return self.weight * total

    def most(self, context: Words, words: Words) -> float:
        said = self.use.said(context + words)
        total = 0.0
        for at in range(len(context), len(said)):
            near = " ".join(said[max(0, at - self.reach) : at]) if self.reach else ""
            lower, upper = self.bounds.range(near, said[at])
            total += upper if self.weight > 0 else lower
        return self.weight * total
