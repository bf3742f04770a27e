from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.pipeline.cache import Stage, StageCache


class Counter:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, folder: Path) -> None:
        self.calls += 1
        (folder / "out").write_text("x")


def test_unchanged_inputs_cost_nothing_and_changed_ones_are_noticed(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.write_text("a\n")
    work = Counter()

    def run(**settings: int) -> Stage:
        return StageCache(tmp_path / "cache").run("count", work=work, inputs={"text": corpus}, settings=settings)

    first = run(order=3)
    assert run(order=3) == first
    assert work.calls == 1
    assert run(order=4) != first
    corpus.write_text("b\n")
    assert run(order=3) != first
    assert work.calls == 3


def test_a_changed_stage_changes_all_that_depend_on_it(tmp_path: Path) -> None:
    cache, work = StageCache(tmp_path), Counter()
    one = cache.run("one", work=work, settings={"a": 1})
    two = cache.run("two", work=work, inputs={"one": one})
    other = cache.run("two", work=work, inputs={"one": cache.run("one", work=work, settings={"a": 2})})
    assert two != other
    assert two.file("out").read_text() == "x"


def test_an_interrupted_stage_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StageCache(tmp_path).run("one", work=fail)
    assert list(tmp_path.iterdir()) == []
