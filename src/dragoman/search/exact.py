"""Exact decoding: the derivation that scores best under the model, with a proof that none scores higher.

Search of every other kind leaves out what looks bad, so that nobody knows whether a bad translation is the fault of the
model or of the search. This one replaces language models by the most that they can say when only the nearest words are
known, finds the best derivation under that, and learns one more word wherever it promised too much; when what is
promised and what is reached are the same, nothing better exists. What it has learned, place by place, is a certificate
that `dragoman.search.certificate` checks by itself. At any time the optimum lies between `score` and `bound`.
(Aziz, Dymetman and Venkatapathy 2013; Aziz, Dymetman and Specia 2014.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from dragoman._native import search as native
from dragoman.errors import SettingError
from dragoman.forest import Derivation, Forest
from dragoman.lm import Bounds
from dragoman.search.settings import ExactLimits, ExactSettings, SampleSettings
from dragoman.settings import Settings, declared

if TYPE_CHECKING:
    from dragoman.features.language_model import LanguageModel

__all__ = [
    "ExactSettings",
    "ForestOptimum",
    "Round",
    "Samples",
    "bounded_models",
    "exact_limits",
    "native_settings",
    "no_forest",
    "optimize_forest",
    "sample_forest",
    "sample_settings",
    "upper_bounds",
]


def upper_bounds(language_models: Sequence[LanguageModel]) -> list[Bounds]:
    """How high and low the probabilities of each model can be, from its n-grams."""
    return [Bounds.of(use.model.list_ngrams(), use.model) for use in language_models]


Chosen = TypeVar("Chosen", native.ExactSettings, native.SampleSettings)


def native_settings(kind: type[Chosen], settings: Settings) -> Chosen:
    """Settings for the native side, name by name."""
    made = kind()
    for name in declared(type(settings)):
        setattr(made, name, getattr(settings, name))
    return made


def exact_limits(settings: Settings) -> ExactSettings:
    """The limits that a decoder's own settings hold."""
    return ExactSettings(**{name: getattr(settings, name) for name in declared(ExactLimits)})


def sample_settings(limits: Settings, **chosen: Any) -> SampleSettings:
    """How to sample within the limits that a decoder's own settings hold, if it has any."""
    held = limits.to_dict()
    return SampleSettings(**{name: held[name] for name in ("time_limit", "memory") if name in held}, **chosen)


def bounded_models(
    language_models: Sequence[LanguageModel], weights: Mapping[str, float], bounds: Sequence[Bounds] | None = None
) -> native.BoundedModels:
    """Language models as exact inference on forests takes them; `bounds` are theirs, if they are known already."""
    models = native.BoundedModels()
    for use, each in zip(language_models, bounds or upper_bounds(language_models), strict=True):
        weight = weights.get(use.name, 0.0)
        if use.classes is None:
            models.add(use.model.native, each.native, weight)
        else:
            models.add_classes(use.model.native, each.native, weight, dict(use.classes))
    return models


@dataclass(frozen=True, slots=True)
class ForestOptimum:
    """The best derivation of a forest under language models; None if what was known already is as good."""

    derivation: Derivation | None
    last: Derivation | None
    """What promised most at the end, if anything was left that could be better."""
    score: float
    proof: native.Proof
    contexts: tuple[tuple[str, ...], ...]
    """Contexts that had to be known, in the order in which that was found out."""


def optimize_forest(
    forest: Forest, models: native.BoundedModels, settings: ExactSettings | None = None, *, known: float = -math.inf
) -> ForestOptimum:
    """The best of all derivations of any forest, by its scores and those of language models that are not part of it.

    `known` is the score of a derivation that was found otherwise, which the best must exceed.
    """
    chosen = native_settings(native.ExactSettings, settings or ExactSettings())
    best, last, proof, contexts = native.optimize_forest(forest.native, forest.words, models, chosen, known)
    found, promising = (forest.derivation(edges) if edges else None for edges in (best, last))
    return ForestOptimum(found, promising, proof.best, proof, tuple(map(tuple, contexts)))


def sample_forest(
    forest: Forest, models: native.BoundedModels, settings: SampleSettings | None = None, *, item: int = 0
) -> Samples[Derivation]:
    """Independent draws from all derivations of any forest, by its scores and those of language models.

    `item` tells sentences apart that are sampled by one seed.
    """
    given = settings or SampleSettings()
    chosen = native_settings(native.SampleSettings, given)
    found = native.sample_forest(forest.native, forest.words, models, chosen, item)
    edges, draws, rounds, reached, log_partition, contexts = found
    return Samples(
        tuple(map(forest.derivation, edges)),
        tuple(draws),
        tuple(Round(*row) for row in rounds),
        reached,
        log_partition,
        given.scale,
        tuple(map(tuple, contexts)),
    )


def no_forest() -> SettingError:
    """What is said to those who want alternatives."""
    return SettingError(
        "exact search keeps no forest: it knows the best derivation, and of all others only that they are no better",
        remedy="ask for alternatives, a forest or a consensus with another search, or for samples",
    )


@dataclass(frozen=True, slots=True)
class Round:
    """A batch of draws from one proposal, whose sum of exp(scale * bound) has the logarithm `log_norm`."""

    log_norm: float
    drawn: int
    accepted: int
    mean_ratio: float
    """Of what derivations weigh to what was promised: the expected share of accepted draws."""
    nodes: int
    edges: int
    refined: int
    seconds: float


class Sampled(Protocol):
    """What can be drawn: a derivation with its text, features and score."""

    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def features(self) -> Mapping[str, float]: ...


Drawn = TypeVar("Drawn", bound=Sampled)
Other = TypeVar("Other", bound=Sampled)


@dataclass(frozen=True, slots=True)
class Samples(Generic[Drawn]):
    """Independent draws of derivations, each with probability in proportion to exp(scale * score).

    `draws` says for each which of `derivations` it is. Estimates are means over draws; their errors fall with the root
    of their number.
    """

    derivations: tuple[Drawn, ...]
    draws: tuple[int, ...]
    rounds: tuple[Round, ...] = field(repr=False)
    reached: bool
    """Whether as many draws were accepted as asked for."""
    log_partition: float
    """Estimate of the logarithm of the sum of exp(scale * score) over all derivations."""
    scale: float
    contexts: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """Of forests: those that had to be known."""

    def __len__(self) -> int:
        return len(self.draws)

    def translated(self, make: Callable[[Drawn], Other]) -> Samples[Other]:
        """The same draws, with something made of each derivation."""
        return Samples(
            tuple(map(make, self.derivations)),
            self.draws,
            self.rounds,
            self.reached,
            self.log_partition,
            self.scale,
            self.contexts,
        )

    @property
    def acceptance(self) -> float:
        """Share of the last draws that were accepted."""
        return self.rounds[-1].accepted / self.rounds[-1].drawn if self.rounds else 0.0

    def texts(self) -> dict[str, float]:
        """Share of each text, the most frequent first."""
        counts = Counter(self.derivations[draw].text for draw in self.draws)
        return {
            text: count / len(self.draws)
            for text, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        }

    def expected_features(self) -> dict[str, float]:
        """Mean value of each feature."""
        total: dict[str, float] = {}
        for number, count in Counter(self.draws).items():
            for name, value in self.derivations[number].features.items():
                total[name] = total.get(name, 0.0) + value * count / len(self.draws)
        return total

    def entropy(self) -> float:
        """Of the distribution over derivations, in nats: what is known of its sum less the mean scaled score."""
        if not self.draws:
            return math.nan
        mean = sum(self.derivations[draw].score for draw in self.draws) / len(self.draws)
        return self.log_partition - self.scale * mean

    def consensus(self, gain: Callable[[str, str], float]) -> str:
        """The text of the greatest mean `gain` (of a hypothesis by a reference) over all draws: minimum Bayes risk."""
        texts = self.texts()
        return max(texts, key=lambda hypothesis: sum(share * gain(hypothesis, other) for other, share in texts.items()))
