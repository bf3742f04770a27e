"""Texts in two languages: translated first, or compared by a lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.similarity import TextPair, get_scorer
from dragoman.similarity.cross_lingual import score_translated

WORDS = {"el": "the", "gato": "cat", "duerme": "sleeps", "perro": "dog"}
PAIRS = [TextPair.of("el gato duerme", "the cat sleeps"), TextPair.of("el perro", "the cat")]


def by_word(texts: Sequence[str]) -> list[list[str]]:
    return [[" ".join(WORDS.get(word, word) for word in text.split())] for text in texts]


def test_one_translation_is_scored_as_it_is() -> None:
    scorer = get_scorer("token-cosine")
    assert score_translated(scorer, PAIRS, first=by_word).tolist() == pytest.approx([1.0, 0.5])
    plain = [TextPair.of(by_word([one.texts[0]])[0][0], one.texts[1]) for one in PAIRS]
    assert score_translated(scorer, PAIRS, first=by_word).tolist() == scorer.score(plain).tolist()


def test_several_translations_are_averaged() -> None:
    def twice(texts: Sequence[str]) -> list[list[str]]:
        return [["the cat sleeps", "x"], ["", " "]]

    found = score_translated(get_scorer("token-cosine"), PAIRS, first=twice)
    assert found.tolist() == pytest.approx([0.5, 0.0])  # the second has no translation and stays as it is


def test_refuses_another_number_of_translations() -> None:
    with pytest.raises(LengthMismatch):
        score_translated(get_scorer("token-cosine"), PAIRS, second=lambda texts: [["one"]])


def test_word_translations(tmp_path: Path) -> None:
    lexicon = tmp_path / "lexicon"
    lexicon.write_text("gato cat 0.9\nduerme sleeps 0.8\nel the 0.7\nperro cat 0.01\n")
    scorer = get_scorer("word-translations", [f"lexicon={lexicon}"])
    assert scorer.score(PAIRS).tolist() == pytest.approx([1.0, 0.5])
    alignment = scorer.explain(TextPair.of("gato 1999", "1999 cat")).alignment
    assert alignment is not None
    assert [match.reason for match in alignment] == ["translation", "same"]
    (tmp_path / "bad").write_text("gato cat 9\n")
    with pytest.raises(FormatError, match="line 1"):
        get_scorer("word-translations", [f"lexicon={tmp_path / 'bad'}"]).score(PAIRS)
    with pytest.raises(SettingError, match="lexicon"):
        get_scorer("word-translations").score(PAIRS)
