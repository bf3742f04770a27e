"""Metrics fit the text that they are given, or say that they do not."""

from __future__ import annotations

from dragoman.metrics.fitting import fitting
from dragoman.metrics.report import score

CHINESE = ["这是一本书。", "我们在家里读书。"]
JAPANESE = ["これは本です。", "家で本を読みます。"]


def test_text_without_blanks_is_cut() -> None:
    chosen, warnings = fitting(["bleu", "ter", "chrf", "bleu - ter"], CHINESE)
    assert chosen["bleu"].to_dict()["tokenize"] == "zh"
    assert chosen["ter"].to_dict()["asian"]
    assert "tok:zh" in chosen["bleu - ter"].signature
    assert any("cuts them by `zh`" in warning for warning in warnings)
    assert fitting("bleu", JAPANESE)[0]["bleu"].to_dict()["tokenize"] == "char"
    assert fitting("bleu", ["a house"])[1] == []


def test_what_was_asked_for_is_done_and_told() -> None:
    chosen, warnings = fitting("bleu:tokenize=13a", CHINESE)
    assert chosen["bleu:tokenize=13a"].to_dict()["tokenize"] == "13a"
    assert any("takes what stands between blanks for a word" in warning for warning in warnings)


def test_words_of_a_sentence_without_blanks_are_compared() -> None:
    report = score([line[:-2] + "。" for line in CHINESE], CHINESE, ["bleu"], confidence=None)
    assert report["system", "bleu"].value > 40  # one word a sentence would give 0
    assert report.warnings


def test_meteor_takes_the_language_or_says_that_it_has_none() -> None:
    chosen, warnings = fitting(["meteor", "meteor-1.5"], ["ein Haus"], language="de")
    assert chosen["meteor"].to_dict()["language"] == "de"
    assert chosen["meteor-1.5"].to_dict()["language"] == "de"
    assert warnings == []
    chosen, warnings = fitting("meteor", ["ein Haus"])
    assert chosen["meteor"].to_dict()["language"] == "en"
    assert "English" in warnings[0]
    assert fitting("meteor:language=fr", ["x"], language="de")[0]["meteor:language=fr"].to_dict()["language"] == "fr"
    assert fitting("meteor-1.5", ["x"], language="sw")[0]["meteor-1.5"].to_dict()["language"] == "other"
