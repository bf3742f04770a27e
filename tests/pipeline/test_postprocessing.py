"""What gives tokens their case and puts them together after decoding, learned with the model and used by it."""

from __future__ import annotations

from pathlib import Path

import pytest

import dragoman
from dragoman.errors import SettingError
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic

pytest.importorskip("pycrfsuite")

PLAIN = ["aligner=fast", "order=3", "tuner=none", "templates=", "classes=0", "case=lowercase"]


@pytest.fixture(scope="module")
def text() -> tuple[list[str], list[str], list[str], list[str]]:
    parts = synthetic.pair("en-de").splits(train=400, dev=1, test=30, seed=5)
    return (
        [item.source.text for item in parts.train],
        [item.target.text for item in parts.train],
        [item.source.text for item in parts.test],
        [item.target.text for item in parts.test],
    )


@pytest.mark.slow
@pytest.mark.parametrize("way", ["language-model", "random-field"])
def test_a_model_learns_and_keeps_it(
    text: tuple[list[str], list[str], list[str], list[str]], tmp_path: Path, way: str
) -> None:
    source, target, test, _ = text
    models = {
        each: dragoman.train(
            source,
            target,
            languages=("en", "de"),
            recipe=Recipe().changed([*PLAIN, f"postprocess={each}", "postprocess_lines=150"]),
            output=tmp_path / each,
            cache=tmp_path / "stages",
        )
        for each in ("rules", way)
    }
    plain, learned = ([each.text for each in models[way].translate(test)] for way in ("rules", way))
    assert [one.lower() for one in plain] != learned
    nouns = [sum(word[:1].isupper() for each in lines for word in each.split()[1:]) for lines in (plain, learned)]
    assert nouns[0] < nouns[1]  # German writes nouns with capitals, which lower-cased text has lost
    assert models[way].bundle.settings["postprocess"] == way
    again = dragoman.load(tmp_path / way).save(tmp_path / "copy", change="none")
    assert [each.text for each in again.translate(test[:5])] == learned[:5]
    for raw in ("See <b>%d</b> files at https://a.org/x!", "%s", "[X12X] {name} 5 %"):
        found = models[way].translate([raw])[0].text
        for kept in ("%d", "https://a.org/x", "<b>", "</b>", "%s", "[X12X]", "{name}"):
            assert found.count(kept) == raw.count(kept), (raw, found)


def test_text_that_is_left_as_it_is_has_none() -> None:
    with pytest.raises(SettingError, match="tokenized"):
        Recipe(tokenized=True, postprocess="random-field")
