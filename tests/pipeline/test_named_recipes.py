"""Recipes by name, and the parts of the feature-rich one: annotators that are kept, text that is chosen, held-out
sets."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.annotations import annotator_chain
from dragoman.annotations.training import train_annotator
from dragoman.errors import BundleError, FileError, InputError, SettingError
from dragoman.pipeline.kept_annotators import kept_annotator
from dragoman.pipeline.model import Model
from dragoman.pipeline.named_recipes import RECIPES, open_recipe
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic
from dragoman.tuning.online import Online
from tests.pipeline.conftest import SMALL, Sides, sides

SMALLER = ("order=3", "aligner=fast", "iterations=3", "nbest=30", "heldout_size=10", "search.pop_limit=30")


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of English tags and trees."""
    folder = tmp_path_factory.mktemp("parsers") / "en"
    items = list(synthetic.pair("en-de").generate(60, seed=5))
    train_annotator("syntax", [item.source.annotated for item in items], epochs=1).save(folder, language="en")
    return folder


@pytest.fixture(scope="module")
def rich(parser: Path, bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """The recipe of a name, made small: with a parser, chosen text, two language models and a held-out set."""
    folder = tmp_path_factory.mktemp("rich")
    (folder / "more.de").write_text("".join(f"{line}\n" for line in sides(100, start=20_000).target), "utf-8")
    (folder / "new.en").write_text("".join(f"{line}\n" for line in sides(20, start=30_000).source), "utf-8")
    recipe = open_recipe("wmt13").changed([*SMALLER, f"annotate={parser}", "select_pairs=300"])
    return dragoman.train(
        *bitext,
        output=folder / "m",
        languages=("en", "de"),
        dev=sides(60, start=9000),
        recipe=recipe,
        lm_text=[folder / "more.de"],
        domain_text=[folder / "new.en"],
    )


def test_recipes_have_names(tmp_path: Path) -> None:
    for name in RECIPES:
        recipe = open_recipe(name)
        assert Recipe.from_dict(recipe.to_dict()) == recipe
        tuner = recipe.tuning(1000)
        assert isinstance(tuner, Online)
        assert (tuner.strength("orient:a"), tuner.strength("rule:a"), tuner.strength("lm")) == (10, 0.1, 0)
        assert RECIPES.describe(name)
    assert open_recipe("wmt13-into-german").preprocessing("de", side=1).pieces == "marked-compounds"
    assert "pos_order" not in {spec.name for spec in open_recipe("wmt13-into-german").template_specs(1000)}
    (tmp_path / "mine.toml").write_text("order = 4\n")
    assert open_recipe(tmp_path / "mine.toml").order == 4
    with pytest.raises(FileError, match="no recipe of that name"):
        open_recipe("wmt31")


@pytest.mark.slow
def test_all_parts_of_the_feature_rich_recipe(rich: Model) -> None:
    facts = rich.report["stages"]
    assert (facts["prepare"]["pairs"], facts["prepare"]["selected_of"]) == (300, 400)
    assert (facts["prepare"]["dev_pairs"], facts["prepare"]["heldout_pairs"]) == (50, 10)
    assert any("300 of 400 pairs were chosen" in note for note in rich.report["notes"])
    assert {"lm", "lm_extra", "count", "unique"} <= set(rich.decoder.feature_names)
    assert sum(name.startswith("orientation.") for name in rich.decoder.feature_names) == 8
    scores = facts["tuning"]["heldout_scores"]
    assert len(scores) == facts["tuning"]["iterations"] + 1
    assert scores[facts["tuning"]["best_iteration"]] == max(scores)
    assert {each.name for each in rich.decoder.templates} == {
        "rule",
        "link",
        "orient",
        "delete_pos",
        "delete_head",
        "idf",
        "pos_order",
    }


@pytest.mark.slow
def test_a_model_keeps_what_annotates_its_sources(rich: Model, parser: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Tags are there after the folder of the parser has gone, and nobody has to name it."""
    aside = rich.path.parent / "aside"
    shutil.copytree(rich.path, aside)
    model = Model.open(aside)
    assert model.annotator is not None
    assert model.annotator.identity == annotator_chain.load(str(parser)).identity
    found = model.translate("The old dog sees the cat.")
    assert any(name.startswith("pos_order:") for name in found.sentences[0].features)
    assert not [warning for warning in recwarn if "no tags" in str(warning.message)]
    again = model.save(rich.path.parent / "again")
    assert again.translate("The old dog sees the cat.").text == found.text
    with pytest.raises(BundleError, match="names the annotator"):
        kept_annotator(["command:rm -rf /"], rich.path)


@pytest.mark.slow
def test_commands_are_not_kept(bitext: Sides, tmp_path: Path) -> None:
    """Opening a bundle must not start a program that it names."""
    script = tmp_path / "tag.py"
    script.write_text(
        "import sys\nfor line in sys.stdin:\n    for n, w in enumerate(line.split(), 1):\n"
        "        print(n, w, w, 'X', w[-1], '_', n - 1, 'root' if n < 2 else 'dep', '_', '_', sep='\\t')\n    print()\n"
    )
    recipe = replace(SMALL, templates=("pos_order",), annotate=f"command:python {script}", tuner="online", iterations=1)
    model = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe)
    assert model.annotator is None
    assert any("does not keep what annotates" in note for note in model.report["notes"])


@pytest.mark.slow
def test_tags_of_folds_come_from_the_annotator(parser: Path, bitext: Sides, tmp_path: Path) -> None:
    recipe = replace(
        SMALL, tuner="auto", templates=("pos_order",), annotate=str(parser), fold_pairs=100, iterations=1, nbest=20
    )
    options = {"languages": ("en", "de"), "dev": sides(30, start=9000), "cache": tmp_path / "stages"}
    model = dragoman.train(*bitext, output=tmp_path / "m", recipe=recipe, **options)  # type: ignore[arg-type]
    assert any(name.startswith("pos_order:") and value for name, value in model.weights.items())
    assert model.report["stages"]["annotation"]["sides"] == ["source"]
    other = replace(recipe, nbest=10)
    again = dragoman.train(*bitext, output=tmp_path / "n", recipe=other, **options)  # type: ignore[arg-type]
    assert again.report["stages"]["annotation"]["kept"]


@pytest.mark.slow
def test_held_out_sets(bitext: Sides, tmp_path: Path) -> None:
    recipe = replace(SMALL, tuner="online", templates=("rule",), iterations=2, nbest=20, fold_pairs=0)
    given = dragoman.train(
        *bitext,
        output=tmp_path / "given",
        languages=("en", "de"),
        recipe=recipe,
        dev=sides(30, start=9000),
        heldout=sides(15, start=10_000),
    )
    assert given.report["stages"]["prepare"]["heldout_pairs"] == 15
    assert given.report["stages"]["prepare"]["dev_pairs"] == 30
    assert len(given.report["stages"]["tuning"]["heldout_scores"]) == 3
    cut = dragoman.train(
        *bitext, output=tmp_path / "cut", languages=("en", "de"), recipe=replace(recipe, heldout_size=20)
    )
    facts = cut.report["stages"]["prepare"]
    assert (facts["dev_held_out"], facts["dev_pairs"], facts["heldout_pairs"]) == (60, 40, 20)
    with pytest.raises(InputError, match="20 of 30 pairs of the dev set"):
        dragoman.train(
            *bitext,
            output=tmp_path / "few",
            languages=("en", "de"),
            recipe=replace(recipe, heldout_size=20),
            dev=sides(30, start=9000),
        )


def test_nothing_to_choose_by(bitext: Sides, tmp_path: Path) -> None:
    recipe = replace(SMALL, select_pairs=100, dev_size=0)
    with pytest.raises(InputError, match="no text of it"):
        dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe)
    (tmp_path / "new.en").write_text("the dog sleeps\n")
    with pytest.raises(SettingError, match="chooses nothing by it"):
        dragoman.train(
            *bitext, output=tmp_path / "m", languages=("en", "de"), recipe=SMALL, domain_text=[tmp_path / "new.en"]
        )
