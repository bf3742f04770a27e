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

from dragoman.settings import Settings, check_argument, setting

__all__ = ["GateState", "GoldGate"]


class GateState(Enum):
    """Where an assessor stands: still to qualify, at work, or stopped for good."""

    QUALIFY = "qualify"
    WORK = "work"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class GoldGate(Settings):
    """How many gold answers must be right, and when an assessor is stopped."""

    entry: int = setting(4, "Right answers that let an assessor in.", least=0)
    tries: int = setting(8, "Answers within which they must be given.", least=0)
    least: int = setting(4, "Answers from which on an assessor may be stopped.", least=1)
    stop: Fraction = setting(
        Fraction(7, 10),
        "A share of right answers below it ends the work.",
        least=0,
        most=1,
        parse=Fraction,
        wanted='a share from 0 to 1, such as 0.7 or "2/3"',
    )
    cap: int = setting(0, "Ordinary items that one assessor may judge, at most; 0: no limit.", least=0)
    discard: bool = setting(True, "Leave all answers of a stopped assessor out of the analysis.")
    feedback: bool = setting(True, "Show the right answer after a wrong one.")

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_argument("tries", self.tries, int, label="gold gate", least=self.entry)

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> GoldGate | None:
        """The gate of a recipe; None for an empty table."""
        return cls.from_dict(values) if values else None

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
