"""Recipes that learn sparse weights on folds of the training text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.errors import SettingError, UnknownName
from dragoman.features.weights import Weights
from dragoman.files import read_lines
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.model import Model
from dragoman.pipeline.preflight import preflight
from dragoman.pipeline.recipe import FOLD_PAIRS, FOLDS_FROM, Recipe
from dragoman.pipeline.tune import tune_model
from dragoman.text.corpus import Bitext
from dragoman.tuning.families import DENSE, family
from dragoman.tuning.loop import chosen_tuner
from dragoman.tuning.mira import Mira
from tests.pipeline.conftest import SMALL, Sides, sides

FOLDED = replace(SMALL, tuner="auto", fold_pairs=200, fold_passes=1, classes=20, iterations=2, nbest=20)


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stages")


@pytest.fixture(scope="module")
def folded(bitext: Sides, stages: Path, tmp_path_factory: pytest.TempPathFactory) -> Model:
    output = tmp_path_factory.mktemp("folded") / "en-de"
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=FOLDED, cache=stages)


def _folder(stages: Path, name: str) -> Path:
    (found,) = stages.glob(f"{name}-*")
    return found


def _sparse(weights: Weights) -> dict[str, float]:
    return {name: value for name, value in weights.items() if family(name) != DENSE}


def test_weights_are_tuned_on_the_dev_set_and_then_learned_on_the_text(folded: Model, stages: Path) -> None:
    dense = Weights.load(_folder(stages, "tuning") / "weights.txt")
    assert not _sparse(dense)
    assert {each.prefix for each in folded.decoder.templates} == {"rule", "link", "orient"}
    assert _sparse(folded.weights)
    for name, value in dense.items():
        assert folded.weights[name] == pytest.approx(value, abs=0.5), "it begins where the dev set led to"
    facts = folded.report["stages"]
    assert facts["learning"]["families"]["link"] > 0
    assert facts["learning"]["dev_bleu"] != facts["tuning"]["dev_bleu"]


def test_models_of_a_fold_have_not_seen_it(folded: Model, stages: Path) -> None:
    folder = _folder(stages, "folds")
    folds = sorted(path for path in folder.iterdir() if path.is_dir())
    assert len(folds) == folded.report["stages"]["folds"]["folds"] == 3
    everything = RuleTable.open(folded.path / "table.rules")
    for fold in folds:
        source = list(read_lines(fold / "train.source"))
        assert len(source) == len(list(read_lines(fold / "train.target"))) > 50
        words = {word for line in source for word in line.split()}
        unknown = {word for word in words if everything.lookup(word)} - {
            word for word in words if RuleTable.open(fold / "table.rules").lookup(word)
        }
        assert unknown, "some words are in the fold alone"
        assert not (fold / "rest").exists()


def test_a_finished_model_is_made_of_kept_stages(bitext: Sides, folded: Model, stages: Path, tmp_path: Path) -> None:
    again = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=FOLDED, cache=stages)
    assert all(facts.get("kept") for facts in again.report["stages"].values())
    assert again.weights == folded.weights


def test_tuning_again_leaves_what_the_text_taught(folded: Model) -> None:
    dev = sides(30, start=9000)
    result = tune_model(folded, dev.source, [dev.target], iterations=1, nbest=20, threads=1)
    assert result.tuner == "mira"
    assert _sparse(result.history[-1].weights) == _sparse(folded.weights)
    assert result.history[-1].weights != folded.weights
    richer = folded.with_templates(["shape"])
    assert chosen_tuner("auto", richer.decoder, richer.weights, ())[0].name == "online", "shapes have no weights yet"
    with pytest.raises(SettingError, match="settings beside a tuner"):
        chosen_tuner(Mira(), folded.decoder, folded.weights, (), ["step=1"])
    assert chosen_tuner("mira", folded.decoder, folded.weights, ())[1] == frozenset(), "as asked for"


@pytest.mark.parametrize(
    ("changes", "pairs", "learned", "templates", "tuner"),
    [
        ({}, FOLDS_FROM - 1, 0, 0, "mira"),
        ({}, FOLDS_FROM, FOLDS_FROM, 3, "mira"),
        ({}, 10**6, FOLD_PAIRS, 3, "mira"),
        ({"fold_pairs": 0}, 10**6, 0, 0, "mira"),
        ({"fold_pairs": 500}, 1000, 500, 3, "mira"),
        ({"templates": ()}, 10**6, 0, 0, "mira"),
        ({"templates": ("shape",)}, 10**6, FOLD_PAIRS, 1, "mira"),
        ({"templates": ("shape",)}, 100, 0, 1, "online"),
        ({"templates": ("auto", "shape")}, 10**6, FOLD_PAIRS, 4, "mira"),
        ({"templates": ("auto", "shape"), "tuner": "pro"}, 100, 0, 1, "pro"),
    ],
)
def test_the_size_of_the_text_decides(
    changes: dict[str, object], pairs: int, learned: int, templates: int, tuner: str
) -> None:
    recipe = Recipe.from_dict(changes)
    assert recipe.learned_pairs(pairs) == learned
    assert len(recipe.template_specs(pairs)) == templates
    chosen = recipe.tuning(pairs)
    assert chosen is not None
    assert chosen.name == tuner


def test_large_text_has_fewer_and_smaller_folds() -> None:
    recipe = Recipe()
    sizes = [FOLDS_FROM - 1, 10_000, 29_000, 60_000, 150_000, 10**6]
    assert [recipe.folds(pairs) for pairs in sizes] == [
        (0, 0),
        (5, 2_000),
        (5, 5_800),
        (2, 12_000),
        (1, 30_000),
        (1, 30_000),
    ]


def test_folds_need_disk(bitext: Sides, tmp_path: Path) -> None:
    text = Bitext.of(zip(*bitext, strict=True), languages=("en", "de"))
    without = preflight(text, languages=None, output=tmp_path / "m")
    with_folds = preflight(text, languages=None, output=tmp_path / "m", folds=lambda pairs: 5 if pairs == 400 else 0)
    assert 1.5 < with_folds.disk_needed / without.disk_needed < 2


def test_nothing_is_learned_without_tuning() -> None:
    recipe = Recipe(tuner="none")
    assert (recipe.learned_pairs(10**6), recipe.template_specs(10**6), recipe.tuning(10**6)) == (0, [], None)


def test_settings_of_learning_are_checked_at_once() -> None:
    assert Recipe(fold_settings=("rate=0.3",)).learner.rate == 0.3
    assert Recipe().learner.batch > 100, "as usual for much text"
    for wrong in ({"fold_settings": ("nonsense=1",)}, {"fold_pairs": -2}, {"fold_passes": 0}):
        with pytest.raises((SettingError, UnknownName)):
            Recipe.from_dict(wrong)


def test_names_that_a_model_does_not_have_are_refused(folded: Model) -> None:
    dev = sides(5, start=9000)
    for wrong in ({"fixed": ["nonsense"]}, {"fixed": ["shape"]}, {"start": {"lm": 1.0, "nonsense": 1.0}}):
        with pytest.raises(UnknownName, match=r"nonsense|shape"):
            tune_model(folded, dev.source, [dev.target], iterations=1, nbest=5, threads=1, **wrong)
    result = tune_model(
        folded, dev.source, [dev.target], tuner="online", fixed=["dense", "link"], iterations=1, nbest=20, threads=1
    )
    moved = {family(n) for n, v in result.history[-1].weights.items() if v != folded.weights.get(n, 0.0)}
    assert moved
    assert moved <= {"rule", "orient"}
