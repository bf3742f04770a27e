"""Scorers that learn from what people gave: features of a pair, and a regressor over them.

`takelab` and `ukp` are the two winners of 2012 in their published shape: support-vector regression over the features of
Šarić et al., linear regression over logarithms of those of Bär et al. What both share, and what others with features of
their own derive from, is `FeatureScorer`: it says which features there are, fits, saves, and explains a score by what
each feature adds to it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import InputError
from dragoman.metrics.lexical import paraphrase_lexicon
from dragoman.progress import ProgressCallback
from dragoman.semantics.wordnet_measures import InformationContent
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores, SetNames
from dragoman.similarity.concepts import ConceptVectors, concepts_of_file
from dragoman.similarity.features import WordKnowledge, takelab_features, ukp_features
from dragoman.similarity.matching import WithText
from dragoman.similarity.overlap import same_words
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.regression import Regressor, fit_regressor, read_regressor
from dragoman.similarity.word_knowledge import TextStatistics, WordNetDistances
from dragoman.similarity.words import with_tokens

__all__ = ["FeatureScorer", "Takelab", "Ukp"]


@dataclass(kw_only=True, eq=False)
class FeatureScorer(PairScorer):
    """A regressor over features of a pair."""

    fitted_scale: ClassVar[float] = 1.0
    """What people's scores are multiplied by before they are fitted, where parameters were chosen for such a scale."""
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
    def learns(self) -> bool:
        return True

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

    def _regressor_of(self, names: Sequence[str], rows: Scores, gold: Scores, seed: int) -> Regressor:
        """What is learned from rows of features."""
        kind, settings = self._regressor_settings()
        return fit_regressor(kind, names, rows, self.fitted_scale * gold, **settings)

    def _predicted(self, pairs: Sequence[TextPair], rows: Scores) -> Scores:
        """Scores of pairs with these features."""
        assert self._regressor is not None
        return self._regressor.predict(rows) / self.fitted_scale

    def _fit(
        self,
        pairs: list[TextPair],
        gold: Scores,
        sets: SetNames,
        seed: int,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        self._prepare(threads)
        self._regressor = self._regressor_of(*self.matrix(pairs), gold, seed)

    def held_out(
        self, pairs: Sequence[TextPair], gold: Scores, fold_of: NDArray[np.int64], *, seed: int = 1, threads: int = 0
    ) -> Scores:
        """The features are worked out once for all folds."""
        self._prepare(threads)
        names, rows = self.matrix(list(pairs))
        found = np.zeros(len(pairs))
        for fold in np.unique(fold_of).tolist():
            rest, own = fold_of != fold, fold_of == fold
            self._regressor = self._regressor_of(names, rows[rest], gold[rest], seed)
            found[own] = self._predicted([pairs[at] for at in np.flatnonzero(own).tolist()], rows[own])
        self._regressor = self._regressor_of(names, rows, gold, seed)
        return found

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        self._prepare(threads)
        assert self._regressor is not None
        names, rows = self.matrix(pairs)
        if names != self._regressor.names:
            raise InputError(f"{self.name} was fitted to other features", remedy="fit it again with these settings")
        return self._predicted(pairs, rows)

    def _explain(self, pair: TextPair) -> PairReasons:
        assert self._regressor is not None
        names, rows = self.matrix([pair])
        shares = self._regressor.shares(rows[0]) / self.fitted_scale
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

    @cached_property
    def knowledge(self) -> WordKnowledge:
        """What features know of words."""
        return WordKnowledge(self._wordnet, self.statistics())


@dataclass(kw_only=True, eq=False)
class Takelab(_WithWords):
    """Support-vector regression over overlaps, WordNet, vectors, numbers and names (Šarić et al. 2012)."""

    name: ClassVar[str] = "takelab"
    second_text: str = setting("", "Another text, of another kind, for vectors of words.")
    cost: float = setting(1.0, "How much an error of a training pair costs.", above=0)
    epsilon: float = setting(0.02, "Errors up to this cost nothing, on the scale from 0 to 1.", least=0, most=1)

    _second: TextStatistics | None = field(default=None, init=False, repr=False)

    def _prepare(self, threads: int) -> None:
        super()._prepare(threads)
        if self._second is None and self.second_text:
            self._second = TextStatistics.of_file(self.second_text, dimensions=self.dimensions, threads=threads)

    @cached_property
    def knowledge(self) -> WordKnowledge:
        self._prepare(1)
        return WordKnowledge(self._wordnet, self.statistics(), self._second)

    def features(self, pair: TextPair) -> dict[str, float]:
        return takelab_features(pair, self.knowledge)

    def _write(self, folder: Path) -> None:
        super()._write(folder)
        if self._second is not None:
            (folder / "second").mkdir()
            self._second.save(folder / "second")

    def _read(self, folder: Path) -> None:
        super()._read(folder)
        if (folder / "second").is_dir():
            self._second = TextStatistics.open(folder / "second")

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        return "svr", {"cost": self.cost, "epsilon": self.epsilon}

    def _predicted(self, pairs: Sequence[TextPair], rows: Scores) -> Scores:
        """Clipped to the scale; token-identical pairs are equivalent, as published."""
        scores = np.clip(super()._predicted(pairs, rows), 0.0, 1.0)
        equal = [pair.texts[0].split() == pair.texts[1].split() for pair in pairs]
        return np.where(equal, 1.0, scores)


@dataclass(kw_only=True, eq=False)
class Ukp(_WithWords):
    """Linear regression over logarithms of string, n-gram and word measures (Bär et al. 2012)."""

    name: ClassVar[str] = "ukp"
    resources: ClassVar[tuple[str, ...]] = ("substitutes",)
    penalty: float = setting(1.0, "On the weights of the regression.", least=0)
    substitutes: str = setting("", "A file of words that may stand for each other: `word<TAB>word`, or with `|||`.")
    _concepts: ConceptVectors | None = field(default=None, init=False, repr=False)

    def _prepare(self, threads: int) -> None:
        super()._prepare(threads)
        if self._concepts is None and self.text:
            self._concepts = concepts_of_file(self.text)

    @cached_property
    def knowledge(self) -> WordKnowledge:
        """With Resnik's similarity where there is WordNet and a text to count in."""
        self._prepare(1)
        wordnet, statistics = self._wordnet, self.statistics()
        resnik = None
        if wordnet is not None and statistics is not None:
            counts = dict(zip(statistics.words, statistics.counts.tolist(), strict=True))
            counted = InformationContent.of(wordnet.wordnet, counts)
            information = lru_cache(maxsize=2**17)(counted)
            most = max(map(math.log, counted.totals.values()), default=1.0)
            resnik = lru_cache(maxsize=2**20)(
                lambda one, other: (
                    1.0 if one == other else min(1.0, wordnet.shared_information(one, other, information) / most)
                )
            )
        substitutes = paraphrase_lexicon(self.substitutes) if self.substitutes else {}
        return WordKnowledge(wordnet, statistics, None, resnik, self._concepts, substitutes)

    def features(self, pair: TextPair) -> dict[str, float]:
        return {name: math.log(1e-2 + value) for name, value in ukp_features(pair, self.knowledge).items()}

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        return "ridge", {"penalty": self.penalty}

    def _write(self, folder: Path) -> None:
        super()._write(folder)
        if self._concepts is not None:
            self._concepts.save(folder)

    def _read(self, folder: Path) -> None:
        super()._read(folder)
        if (folder / "concepts.npz").is_file():
            self._concepts = ConceptVectors.open(folder)
