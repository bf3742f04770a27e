"""Shards: the pieces that extraction is cut into, as pure functions over files.

Each task reads files, writes files and returns paths, so that it runs the same in this process, in a pool of processes,
or on another machine that sees the folder. Everything counted is an integer and every order is fixed by the data, so
that the table does not depend on how the work was cut, byte for byte.

The stages: `extract` counts the rules of a slice of the bitext into sorted runs; `merge` makes one dictionary out of
all runs; `score` merges and scores the pairs of a range of sources; `assemble` writes the table. Ranges of sources in
their sorted order serve better than a hash of the source would: the pieces follow each other in the finished table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.grammar.limits import RuleLimits
from dragoman.grammar.scoring import Scoring
from dragoman.settings import check_argument

__all__ = ["EXECUTORS", "ExtractTask", "ScoreTask", "executor", "extract", "run_tasks", "score"]

EXECUTORS = ("threads", "processes")
"""Where tasks may run."""

AnyTask = TypeVar("AnyTask")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Job:
    """What all tasks of one extraction share."""

    limits: RuleLimits
    scoring: Scoring
    domains: tuple[str, ...]
    evidence: bool
    instances: int
    source_ids: NDArray[np.uint32]
    target_ids: NDArray[np.uint32]
    filter_words: NDArray[np.uint32]
    filter_ends: NDArray[np.int64]

    def extraction(self) -> native.ExtractionSettings:
        settings = self.limits.native()
        if self.scoring.reordering is not None:
            settings.orientation = self.scoring.reordering.native_model
        settings.domains, settings.evidence = bool(self.domains), self.evidence
        settings.instances_per_run = self.instances
        return settings


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """One slice of the bitext."""

    job: Job
    bitext: Path
    prefix: Path
    part: str = "all"
    """Of hierarchical rules: those of words only, those with gaps, or all."""


def extract(task: ExtractTask) -> list[Path]:
    """Count the rules of a slice into runs."""
    job = task.job
    # Smoothing must see all pairs; without it, a filter may drop pairs at once.
    early = job.scoring.smoothing == "none"
    ends = job.filter_ends if early else job.filter_ends[:0]
    settings = job.extraction()
    settings.hiero_limits.part = task.part
    return [
        Path(path)
        for path in native.extract_runs(
            task.bitext, job.source_ids, job.target_ids, settings, job.filter_words, ends, task.prefix
        )
    ]


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """One range of sources."""

    job: Job
    runs: tuple[Path, ...]
    folder: Path
    begin: int
    end: int
    path: Path


def score(task: ScoreTask) -> Path:
    """Merge and score the pairs of a range of sources into a block."""
    job = task.job
    late = job.scoring.smoothing != "none"
    ends = job.filter_ends if late else job.filter_ends[:0]
    native.score_range(
        list(task.runs),
        task.folder,
        task.folder / "statistics",
        task.begin,
        task.end,
        job.scoring.native(job.limits, job.domains),
        job.extraction(),
        job.filter_words,
        ends,
        task.path,
    )
    return task.path


def executor(kind: str, workers: int) -> Executor:
    """Threads of this process (the native side runs without the interpreter lock), or processes of their own."""
    check_argument("executor", kind, choices=EXECUTORS)
    if kind == "threads":
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def run_tasks(
    pool: Executor, function: Callable[[AnyTask], Result], tasks: Sequence[AnyTask], done: Callable[[int], Any]
) -> list[Result]:
    """Results in the order of the tasks, whatever the order they finished in; the first failure is raised."""
    futures = [pool.submit(function, task) for task in tasks]
    results = []
    try:
        for number, future in enumerate(futures, 1):
            results.append(future.result())
            done(number)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return results
