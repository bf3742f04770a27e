"""The gold gate: live quality control by items of known score.

An assessor first has to get some gold items right, and is stopped when too many later ones are wrong; after a wrong
answer the right one is shown with its reason (Agirre et al. 2013). What is "right" on a graded scale is a set of
accepted answers. Shares are compared as exact fractions: 4 of 6 is not below two thirds.

    >>> gate = GoldGate(entry=2, stop=Fraction(2, 3))
    >>> gate.state([True, True, True, True, False, False]).name
    'WORK'
    >>> gate.state([True, True, True, True, False, False, False]).name
    'STOPPED'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from dragoman.errors import SettingError

__all__ = ["GateState", "GoldGate"]


class GateState(Enum):
    """Where an assessor stands: still to qualify, at work, or stopped for good."""

    QUALIFY = "qualify"
    WORK = "work"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class GoldGate:
    """How many gold answers must be right, and when an assessor is stopped.

    `entry` right answers let an assessor in, within at most `tries`; from `least` answers on, a share of right ones
    below `stop` ends the work. `cap` is the most ordinary items that one assessor may judge (0: no limit). `discard`
    removes all answers of a stopped assessor from the analysis. `feedback` shows the right answer after a wrong one.
    """

    entry: int = 4
    tries: int = 8
    least: int = 4
    stop: Fraction = Fraction(7, 10)
    cap: int = 0
    discard: bool = True
    feedback: bool = True

    def __post_init__(self) -> None:
        if self.entry < 0 or self.tries < self.entry or self.least < 1 or self.cap < 0:
            raise SettingError("a gate needs 0 <= entry <= tries, least >= 1 and cap >= 0")
        if not 0 <= self.stop <= 1:
            raise SettingError(f"a gate cannot stop below a share of {self.stop}", remedy="between 0 and 1")

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> GoldGate | None:
        """The gate of a recipe; None for an empty table. `stop` may be a number or a fraction such as "2/3"."""
        if not values:
            return None
        given = dict(values)
        try:
            if "stop" in given:
                given["stop"] = Fraction(str(given["stop"]))
            return cls(**given)
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise SettingError(
                f"not a gate: {error}", remedy="settings are entry, tries, least, stop, cap, discard, feedback"
            ) from None

    def right(self, answer: float, accepted: Iterable[float]) -> bool:
        """Whether an answer is among the accepted ones."""
        return any(answer == one for one in accepted)

    def state(self, answers: Sequence[bool]) -> GateState:
        """The state after gold answers, right or wrong, in the order they were given; being stopped is for good."""
        state = GateState.QUALIFY if self.entry else GateState.WORK
        for count in range(1, len(answers) + 1):
            right = sum(answers[:count])
            if state is GateState.QUALIFY and right >= self.entry:
                state = GateState.WORK
            elif state is GateState.QUALIFY and count >= self.tries:
                return GateState.STOPPED
            if state is GateState.WORK and count >= self.least and Fraction(right, count) < self.stop:
                return GateState.STOPPED
        return state

    def admits(self, judged: int) -> bool:
        """Whether an assessor who has judged so many ordinary items may judge another."""
        return not self.cap or judged < self.cap
