"""Positive diversity: copies of one system, tuned to be good and to differ, so that combining them pays.

Each copy is tuned to a metric that rewards likeness to the references and, with a small weight, punishes likeness to
what the earlier copies say (Cer, Manning and Jurafsky 2013). The metric is `dragoman.metrics.blend.PositiveDiversity`;
any tuner can use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import LengthMismatch, SettingError
from dragoman.features.weights import Weights
from dragoman.metrics import get_metric
from dragoman.metrics.blend import PositiveDiversity
from dragoman.metrics.references import ReferenceText
from dragoman.progress import ProgressCallback
from dragoman.search.base import Tunable
from dragoman.text.source_text import Source
from dragoman.tuning.base import Tuner
from dragoman.tuning.loop import tune

__all__ = ["DiverseSystem", "Diversity", "diversity", "tune_diverse"]

ENOUGH = 0.10
"""A further system that differs less than this from the others no longer helps a combination."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """How much systems differ: each from all earlier ones, from all others, and from each other (rows from columns)."""

    from_earlier: NDArray[np.float64]
    from_others: NDArray[np.float64]
    pairwise: NDArray[np.float64]

    @property
    def useful(self) -> int:
        """How many systems, in order, are worth combining: up to the first that says too little that is new."""
        for system in range(1, len(self.from_earlier)):
            if self.from_earlier[system] < ENOUGH:
                return system
        return len(self.from_earlier)


def diversity(outputs: Sequence[Sequence[str]], *, metric: str = "bleu:tokenize=none", threads: int = 0) -> Diversity:
    """One less the similarity to other systems, whose outputs serve as several references. Use held-out text."""
    if len({len(output) for output in outputs}) > 1:
        raise LengthMismatch("systems with different numbers of sentences")
    measure = get_metric(metric)
    if not measure.higher_is_better:
        raise SettingError(f"{metric!r} measures errors", remedy="diversity needs a metric of likeness, such as bleu")

    def unlike(system: int, others: list[int]) -> float:
        if not others:
            return 1.0
        return 1 - measure.corpus_score(outputs[system], [outputs[other] for other in others], threads=threads)

    count = len(outputs)
    return Diversity(
        np.array([unlike(system, list(range(system))) for system in range(count)]),
        np.array([unlike(system, [o for o in range(count) if o != system]) for system in range(count)]),
        np.array([[0.0 if a == b else unlike(a, [b]) for b in range(count)] for a in range(count)]).reshape(count, -1),
    )


@dataclass(frozen=True, slots=True)
class DiverseSystem:
    """One tuned copy: its weights, and what it makes of the tuning set."""

    weights: Weights
    outputs: tuple[str, ...]


def tune_diverse(
    decoders: Sequence[Tunable],
    source: Sequence[Source],
    references: ReferenceText,
    *,
    alpha: float = 0.95,
    metric: str = "bleu",
    tuner: str | Tuner = "auto",
    iterations: int = 10,
    nbest: int = 100,
    seed: int = 1,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    watch: Callable[[int, DiverseSystem], None] | None = None,
) -> list[DiverseSystem]:
    """Tune the systems one after the other, each away from those before it; the first only to the references.

    Systems may be the same decoder many times: each copy starts from the weights that it came with, not from those of
    the copy before, and with a seed of its own. `metric` measures likeness to the references and to other systems.
    """
    measure = get_metric(metric).for_tokens()
    PositiveDiversity([], alpha, measure, measure)  # refuses a bad alpha before anything is tuned
    systems: list[DiverseSystem] = []
    for number, decoder in enumerate(decoders):
        others = [list(system.outputs) for system in systems]
        goal = PositiveDiversity(others, alpha, measure, measure) if others else measure
        weights = tune(
            decoder,
            source,
            references,
            tuner=tuner,
            metric=goal,
            iterations=iterations,
            nbest=nbest,
            seed=seed + number,
            threads=threads,
            progress=progress,
        ).weights
        found = decoder.with_weights(weights).translate(source, threads=threads)
        systems.append(DiverseSystem(weights, tuple(translation.text for translation in found)))
        if watch is not None:
            watch(number, systems[-1])
    return systems
