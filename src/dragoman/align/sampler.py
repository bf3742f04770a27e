"""The default aligner: a Bayesian HMM with fertilities, sampled.

Links are resampled word by word given all others, with word translation probabilities integrated out; several chains
run in each direction and what they think of every link is averaged. The average is what makes the links soft and good.
(Östling and Tiedemann 2016.) The pairs that were trained on keep their soft links in the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.base import CELL_BUDGET, Aligner, TrainingData
from dragoman.errors import SettingError
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import setting

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["Bayes"]


@dataclass(kw_only=True, eq=False)
class Bayes(Aligner):
    """Bayesian HMM with fertilities, sampled by several chains."""

    name: ClassVar[str] = "bayes"
    chains: int = setting(4, "Chains in each direction, over which links are averaged.", least=1, most=64)
    sweeps: float = setting(
        1.0,
        "More or fewer sweeps than usual, as a factor; the usual number falls with the size of the text.",
        above=0,
        most=10,
    )
    lexical_alpha: float = setting(0.001, "Dirichlet parameter of word translation.", above=0)
    null_probability: float = setting(0.2, "Share of the words that have no link.", above=0, below=1)
    fertility_strength: float = setting(4.0, "What the fertilities of all words are worth to each, in counts.", above=0)
    seed: int = setting(1, "Of the random choices.", least=0)

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
            progress=None if progress is None else lambda done: progress(Progress("aligning", done, 1.0)),
        )
        return model, (), 0
