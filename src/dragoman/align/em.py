"""Aligners trained by expectation-maximisation: a list of stages, each a position model and its iterations.

Every stage starts from the word translation probabilities of the stage before it, as Brown et al. (1993) do. What is
known in advance enters the expectation step as a prior (`dragoman.align.anchors`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dragoman.align.base import CELL_BUDGET, Aligner, TrainingData
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import setting

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["PRIORS", "EmAligner", "EmStage"]

PRIORS = ("posterior", "relative", "paper")
DENSE_PRIORS = ("none", "literal", "exchanged")


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
        from dragoman._native import align as native

        trainer = native.Trainer(
            data.bitext,
            data.anchors,
            data.weights,
            alpha=self.alpha,
            agreement=self.agreement,
            prior=self.prior,
            jump_prior=self.jump_prior,
            cell_budget=CELL_BUDGET,
            base=data.base,
            base_weight=data.base_weight,
            threads=threads,
        )
        if self.dense_prior != "none":
            trainer.set_dense_prior(exchanged=self.dense_prior == "exchanged")
        both = self.position_settings(), self.position_settings()
        if data.classes is not None:
            for at, settings in enumerate(both):
                settings.given_classes, settings.generated_classes = data.classes[at], data.classes[1 - at]
        stages = self.stages() if data.base is None else (EmStage(self.stages()[-1].kind, 2),)
        total, done = sum(stage.iterations for stage in stages), 0
        logprobs = []
        for stage in stages:
            if data.base is None:
                trainer.begin(stage.kind, *both)
            for _ in range(stage.iterations):
                forward, reverse = trainer.iterate(threads=threads)
                logprobs.append((stage.kind, forward, reverse))
                done += 1
                if progress is not None:
                    progress(Progress("aligning", done, total))
        return trainer.finish(), tuple(logprobs), trainer.ignored_anchors
