"""The front of the house: names at the top and in every room, makers by name, what things look like when shown."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dragoman
from dragoman.align import Alignment, get_aligner
from dragoman.errors import DragomanError, SettingError
from dragoman.evaluation import Comparison
from dragoman.pipeline import Model
from dragoman.search import PhraseDecoder, get_decoder
from dragoman.text import synthetic
from dragoman.text.formats import language_pair
from dragoman.tuning import get_tuner
from tools import reference_pages

NAMES = ["DragomanError", "Model", "Recipe", "align", "compare", "load", "score", "train", "translate", "tune"]
SHORT = 160


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    items = list(synthetic.pair("en-de").generate(220, seed=3))
    return dragoman.train(
        [item.source.text for item in items],
        [item.target.text for item in items],
        output=tmp_path_factory.mktemp("model") / "en-de",
        languages="en-de",
        recipe={"aligner": "fast", "iterations": 1, "dev_size": 20, "nbest": 20},
        progress=False,
    )


def test_the_top_shows_just_what_people_call() -> None:
    assert dir(dragoman) == NAMES
    for name in NAMES:
        assert callable(getattr(dragoman, name)), name
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = dragoman.trian


def test_importing_is_cheap() -> None:
    code = "import dragoman, sys; dir(dragoman); print('numpy' in sys.modules, 'dragoman.pipeline' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == (
        "False False\n"
    )


@pytest.mark.parametrize("room", reference_pages.ROOMS)
def test_a_room_exports_what_it_names(room: str) -> None:
    module = import_module(f"dragoman.{room}")
    assert len(module.__all__) >= (3 if room == "neural" else 5)
    for name in module.__all__:
        found = getattr(module, name)
        assert not isinstance(found, type(sys)), f"{room}.{name} is a module"
    stray = {name for name in dir(module) if not name.startswith("_")} - set(module.__all__)
    kinds = {type(getattr(module, name)).__name__ for name in stray}
    assert kinds <= {"module", "_Feature"}, f"dir() of {room} shows {stray}"


def test_an_explanation_is_text_in_a_notebook_too(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    explained = model.translate("The house is old.").explain()
    before = str(explained)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert str(explained) == before
    assert before.startswith("source       The house is old.\ntranslation")


def test_aligning_is_a_call_and_a_room() -> None:
    source, target = ["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"]
    found = dragoman.align(source, target, aligner="ibm1")
    assert found[0] == Alignment.parse("0-0 1-1")
    assert dragoman.align(source, target, aligner="hmm", settings=["classes=2"]) is not None
    trained = get_aligner("ibm1")
    trained.train(source, target)
    assert dragoman.align(source, target, aligner=trained) == found
    with pytest.raises(DragomanError, match="2 source sentences, 3 target sentences"):
        dragoman.align(source[:2], target)


def test_things_are_made_by_name(model: Model) -> None:
    assert get_tuner("mert", restarts=3).to_dict()["restarts"] == 3
    assert get_tuner().name == "mira"
    assert get_aligner("hmm", settings=["classes=50"]).to_dict()["classes"] == 50
    decoder = model.decoder
    assert isinstance(decoder, PhraseDecoder)
    made = get_decoder("phrase", decoder.table, decoder.language_models, decoder.weights, pop_limit=77)
    assert made.settings.to_dict()["pop_limit"] == 77
    with pytest.raises(DragomanError, match="did you mean 'mira'"):
        get_tuner("mirra")
    with pytest.raises(SettingError):
        get_aligner(get_aligner("ibm1"), settings=["iterations=2"])


def test_languages_are_written_like_people_do(model: Model) -> None:
    assert model.languages == language_pair("en-de") == ("en", "de")


def test_reprs_are_short_and_things_show_themselves(model: Model) -> None:
    found = dragoman.translate(model.path, "The teacher will see the children.")
    assert not isinstance(found, list)
    outputs = {"A": ["a b c d e"] * 20, "B": ["a b c e d"] * 20}
    compared = dragoman.compare(outputs, [["a b c d e"] * 20])
    assert isinstance(compared, Comparison)
    sentence = found.sentences[0]
    shown = [
        model,
        found,
        sentence,
        sentence.phrases[0],
        found.nbest(1)[0],
        dragoman.Recipe(order=4),
        model.bundle,
        model.decoder,
        model.weights,
        model.preprocessors.source,
        found.explain(),
        get_aligner("hmm"),
        compared,
        dragoman.score(outputs, [["a b c d e"] * 20]),
        found.forest,
        found.derivation,
        get_tuner("mert"),
    ]
    for thing in shown:
        assert len(repr(thing)) <= SHORT, repr(thing)
        assert "object at 0x" not in repr(thing)
    assert repr(dragoman.Recipe(order=4)) == "Recipe(order=4)"
    for thing in (model, Alignment.parse("0-0 1-2"), Alignment(), found, compared, found.explain()):
        assert thing._repr_html_().startswith("<"), repr(thing)


def test_the_top_tunes_a_bundle(model: Model, tmp_path: Path) -> None:
    found = dragoman.tune(model.path, ["The teacher came."], [["Der Lehrer kam."]], iterations=1, progress=False)
    assert len(repr(found)) <= SHORT
    assert found.weights
