"""What words are cut into when nobody says it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.pipeline.recipe import Recipe

STEMS = ("talk", "walk", "jump", "look", "play", "cook", "work", "help", "call", "pull")
ENDINGS = {"": "ich", "s": "er", "ed": "damals", "ing": "gerade", "er": "wer"}
PAIRS = [(f"{stem}{ending} now", f"{what} {stem.upper()} jetzt") for stem in STEMS for ending, what in ENDINGS.items()]
UNSEEN = [PAIRS[7], PAIRS[13], PAIRS[28], PAIRS[41]]
RECIPE = Recipe(tuner="none", aligner="fast", order=2, case="lowercase", evidence=False, templates=())


def trained(tmp_path: Path, recipe: Recipe) -> dragoman.Model:
    source, target = ([pair[side] for pair in PAIRS if pair not in UNSEEN] for side in (0, 1))
    return dragoman.train(source, target, output=tmp_path / "m", languages=("en", "de"), recipe=recipe)


def test_the_recipe_cuts_a_source_rich_in_forms_and_says_so(tmp_path: Path) -> None:
    model = trained(tmp_path, RECIPE)
    assert model.report["stages"]["prepare"]["source_pieces"] == "morphs"
    assert "target_pieces" not in model.report["stages"]["prepare"]
    assert [note for note in model.report["notes"] if "cut into morphs" in note and "source_pieces=words" in note]
    assert (tmp_path / "m" / "source" / "morphs.tsv").is_file()
    found = [model.translate(source) for source, _ in UNSEEN]
    known = [each for each in found if not each.unknown_words]
    assert len(known) > len(UNSEEN) / 2, "most words never seen are made of pieces that were"
    assert all("￭" not in each.text for each in found)


@pytest.mark.parametrize("pieces", ["words", "subwords"])
def test_what_the_recipe_says_holds(tmp_path: Path, pieces: str) -> None:
    if pieces == "subwords":
        pytest.importorskip("sentencepiece")
    model = trained(tmp_path, replace(RECIPE, source_pieces=pieces, subwords=60))
    assert model.report["stages"]["prepare"].get("source_pieces", "words") == pieces
    assert not [note for note in model.report["notes"] if "cut into" in note]
    if pieces == "words":
        assert all(model.translate(source).unknown_words for source, _ in UNSEEN)
