"""Languages without blanks: words come out and go back, for any text."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.text.preprocessor import Preprocessing, Preprocessor
from dragoman.text.segmenting import BLANK, Segmentation, habit_of_blanks
from tests.peers import peer


@cache
def cutting(language: str, segment: Segmentation = "auto", mixed: bool = True) -> Preprocessor:
    if segment != "characters":
        peer("icu4py")
    return Preprocessor(Preprocessing(language=language, case="keep", segment=segment, mixed_blanks=mixed))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "raw", "tokens"),
    [
        ("ja", "これは本です。", "これ は 本 です 。"),
        ("zh", "这是软件包管理工具", "这 是 软件 包 管理 工具"),
        ("th", "โปรแกรมนี้เป็นซอฟต์แวร์เสรี", "โปรแกรม นี้ เป็น ซอฟต์แวร์ เสรี"),
        ("zh", "𠀀这是", "𠀀 这 是"),
        ("ja", "Debian の本 %s", "Debian の 本 ⟦printf:0⟧"),
        ("th", "เป็น ซอฟต์แวร์", f"เป็น {BLANK} ซอฟต์แวร์"),
    ],
)
def test_words(language: str, raw: str, tokens: str) -> None:
    assert " ".join(cutting(language).prepare(raw).tokens[0]) == tokens


@pytest.mark.slow
def test_characters_need_no_dictionary() -> None:
    assert cutting("ja", "characters").prepare("本を読むDebian").tokens == (("本", "を", "読", "む", "Debian"),)


def test_languages_with_blanks_are_left_alone() -> None:
    assert Preprocessor.train(Preprocessing(language="en"), ["a b"]).settings.segment == "none"


LETTERS = "这是软件包本をノのアเป็นซอฟต์ນີ້កម្មပါ。、（）！ aB9.,()-%&\u3000𠀀"


@pytest.mark.slow
@given(raw=st.text(alphabet=LETTERS, max_size=30), language=st.sampled_from(["zh", "ja", "th", "km", "my", "lo"]))
@settings(max_examples=150, deadline=None)
def test_what_was_prepared_comes_back(raw: str, language: str) -> None:
    kinds: tuple[Segmentation, ...] = ("words", "characters")
    for segment in kinds:
        preprocessor = cutting(language, segment)
        prepared = preprocessor.prepare(raw)
        assert preprocessor.restore(prepared.tokens, prepared) == raw
        for sentence in prepared.sentences:
            assert len(sentence.tokens) == len(sentence.spans)
            assert all(token and " " not in token for token in sentence.tokens)


@pytest.mark.parametrize(
    ("language", "mixed", "target", "text"),
    [
        ("ja", True, "これ は Debian の 本 です 。", "これは Debian の本です。"),
        ("ja", False, "これ は Debian の 本 です 。", "これはDebianの本です。"),
        ("th", True, f"เป็น {BLANK} ซอฟต์แวร์ เสรี", "เป็น ซอฟต์แวร์เสรี"),
        ("zh", False, "软件 , 管理 工具", "软件,管理工具"),
        ("zh", True, "the free software", "the free software"),
    ],
)
def test_words_are_joined(language: str, mixed: bool, target: str, text: str) -> None:
    english = Preprocessor(Preprocessing(language="en", case="keep"))
    assert cutting(language, mixed=mixed).restore([target.split()], english.prepare("something else")) == text


def test_tags_and_placeholders_of_a_spaced_source() -> None:
    english = Preprocessor(Preprocessing(language="en", case="keep"))
    prepared = english.prepare("a <i>free</i> software")
    links = [(0, 0), (2, 1), (4, 2)]
    assert cutting("zh").restore([["一个", "自由", "软件"]], prepared, [links]) == "一个<i>自由</i>软件"


def test_a_blank_that_was_copied_is_no_word_elsewhere() -> None:
    thai = cutting("th").prepare("เป็น ซอฟต์แวร์")
    english = Preprocessor(Preprocessing(language="en", case="keep"))
    assert english.restore([["is", BLANK, "software"]], thai) == "is software"


def test_habits_are_learned() -> None:
    assert habit_of_blanks(["使用 APT 管理", "在 GNU 下"])
    assert not habit_of_blanks(["使用APT管理"])
    peer("icu4py")
    trained = Preprocessor.train(Preprocessing(language="zh", case="keep"), ["使用APT管理"])
    assert (trained.settings.segment, trained.settings.mixed_blanks) == ("words", False)
