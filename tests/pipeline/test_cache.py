from __future__ import annotations

from pathlib import Path

import pytest

import dragoman
from dragoman._native import common
from dragoman.cache import FORMATS, StageCache, StageResult
from dragoman.errors import FormatError
from dragoman.lm import NgramModel
from tests.pipeline.conftest import SMALL, Sides


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

    def run(**settings: int) -> StageResult:
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


@pytest.mark.parametrize("kind", list(FORMATS))
def test_a_new_format_leads_to_new_keys(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Counter()
    first = StageCache(tmp_path).run("one", work=work)
    assert StageCache(tmp_path).run("one", work=work) == first
    monkeypatch.setitem(FORMATS, kind, FORMATS[kind] + 1)
    assert StageCache(tmp_path).run("one", work=work) != first
    assert work.calls == 2


def test_stages_of_an_older_format_are_made_again(
    bitext: Sides, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trained() -> dragoman.Model:
        output, cache = tmp_path / "model", tmp_path / "cache"
        return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=SMALL, cache=cache, force=True)

    with monkeypatch.context() as older:
        older.setitem(FORMATS, "LMNG", FORMATS["LMNG"] - 1)
        trained()
    [model] = tmp_path.glob("cache/*/lm.bin")
    written = bytearray(model.read_bytes())
    written[12] -= 1  # the version in the header
    model.write_bytes(written)
    with pytest.raises(FormatError, match="format version"):
        NgramModel.open(model)
    made = trained()
    assert made.translate("The house is old.").text
    assert not any(facts.get("kept") for facts in made.report["stages"].values())
    assert all(facts.get("kept") for facts in trained().report["stages"].values())


def test_every_kept_file_is_of_a_known_format(bitext: Sides, tmp_path: Path) -> None:
    dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=SMALL, cache=tmp_path / "cache")
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
    found = {path.suffix: common.describe_binary_file(path) for path in files if common.is_binary_file(path)}
    assert {".bin", ".rules"} <= set(found)
    assert all(FORMATS[header.kind] == header.version for header in found.values())
