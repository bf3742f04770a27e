"""Letters and their marks: one spelling for all texts, and no mark ever cut from its letter."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal

import pytest

from dragoman.text.composing import composed
from dragoman.text.preprocessor import Preprocessing, Preprocessor
from dragoman.text.tokenizer import Tokenizer

TEXTS = {
    "de": ("Schöne Grüße über Köln!", ["Schöne", "Grüße", "über", "Köln", "!"]),
    "yo": ("Ọ̀rẹ́ mi, ẹ káàárọ̀.", ["Ọ̀rẹ́", "mi", ",", "ẹ", "káàárọ̀", "."]),
    "vi": ("Tiếng Việt rất đẹp.", ["Tiếng", "Việt", "rất", "đẹp", "."]),
    "hi": ("क्षेत्र में विद्यार्थी, ज़मीन।", ["क्षेत्र", "में", "विद्यार्थी", ",", "ज़मीन", "।"]),
    "he": ("בְּרֵאשִׁית בָּרָא אֱלֹהִים.", ["בְּרֵאשִׁית", "בָּרָא", "אֱלֹהִים", "."]),
    "fa": ("می‌خواهم بروم.", ["می‌خواهم", "بروم", "."]),
    "en": ("ok 👍🏽, 👨‍👩‍👧! 🇩🇪 1️⃣ ❤️.", ["ok", "👍🏽", ",", "👨‍👩‍👧", "!", "🇩🇪", "1️⃣", "❤️", "."]),
}


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    return unicodedata.normalize("NFC", " ".join(one)) == unicodedata.normalize("NFC", " ".join(other))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("language", TEXTS)
def test_marks_stay_with_their_letters(language: str, form: Literal["NFC", "NFD"]) -> None:
    text, words = TEXTS[language]
    raw = unicodedata.normalize(form, text)
    found = Tokenizer(language).trace([raw])[0]
    assert _same(found.tokens, words)
    for token, (start, end) in zip(found.tokens, found.spans, strict=True):
        assert raw[start:end] == token


@pytest.mark.parametrize("language", TEXTS)
def test_both_spellings_of_a_text_give_the_same_tokens(language: str) -> None:
    text, words = TEXTS[language]
    preprocessor = Preprocessor(Preprocessing(language=language, case="keep", split=False))
    composed_tokens, decomposed_tokens = (
        preprocessor.prepare(unicodedata.normalize(form, text)).tokens[0] for form in ("NFC", "NFD")
    )
    assert composed_tokens == decomposed_tokens
    assert _same(composed_tokens, words)


@pytest.mark.parametrize("language", TEXTS)
def test_ranges_point_into_the_raw_text_and_it_comes_back(language: str) -> None:
    raw = unicodedata.normalize("NFD", TEXTS[language][0])
    preprocessor = Preprocessor(Preprocessing(language=language, case="keep", split=False))
    prepared = preprocessor.prepare(raw)
    sentence = prepared.sentences[0]
    for token, (start, end) in zip(sentence.tokens, sentence.spans, strict=True):
        assert unicodedata.normalize("NFC", raw[start:end]) == token
    assert preprocessor.restore(prepared.tokens, prepared) == raw


def test_a_mark_behind_protected_text_hides_nothing() -> None:
    preprocessor = Preprocessor(Preprocessing(language="en", case="keep"))
    prepared = preprocessor.prepare("see https://a.org/x <b>\u0301bold</b>")
    assert [token for token in prepared.tokens[0] if token.startswith("⟦")] == ["⟦url:0⟧", "⟦tag:0⟧", "⟦tag:1⟧"]


def test_punctuation_with_a_mark_loses_nothing() -> None:
    for text in ("a&\u0308b", "\u0308 x", "x \u0308\u0301 y", '"\u0301"', ".\u0301.."):
        kept = "".join(Tokenizer("en").tokenize([text])[0])
        assert kept == text.replace(" ", "")


def test_what_is_composed_is_left_alone() -> None:
    line = "Grüße, ça va?"
    assert composed(line).text is line
    assert composed("").text == ""
