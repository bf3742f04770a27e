"""Contests: ours and the peer's, run in turn in one process, reported as a ratio.

Machines are shared and noisy, so seconds mean little and the ratio of the best times of alternating runs means
something. A contest also checks that both sides computed the same thing: fast and wrong is wrong.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


class NotRun(Exception):
    """A job that lacks something here; the text says what."""


@dataclass(frozen=True)
class Contest:
    """Two ways to do one job. `agree(ours, theirs)` raises when the results differ; `units` are done per run."""

    ours: Callable[[], Any]
    theirs: Callable[[], Any] | None = None
    agree: Callable[[Any, Any], None] | None = None
    units: float | None = None
    unit: str = ""
    repeat: int = 3
    note: str = ""


@dataclass
class Result:
    """What a job printed: seconds (ours, theirs), their ratio, and whatever else was measured."""

    job: str
    peer: str = ""
    target: float | None = None
    ours: float | None = None
    theirs: float | None = None
    rate: str = ""
    note: str = ""
    figures: dict[str, str] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        return self.theirs / self.ours if self.ours and self.theirs else None

    @property
    def verdict(self) -> str:
        if self.target is None or self.ratio is None:
            return ""
        return "ok" if self.ratio >= self.target else "SHORT"


Job = Callable[[], "Contest | dict[str, str]"]
JOBS: list[tuple[str, str, float | None, Job]] = []


def bench(job: str, *, peer: str = "", target: float | None = None) -> Callable[[Job], Job]:
    """Register a job: a function that prepares data and returns a Contest, or a dict of figures it measured itself."""

    def register(function: Job) -> Job:
        JOBS.append((job, peer, target, function))
        return function

    return register


def run(job: str, peer: str, target: float | None, function: Job) -> Result:
    made = function()
    result = Result(job, peer, target)
    if isinstance(made, dict):
        result.figures = made
        return result
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(made.repeat):
        mine = _timed(made.ours, ours)
        if made.theirs is not None:
            other = _timed(made.theirs, theirs)
            if made.agree is not None:
                made.agree(mine, other)
    result.ours, result.theirs, result.note = min(ours), min(theirs, default=None), made.note
    if made.units:
        result.rate = f"{made.units / result.ours:,.0f} {made.unit}/s"
    return result


def _timed(function: Callable[[], Any], times: list[float]) -> Any:
    start = time.perf_counter()
    value = function()
    times.append(time.perf_counter() - start)
    return value


def highest_memory() -> int:
    """The most that this process ever had, in kilobytes. Not `ru_maxrss`, which begins with that of its parent."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


def peak_memory(function: Callable[[], Any]) -> int:
    """Extra peak memory of a call, in bytes, measured in a forked child of this process.

    The child first gives back what this process had freed, which the call would use again without a trace, and
    forgets the peak that it began with.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", "utf-8")
        before = highest_memory()
        function()
        sender.send((highest_memory() - before) * 1024)

    process = context.Process(target=child)
    process.start()
    sender.close()
    used = int(receiver.recv())
    process.join()
    return used


class Cost(NamedTuple):
    """Of a call: wall seconds, processor seconds (which a busy machine changes less), and the most memory."""

    seconds: float
    spent: float
    peak: int
    """Of the whole process, with the parts of scratch files that were mapped."""
    private: int
    """What the call took beyond what the process had before, without mapped files."""

    def __str__(self) -> str:
        return (
            f"{self.seconds:.1f} s ({self.spent:.1f} s of processor), peak {self.private / 2**20:,.0f} MiB, "
            f"{self.peak / 2**20:,.0f} MiB with the interpreter and mapped scratch files"
        )


def measured(function: Callable[[], Any]) -> Cost:
    """What a call costs, in a process of its own: a fork would have the memory of this one.

    The call, with all that it is given, must be one that can be pickled.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(function, sender))
    process.start()
    sender.close()
    cost: Cost = receiver.recv()
    process.join()
    return cost


def _measure(function: Callable[[], Any], sender: Connection) -> None:
    idle = _private_memory()
    most = [idle]
    done = threading.Event()
    watcher = threading.Thread(target=_watch_memory, args=(most, done))
    watcher.start()
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF)
    function()
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    sender.send(Cost(seconds, spent, after.ru_maxrss * 1024, most[0] - idle))


def _private_memory() -> int:
    rows = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(rows["RssAnon"].split()[0]) * 1024


def _watch_memory(most: list[int], done: threading.Event) -> None:
    while not done.wait(0.02):
        most[0] = max(most[0], _private_memory())
