"""Recipes with word vectors and words in context."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.errors import FormatError
from dragoman.pipeline.describe import describe
from dragoman.pipeline.model import Model
from tests.pipeline.conftest import SMALL, Sides

TINY = ("dimensions=6", "hidden=6", "window=3", "passes=1")
NAMES = {"vectors.cosine", "context.own", "context.all", "context.others"}


@pytest.fixture(scope="module")
def model(bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> Model:
    recipe = replace(SMALL, vectors=True, vectors_settings=TINY, context=True, tuner="auto", iterations=2, nbest=20)
    output = tmp_path_factory.mktemp("meaning") / "en-de"
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=recipe)


def test_they_are_stages_and_features(model: Model, heldout: Sides) -> None:
    facts = model.report["stages"]
    assert facts["vectors"]["dimensions"] == 6
    assert facts["context"]["pairs"] > 0
    assert set(model.decoder.feature_names) >= NAMES
    assert any(model.weights[name] for name in NAMES if name in model.weights)
    texts = [each.text for each in model.translate(heldout.source[:10])]
    again = Model.open(model.path)
    assert [each.text for each in again.translate(heldout.source[:10])] == texts
    shown = describe(model.path)
    assert shown["settings"]["bilingual_models"] == ["vectors", "context"]
    assert "vectors" in str(model.translate(heldout.source[:1])[0].explain())


def test_damaged_files_are_refused(model: Model, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in model.path.rglob("*"):
        if file.is_file():
            (copy / file.relative_to(model.path)).parent.mkdir(parents=True, exist_ok=True)
            (copy / file.relative_to(model.path)).write_bytes(file.read_bytes())
    content = (copy / "context.bin").read_bytes()
    (copy / "context.bin").write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError):
        Model.open(copy)
