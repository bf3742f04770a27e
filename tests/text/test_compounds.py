from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dragoman._native import text as native
from dragoman.errors import FormatError, InputError, SettingError, UnknownName
from dragoman.text import synthetic
from dragoman.text.compounds import PRESETS, CompoundModel, CompoundSettings
from dragoman.text.morphs import Morphs
from tests.peers import peer

TEXT = ["die Regierung gab eine Erklärung", "die Regierungserklärung der Regierung", "eine Erklärung der Bank"] * 5


def brute_force(model: CompoundModel, word: str) -> set[tuple[str, ...]]:
    """The best splits by trying all."""
    low, settings = word.lower(), model.settings
    found: dict[tuple[str, ...], float] = {(low,): math.log(model.counts[low]) if low in model.counts else -math.inf}

    def go(at: int, parts: tuple[str, ...]) -> None:
        if at == len(low) and len(parts) > 1:
            mean = sum(math.log(model.counts[p]) for p in parts) / len(parts)
            found[parts] = max(mean, found.get(parts, -math.inf))
        for end in range(at + 1, len(low) + 1):
            for part, _, after in model._parts(low, at, end):
                if len(parts) < settings.max_parts:
                    go(after, (*parts, part))

    if low.isalpha() and len(low) >= 2 * settings.min_length:
        go(0, ())
    best = max(found.values())
    return {parts for parts, value in found.items() if value > best - 1e-9}


@pytest.mark.parametrize("preset", PRESETS)
def test_splits_equal_brute_force(preset: str) -> None:
    words = ["abc", "abcd", "sabcd", "dabc", "abce", "bcda", "esab"]
    text = [" ".join(words[: 1 + i % len(words)]) for i in range(60)]
    settings = CompoundSettings(min_length=3, min_count=1, links=PRESETS[preset].links, marker=PRESETS[preset].marker)
    model = CompoundModel.train(text, settings=settings)
    for parts in itertools.product(words, ["", "s", "es"], words):
        word = "".join(parts)
        found = tuple(p.removeprefix(settings.marker).lower() for p in model.split(word))
        assert found in brute_force(model, word)


def test_merging_worked_example() -> None:
    """Worked example for Green et al. (2013): the dictionary, then what mostly follows the part or its ending."""
    model = CompoundModel(PRESETS["wmt13"], {}, {})
    model.compounds["regierung", "erklärung"] = Counter({"Regierungserklärung": 3})
    model.links_after["regierung"] = Counter({"s": 10, "": 1})
    model.links_by_ending["ung"] = Counter({"s": 12})
    assert model.merge(["die", "Regierung", "#erklärung"]) == ["die", "Regierungserklärung"]
    assert model.merge(["Regierung", "#bank"]) == ["Regierungsbank"]
    assert model.merge(["Förderung", "#bank"]) == ["Förderungsbank"]
    assert model.merge(["Haus", "#tür"]) == ["Haustür"]
    assert model.merge(["#tür", "#", "auf"]) == ["tür", "#", "auf"]


def test_round_trip() -> None:
    for preset in PRESETS:
        model = CompoundModel.train(TEXT, preset=preset)
        assert len(model.split("Regierungserklärung")) == 2
        for line in TEXT[:3]:
            assert model.merge(model.split_line(line).split()) == line.split()
    assert model.merge(["Regierung", "#erklärung"], mode="nm") == ["Regierung", "#erklärung"]
    letters = CompoundModel.train([*["die Schule das Buch"] * 3, "ein Schulbuch"], preset="wmt13")
    assert letters.split("Schulbuch") == ("Schule", "#buch")
    assert letters.merge(["Schule", "#buch"]) == ["Schulbuch"]
    assert letters.merge(["Schule", "#die"]) == ["Schuldie"]


def test_neighbors_that_are_no_compound_stay_apart() -> None:
    often = [*TEXT, *["Regierung Erklärung"] * 9]
    assert CompoundModel.train(often).merge(["Regierung", "Erklärung"]) == ["Regierung", "Erklärung"]
    assert CompoundModel.train(TEXT).merge(["Regierung", "Erklärung"]) == ["Regierungserklärung"]


def test_parts_of_speech_decide() -> None:
    tags = [["NOUN" if token[0].isupper() else "DET" for token in line.split()] for line in TEXT]
    model = CompoundModel.train(TEXT, tags=tags)
    tokens = ["Regierung", "Erklärung"]
    assert model.merge(tokens, mode="cfb", tags=["NOUN", "NOUN"]) == ["Regierungserklärung"]
    assert model.merge(tokens, mode="cfb", tags=["NOUN", "VERB"]) == tokens
    assert model.merge(tokens, mode="cfb", tags=["DET", "NOUN"]) == tokens
    with pytest.raises(InputError):
        model.merge(tokens, mode="cfb")


def test_files_and_bad_settings(tmp_path: Path) -> None:
    model = CompoundModel.train(TEXT, preset="wmt13")
    model.save(tmp_path / "c.json")
    again = CompoundModel.open(tmp_path / "c.json")
    assert again.split_line(TEXT[1]) == model.split_line(TEXT[1])
    assert (again.compounds, again.links_after, again.neighbors) == (
        model.compounds,
        model.links_after,
        model.neighbors,
    )
    (tmp_path / "c.json").write_text("{}")
    with pytest.raises(FormatError):
        CompoundModel.open(tmp_path / "c.json")
    with pytest.raises(UnknownName):
        CompoundModel.train(TEXT, preset="wmt99")
    with pytest.raises(SettingError):
        CompoundSettings(min_length=0)
    with pytest.raises(SettingError):
        CompoundModel.train(TEXT).merge(["a"], mode="affix")


def test_morphs(tmp_path: Path) -> None:
    stems, endings = ["talk", "walk", "jump", "look", "play", "cook"], ["", "s", "ed", "ing", "er"]
    text = [stem + ending for stem in stems for ending in endings]
    morphs = Morphs.train(text)
    assert morphs.segment("walking") == ("walk", "ing")
    assert morphs.stem("jumped") == "jump"
    assert morphs.segment("xyz") == ("xyz",)
    assert morphs.counts == Morphs.train(text).counts
    morphs.save(tmp_path / "m.tsv")
    assert Morphs.open(tmp_path / "m.tsv").counts == morphs.counts
    often = Morphs.train([*text, *["walking"] * 4], whole_from=5)
    often.save(tmp_path / "often.tsv")
    for model in (often, Morphs.open(tmp_path / "often.tsv")):
        assert model.pieces("walking") == ("walking",)
        assert model.pieces("talking") == ("talk", "￭ing")
        assert model.stem("walking") == "walk", "stems are asked of all words"
    (tmp_path / "m.tsv").write_text("a\tx\n")
    with pytest.raises(FormatError, match="line 1"):
        Morphs.open(tmp_path / "m.tsv")
    with pytest.raises(InputError):
        Morphs.train(["1 2"])


@pytest.mark.slow
def test_morphs_describe_a_text_as_shortly_as_the_peer_does() -> None:
    morfessor = peer("morfessor")
    items = synthetic.pair("en-de").generate(300)
    words = sorted({token.lower() for item in items for token in item.target.tokens if token.isalpha()})
    pieces, cost, passes = native.learn_morphs(words, np.ones(len(words), np.int64))
    assert 1 <= passes <= 20
    shown, morfessor.utils.show_progress_bar = morfessor.utils.show_progress_bar, False
    try:
        model = morfessor.BaselineModel()
        model.load_data([(1, tuple(word)) for word in words])
        model.train_batch()
    finally:
        morfessor.utils.show_progress_bar = shown
    assert cost <= 1.01 * model.get_cost()
    assert len(pieces) == pytest.approx(len(list(model.get_constructions())), rel=0.05)
    again, _, _ = native.learn_morphs(words, np.ones(len(words), np.int64))
    assert again == pieces


def test_the_cost_of_a_description_by_hand() -> None:
    """Two words, no cut: tokens and list in the bits of ideal codes, the boundaries of words among the tokens."""
    pieces, cost, _ = native.learn_morphs(["ab", "cd"], np.array([2, 1], np.int64))
    assert pieces == [("ab", 2), ("cd", 1)]
    text = 6 * math.log(6) - 2 * math.log(2) - 3 * math.log(3)
    spelling = 6 * math.log(6) - 2 * math.log(2)
    counts = math.log(2)  # ways to share three tokens among two pieces
    assert cost == pytest.approx(text + spelling + counts - math.log(2), abs=1e-3)
    with pytest.raises(InputError):
        native.learn_morphs(["a"], np.array([0], np.int64))
