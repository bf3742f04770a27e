"""The fast aligner: IBM 2 with two parameters for positions, and sparse word translation by variational Bayes.

Links near the diagonal are more probable, as strongly as a tension that is fitted in every iteration. (Dyer, Chahuneau
and Smith 2013.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.em import EmAligner, EmStage
from dragoman.errors import SettingError

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["Fast"]


@dataclass(kw_only=True, eq=False)
class Fast(EmAligner):
    """Reparameterised IBM 2: links near the diagonal, with a fitted tension."""

    name: ClassVar[str] = "fast"
    null_probability: float = 0.08
    alpha: float = 0.01
    iterations: int = 5
    tension: float = 4.0
    tension_rate: float = 0.1
    """How far, by ratio, each iteration goes towards the likeliest tension: 0 keeps it, 1 goes all the way."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.1 <= self.tension <= 20:
            raise SettingError(f"tension must lie in 0.1 to 20, not {self.tension}")
        if not 0 <= self.tension_rate <= 1:
            raise SettingError(f"tension_rate must lie in 0 to 1, not {self.tension_rate}")

    def stages(self) -> tuple[EmStage, ...]:
        return (EmStage("diagonal", self.iterations),)

    def position_settings(self) -> native.PositionSettings:
        settings = super().position_settings()
        settings.tension = self.tension
        settings.tension_rate = self.tension_rate
        return settings
