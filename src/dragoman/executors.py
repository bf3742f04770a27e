"""Executors: where the shards of a step are worked on.

A distributed step is a pure function from a shard, and from what all shards share, to a result. An executor runs it for
every shard and gives the results in the order of the shards, wherever and in whatever order they were finished, and
however often one had to be tried again; so what is made of them does not depend on the executor. Shards may come with
files, and a step may write files into its folder: they are at hand where the step runs, and end where the caller wants
them.

This module has the contract and what needs nothing but this machine; `dragoman.pipeline.executors` knows all by name.

    >>> def total(shard: Shard[range], factor: int, place: ShardPlace) -> int:
    ...     return factor * sum(shard.value)
    >>> shards = [Shard(range(3)), Shard(range(3, 6))]
    >>> list(LocalExecutor(threads=2).run(ShardStep("adding", total), shards, shared=Shared(10)))
    [30, 120]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor as Pool
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Generic, Self, TypeVar

from dragoman._native.common import worker_count
from dragoman.progress import Progress, ProgressCallback

__all__ = [
    "Executor",
    "LocalExecutor",
    "ProcessExecutor",
    "Shard",
    "ShardPlace",
    "ShardStep",
    "Shared",
    "in_order",
    "in_tree",
]

BRANCHES = 4
"""Results that become one at a time where they are added up in a tree."""

Value = TypeVar("Value")
Common = TypeVar("Common")
Result = TypeVar("Result")
Waiting = TypeVar("Waiting")


@dataclass(frozen=True, slots=True)
class Shard(Generic[Value]):
    """A slice of the work: a plain value, and files by name that are read and never changed."""

    value: Value
    files: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shared(Generic[Common]):
    """What all shards need.

    Plain data travels as it is. A model that does not says how to `save` it to a folder and to `load` it from one,
    beside `plain` values; what is opened elsewhere must do the same as what is here, and is opened once for a worker.
    Where some of it changes from one run to the next, that is its `state`: it is asked for when a run begins, and
    `update` brings to it what was opened elsewhere, which need not be opened anew.
    """

    value: Common
    plain: Any = None
    save: Callable[[Path], object] | None = None
    load: Callable[[Any, Path], Common] | None = None
    state: Callable[[], Any] | None = None
    update: Callable[[Common, Any], object] | None = None


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """Where a step works: the folder for files that it makes, under names of its own, and the threads it may use.

    A wide step in the caller's own process may tell `progress` how far it has come.
    """

    folder: Path
    threads: int
    progress: ProgressCallback | None = None


@dataclass(frozen=True, slots=True)
class ShardStep(Generic[Value, Common, Result]):
    """A pure function of a shard, and how it is called.

    A `wide` step uses several threads by itself; of others an executor runs several at once.
    """

    name: str
    work: Callable[[Shard[Value], Common, ShardPlace], Result]
    wide: bool = False


class Executor(ABC):
    """Runs steps; use it in a `with` block."""

    name: ClassVar[str]
    remote: ClassVar[bool] = False
    """Whether shards leave this process, so that models have to be written for them. A stage may ask this to choose
    the size of its shards, never to choose what it makes."""
    keeps: ClassVar[bool] = False
    """Whether what shards share stays open from one run to the next, so that short runs pay."""

    def __init__(self) -> None:
        self.moved: Counter[str] = Counter()
        """Bytes that left this process or came back to it, by step; what all shards share counts once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held."""
        return

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many narrow shards are worked on at once."""

    @abstractmethod
    def run(
        self,
        step: ShardStep[Value, Common, Result],
        shards: Iterable[Shard[Value]],
        *,
        shared: Shared[Common],
        folder: Path | None = None,
        total: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Iterator[Result]:
        """The results, in the order of the shards, as they come; shards are taken as they are needed.

        Files that the step makes end in `folder`; shards must name theirs differently. A result that has been given
        has its files there. The first failure, in the order of the shards, is raised, and the others are given up.
        `progress` is told how many of `total` are done.
        """

    def reduce(
        self,
        step: ShardStep[Value, Common, Result],
        shards: Iterable[Shard[Value]],
        combine: Callable[[list[Result]], Result],
        *,
        shared: Shared[Common],
    ) -> Result:
        """All results as one, of at least one shard: neighbours are combined in a tree, in the order of the shards.

        `combine` must not mind how they are grouped (sums of whole numbers, lists one after the other), so that the
        tree changes nothing.
        """
        return in_tree(self.run(step, shards, shared=shared), combine)


def in_tree(items: Iterable[Value], combine: Callable[[list[Value]], Value]) -> Value:
    """Items combined as they come, a few neighbours at a time, then what these gave, and so on up.

    >>> in_tree("abcdefghij", lambda part: f"({''.join(part)})")
    '((abcd)(efgh)ij)'
    """
    levels: list[list[Value]] = [[]]
    for item in items:
        levels[0].append(item)
        for at, level in enumerate(levels):
            if len(level) < BRANCHES:
                break
            if at + 1 == len(levels):
                levels.append([])
            levels[at + 1].append(combine(level))
            levels[at] = []
    left = [item for level in reversed(levels) for item in level]
    return left[0] if len(left) == 1 else combine(left)


def in_order(
    shards: Iterable[Value],
    submit: Callable[[Value], Waiting],
    result: Callable[[Waiting], Result],
    cancel: Callable[[Waiting], object],
    *,
    ahead: int,
) -> Iterator[Result]:
    """Results in order while up to `ahead` more are under way; those are cancelled if one fails or nobody listens."""
    source = iter(shards)
    waiting: deque[Waiting] = deque()
    try:
        for shard in islice(source, ahead):
            waiting.append(submit(shard))
        while waiting:
            found = result(waiting[0])
            waiting.popleft()
            for shard in islice(source, 1):
                waiting.append(submit(shard))
            yield found
    finally:
        for each in waiting:
            cancel(each)


def told(
    results: Iterable[Result], step: str, total: int | None, progress: ProgressCallback | None, note: str = ""
) -> Iterator[Result]:
    """The results, while `progress` hears how many there were."""
    for number, result in enumerate(results, 1):
        if progress is not None:
            progress(Progress(step, number, total, note))
        yield result


class LocalExecutor(Executor):
    """Threads of this process: the native core runs without the interpreter lock."""

    name: ClassVar[str] = "local"

    def __init__(self, *, threads: int = 0) -> None:
        super().__init__()
        self.threads = threads

    @property
    def workers(self) -> int:
        return worker_count(self.threads)

    def run(
        self,
        step: ShardStep[Value, Common, Result],
        shards: Iterable[Shard[Value]],
        *,
        shared: Shared[Common],
        folder: Path | None = None,
        total: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Iterator[Result]:
        with TemporaryDirectory(prefix="dragoman-step-") as scratch:
            wide = (self.threads, progress) if step.wide else (1, None)
            place = ShardPlace(folder or Path(scratch), *wide)

            def work(shard: Shard[Value]) -> Result:
                return step.work(shard, shared.value, place)

            if step.wide:
                yield from told(map(work, shards), step.name, total, progress)
                return
            with ThreadPoolExecutor(self.workers) as pool:
                yield from told(_pooled(pool, work, shards, self.workers), step.name, total, progress)


class ProcessExecutor(LocalExecutor):
    """Processes of their own on this machine: for steps that spend their time in Python."""

    name: ClassVar[str] = "processes"
    remote: ClassVar[bool] = True

    def run(
        self,
        step: ShardStep[Value, Common, Result],
        shards: Iterable[Shard[Value]],
        *,
        shared: Shared[Common],
        folder: Path | None = None,
        total: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Iterator[Result]:
        with TemporaryDirectory(prefix="dragoman-step-") as scratch:
            opened, place = Path(scratch, "shared"), ShardPlace(folder or Path(scratch), 1)
            opened.mkdir()
            if shared.save is not None:
                shared.save(opened)
            state = shared.state() if shared.state is not None else None
            value = shared.value if shared.load is None else shared.plain
            given = (step, value, shared.load, opened, shared.update, state, place)
            context = get_context("spawn")
            with ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin, initargs=given) as pool:
                yield from told(_pooled(pool, _continue, shards, self.workers), step.name, total, progress)


def _pooled(
    pool: Pool, work: Callable[[Shard[Value]], Result], shards: Iterable[Shard[Value]], workers: int
) -> Iterator[Result]:
    def submit(shard: Shard[Value]) -> Future[Result]:
        return pool.submit(work, shard)

    return in_order(shards, submit, Future.result, Future.cancel, ahead=2 * workers)


_process: list[Any] = []
"""What this process was begun with: the step, what all shards share, and the place."""


def _begin(
    step: ShardStep[Any, Any, Any],
    value: Any,
    load: Callable[[Any, Path], Any] | None,
    at: Path,
    update: Callable[[Any, Any], object] | None,
    state: Any,
    to: ShardPlace,
) -> None:
    shared = value if load is None else load(value, at)
    if update is not None:
        update(shared, state)
    _process[:] = [step, shared, to]


def _continue(shard: Shard[Any]) -> Any:
    step, shared, place = _process
    return step.work(shard, shared, place)
