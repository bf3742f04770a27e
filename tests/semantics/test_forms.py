from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.grammar.phrases import extract
from dragoman.grammar.table import RuleTable
from dragoman.semantics.forms import FormTranslations, SpellingIndex, edit_distance
from dragoman.semantics.transliteration import Transliterator, name_pairs
from dragoman.text.compounds import CompoundModel
from dragoman.text.morphs import Morphs

SOURCE = ["das haus", "die tür", "die farbe", "sie läuft"]
TARGET = ["the house", "the door", "the colour", "she runs"]


@pytest.fixture
def table(tmp_path: Path) -> RuleTable:
    return extract(SOURCE, TARGET, ["0-0 1-1"] * 4, tmp_path / "t.table").table


def test_compounds_are_translated_by_their_parts(table: RuleTable) -> None:
    model = CompoundModel.train([*SOURCE * 5], preset="wmt13")
    found = FormTranslations(table, compounds=model, spelling=False).analyses("haustür")
    assert [(entry.target, entry.kind, entry.reason) for entry in found] == [("house door", "compound", "haus + tür")]
    assert FormTranslations(table, compounds=model, spelling=False).analyses("hausboot") == []


def test_relatives_by_stem_and_spelling(table: RuleTable) -> None:
    morphs = Morphs({"farbe": 3, "n": 5, "läuf": 2, "t": 4, "er": 4, "haus": 2})
    forms = FormTranslations(table, morphs=morphs)
    found = forms.analyses("farben")
    assert found[0].target == "colour"
    assert {entry.kind for entry in found} <= {"morphs", "spelling"}
    assert forms.analyses("läufer")[0].reason == "läuft (stem läuf)"
    lexicon = forms.lexicon(["farben", "xxxxxx"])
    assert list(lexicon) == ["farben"]
    assert 0 < lexicon["farben"][0].probability <= 1


def test_spelling() -> None:
    index = SpellingIndex(["colour", "color", "collar", "house", "mouse"])
    assert index.near("colours")[0] == ("colour", 1 - 1 / 7)
    assert "colour" not in dict(index.near("colour"))
    assert index.near("zzzz") == []
    assert [edit_distance(*pair) for pair in (("", "ab"), ("ab", "ba"), ("abc", "abc"), ("kitten", "sitting"))] == [
        2,
        1,
        0,
        3,
    ]


def test_edit_distance_is_a_distance() -> None:
    words = ["".join(letters) for size in range(4) for letters in product("ab", repeat=size)]
    for first, second in product(words, words):
        assert edit_distance(first, second) == edit_distance(second, first)
        assert (edit_distance(first, second) == 0) == (first == second)


def test_transliteration() -> None:
    letters = dict(zip("авгдеиклмнопрсту", "avgdeiklmnoprstu", strict=True)) | {"ш": "sh"}
    names = "иван наташа петр андреи павел маша саша тона дима кола вова шура мила ола света гоша рита нина лина"
    known = [name for name in names.split() if set(name) <= set(letters)]
    pairs = [(name, "".join(letters[letter] for letter in name)) for name in known]
    model = Transliterator.train(pairs)
    for unseen in ("паша", "лиза", "марина", "светлана"):
        if set(unseen) <= set(letters):
            wanted = "".join(letters[letter] for letter in unseen)
            assert wanted in [entry.target for entry in model.best(unseen)][:2]
    assert model.best("жжж") == []
    with pytest.raises(InputError):
        Transliterator.train([])
    assert name_pairs(["видит Иван дом"], ["Ivan sees houses"], ["0-1 1-0 2-2"]) == [("иван", "ivan")]
