"""Choosing and voting: the majority wins where the definition says so."""

from __future__ import annotations

from itertools import product

import pytest

from dragoman.errors import LengthMismatch, SettingError
from dragoman.lm import estimate
from dragoman.metrics import get_metric
from dragoman.tuning.consensus import agreement, confusion_network, select, vote

OUTPUTS = [["the cat sat on the mat", "x y"], ["the cat sits on the mat", "x y"], ["a cat sat on the mat", "x z"]]


def test_agreement_is_the_mean_of_sentence_scores() -> None:
    bleu = get_metric("bleu+1:tokenize=none")
    found = agreement(OUTPUTS, weights=[2, 1, 1])
    for system, sentence in product(range(3), range(2)):
        pairs = ((weight, other) for other, weight in enumerate((0.5, 0.25, 0.25)) if other != system)
        by_hand = sum(
            weight * bleu.sentence_scores([OUTPUTS[system][sentence]], [OUTPUTS[other][sentence]])[0]
            for weight, other in pairs
        )
        assert found[system, sentence] == pytest.approx(by_hand)


def test_select_takes_the_output_that_others_agree_with() -> None:
    assert select(OUTPUTS) == ["the cat sat on the mat", "x y"]
    assert select(OUTPUTS, weights=[0, 0, 1])[1] in ("x y", "x z")


def test_columns_of_a_network() -> None:
    columns = confusion_network(["a b c", "a x c d", "b c"], [0.5, 0.25, 0.25], 0)
    assert [dict(column) for column in columns] == [
        {"a": 0.75, "": 0.25}, {"b": 0.75, "x": 0.25}, {"c": 1.0}, {"": 0.75, "d": 0.25},
    ]  # fmt: skip


def test_an_empty_output_votes_for_nothing() -> None:
    columns = confusion_network(["a b c", "", "a b c"], [0.4, 0.2, 0.4], 0)
    assert [dict(column) for column in columns] == [{"a": 0.8, "": 0.2}, {"b": 0.8, "": 0.2}, {"c": 0.8, "": 0.2}]
    assert vote([["a b", "", "x"], ["", "", "x"], ["a b", "", "x"]]) == ["a b", "", "x"]


def test_blocks_are_shifted_before_words_are_lined_up() -> None:
    columns = confusion_network(["a b c d e f", "d e f a b c"], [0.5, 0.5], 0)
    assert [dict(column) for column in columns] == [{word: 1.0} for word in "abcdef"]


def test_vote_follows_the_majority_and_the_model() -> None:
    outputs = [["the cat sat"], ["a cat sat"], ["the dog sat"], ["the cat ran"]]
    assert vote(outputs) == ["the cat sat"]
    assert vote(outputs, weights=[0, 1, 0, 0]) == ["a cat sat"]
    model = estimate(["a dog ran", "a dog ran", "a dog slept"], order=2).build()
    assert vote(outputs, language_model=model, model_weight=5.0) == ["a dog ran"]


def test_bad_input_is_refused() -> None:
    with pytest.raises(LengthMismatch):
        select([["a"], ["a", "b"]])
    with pytest.raises(SettingError):
        select([["a"]], weights=[1, 2])
    with pytest.raises(SettingError):
        select([])
