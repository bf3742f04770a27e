"""IBM 3 and 4: each word first chooses how many words it makes.

The expectation is taken over the best alignment that hill-climbing finds and its neighbours. (Brown et al. 1993.) They
cost much more time than the HMM; the sampled model (`dragoman.align.sampler`) has fertilities too, and is better and
faster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.em import EmStage
from dragoman.align.hmm import Hmm
from dragoman.errors import SettingError

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["Ibm3", "Ibm4"]


@dataclass(kw_only=True, eq=False)
class Ibm3(Hmm):
    """IBM 3: fertilities, and positions by a table."""

    name: ClassVar[str] = "ibm3"
    ibm3_iterations: int = 5
    max_length: int = 100
    fertility_smoothing: float = 64.0
    distortion_smoothing: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.fertility_smoothing < math.inf or not 0 <= self.distortion_smoothing <= 1:
            raise SettingError("fertility_smoothing must not be negative, distortion_smoothing must lie in 0 to 1")

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
    ibm4_iterations: int = 5

    def stages(self) -> tuple[EmStage, ...]:
        return *super().stages(), EmStage("ibm4", self.ibm4_iterations)
