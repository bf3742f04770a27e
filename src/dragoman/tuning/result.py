"""What came of tuning: the best weights, and how they were reached.

The history begins with iteration 0, the weights before tuning; iteration `n` holds the weights after `n` rounds of
learning, and what the decoder's own output scores under them. The best iteration is chosen by that score, on the
held-out set if there is one: what a tuner reaches on its n-best lists says little about what the decoder will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from dragoman.errors import FormatError
from dragoman.features.weights import Weights

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Iteration", "TuningResult"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration: its weights, what they score, and where learning went from there."""

    number: int
    weights: Weights = field(repr=False)
    score: float
    """The metric of the decoder's output on the dev set."""
    heldout: float | None = None
    """The metric on the held-out set."""
    length_ratio: float = 1.0
    """Words of the output per word of the references."""
    objective: float | None = None
    """What the tuner reached on its lists with the weights that follow; None if it learned nothing more."""
    objective_is_metric: bool = False
    """Whether that is the metric itself, and no loss or gain of the tuner's own."""
    following: Weights | None = field(default=None, repr=False)
    candidates: int = 0
    """Candidates in the lists that the tuner learned from."""
    new: int = 0
    """How many of them this iteration added."""
    decode_seconds: float = 0.0
    learn_seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else the tuner has to say."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain |= {"weights": dict(self.weights), "details": dict(self.details)}
        plain["following"] = None if self.following is None else dict(self.following)
        plain["warnings"] = list(self.warnings)
        return plain

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Iteration:
        """The inverse of `to_dict`."""
        try:
            following = plain["following"]
            return Iteration(
                **{
                    **plain,
                    "weights": Weights(plain["weights"]),
                    "following": None if following is None else Weights(following),
                    "warnings": tuple(plain["warnings"]),
                }
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"not a tuning iteration: {error}") from None


@dataclass(frozen=True, slots=True)
class TuningResult:
    """The weights to use, and the history that led to them."""

    weights: Weights
    history: tuple[Iteration, ...]
    best_iteration: int
    tuner: str
    metric: str
    scale: float = 100.0
    """What reports multiply scores by."""
    reason: str = ""
    """Why it ended."""

    def __repr__(self) -> str:
        best = self.scale * self.history[self.best_iteration].score
        rounds = f"best of {len(self.history)} in iteration {self.best_iteration}"
        return f"TuningResult({self.tuner}, {self.metric} {best:.2f}, {rounds})"

    @property
    def best(self) -> Iteration:
        """The iteration whose weights were chosen."""
        return self.history[self.best_iteration]

    @property
    def score(self) -> float:
        """What the chosen weights score on the dev set."""
        return self.best.score

    @property
    def gain(self) -> float:
        """What tuning added to the dev score (took off, for errors)."""
        return self.best.score - self.history[0].score

    @property
    def seconds(self) -> float:
        """Time spent decoding and learning."""
        return sum(iteration.decode_seconds + iteration.learn_seconds for iteration in self.history)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "tuner": self.tuner,
            "metric": self.metric,
            "best_iteration": self.best_iteration,
            "score": self.score,
            "reason": self.reason,
            "seconds": self.seconds,
            "weights": dict(self.weights),
            "history": [iteration.to_dict() for iteration in self.history],
        }

    def __rich__(self) -> Table:
        return history_table(self.history, metric=self.metric, scale=self.scale, best=self.best_iteration)


def _reached(iteration: Iteration, scale: float) -> str:
    if iteration.objective is None:
        return ""
    return f"{scale * iteration.objective:.2f}" if iteration.objective_is_metric else f"{iteration.objective:.5g}"


def history_table(history: Sequence[Iteration], *, metric: str, scale: float, best: int | None = None) -> Table:
    """The history for a terminal; the best iteration is marked."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("")
    heldout = any(iteration.heldout is not None for iteration in history)
    columns = [
        "iteration",
        "lists",
        metric,
        *(["held out"] if heldout else []),
        "length",
        "candidates",
        "new",
        "seconds",
    ]
    for name in columns:
        table.add_column(Text(name), justify="right")
    for iteration in history:
        cells = [
            str(iteration.number),
            _reached(iteration, scale),
            f"{scale * iteration.score:.2f}",
            *([f"{scale * iteration.heldout:.2f}" if iteration.heldout is not None else ""] if heldout else []),
            f"{iteration.length_ratio:.3f}",
            f"{iteration.candidates:,}" if iteration.candidates else "",
            f"{iteration.new:,}" if iteration.new else "",
            f"{iteration.decode_seconds + iteration.learn_seconds:.1f}",
        ]
        marked = iteration.number == best
        table.add_row("*" if marked else "", *cells, style="bold" if marked else None)
    return table
