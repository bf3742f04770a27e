"""Annotations given to training reach its own tuning: of the dev set, of a part held out, of folds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.annotations import Sentence, conllu
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.features.weights import Weights
from dragoman.text.preprocessing import Preprocessing
from dragoman.text.preprocessor import Preprocessor
from tests.pipeline.conftest import SMALL, Sides

TAGGED = replace(SMALL, tuner="auto", templates=("pos_order",), iterations=3, nbest=20, dev_size=30)


def tagged(texts: list[str]) -> list[Sentence]:
    """Words as the model makes them, each with a tag: its last letter."""
    preprocessor = Preprocessor.train(Preprocessing(language="en"), texts)
    lines = [[token for part in text.sentences for token in part.tokens] for text in preprocessor.prepare_all(texts)]
    return [Sentence.of(words, tags=[word[-1] for word in words]) for words in lines]


def families(weights: Weights) -> set[str]:
    return {name.partition(":")[0] for name, value in weights.items() if value and ":" in name}


def test_tags_of_a_part_held_out(bitext: Sides, tmp_path: Path) -> None:
    model = dragoman.train(
        *bitext, output=tmp_path / "m", languages=("en", "de"), recipe=TAGGED, annotations=tagged(bitext.source)
    )
    assert families(model.weights) == {"pos_order"}


def test_tags_of_a_dev_set_in_a_file(bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    conllu.write(tagged(heldout.source), tmp_path / "dev.conllu")
    options: dict[str, Any] = {"languages": ("en", "de"), "recipe": TAGGED, "dev": (heldout.source, heldout.target)}
    model = dragoman.train(*bitext, output=tmp_path / "m", dev_annotations=tmp_path / "dev.conllu", **options)
    assert families(model.weights) == {"pos_order"}
    with pytest.warns(UserWarning, match="have no tags"):
        bare = dragoman.train(*bitext, output=tmp_path / "bare", **options)
    assert families(bare.weights) == set()


def test_tags_of_folds(bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    recipe = replace(TAGGED, fold_pairs=100)
    model = dragoman.train(
        *bitext,
        output=tmp_path / "m",
        languages=("en", "de"),
        recipe=recipe,
        dev=(heldout.source, heldout.target),
        annotations=tagged(bitext.source),
        dev_annotations=tagged(heldout.source),
    )
    assert families(model.weights) == {"pos_order"}


def test_annotations_that_do_not_fit(bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    options: dict[str, Any] = {"output": tmp_path / "m", "languages": ("en", "de"), "recipe": TAGGED}
    with pytest.raises(LengthMismatch, match="no annotation for line 400"):
        dragoman.train(*bitext, annotations=tagged(bitext.source)[:-1], **options)
    other = [Sentence.of([*sentence.words, "more"], tags=[*sentence.tags, "X"]) for sentence in tagged(bitext.source)]
    with pytest.raises(InputError, match="annotated words"):
        dragoman.train(*bitext, annotations=other, **options)
    with pytest.raises(SettingError, match="no dev set"):
        dragoman.train(*bitext, dev_annotations=tagged(heldout.source), **options)
