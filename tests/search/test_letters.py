"""Unknown words in other letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import InputError
from dragoman.search.letters import LearnedLetters, LetterTable
from dragoman.semantics.transliteration import Transliterator
from tests.search.phrasal import Tiny


def test_the_longest_piece_counts() -> None:
    made = LetterTable.parse(["# letters", "", "s\tS", "sch\tCH", "^s\tZ", "en$\t"])
    assert made.word("schsen") == "ZchS"
    assert made.word("aschs") == "aCHS"
    assert made.word("xyz") is None


@pytest.mark.parametrize("line", ["a", "\tb", "a\tb\tc"])
def test_broken_lines_are_told(line: str) -> None:
    with pytest.raises(InputError) as error:
        LetterTable.parse(["x\ty", line], name="letters.tsv")
    assert error.value.where == "letters.tsv, line 2"


def test_contradictions_are_told() -> None:
    with pytest.raises(InputError, match="becomes 'b' and 'c'"):
        LetterTable.parse(["a\tb", "a\tc"])
    with pytest.raises(InputError, match="empty"):
        LetterTable.parse([])


def test_a_decoder_asks_it(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path, 1)
    made = tiny.decoder.with_unknown_words(LetterTable({"q": "k"}))
    [found] = made.translate(["a qeq r"])
    assert "kek" in found.target
    assert "r" in found.target
    assert found.features["transliterated"] == 1.0
    assert made.with_unknown_words(None).translate(["qeq"])[0].target == ("qeq",)


def test_what_was_learned_from_names_proposes_several(tmp_path: Path) -> None:
    pairs = [("петр", "petr"), ("тор", "tor"), ("порт", "port"), ("ретро", "retro"), ("топор", "topor")]
    learned = LearnedLetters(Transliterator.train(pairs), top=2)
    assert learned.word("Xеро") == []
    made = Tiny(tmp_path, 1).decoder.with_unknown_words(learned)
    [found] = made.translate(["a Перо"])
    assert "Pero" in found.target
    assert found.features["transliterated"] == 1.0
    assert found.features.get("transliterated.logprob", 0.0) <= 0.0
