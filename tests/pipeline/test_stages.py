"""Stages see what they declare, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.cache import StageCache, code_digest
from dragoman.pipeline import stages
from dragoman.pipeline.base import Facts, Stage, Work, stage
from dragoman.pipeline.recipe import Recipe

WORK = Work(Recipe(order=4), ("en", "de"), 0, None)


def declared_stages() -> Iterator[Stage]:
    return (each for each in vars(stages).values() if isinstance(each, Stage))


def test_a_stage_that_reads_what_it_does_not_declare_fails(tmp_path: Path) -> None:
    @stage("honest", reads=("order", "kind", "search", "rules", "max_phrase", "system"))
    def honest(work: Work, out: Path) -> Facts:
        return {"order": work.recipe.order, "beam": work.recipe.search_settings.beam}

    @stage("sly", reads=("order",))
    def sly(work: Work, out: Path) -> Facts:
        return {"beam": work.recipe.search_settings.beam}

    assert honest(WORK, tmp_path) == {"order": 4, "beam": 400}
    usual = {"kind": "phrase", "search": {}, "rules": {}, "max_phrase": 0, "system": ""}
    assert honest.settings(WORK.recipe) == {"order": 4, **usual}
    with pytest.raises(
        AssertionError, match=r"the stage 'sly' reads '(kind|rules|max_phrase)', which it does not declare"
    ):
        sly(WORK, tmp_path)


def test_a_declaration_names_settings_that_there_are() -> None:
    with pytest.raises(AssertionError, match="ordre"):
        stage("slip", reads=("ordre",))


def test_every_stage_says_what_code_it_runs() -> None:
    found = list(declared_stages())
    assert len(found) >= 8
    for each in found:
        assert "pipeline" in each.rooms
        assert each.function.__doc__


def test_other_code_makes_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = StageCache(tmp_path)
    first = cache.run("one", work=lambda out: None, rooms=("lm",))
    assert cache.run("one", work=lambda out: None, rooms=("lm",)) == first
    assert cache.run("one", work=lambda out: None, rooms=("lm", "align")).key != first.key
    assert cache.run("one", work=lambda out: None, rooms=("lm",), version=2).key != first.key
    assert code_digest(("lm",)) != code_digest(("align",))
