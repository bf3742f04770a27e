"""IBM 3 and 4: each word first chooses how many words it makes.

The expectation is taken over the best alignment that hill-climbing finds and its neighbours. (Brown et al. 1993.) They
cost much more time than the HMM; the sampled model (`dragoman.align.sampler`) has fertilities too, and is better and
faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.em import EmStage
from dragoman.align.hmm import Hmm
from dragoman.settings import setting

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["Ibm3", "Ibm4"]


@dataclass(kw_only=True, eq=False)
class Ibm3(Hmm):
    """IBM 3: fertilities, and positions by a table."""

    name: ClassVar[str] = "ibm3"
    ibm3_iterations: int = setting(5, "Iterations of IBM 3.", least=0)
    max_length: int = 100
    fertility_smoothing: float = setting(
        64.0, "What the fertilities of all words are worth to each, in counts.", least=0
    )
    distortion_smoothing: float = setting(
        0.2, "Share of a position's probability that is the same for all positions.", least=0, most=1
    )

    def stages(self) -> tuple[EmStage, ...]:
        return *super().stages(), EmStage("ibm3", self.ibm3_iterations)

    def position_settings(self) -> native.PositionSettings:
        settings = super().position_settings()
        settings.fertility_smoothing = self.fertility_smoothing
        settings.distortion_smoothing = self.distortion_smoothing
        return settings


@dataclass(kw_only=True, eq=False)
class Ibm4(Ibm3):
    """IBM 4: fertilities, and words of one origin placed relative to each other."""

    name: ClassVar[str] = "ibm4"
    ibm4_iterations: int = setting(5, "Iterations of IBM 4.", least=0)

    def stages(self) -> tuple[EmStage, ...]:
        return *super().stages(), EmStage("ibm4", self.ibm4_iterations)
