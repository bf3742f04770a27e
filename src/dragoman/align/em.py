"""Aligners trained by expectation-maximisation: a list of stages, each a position model and its iterations.

Every stage starts from the word translation probabilities of the stage before it, as Brown et al. (1993) do. What is
known in advance enters the expectation step as a prior (`dragoman.align.anchors`).

Where an executor works elsewhere, every expectation step is cut into slices of the text. Expected counts are whole
numbers of tiny units, so they are added up in a tree of workers, in any grouping, to the very sums that one machine
would have; what is not whole (evidence of positions, likelihoods) is kept apart by 256 pairs and added up in the end,
in their order. Models with fertilities climb from the best alignments of the model before, and stay here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.align.base import ALIGNERS, Aligner, TrainingData
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import setting

if TYPE_CHECKING:
    from numpy import float32, float64, uint32, uint64
    from numpy.typing import NDArray

    from dragoman._native import align as native

    Tables = list[list[tuple[NDArray[uint32], NDArray[uint64]]]]
    Narrow = tuple[NDArray[Any], NDArray[uint64]]
    State = list[tuple[NDArray[float32], NDArray[float32], NDArray[float64]]]

__all__ = ["PRIORS", "EmAligner", "EmStage"]

PRIORS = ("posterior", "relative", "paper")
DENSE_PRIORS = ("none", "literal", "exchanged")


SLICE_SHARDS = 64
"""Shards of 256 pairs that one worker takes at once; nothing depends on it but how the work is spread."""

APART = ("ibm1", "ibm2", "diagonal", "hmm")
"""Position models that their parameters say all of."""


@dataclass(frozen=True, slots=True)
class EmStage:
    """So many iterations of a position model."""

    kind: str
    iterations: int


@dataclass(kw_only=True, eq=False)
class EmAligner(Aligner):
    """Settings of all aligners of this family."""

    null_probability: float = setting(0.2, "Share of the words that have no link.", least=0, below=1)
    alpha: float = setting(
        0.0, "Dirichlet parameter of variational Bayes for word translation; 0 is maximum likelihood.", least=0
    )
    prior: str = setting(
        "posterior",
        "How anchors act: on the renormalised posterior, or on counts with equal or per-sentence weights.",
        choices=PRIORS,
    )
    dense_prior: str = setting(
        "none", "A prior over word pairs of the whole corpus, from its anchors; experimental.", choices=DENSE_PRIORS
    )
    jump_prior: bool = setting(False, "With anchors, a triangular prior on the jumps of an HMM.")
    agreement: bool = setting(False, "Count a link by the product of what both directions think of it.")

    def stages(self) -> tuple[EmStage, ...]:
        """What is trained, in order."""
        raise NotImplementedError

    def position_settings(self) -> native.PositionSettings:
        """Settings of the position models."""
        from dragoman._native import align as native

        settings = native.PositionSettings()
        settings.null_probability = self.null_probability
        return settings

    def _learn(
        self, data: TrainingData, threads: int, progress: ProgressCallback | None
    ) -> tuple[native.Model, tuple[tuple[str, float, float], ...], int]:
        learning = self._learning(data, threads)
        trainer = learning.trainer
        executor = data.executor if data.executor is not None and data.executor.remote else None
        if data.base is not None or trainer.shards <= SLICE_SHARDS:
            executor = None  # one slice is not worth its way
        shared = Shared(
            learning,
            (self.name, self.to_dict(), data.bitext, data.anchors, data.weights, data.classes, data.memory),
            load=_open,
            state=learning.state,
            update=_Learning.update,
        )
        stages = self.stages() if data.base is None else (EmStage(self.stages()[-1].kind, 2),)
        total, done = sum(stage.iterations for stage in stages), 0
        logprobs = []
        for stage in stages:
            if data.base is None:
                learning.begin(stage.kind)
            for _ in range(stage.iterations):
                if executor is not None and stage.kind in APART:
                    forward, reverse = trainer.maximize(*_expected(executor, shared), threads=threads)
                else:
                    forward, reverse = trainer.iterate(threads=threads)
                logprobs.append((stage.kind, forward, reverse))
                done += 1
                if progress is not None:
                    progress(Progress("aligning", done, total))
        return trainer.finish(), tuple(logprobs), trainer.ignored_anchors

    def _learning(self, data: TrainingData, threads: int) -> _Learning:
        from dragoman._native import align as native

        trainer = native.Trainer(
            data.bitext,
            data.anchors,
            data.weights,
            alpha=self.alpha,
            agreement=self.agreement,
            prior=self.prior,
            jump_prior=self.jump_prior,
            cell_budget=data.cell_budget,
            base=data.base,
            base_weight=data.base_weight,
            threads=threads,
        )
        if self.dense_prior != "none":
            trainer.set_dense_prior(exchanged=self.dense_prior == "exchanged")
        return _Learning(trainer, self._positions(data.classes))

    def _positions(
        self, classes: tuple[list[int], list[int]] | None
    ) -> tuple[native.PositionSettings, native.PositionSettings]:
        both = self.position_settings(), self.position_settings()
        if classes is not None:
            for at, settings in enumerate(both):
                settings.given_classes, settings.generated_classes = classes[at], classes[1 - at]
        return both


# Expectation steps apart


@dataclass(slots=True)
class _Learning:
    """A trainer and the settings of its positions: that of the driver, or one made alike and brought to its state."""

    trainer: native.Trainer
    positions: tuple[native.PositionSettings, native.PositionSettings]
    kind: str = ""

    def begin(self, kind: str) -> None:
        """Begin a stage."""
        self.kind = kind
        self.trainer.begin(kind, *self.positions)

    def state(self) -> tuple[str, State]:
        """What changes from one iteration to the next."""
        return self.kind, self.trainer.state()

    def update(self, state: tuple[str, State]) -> None:
        """Take over the state of another."""
        kind, parts = state
        self.begin(kind)
        self.trainer.set_state(parts)


def _open(plain: tuple[Any, ...], _: Path) -> _Learning:
    name, settings, bitext, anchors, weights, classes, memory = plain
    aligner: Any = ALIGNERS.get(name).from_dict(settings)
    data = TrainingData(bitext, anchors, weights, classes, None, 1.0, memory=memory)
    learning: _Learning = aligner._learning(data, 1)
    return learning


@dataclass(frozen=True, slots=True)
class _Expected:
    """What was found in neighbouring shards."""

    counts: list[list[_Counts]]
    """Of each table of each direction."""
    forward: NDArray[float64]
    reverse: NDArray[float64]
    logprobs: NDArray[float64]
    ignored: int


@dataclass(frozen=True, slots=True)
class _Counts:
    """The counts of a table that are not zero, in about five bytes each, as most lie close together and are small."""

    gaps: Narrow
    """From the place before."""
    units: Narrow

    @classmethod
    def of(cls, places: NDArray[uint32], units: NDArray[uint64]) -> _Counts:
        import numpy as np

        return cls(_narrow(np.diff(places, prepend=np.uint32(0)), np.uint8), _narrow(units, np.uint32))

    def table(self) -> tuple[NDArray[uint32], NDArray[uint64]]:
        """Places, in order, and what is counted there."""
        import numpy as np

        return np.cumsum(_widened(self.gaps)).astype(np.uint32), _widened(self.units)


def _narrow(values: NDArray[Any], kind: Any) -> Narrow:
    """Whole numbers as a narrow kind of them; those that it cannot hold stand apart."""
    import numpy as np

    most = np.iinfo(kind).max
    large = values >= most
    return np.where(large, most, values).astype(kind), values[large].astype(np.uint64)


def _widened(narrow: Narrow) -> NDArray[uint64]:
    import numpy as np

    small, large = narrow
    values = small.astype(np.uint64)
    values[small == np.iinfo(small.dtype).max] = large
    return values


def _expect(shard: Shard[tuple[int, int]], learning: _Learning, place: ShardPlace) -> _Expected:
    tables, forward, reverse, logprobs, ignored = learning.trainer.expect(*shard.value, threads=place.threads)
    counts = [[_Counts.of(*table) for table in direction] for direction in tables]
    return _Expected(counts, forward, reverse, logprobs, ignored)


def _sum(parts: list[_Expected]) -> _Expected:
    """Parts in their order as one: counts are added up, what is not whole stays one after the other."""
    import numpy as np

    def added(tables: tuple[_Counts, ...]) -> _Counts:
        total = np.zeros(0, np.uint64)
        for places, units in (each.table() for each in tables):
            if len(places) and places[-1] >= len(total):
                total = np.concatenate([total, np.zeros(int(places[-1]) + 1 - len(total), np.uint64)])
            total[places] += units
        counted = np.flatnonzero(total).astype(np.uint32)
        return _Counts.of(counted, total[counted])

    return _Expected(
        [
            [added(tables) for tables in zip(*both, strict=True)]
            for both in zip(*(part.counts for part in parts), strict=True)
        ],
        np.concatenate([part.forward for part in parts]),
        np.concatenate([part.reverse for part in parts]),
        np.concatenate([part.logprobs for part in parts]),
        sum(part.ignored for part in parts),
    )


_EXPECTING = ShardStep("expecting", _expect)


def _expected(
    executor: Executor, shared: Shared[_Learning]
) -> tuple[Tables, NDArray[float64], NDArray[float64], NDArray[float64], int]:
    """All shards of an expectation step, added up in a tree."""
    shards = shared.value.trainer.shards
    slices = [Shard((at, min(at + SLICE_SHARDS, shards))) for at in range(0, shards, SLICE_SHARDS)]
    found = executor.reduce(_EXPECTING, slices, _sum, shared=shared)
    tables = [[each.table() for each in direction] for direction in found.counts]
    return tables, found.forward, found.reverse, found.logprobs, found.ignored
