"""The default aligner: a Bayesian HMM with fertilities, sampled.

Links are resampled word by word given all others, with word translation probabilities integrated out; several chains
run in each direction and what they think of every link is averaged. The average is what makes the links soft and good.
(Östling and Tiedemann 2016.) The pairs that were trained on keep their soft links in the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.base import CELL_BUDGET, Aligner, TrainingData
from dragoman.errors import SettingError
from dragoman.progress import Progress, ProgressCallback

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["Bayes"]


@dataclass(kw_only=True, eq=False)
class Bayes(Aligner):
    """Bayesian HMM with fertilities, sampled by several chains."""

    name: ClassVar[str] = "bayes"
    chains: int = 4
    sweeps: float = 1.0
    """More or fewer sweeps than usual, as a factor; the usual number falls with the size of the text."""
    lexical_alpha: float = 0.001
    null_probability: float = 0.2
    fertility_strength: float = 4.0
    seed: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.chains <= 64:
            raise SettingError(f"chains must lie in 1 to 64, not {self.chains}")
        if not 0 < self.sweeps <= 10:
            raise SettingError(f"sweeps must lie in 0 to 10, not {self.sweeps}")
        if not 0 < self.null_probability < 1:
            raise SettingError(f"null_probability must lie between 0 and 1, not {self.null_probability}")
        if not (0 < self.lexical_alpha < math.inf and 0 < self.fertility_strength < math.inf):
            raise SettingError("lexical_alpha and fertility_strength must be positive numbers")

    def _learn(
        self, data: TrainingData, threads: int, progress: ProgressCallback | None
    ) -> tuple[native.Model, tuple[tuple[str, float, float], ...], int]:
        from dragoman._native import align as native

        if data.weights.size:
            raise SettingError("the sampled aligner counts every pair once", remedy="other aligners take weights")
        # Small texts mix slowly and cost little.
        fertile = min(500, max(4, round(self.sweeps * 5000 / data.bitext.usable_pairs**0.5)))
        early = max(2, fertile // 4)
        settings = native.GibbsSettings()
        settings.lexical_alpha = self.lexical_alpha
        settings.null_probability = self.null_probability
        settings.fertility_strength = self.fertility_strength
        settings.sweeps = [early, early, fertile]
        settings.burn_in = fertile // 2
        settings.chains = self.chains
        settings.seed = self.seed
        model = native.sample_model(
            data.bitext,
            data.anchors,
            settings,
            cell_budget=CELL_BUDGET,
            base=data.base,
            base_weight=data.base_weight,
            threads=threads,
            progress=None if progress is None else lambda done: progress(Progress("training", done, 1.0)),
        )
        return model, (), 0
