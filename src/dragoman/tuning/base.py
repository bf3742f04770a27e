"""The tuner contract: how to learn weights, one round at a time.

A tuner is a frozen value that holds its settings. `start` gives it a task, a decoder and a dev set, and makes a session
that keeps what accumulates (lists, step sizes). The loop around it (`dragoman.tuning.loop`) hands weights to `step` and
receives the next ones; it does all that is the same for every tuner: scoring, choosing, logging, resuming, stopping.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from dragoman.errors import SettingError
from dragoman.features.weights import Weights
from dragoman.progress import Progress, ProgressCallback
from dragoman.search.base import Tunable
from dragoman.search.translation import SentenceTranslation
from dragoman.text.source_text import Source
from dragoman.tuning.dev import DevSet
from dragoman.tuning.result import Iteration

__all__ = ["Session", "Step", "Task", "Tuner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
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

    def report(self, stage: str, done: float, total: float | None = None) -> None:
        """Say how far a stage has come."""
        if self.progress is not None:
            self.progress(Progress(stage, done, total))

    def translate(
        self, decoder: Tunable, sentences: Sequence[Source], *, forests: bool = False
    ) -> list[SentenceTranslation]:
        """Translate with the task's number of threads."""
        return decoder.translate(sentences, threads=self.threads, forests=forests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
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
    def step(self, number: int, weights: Weights) -> Step:
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
class Tuner(ABC):
    """A way to learn weights; its fields are its settings."""

    name: ClassVar[str]

    @abstractmethod
    def start(self, task: Task) -> Session:
        """Begin to work on a task."""

    def settings(self) -> dict[str, Any]:
        """The settings as plain values, for logs."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    @classmethod
    def configured(cls, texts: Iterable[str]) -> Self:
        """A tuner with settings written as people do: `name=value`; a table of values as a whole or one by one.

        >>> from dragoman.tuning.online import Online
        >>> Online.configured(["l1_families=dense=0,orient=10"]).l1_families
        {'dense': 0.0, 'orient': 10.0}
        >>> Online.configured(["l1=0.01", "l1_families.orient=10"]).l1_families  # the others stay as usual
        {'dense': 0.0, 'orient': 10.0}
        """
        types = get_type_hints(cls)
        known = {entry.name: types[entry.name] for entry in fields(cls)}
        given: dict[str, Any] = {}
        for text in texts:
            written, equals, value = text.partition("=")
            name, dot, key = written.partition(".")
            if not equals or name not in known:
                said = f"{cls.name} has no setting {name!r}" if equals else f"{text!r} is not NAME=VALUE"
                raise SettingError(said, remedy=f"its settings are {', '.join(known)}")
            if not dot:
                given[name] = _value(cls.name, name, value, known[name])
            elif get_origin(known[name]) is Mapping:
                given[name] = {
                    **given.get(name, getattr(cls(), name)),
                    **_value(cls.name, name, f"{key}={value}", known[name]),
                }
            else:
                raise SettingError(f"{cls.name}: {text!r}", remedy=f"write it like {name}=VALUE")
        return cls(**given)

    def _positive(self, *names: str) -> None:
        """Refuse settings that must be more than 0."""
        for name in names:
            if not getattr(self, name) > 0:
                raise SettingError(f"{self.name}: {name}={getattr(self, name)}", remedy="it must be more than 0")

    def _choice(self, name: str, allowed: Sequence[str]) -> None:
        """Refuse a setting outside of its choices."""
        if getattr(self, name) not in allowed:
            raise SettingError(
                f"{self.name}: {name} cannot be {getattr(self, name)!r}", remedy=f"choose from {', '.join(allowed)}"
            )


_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _value(tuner: str, name: str, text: str, annotation: Any) -> Any:
    members = get_args(annotation)
    kind = next(one for one in members if one is not NoneType) if NoneType in members else annotation
    try:
        if get_origin(kind) is Mapping:
            return {key: float(value) for key, value in (entry.rsplit("=", 1) for entry in text.split(","))}
        return _TRUTH[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "numbers by name: a=1,b=2")
        raise SettingError(f"{tuner}: {name} cannot be {text!r}", remedy=f"it is {wanted}") from None
