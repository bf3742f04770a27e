"""Corrections: they count at once, can be taken back, survive everything, and can be folded into the model."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.errors import FormatError, InputError, SettingError, UnknownName
from dragoman.pipeline.learned import LearnedLayer, compact, learned_folder, with_learned
from dragoman.pipeline.model import Model
from tests.pipeline.conftest import SMALL, Sides

SENTENCE = "The old house is small."
CORRECTION = "Das betagte Gebäude ist winzig."


@pytest.fixture(scope="module")
def trained(bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("learning") / "en-de"
    dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=replace(SMALL, keep_aligner=True))
    return output


@pytest.fixture
def place(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path / "en-de")
    return tmp_path / "en-de"


def test_a_correction_counts_at_once_and_can_be_undone(place: Path) -> None:
    layer = LearnedLayer(Model.open(place))
    before = layer.model.translate(SENTENCE).text
    assert before == layer.base.translate(SENTENCE).text
    started = time.process_time()
    change = layer.learn(SENTENCE, CORRECTION)
    after = layer.model.translate(SENTENCE).text
    assert time.process_time() - started < 2.0
    assert after == CORRECTION
    assert change.rules
    other = layer.model.translate("A man sees the old house.").text
    assert "Gebäude" in other or "betagte" in other
    assert layer.undo() == change
    assert layer.model.translate(SENTENCE).text == before
    with pytest.raises(InputError, match="nothing to undo"):
        layer.undo()


def test_it_survives_a_restart(place: Path) -> None:
    first = LearnedLayer(Model.open(place))
    first.learn(SENTENCE, CORRECTION)
    first.learn("A dog.", "Eine Dogge.")
    first.add_rule("house", "Hütte")
    first.undo()
    again = LearnedLayer(Model.open(place))
    assert again.changes == first.changes
    assert len(again.changes) == 2
    sentences = [SENTENCE, "A dog sees the house."]
    assert [t.text for t in again.model.translate(sentences)] == [t.text for t in first.model.translate(sentences)]


def test_rules_come_and_go(place: Path) -> None:
    layer = LearnedLayer(Model.open(place))
    before = layer.model.translate(SENTENCE).text
    layer.add_rule("the old house", "die alte Hütte")
    assert "alte Hütte" in layer.model.translate(SENTENCE).text
    layer.remove_rule("the old house", "die alte Hütte")
    assert layer.model.translate(SENTENCE).text == before
    with pytest.raises(UnknownName, match="no such rule"):
        layer.remove_rule("the old house", "nie gesehen")
    best = layer.table.lookup("house")[0].target_text
    layer.remove_rule("house", best)
    assert best not in [rule.target_text for rule in layer.table.lookup("house")]
    layer.undo()
    assert best in [rule.target_text for rule in layer.table.lookup("house")]


def test_counts_of_corrections_are_relative_frequencies(place: Path) -> None:
    """Unseen words: once each way is a half, and what is put right twice has two thirds."""
    layer = LearnedLayer(Model.open(place), keep=False)
    layer.learn("xyzzy", "Xaverl")
    layer.learn("xyzzy", "Xanthippe")
    layer.learn("xyzzy", "Xanthippe")
    found = {rule.target_text.lower(): rule.values["phrase.ts"] for rule in layer.table.lookup("xyzzy")}
    assert found["xanthippe"] == pytest.approx(-0.405465, abs=1e-5)
    assert found["xaverl"] == pytest.approx(-1.098612, abs=1e-5)


def test_what_cannot_be_learned_is_refused(place: Path, bitext: Sides, tmp_path: Path) -> None:
    layer = LearnedLayer(Model.open(place))
    for source, target in (("", "x"), ("x", " ")):
        with pytest.raises(InputError, match="without words"):
            layer.learn(source, target)
        with pytest.raises(InputError, match="without words"):
            layer.add_rule(source, target)
    shutil.rmtree(place / "aligner")
    plain = dragoman.train(*bitext, output=tmp_path / "plain", languages=("en", "de"), recipe=SMALL)
    without = LearnedLayer(plain)
    assert not without.can_learn
    with pytest.raises(SettingError, match="no aligner"):
        without.learn(SENTENCE, CORRECTION)
    without.add_rule("house", "Hütte")
    assert "Hütte" in without.model.translate(SENTENCE).text


def test_compacting_folds_it_into_the_bundle(place: Path) -> None:
    layer = LearnedLayer(Model.open(place))
    layer.learn(SENTENCE, CORRECTION)
    expected = layer.model.translate([SENTENCE, "The man sees a house."])
    assert compact(place) == 1
    plain = Model.open(place)
    plain.bundle.verify()
    assert "das betagte Gebäude" in [each.target_text for each in plain.decoder.rules_for(["the", "old", "house"])]
    folded = with_learned(plain)
    assert [t.text for t in folded.translate([SENTENCE, "The man sees a house."])] == [t.text for t in expected]
    again = LearnedLayer(plain)
    assert again.changes == []
    assert again.corrections == [(SENTENCE, CORRECTION)]
    again.learn("A dog.", "Eine Dogge.")
    assert compact(place) == 1
    assert compact(place) == 0
    assert len(list(learned_folder(place).glob("*.journal"))) == 2


def test_weights_may_move_with_a_correction(place: Path) -> None:
    layer = LearnedLayer(Model.open(place), step=0.01)
    before = dict(layer.model.weights)
    change = layer.learn(SENTENCE, "Das alte Haus ist klein.")
    assert change.steps
    after = dict(layer.model.weights)
    assert after != before
    again = LearnedLayer(Model.open(place))
    assert dict(again.model.weights) == pytest.approx(after)
    again.undo()
    assert dict(again.model.weights) == pytest.approx(before)


def test_damage_is_told_from_a_torn_end(place: Path) -> None:
    layer = LearnedLayer(Model.open(place))
    layer.add_rule("house", "Hütte")
    layer.add_rule("house", "Kate")
    journal = next(learned_folder(place).glob("*.journal"))
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-7])
    assert len(LearnedLayer(Model.open(place)).changes) == 1
    journal.write_bytes(b"x" + whole)
    with pytest.raises(FormatError, match="damaged line"):
        LearnedLayer(Model.open(place))


def test_a_kill_loses_nothing_that_was_acknowledged(place: Path) -> None:
    script = (
        "import sys; from dragoman.pipeline.learned import LearnedLayer; from dragoman.pipeline.model import Model\n"
        "layer = LearnedLayer(Model.open(sys.argv[1]))\n"
        "for number in range(100000):\n"
        "    layer.add_rule('house', f'Haus{number}'); print(number, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(place)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 20:
            break
    os.kill(process.pid, signal.SIGKILL)
    acknowledged = int(line) + sum(1 for _ in process.stdout)
    process.wait()
    process.stdout.close()
    found = LearnedLayer(Model.open(place)).changes
    assert len(found) >= acknowledged + 1
    assert [change.target for change in found[: acknowledged + 1]] == [f"Haus{n}" for n in range(acknowledged + 1)]
