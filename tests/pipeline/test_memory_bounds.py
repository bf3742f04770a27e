"""A bound for memory: kept, or refused before anything begins."""

from __future__ import annotations

from pathlib import Path

import pytest

import dragoman
from dragoman.bundle import Bundle
from dragoman.errors import SettingError
from dragoman.pipeline.memory_bounds import StageMemory, require_memory
from tests.pipeline.conftest import SMALL, Sides


def test_the_first_stage_that_cannot_keep_a_bound_is_named() -> None:
    stages = [StageMemory("one", 2**20, True, ""), StageMemory("two", 2**22, False, "give it more")]
    require_memory(stages, 2**22)
    with pytest.raises(
        SettingError, match=r"the stage 'two' needs about 4 MB of memory, and may use 2 MB; give it more"
    ):
        require_memory(stages, 2**21)


def test_a_bound_is_refused_at_once_or_changes_nothing(bitext: Sides, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="the stage 'prepare' needs about"):
        dragoman.train(*bitext, output=tmp_path / "a", languages=("en", "de"), recipe=SMALL, memory="64M")
    assert not list(tmp_path.iterdir())
    with pytest.raises(SettingError, match="512M or 2G"):
        dragoman.train(*bitext, output=tmp_path / "a", languages=("en", "de"), recipe=SMALL, memory="lots")
    made = [
        dragoman.train(*bitext, output=tmp_path / name, languages=("en", "de"), recipe=SMALL, memory=memory)
        for name, memory in (("free", 0), ("bound", "512M"))
    ]
    names = [name for name in Bundle.open(made[0].path).sizes if name != "report.json"]
    assert [(made[0].path / name).read_bytes() for name in names] == [
        (made[1].path / name).read_bytes() for name in names
    ]
