"""Contests: ours and the peer's, run in turn in one process, reported as a ratio.

Machines are shared and noisy, so seconds mean little and the ratio of the best times of alternating runs means
something. A contest also checks that both sides computed the same thing: fast and wrong is wrong.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


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


def peak_memory(function: Callable[[], Any]) -> int:
    """Extra peak memory of a call, in bytes, measured in a forked child of this process."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        function()
        sender.send((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)

    process = context.Process(target=child)
    process.start()
    sender.close()
    used = int(receiver.recv())
    process.join()
    return used
