"""The default aligner: a Bayesian HMM with fertilities, sampled.

Links are resampled word by word given all others, with word translation probabilities integrated out; several chains
run in each direction and what they think of every link is averaged. The average is what makes the links soft and good.
Chains know nothing of each other, so each may run on another machine.
(Östling and Tiedemann 2016.) The pairs that were trained on keep their soft links in the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dragoman.align.base import Aligner, TrainingData
from dragoman.errors import SettingError
from dragoman.executors import Shard, ShardPlace, ShardStep, Shared
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
        sampler = native.Sampler(
            data.bitext,
            data.anchors,
            self._gibbs(data.bitext),
            cell_budget=data.cell_budget,
            base=data.base,
            base_weight=data.base_weight,
            threads=threads,
        )
        if data.executor is not None and data.executor.remote:
            chains = [Shard(number) for number in range(sampler.chains)]
            shared = Shared(sampler, (data.bitext, data.anchors, self.to_dict(), data.cell_budget), load=_open)
            found = data.executor.run(_CHAIN, chains, shared=shared, total=len(chains), progress=progress)
            for number, sample in enumerate(found):
                sampler.add(number, *sample)
            return sampler.finish(), (), 0
        told = None if progress is None else lambda done: progress(Progress("aligning", done, 1.0))
        return sampler.run_all(threads=threads, progress=told), (), 0

    def _gibbs(self, bitext: native.Bitext) -> native.GibbsSettings:
        from dragoman._native import align as native

        # Small texts mix slowly and cost little.
        fertile = min(500, max(4, round(self.sweeps * 5000 / bitext.usable_pairs**0.5)))
        early = max(2, fertile // 4)
        settings = native.GibbsSettings()
        settings.lexical_alpha = self.lexical_alpha
        settings.null_probability = self.null_probability
        settings.fertility_strength = self.fertility_strength
        settings.sweeps = [early, early, fertile]
        settings.burn_in = fertile // 2
        settings.chains = self.chains
        settings.seed = self.seed
        return settings


def _open(plain: tuple[native.Bitext, native.Anchors, dict[str, Any], int], folder: Path) -> native.Sampler:
    from dragoman._native import align as native

    bitext, anchors, settings, cell_budget = plain
    chosen = Bayes.from_dict(settings)._gibbs(bitext)
    return native.Sampler(bitext, anchors, chosen, cell_budget=cell_budget, threads=1)


def _run(shard: Shard[int], sampler: native.Sampler, place: ShardPlace) -> tuple[Any, ...]:
    """What one chain finds; its random numbers follow from the seed and its number."""
    return sampler.run(shard.value)


_CHAIN = ShardStep("aligning", _run)
