"""The HMM aligner: a link depends on how far it jumps from the link before it.

Neighbouring words tend to have neighbouring translations, wherever in the sentence they are. (Vogel, Ney and Tillmann
1996; NULL states after Och and Ney 2003.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dragoman.align.em import EmAligner, Stage
from dragoman.errors import SettingError

if TYPE_CHECKING:
    from dragoman._native import align as native

__all__ = ["Hmm"]


@dataclass(kw_only=True, eq=False)
class Hmm(EmAligner):
    """First-order HMM over jumps, with NULL."""

    name: ClassVar[str] = "hmm"
    ibm1_iterations: int = 5
    iterations: int = 5
    max_jump: int = 10
    """Longer jumps share one parameter."""
    uniform_share: float = 0.2
    start: str = "jump"
    """The first link is a `jump` from before the sentence, or `uniform`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.max_jump <= 10000:
            raise SettingError(f"max_jump must lie in 1 to 10000, not {self.max_jump}")
        if not 0 <= self.uniform_share <= 1:
            raise SettingError(f"uniform_share must lie in 0 to 1, not {self.uniform_share}")
        if self.start not in ("jump", "uniform"):
            raise SettingError(f"start is 'jump' or 'uniform', not {self.start!r}")

    def stages(self) -> tuple[Stage, ...]:
        return Stage("ibm1", self.ibm1_iterations), Stage("hmm", self.iterations)

    def position_settings(self) -> native.PositionSettings:
        settings = super().position_settings()
        settings.max_jump = self.max_jump
        settings.uniform_share = self.uniform_share
        settings.start_by_jump = self.start == "jump"
        return settings
