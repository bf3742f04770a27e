"""Scorers that learn from what people gave: features of a pair, and a regressor over them.

`takelab` and `ukp` are the two winners of 2012 in their published shape: support-vector regression over the features of
Šarić et al., linear regression over logarithms of those of Bär et al. What both share, and what others with features of
their own derive from, is `FeatureScorer`: it says which features there are, fits, saves, and explains a score by what
each feature adds to it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dragoman.errors import InputError
from dragoman.progress import ProgressCallback
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores
from dragoman.similarity.features import WordKnowledge, takelab_features, ukp_features
from dragoman.similarity.matching import WithText
from dragoman.similarity.overlap import same_words
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.regression import Regressor, fit_regressor, read_regressor
from dragoman.similarity.word_knowledge import WordNetDistances
from dragoman.similarity.words import with_tokens

__all__ = ["FeatureScorer", "Takelab", "Ukp"]


@dataclass(kw_only=True, eq=False)
class FeatureScorer(PairScorer):
    """A regressor over features of a pair."""

    learns: ClassVar[bool] = True
    _regressor: Regressor | None = field(default=None, init=False, repr=False)

    @abstractmethod
    def features(self, pair: TextPair) -> dict[str, float]:
        """The features of a pair by name, always the same names in the same order."""

    @abstractmethod
    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        """Which regressor, and its settings."""

    def _prepare(self, threads: int) -> None:
        """Work out what features of all pairs need."""

    @property
    def fitted(self) -> bool:
        return self._regressor is not None

    def matrix(self, pairs: list[TextPair]) -> tuple[tuple[str, ...], Scores]:
        """Names of features, and a row of values for each pair."""
        rows = [self.features(pair) for pair in pairs]
        names = tuple(rows[0])
        if any(tuple(row) != names for row in rows):
            raise InputError(f"pairs have different features for {self.name}")
        return names, np.array([list(row.values()) for row in rows], np.float64)

    def _fit(
        self, pairs: list[TextPair], gold: Scores, seed: int, threads: int, progress: ProgressCallback | None
    ) -> None:
        self._prepare(threads)
        names, rows = self.matrix(pairs)
        kind, settings = self._regressor_settings()
        self._regressor = fit_regressor(kind, names, rows, gold, **settings)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        self._prepare(threads)
        assert self._regressor is not None
        names, rows = self.matrix(pairs)
        if names != self._regressor.names:
            raise InputError(f"{self.name} was fitted to other features", remedy="fit it again with these settings")
        return self._regressor.predict(rows)

    def _explain(self, pair: TextPair) -> PairReasons:
        assert self._regressor is not None
        names, rows = self.matrix([pair])
        shares = self._regressor.shares(rows[0])
        words = [with_tokens(side).words for side in (pair.first, pair.second)]
        return PairReasons(
            self.name,
            float(self._scores([pair], 1)[0]),
            words[0],
            words[1],
            same_words(*([word.lower() for word in side] for side in words)),
            tuple(
                Contribution(name, value, share)
                for name, value, share in zip(names, rows[0].tolist(), shares.tolist(), strict=True)
            ),
            notes=("a feature's share is what the score changes when it has its mean over the training pairs",),
        )

    def _write(self, folder: Path) -> None:
        super()._write(folder)
        assert self._regressor is not None
        self._regressor.save(folder)

    def _read(self, folder: Path) -> None:
        super()._read(folder)
        self._regressor = read_regressor(folder)


@dataclass(kw_only=True, eq=False)
class _WithWords(WithText, FeatureScorer):
    wordnet: bool = setting(True, "Use WordNet, which must be installed.")

    def _prepare(self, threads: int) -> None:
        self.statistics(threads)

    @cached_property
    def _wordnet(self) -> WordNetDistances | None:
        return WordNetDistances() if self.wordnet else None

    @property
    def knowledge(self) -> WordKnowledge:
        """What features know of words."""
        return WordKnowledge(self._wordnet, self.statistics())


@dataclass(kw_only=True, eq=False)
class Takelab(_WithWords):
    """Support-vector regression over overlaps, WordNet, vectors, numbers and names (Šarić et al. 2012)."""

    name: ClassVar[str] = "takelab"
    cost: float = setting(1.0, "How much an error of a training pair costs.", above=0)
    epsilon: float = setting(0.02, "Errors up to this cost nothing, on the scale from 0 to 1.", least=0, most=1)

    def features(self, pair: TextPair) -> dict[str, float]:
        return takelab_features(pair, self.knowledge)

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        return "svr", {"cost": self.cost, "epsilon": self.epsilon}

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        """Clipped to the scale; token-identical pairs are equivalent, as published."""
        scores = np.clip(super()._scores(pairs, threads), 0.0, 1.0)
        equal = [pair.texts[0].split() == pair.texts[1].split() for pair in pairs]
        return np.where(equal, 1.0, scores)


@dataclass(kw_only=True, eq=False)
class Ukp(_WithWords):
    """Linear regression over logarithms of string, n-gram and word measures (Bär et al. 2012)."""

    name: ClassVar[str] = "ukp"
    penalty: float = setting(1.0, "On the weights of the regression.", least=0)

    def features(self, pair: TextPair) -> dict[str, float]:
        return {name: float(np.log(1e-2 + value)) for name, value in ukp_features(pair, self.knowledge).items()}

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        return "ridge", {"penalty": self.penalty}
