"""The tuner contract: how to learn weights, one round at a time.

A tuner is a frozen value that holds its settings. `start` gives it a task, a decoder and a dev set, and makes a session
that keeps what accumulates (lists, step sizes). The loop around it (`dragoman.tuning.loop`) hands weights to `step` and
receives the next ones; it does all that is the same for every tuner: scoring, choosing, logging, resuming, stopping.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from dragoman.errors import SettingError
from dragoman.features.weights import Weights
from dragoman.progress import Progress, ProgressCallback
from dragoman.search.base import Tunable
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import Settings
from dragoman.text.source_text import Source
from dragoman.tuning.dev import DevSet
from dragoman.tuning.problem import Optimum, Problem
from dragoman.tuning.result import Iteration

__all__ = ["Session", "Tuner", "TuningStep", "TuningTask"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningTask:
    """What is tuned, and on what."""

    decoder: Tunable
    dev: DevSet
    iterations: int = 10
    nbest: int = 100
    seed: int = 1
    threads: int = 0
    fixed: frozenset[str] = frozenset()
    """Features, and families of them, that keep their weights."""
    progress: ProgressCallback | None = field(default=None, repr=False)

    def report(self, stage: str, done: float, total: float | None = None, note: str = "") -> None:
        """Say how far a stage has come."""
        if self.progress is not None:
            self.progress(Progress(stage, done, total, note))

    def translate(
        self, decoder: Tunable, sentences: Sequence[Source], *, forests: bool = False
    ) -> list[SentenceTranslation]:
        """Translate with the task's number of threads."""
        return decoder.translate(sentences, threads=self.threads, forests=forests)


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningStep:
    """What one round of learning gave.

    `hypotheses` are the decoder's translations of the dev set under the weights that the step was given; without them
    the loop translates the dev set itself. `following` is None if there is nothing more to learn, and `reason` says so.
    """

    following: Weights | None
    hypotheses: Sequence[str] | None = None
    objective: float | None = None
    objective_is_metric: bool = False
    candidates: int = 0
    new: int = 0
    decode_seconds: float = 0.0
    learn_seconds: float = 0.0
    reason: str = ""
    warnings: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class Session(ABC):
    """A tuner at work on a task."""

    @abstractmethod
    def step(self, number: int, weights: Weights) -> TuningStep:
        """Learn from these weights, those of iteration `number`, the next ones. Random choices follow from the task's
        seed and from `number` alone, so that a resumed session goes on as if nothing had happened."""

    def save(self, path: Path) -> None:
        """Write what a later `resume` needs beyond the history; by default nothing."""
        return

    @abstractmethod
    def resume(self, path: Path, history: Sequence[Iteration]) -> int:
        """Take up the state that a session had after these iterations; `path` is where it last called `save`.

        Returns how many of them the state holds: a run may have been killed after an iteration was logged and before
        the state was saved, and what the state does not know is learned again.
        """


@dataclass(frozen=True, kw_only=True)
class Tuner(Settings, ABC):
    """A way to learn weights, with its settings.

    >>> from dragoman.tuning.online import Online
    >>> Online.configured(["l1_families=dense=0,orient=10"]).l1_families
    {'dense': 0.0, 'orient': 10.0}
    >>> Online.configured(["l1=0.01", "l1_families.orient=10"]).l1_families  # the others stay as usual
    {'dense': 0.0, 'orient': 10.0}
    """

    name: ClassVar[str]

    @abstractmethod
    def start(self, task: TuningTask) -> Session:
        """Begin to work on a task."""

    def optimize(self, problem: Problem) -> Optimum:
        """The best weights on given lists, without a decoder; what needs one refuses."""
        raise SettingError(
            f"{self.name} asks a decoder for more than lists",
            remedy="choose from expected, mert, mira, perceptron, pro, ramp",
        )

    def check_decoder(self, decoder: Tunable) -> None:
        """Refuse settings that do not fit what is to be tuned."""
        return
