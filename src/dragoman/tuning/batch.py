"""Batch tuning: decode the dev set, merge what is new into the lists, optimise on all of them, and again.

Tuners differ only in how they optimise. Learning ends by itself when a round of decoding brings hardly any new
candidate, or when the weights no longer change: what the lists already hold teaches the same weights again, and another
round, most of whose time is decoding, would only draw another of many equally good ones. (Och 2003.)
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from dragoman._native.common import Vocabulary
from dragoman.features.weights import Weights
from dragoman.forest import KBestLists
from dragoman.search.base import Tunable
from dragoman.settings import setting
from dragoman.tuning.base import Session, Tuner, TuningStep, TuningTask
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.problem import Optimum, Problem
from dragoman.tuning.result import Iteration

__all__ = ["BatchSession", "BatchTuner"]

BATCH = 256
"""Sentences whose lists are in memory twice, as search gave them and merged with the others."""


class Decoded(NamedTuple):
    """What a round of decoding gave: the best translations, how many candidates, and how many of them new."""

    hypotheses: list[str]
    candidates: int
    new: int


class RoundLists(NamedTuple):
    """Lists as search gave them, with the names of their features, and the sentences that they belong to."""

    lists: KBestLists
    features: Vocabulary
    sentences: range


@dataclass(frozen=True, kw_only=True)
class BatchTuner(Tuner):
    """A tuner that optimises on accumulated n-best lists."""

    distinct: bool = setting(
        False, "Take only the best derivation of each text: more different texts, at several times the cost."
    )
    fresh: float = setting(
        0.05,
        "What share of the candidates of a round must be new for tuning to go on; with 0 a single one will do.",
        least=0,
        most=1,
    )
    history: int = setting(
        0, "Rounds whose lists are kept, the present one among them; 0 for all. Few forget what was bad.", least=0
    )
    tolerance: float = setting(
        1e-5, "Weights that change less, when their absolute values sum to 1, have converged.", least=0
    )

    @abstractmethod
    def optimize(self, problem: Problem) -> Optimum:
        """The best weights on the lists."""

    def start(self, task: TuningTask) -> BatchSession:
        return BatchSession(self, task)


class BatchSession(Session):
    """Lists that grow from round to round."""

    def __init__(self, tuner: BatchTuner, task: TuningTask) -> None:
        self.tuner, self.task = tuner, task
        self.pool = NBestPool(task.dev)
        self.past: list[Weights] = []
        self.rounds: deque[list[RoundLists]] = deque(maxlen=tuner.history or 1)
        """Lists of the rounds that count, if only some do."""

    def decode(self, weights: Weights) -> Decoded:
        """Translate the dev set, and add what is new to the lists."""
        task, source = self.task, self.task.dev.source
        decoder = task.decoder.with_weights(weights)
        hypotheses: list[str] = []
        found = new = 0
        if self.tuner.history:
            self._forget()
        for first in range(0, len(source), BATCH):
            part = range(first, min(first + BATCH, len(source)))
            lists = self.lists(decoder, part)
            new += self.pool.add_lists(lists, decoder.feature_ids, part, threads=task.threads)
            if self.tuner.history:
                self.rounds[-1].append(RoundLists(lists, decoder.feature_ids, part))
            hypotheses += lists.best
            found += len(lists.scores)
            task.report("decoding", part.stop, len(source))
        self.past.append(weights)
        return Decoded(hypotheses, found, new)

    def _forget(self) -> None:
        """Make room for a round: only the lists of the last ones stay."""
        if len(self.rounds) == self.rounds.maxlen:
            self.rounds.popleft()
            self.pool = NBestPool(self.task.dev)
            for each in chain.from_iterable(self.rounds):
                self.pool.add_lists(*each, threads=self.task.threads)
        self.rounds.append([])

    def lists(self, decoder: Tunable, sentences: range) -> KBestLists:
        """The n-best lists of these sentences."""
        task = self.task
        part = task.dev.source[sentences.start : sentences.stop]
        return decoder.kbest_lists(part, nbest=task.nbest, distinct=self.tuner.distinct, threads=task.threads)

    def step(self, number: int, weights: Weights) -> TuningStep:
        began = time.perf_counter()
        found = self.decode(weights)
        decoded = time.perf_counter()
        measured = {"hypotheses": found.hypotheses, "candidates": len(self.pool), "new": found.new}
        if found.new <= self.tuner.fresh * found.candidates:
            return TuningStep(
                following=None,
                reason="hardly any new candidates" if found.new else "no new candidates",
                decode_seconds=decoded - began,
                **measured,  # type: ignore[arg-type]
            )
        for earlier in self.past:
            self.pool.vector(earlier)  # every name has a place before vectors are made
        past = tuple(self.pool.vector(earlier) for earlier in self.past[:-1])
        start = self.pool.vector(weights)
        problem = Problem(
            self.pool,
            start,
            self.pool.fixed(self.task.fixed, len(start)),
            number,
            self.task.seed,
            self.task.threads,
            past,
            self.task.report,
        )
        optimum = self.optimize(problem)
        following = self.pool.weights(optimum.vector, keep=weights)
        settled = _change(weights, following) <= self.tuner.tolerance
        return TuningStep(
            following=None if settled else following,
            reason="the weights have converged" if settled else "",
            objective=optimum.objective,
            objective_is_metric=optimum.objective_is_metric,
            decode_seconds=decoded - began,
            learn_seconds=time.perf_counter() - decoded,
            details=optimum.details,
            **measured,  # type: ignore[arg-type]
        )

    def optimize(self, problem: Problem) -> Optimum:
        """The best weights on what has been gathered."""
        return self.tuner.optimize(problem)

    def resume(self, path: Path, history: Sequence[Iteration]) -> int:
        # Decoding is repeatable, so the log is all the state there is: the same weights give the same lists.
        for iteration in history:
            self.decode(iteration.weights)
        return len(history)


def _change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """The largest change of a weight, both scaled so that absolute values sum to 1."""
    sums = [sum(map(abs, weights.values())) or 1.0 for weights in (before, after)]
    names = {*before, *after}
    return max((abs(after.get(name, 0.0) / sums[1] - before.get(name, 0.0) / sums[0]) for name in names), default=0.0)
