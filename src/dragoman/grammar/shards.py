"""Shards: the pieces that extraction is cut into, as pure functions over files.

Each step reads files, writes files and returns their names, so that it runs the same in this process, in a pool of
processes, or on another machine (`dragoman.executors`). Everything counted is an integer and every order is fixed by
the data, so that the table does not depend on how the work was cut, byte for byte.

The stages: `extract` counts the rules of a slice of the bitext into sorted runs; `merge` makes one dictionary out of
all runs; `score` merges and scores the pairs of a range of sources; `assemble` writes the table. Ranges of sources in
their sorted order serve better than a hash of the source would: the pieces follow each other in the finished table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.executors import Shard, ShardPlace, ShardStep, Shared
from dragoman.files import take_file
from dragoman.grammar.limits import RuleLimits
from dragoman.grammar.scoring import Scoring

__all__ = ["EXTRACT", "SCORE", "Job", "shared_runs"]


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
            settings.containment = self.scoring.reordering.containment
        settings.domains, settings.evidence = bool(self.domains), self.evidence
        settings.instances_per_run = self.instances
        return settings


def _extract(shard: Shard[tuple[str, str]], job: Job, place: ShardPlace) -> tuple[list[str], int]:
    """Count the rules of a slice into runs, whose names begin with that of the shard; and words that had too many.

    It names a part, too: of hierarchical rules those of words only, those with gaps, or all.
    """
    # Smoothing must see all pairs; without it, a filter may drop pairs at once.
    early = job.scoring.smoothing == "none"
    ends = job.filter_ends if early else job.filter_ends[:0]
    name, part = shard.value
    prefix = place.folder / name
    settings = job.extraction()
    settings.hiero_limits.part = part
    bitext = shard.files["bitext"]
    words = job.source_ids, job.target_ids
    made, cut_words = native.extract_runs(bitext, *words, settings, job.filter_words, ends, prefix)
    return [Path(path).name for path in made], cut_words


@dataclass(frozen=True, slots=True)
class _MergedRuns:
    """Runs and what was merged of them, in a folder."""

    job: Job
    runs: tuple[str, ...]
    folder: Path


def _open(plain: tuple[Job, tuple[str, ...]], folder: Path) -> _MergedRuns:
    return _MergedRuns(*plain, folder)


def _gather(runs: Sequence[str], folder: Path, to: Path) -> None:
    for name in (*runs, *(f"places.{number}" for number in range(len(runs))), "merged", "statistics"):
        take_file(folder / name, to / name)


def shared_runs(job: Job, runs: Sequence[str], folder: Path) -> Shared[_MergedRuns]:
    """What scoring needs of all runs, beside its range."""
    return Shared(_MergedRuns(job, tuple(runs), folder), (job, tuple(runs)), partial(_gather, runs, folder), _open)


def _score(shard: Shard[tuple[str, int, int]], merged: _MergedRuns, place: ShardPlace) -> str:
    """Merge and score the pairs of a range of sources into a block: its name, and where the range begins and ends."""
    job, folder = merged.job, merged.folder
    late = job.scoring.smoothing != "none"
    ends = job.filter_ends if late else job.filter_ends[:0]
    name, begin, end = shard.value
    native.score_range(
        [folder / run for run in merged.runs],
        folder,
        folder / "statistics",
        begin,
        end,
        job.scoring.native(job.limits, job.domains),
        job.extraction(),
        job.filter_words,
        ends,
        place.folder / name,
    )
    return name


EXTRACT = ShardStep("extracting", _extract)
SCORE = ShardStep("scoring", _score)
