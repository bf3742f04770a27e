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
from dragoman.grammar.scoring import Scoring
from dragoman.settings import Settings, check_argument, setting

__all__ = ["EXECUTORS", "ExtractTask", "PhraseLimits", "ScoreTask", "executor", "extract", "run_tasks", "score"]

EXECUTORS = ("threads", "processes")
"""Where tasks may run."""

AnyTask = TypeVar("AnyTask")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseLimits(Settings):
    """Which phrases are taken; with `gaps`, discontinuous ones too."""

    max_source: int = setting(7, "Words of the longest source phrases.", least=1, most=100)
    max_target: int = setting(7, "Words of the longest target phrases.", least=1, most=100)
    max_ratio: float = setting(
        0.0,
        "How many times as long one side may be as the other; 0: no bound.",
        valid=lambda ratio: ratio == 0 or ratio >= 1,
        wanted="a number of at least 1, or 0 for no bound",
    )
    only_tight: bool = setting(False, "Take no phrases with unaligned words at their edges.")
    gaps: bool = setting(False, "Take phrases with gaps too.")
    gap_words: int = setting(5, "Words of a side of a phrase with gaps.", least=2, most=20)
    gap_source_span: int = setting(12, "Source words from its first to its last one.", least=2, most=40)
    gap_target_span: int = setting(12, "Target words from its first to its last one.", least=2, most=40)
    gaps_both_sides: bool = setting(False, "Take phrases with gaps on both sides at once.")
    unaligned_gaps: bool = setting(False, "Take gaps that hold unaligned words only.")

    def native(self, scoring: Scoring, *, domains: bool, evidence: bool, instances: int) -> native.ExtractionSettings:
        """The same limits, and what else extraction must keep, for the native side."""
        settings = native.ExtractionSettings()
        settings.max_source, settings.max_target = self.max_source, self.max_target
        settings.max_ratio, settings.only_tight = self.max_ratio, self.only_tight
        settings.gappy, settings.gap_words = self.gaps, self.gap_words
        settings.gap_source_span, settings.gap_target_span = self.gap_source_span, self.gap_target_span
        settings.gaps_both_sides, settings.unaligned_gaps = self.gaps_both_sides, self.unaligned_gaps
        if scoring.reordering is not None:
            settings.orientation = scoring.reordering.native_model
        settings.domains, settings.evidence = domains, evidence
        settings.instances_per_run = instances
        return settings


@dataclass(frozen=True, slots=True)
class Job:
    """What all tasks of one extraction share."""

    limits: PhraseLimits
    scoring: Scoring
    domains: tuple[str, ...]
    evidence: bool
    instances: int
    source_ids: NDArray[np.uint32]
    target_ids: NDArray[np.uint32]
    filter_words: NDArray[np.uint32]
    filter_ends: NDArray[np.int64]

    def extraction(self) -> native.ExtractionSettings:
        return self.limits.native(
            self.scoring, domains=bool(self.domains), evidence=self.evidence, instances=self.instances
        )


@dataclass(frozen=True, slots=True)
class ExtractTask:
    """One slice of the bitext."""

    job: Job
    bitext: Path
    prefix: Path


def extract(task: ExtractTask) -> list[Path]:
    """Count the rules of a slice into runs."""
    job = task.job
    # Smoothing must see all pairs; without it, a filter may drop pairs at once.
    early = job.scoring.smoothing == "none"
    ends = job.filter_ends if early else job.filter_ends[:0]
    return [
        Path(path)
        for path in native.extract_runs(
            task.bitext, job.source_ids, job.target_ids, job.extraction(), job.filter_words, ends, task.prefix
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
        job.scoring.native(job.domains),
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
