"""A model whose rules have labels of the source, from raw text to translations with and without annotation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.annotations import MissingLayer, Sentence
from dragoman.annotations.training import train_annotator
from dragoman.errors import InputError, SettingError
from dragoman.grammar.labels import grammar_statistics
from dragoman.pipeline.recipe import Recipe
from dragoman.search.hiero import HieroDecoder
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText

SETTINGS = ["aligner=fast", "order=3", "classes=0", "templates=", "tuner=mira", "iterations=1", "search.pop_limit=20"]


@pytest.mark.slow
def test_labels_from_training_to_translation(tmp_path: Path) -> None:
    parts = synthetic.pair("en-de").splits(train=150, dev=15, test=5, seed=3)
    text = {
        name: ([" ".join(i.source.tokens) for i in items], [" ".join(i.target.tokens) for i in items])
        for name, items in (("train", parts.train), ("dev", parts.dev), ("test", parts.test))
    }
    annotator = train_annotator("syntax", [item.source.annotated for item in parts.train[:60]], epochs=1)
    recipe = Recipe(tokenized=True, kind="hiero", system="pos").changed(SETTINGS)
    usual: dict[str, Any] = {"dev": text["dev"], "languages": "en-de", "recipe": recipe}
    model = dragoman.train(*text["train"], output=tmp_path / "model", annotator=annotator, **usual)
    assert isinstance(model.decoder, HieroDecoder)
    found = grammar_statistics(model.decoder.table)
    assert found.labels > 5
    assert found.unlabelled == 0
    lines = text["test"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tagged = model.with_annotator(annotator).translate(lines)
    with pytest.warns(UserWarning, match="5 of 5 sentences have no tags") as told:
        bare = [each.text for each in model.translate(lines)]
    assert len(told) == 1
    assert all(bare)
    assert any(each.text != other for each, other in zip(tagged, bare, strict=True))
    with pytest.raises(InputError, match="annotated words"):
        model.translate([SourceText(lines[0], annotation=Sentence.of(["one"], tags=["NN"]))])
    with pytest.raises(MissingLayer, match="no tags of the source side"):
        dragoman.train(*text["train"], output=tmp_path / "other", **usual)


def test_systems_belong_to_kinds() -> None:
    assert Recipe(system="pb").annotated_sides == ()
    assert Recipe(kind="hiero", system="srl").annotated_sides == ("source",)
    with pytest.raises(SettingError, match="the system pb with the kind hiero; set kind=phrase"):
        Recipe(kind="hiero", system="pb")
    with pytest.raises(SettingError, match="the system chunk with the kind phrase; set kind=hiero"):
        Recipe(system="chunk")
