"""Minimum Bayes risk: the translation that is best on average, not the one with the best score.

A model spreads its probability over many translations; the one to give out is the one that all of them like best, under
a gain such as sentence BLEU. Over a list this takes all pairs (Kumar and Byrne 2004). Over a forest, gains built from
n-grams need only expectations: how often each n-gram occurs (DeNero, Chiang and Knight 2009), or whether it does
(Tromble et al. 2008), which `NgramExpectations` computes exactly, over all derivations, without listing any.

    >>> expected_gains([[1.0, 0.2], [0.5, 1.0]], [0.0, 0.0]).tolist()
    [0.6, 0.75]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman._native import forest as native
from dragoman.errors import InputError, UnknownName
from dragoman.forest.derivation import Derivation
from dragoman.forest.forest import Forest
from dragoman.settings import check_argument

__all__ = [
    "Choice",
    "NgramExpectations",
    "consensus",
    "expected_gains",
    "gains_over_list",
    "linear_factors",
    "minimum_bayes_risk",
]

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen derivation, its place among the candidates, and the expected gain of each candidate."""

    derivation: Derivation
    index: int
    gains: NDArray[np.float64]

    @property
    def gain(self) -> float:
        return float(self.gains[self.index])


def expected_gains(gains: ArrayLike, scores: ArrayLike, *, scale: float = 1.0) -> NDArray[np.float64]:
    """Mean gain of each hypothesis (row) over the evidence (columns), whose probabilities are the softmax of
    `scale * scores`.
    """
    matrix, logs = np.asarray(gains, dtype=np.float64), np.asarray(scores, dtype=np.float64) * scale
    if matrix.ndim != 2 or logs.shape != (matrix.shape[1],) or not logs.size:
        raise InputError(f"gains of shape {matrix.shape} for {logs.size} scores", remedy="one column per score")
    probabilities = np.exp(logs - logs.max())
    means: NDArray[np.float64] = matrix @ (probabilities / probabilities.sum())
    return means


def gains_over_list(
    targets: Sequence[H], scores: ArrayLike, gains: Callable[[list[H]], ArrayLike], *, scale: float = 1.0
) -> NDArray[np.float64]:
    """Expected gain of each candidate over the list itself.

    `gains` makes the matrix for all different targets at once, hypotheses in rows and references in columns.
    """
    different: dict[H, int] = {}
    numbers = [different.setdefault(target, len(different)) for target in targets]
    matrix = np.asarray(gains(list(different)), dtype=np.float64)
    return expected_gains(matrix[:, numbers], scores, scale=scale)[numbers]


def minimum_bayes_risk(
    candidates: Sequence[Derivation],
    gain: Callable[[T, T], float],
    *,
    prepare: Callable[[tuple[str, ...]], T] | None = None,
    scale: float = 1.0,
) -> Choice:
    """The candidate with the greatest expected gain over the list itself.

    `gain(hypothesis, reference)` receives target tokens, or whatever `prepare` makes of them once per distinct target
    (n-gram counts, say). Equal targets share one evaluation; of equal gains the earlier candidate wins.
    """
    if not candidates:
        raise InputError("no candidates to choose from")

    def matrix(targets: list[tuple[str, ...]]) -> list[list[float]]:
        prepared: list[T] = [prepare(target) if prepare else target for target in targets]  # type: ignore[misc]
        return [[gain(hypothesis, reference) for reference in prepared] for hypothesis in prepared]

    targets, scores = [each.target for each in candidates], [each.score for each in candidates]
    means = gains_over_list(targets, scores, matrix, scale=scale)
    index = int(np.argmax(means))
    return Choice(candidates[index], index, means)


class NgramExpectations:
    """Expected n-gram counts of a forest, up to an order, over all its derivations.

    Nodes are split by the words at the ends of their targets, up to `order - 1` where something can be joined: by the
    last words only for phrase-based forests, and not at all where a decoder has done so for a language model of this
    order. Charts without such states can grow by all combinations; more than `most_edges` edges are
    refused: prune the forest first. `scale` sharpens or flattens the distribution.
    """

    def __init__(self, forest: Forest, order: int = 4, *, scale: float = 1.0, most_edges: int = 5_000_000) -> None:
        check_argument("order", order, int, least=1)
        self.forest, self.order = forest, order
        self._native = native.NgramExpectations(forest.scale(scale).native, order, most_edges)

    @property
    def length(self) -> float:
        """Expected number of target words."""
        return self._native.length

    @property
    def edges(self) -> int:
        """Edges of the forest after splitting: what the expectations cost."""
        return self._native.edges

    def counts(self) -> dict[tuple[str, ...], float]:
        """Expected number of occurrences of each n-gram."""
        return dict(zip(self._ngrams(), self._native.counts.tolist(), strict=True))

    def occurrence(self, *, threads: int = 0) -> dict[tuple[str, ...], float]:
        """Probability that each n-gram occurs at all; one pass over the forest per n-gram."""
        ids = np.arange(len(self._native.counts), dtype=np.uint32)
        return dict(zip(self._ngrams(), self._native.occurrence(ids, threads=threads).tolist(), strict=True))

    def bleu(self, candidates: Sequence[Derivation]) -> NDArray[np.float64]:
        """BLEU of each candidate against the expected counts and length, higher precisions smoothed by one."""
        return self._native.bleu(*_rows(candidates))

    def linear(
        self, candidates: Sequence[Derivation], factors: Sequence[float] | None = None, *, threads: int = 0
    ) -> NDArray[np.float64]:
        """The linear gain of each candidate; see `linear_factors`."""
        vector = np.array(linear_factors(self.order) if factors is None else factors, dtype=np.float64)
        return self._native.linear(*_rows(candidates), vector, threads=threads)

    def _ngrams(self) -> list[tuple[str, ...]]:
        tokens = [self.forest.words.word(word) for word in self._native.words.tolist()]
        starts = self._native.starts.tolist()
        return [tuple(tokens[a:b]) for a, b in pairwise(starts)]


def linear_factors(order: int = 4, *, precision: float = 0.85, ratio: float = 0.72) -> list[float]:
    """Factors of the linear gain, per word and per n-gram of each order (Tromble et al. 2008).

    Log BLEU to first order: a word costs 1, an n-gram that occurs gains 1 / (order * precision * ratio^(n - 1)), where
    `precision` is the usual unigram precision and `ratio` how it shrinks with each order. The scale is free.
    """
    return [-1.0, *(1 / (order * precision * ratio ** (n - 1)) for n in range(1, order + 1))]


def consensus(
    forest: Forest,
    *,
    gain: str = "bleu",
    k: int = 100,
    order: int = 4,
    scale: float = 1.0,
    factors: Sequence[float] | None = None,
    threads: int = 0,
    most_edges: int = 5_000_000,
) -> Choice:
    """Of the `k` best distinct translations the one that agrees most with the whole forest.

    `gain` is `bleu` (expected counts; DeNero, Chiang and Knight 2009) or `linear` (probability of occurrence; Tromble
    et al. 2008).
    """
    expectations = NgramExpectations(forest, order, scale=scale, most_edges=most_edges)
    candidates = forest.kbest(k, distinct=True, most_pops=30 * k)
    if not candidates:
        raise InputError("the forest holds no derivation")
    if gain == "bleu":
        gains = expectations.bleu(candidates)
    elif gain == "linear":
        gains = expectations.linear(candidates, factors, threads=threads)
    else:
        raise UnknownName(f"no consensus gain is called {gain!r}", remedy="choose bleu or linear")
    index = int(np.argmax(gains))
    return Choice(candidates[index], index, gains)


def _rows(candidates: Sequence[Derivation]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    targets = [candidate.target_ids for candidate in candidates]
    ends = np.cumsum([len(target) for target in targets], dtype=np.uint32)
    return np.concatenate(targets) if targets else np.zeros(0, np.uint32), ends
