"""MIRA with hope and fear from whole forests.

An n-best list holds few of the derivations that a forest does, and the good ones are often further down. Here hope and
fear are searched in the forest itself: the derivations with the highest sum and difference of model score and sentence
gain in reference words. Each round works on the forests of the current weights, rescored as the weights move (Cherry
and Foster 2012 on lattices; Chiang, Marton and Resnik 2008 on forests). The search for hope and fear is a beam search,
since BLEU looks at the whole sentence. Other metrics choose hope and fear among the best translations of the forest
(`dragoman.tuning.hope_fear`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from dragoman.features.weights import Weights
from dragoman.forest import Forest
from dragoman.seeds import stream
from dragoman.settings import setting
from dragoman.tuning.base import Session, Tuner, TuningStep, TuningTask
from dragoman.tuning.families import is_fixed
from dragoman.tuning.hope_fear import hope_fear_search
from dragoman.tuning.result import Iteration

__all__ = ["ForestMira"]


@dataclass(frozen=True, kw_only=True)
class ForestMira(Tuner):
    """MIRA with hope and fear from forests instead of lists (Cherry and Foster 2012; Chiang et al. 2008)."""

    name: ClassVar[str] = "forest-mira"

    step: float = setting(0.01, "The longest step of an update.", above=0)
    passes: int = setting(2, "Passes over the forests in each iteration.", least=1)
    beam: int = setting(4, "Partial targets kept per node in the search for hope and fear.", least=1)
    density: float = setting(30.0, "Edges per target word that a forest is pruned to first.", above=0)

    def start(self, task: TuningTask) -> Session:
        return _Session(self, task)


class _Session(Session):
    """Averages over all visits so far; nothing else is kept between rounds."""

    def __init__(self, tuner: ForestMira, task: TuningTask) -> None:
        self.tuner, self.task = tuner, task
        self.search = hope_fear_search(task.dev, beam=tuner.beam, nbest=task.nbest, threads=task.threads)

    def step(self, number: int, weights: Weights) -> TuningStep:
        began = time.perf_counter()
        found = self.task.translate(self.task.decoder.with_weights(weights), self.task.dev.source, forests=True)
        decoded = time.perf_counter()
        forests = [translation.forest.prune(density=self.tuner.density) for translation in found]
        following, loss = self._learn(number, weights, forests)
        return TuningStep(
            following=following,
            hypotheses=[translation.text for translation in found],
            objective=loss,
            decode_seconds=decoded - began,
            learn_seconds=time.perf_counter() - decoded,
        )

    def _learn(self, number: int, weights: Weights, forests: Sequence[Forest]) -> tuple[Weights, float]:
        """The average of the weights over all visits, and the mean loss before each update."""
        tuner, features = self.tuner, forests[0].features
        names = [features.word(index) for index in range(len(features))]
        vector = np.array([weights[name] if index else 0.0 for index, name in enumerate(names)])
        closed = np.array([is_fixed(name, self.task.fixed) for name in names])
        self.search.begin(forests)
        total, visits, losses = np.zeros(len(vector)), 0, 0.0
        for sweep in range(tuner.passes):
            for sentence in stream(self.task.seed, self.tuner.name, number, sweep).permutation(len(forests)).tolist():
                found = self.search.find(sentence, forests[sentence].reweight(vector))
                if found is not None and found.margin > 0:
                    difference = found.difference(len(vector))
                    difference[closed] = 0.0
                    loss = found.margin - float(vector @ difference)
                    norm = float(difference @ difference)
                    if loss > 0 and norm > 0:
                        vector = vector + min(tuner.step, loss / norm) * difference
                        losses += loss
                total += vector
                visits += 1
            self.task.report("learning", sweep + 1, tuner.passes)
        average = np.where(closed, vector, total / visits)  # what is fixed is not even rounded
        kept = {name: float(average[index]) for index, name in enumerate(names) if index and average[index] != 0}
        return weights | kept, losses / visits

    def resume(self, path: Path, history: Sequence[Iteration]) -> int:
        return len(history)
