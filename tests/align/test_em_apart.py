"""Expectation steps in slices, added up in a tree: the same aligner, bit for bit."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.align import em
from dragoman.align.anchors import Anchors
from dragoman.align.base import get_aligner
from dragoman.bundle import Bundle
from dragoman.executors import LocalExecutor, ProcessExecutor, Shared

KINDS: dict[str, dict[str, Any]] = {
    "ibm1": {},
    "ibm2": {"agreement": True},
    "fast": {},
    "hmm": {"classes": 4},
    "ibm4": {"ibm3_iterations": 1, "ibm4_iterations": 1},
}


class Elsewhere(LocalExecutor):
    """Threads that take themselves for another machine: what is opened there is closed after each shard."""

    remote = True

    def run(self, step: Any, shards: Any, *, shared: Any, **more: Any) -> Any:
        state = shared.state()
        for shard in shards:
            opened = shared.load(shared.plain, Path())
            shared.update(opened, state)
            yield from super().run(step, [shard], shared=Shared(opened), **more)


def text(pairs: int) -> tuple[list[str], list[str]]:
    draws = random.Random(3)
    source = [[f"s{draws.randrange(40)}" for _ in range(draws.randrange(1, 9))] for _ in range(pairs)]
    target = [[word.replace("s", "t") for word in words if draws.random() < 0.9] or ["t0"] for words in source]
    return [" ".join(words) for words in source], [" ".join(words) for words in target]


@pytest.mark.parametrize("kind", KINDS)
def test_expectation_steps_apart_change_nothing(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(em, "SLICE_SHARDS", 1)
    sides = text(1500)
    asked: dict[str, Any] = {
        "anchors": Anchors((((0, 0, 0.9),),) * 1500),
        "weights": [1.0 + (number % 3) for number in range(1500)],
    }
    if kind == "ibm4":
        asked = {}
    made = {}
    for name, executor in (("here", None), ("apart", Elsewhere(threads=2))):
        aligner = get_aligner(kind, **KINDS[kind])
        report = aligner.train(*sides, **asked, executor=executor)
        aligner.save(tmp_path / name)
        names = [each for each in Bundle.open(tmp_path / name).sizes if each != "model.toml"]
        made[name] = (
            report.logprobs,
            report.ignored_anchors,
            [(tmp_path / name / each).read_bytes() for each in names],
        )
    assert made["here"] == made["apart"]


def test_counts_travel_in_few_bytes_and_come_back_whole() -> None:
    places = np.cumsum([0, 1, 254, 255, 256, 1, 2**20], dtype=np.uint32)
    units = np.array([1, 2**32 - 2, 2**32 - 1, 2**32, 2**63, 7, 2**40], np.uint64)
    for count in (0, len(places)):
        found = em._Counts.of(places[:count], units[:count]).table()
        assert [each.dtype for each in found] == [np.uint32, np.uint64]
        assert [each.tolist() for each in found] == [places[:count].tolist(), units[:count].tolist()]
    assert len(pickle.dumps(em._Counts.of(np.arange(10_000, dtype=np.uint32), np.ones(10_000, np.uint64)))) < 51_000


def test_processes_do_expectation_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(em, "SLICE_SHARDS", 1)
    sides = text(600)
    found = []
    for executor in (None, ProcessExecutor(threads=2)):
        aligner = get_aligner("fast", iterations=1)
        found.append((aligner.train(*sides, executor=executor).logprobs, aligner.align(*sides)))
    assert found[0] == found[1]


def test_one_slice_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Elsewhere()
    monkeypatch.setattr(executor, "run", None)
    assert get_aligner("ibm1", iterations=1).train(*text(300), executor=executor).used == 300
