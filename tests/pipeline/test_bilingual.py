"""Recipes with models of both sides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.errors import BundleError, FormatError
from dragoman.features.weights import Weights
from dragoman.pipeline.describe import describe
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from tests.pipeline.conftest import SMALL, Sides

TINY = ("hidden=16", "vector=8", "passes=2", "exact_passes=1", "samples=32", "classes=5")
BOTH = replace(
    SMALL, joint=True, joint_settings=TINY, sequence=True, sequence_order=3, tuner="auto", iterations=2, nbest=20
)


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stages")


@pytest.fixture(scope="module")
def both(bitext: Sides, stages: Path, tmp_path_factory: pytest.TempPathFactory) -> Model:
    output = tmp_path_factory.mktemp("both") / "en-de"
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=BOTH, cache=stages)


def test_they_are_stages_and_features(both: Model, heldout: Sides, stages: Path) -> None:
    facts = both.report["stages"]
    assert facts["joint model"]["perplexity"] > 1
    assert facts["sequence model"]["ngrams"]
    assert both.weights["joint"] != 0
    assert both.weights["sequence"] != 0
    for found in both.translate(heldout.source[:5]):
        assert {"joint", "sequence"} <= set(found.sentences[0].features)
    assert not list(stages.glob("joint-model.state*"))


def test_info_and_explanations_name_them(both: Model, heldout: Sides) -> None:
    shown = describe(both.path)
    assert shown["settings"]["bilingual_models"] == ["joint", "sequence"]
    assert "joint.bin" in shown["files"]
    assert describe(both.path / "joint.bin")["what"] == "joint model"
    explained = both.translate(heldout.source[:1])[0].explain()
    assert "joint" in str(explained) + explained._repr_html_()


def test_a_model_keeps_them(both: Model, heldout: Sides, tmp_path: Path) -> None:
    texts = [each.text for each in both.translate(heldout.source)]
    again = Model.open(both.path)
    assert [each.text for each in again.translate(heldout.source)] == texts
    saved = both.with_templates(["rule"]).save(tmp_path / "more")
    assert [str(each) for each in saved.decoder.bilingual_models] == ["joint", "sequence"]
    assert [each.text for each in Model.open(tmp_path / "more").translate(heldout.source)] == texts


def test_sparse_weights_stay_when_all_are_tuned(bitext: Sides, stages: Path, tmp_path: Path) -> None:
    """Folds know nothing of these models, which know all folds; so dense weights are tuned again, on the dev set."""
    recipe = replace(BOTH, sequence=False, fold_pairs=100, fold_passes=1)
    model = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe, cache=stages)
    (learning,) = stages.glob("learning-*")
    learned = Weights.load(learning / "weights.txt")
    assert "joint" not in learned
    sparse = {name: value for name, value in learned.items() if ":" in name}
    assert sparse
    assert {name: model.weights[name] for name in sparse} == sparse
    assert model.weights["joint"] != 0
    assert model.report["stages"]["tuning of all"]["dev_bleu"] > 0


def test_damaged_models_are_refused(both: Model, tmp_path: Path) -> None:
    copy = both.save(tmp_path / "copy")
    file = copy.path / "joint.bin"
    whole = file.read_bytes()
    file.unlink()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises((BundleError, FormatError)):
        Model.open(copy.path)


def test_they_are_off_unless_wanted() -> None:
    assert Recipe().bilingual_models == []
    assert Recipe(joint=True).bilingual_models == ["joint"]
