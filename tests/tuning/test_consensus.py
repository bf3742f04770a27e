"""Choosing and voting: the majority wins where the definition says so."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import LengthMismatch, SettingError
from dragoman.lm import estimate
from dragoman.metrics import get_metric
from dragoman.tuning.consensus import agreement, confusion_network, select, select_from_lists, vote
from dragoman.tuning.nbest import ScoredText

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
    assert select(OUTPUTS, weights=[0, 0, 1]) == OUTPUTS[2]  # a system that alone counts is heard


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
def test_single_outputs_are_lists_of_one(pairs: list[tuple[str, str]]) -> None:
    """Agreement with the others decides: what a system says of itself is the same for all."""
    outputs = [list(pair) for pair in pairs]
    best = np.round(agreement(outputs), 9).argmax(axis=0).tolist()
    assert select(outputs) == [outputs[system][sentence] for sentence, system in enumerate(best)]
    lists = [[[ScoredText(text, -3.0 * place)] for place, text in enumerate(output)] for output in outputs]
    assert select_from_lists(lists) == select(outputs)


METRICS = ["bleu+1:tokenize=none", "ter"]
LIST = st.lists(st.builds(ScoredText, WORDS, st.floats(-3, 3)), max_size=4)


@pytest.mark.slow
@given(st.lists(LIST, min_size=1, max_size=3), st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from(METRICS))
def test_pooled_lists_by_brute_force(systems: list[list[ScoredText]], scale: float, metric: str) -> None:
    weights = [1.0, 2.0, 0.5][: len(systems)]
    measure = get_metric(metric)
    sign = 1 if measure.higher_is_better else -1
    found = select_from_lists([[each] for each in systems], metric=metric, scale=scale, weights=weights)
    evidence = [
        (each.text, weight * math.exp(scale * each.score) / sum(math.exp(scale * one.score) for one in candidates))
        for candidates, weight in zip(systems, weights, strict=True)
        for each in candidates
    ]
    expected = {
        text: sum(part * sign * measure.sentence_scores([text], [reference])[0] for reference, part in evidence)
        for text, _ in evidence
    }
    if not evidence:
        assert found == [""]
    else:
        assert expected[found[0]] == pytest.approx(max(expected.values()), abs=1e-9)


def test_lists_bring_what_no_system_puts_first() -> None:
    one = [ScoredText("a b c x", -1.0), ScoredText("a b c d", -1.1)]
    two = [ScoredText("y b c d", -1.0), ScoredText("a b c d", -1.1)]
    assert select_from_lists([[one], [two]]) == ["a b c d"]
    assert select_from_lists([[one], [two]], scale=100.0) == ["a b c x"]  # each is sure of its first
    assert select_from_lists([[one], [[]]], scale=100.0) == ["a b c x"]
    assert select_from_lists([[one], [[]]], weights=[0, 1]) == [""]
    with pytest.raises(SettingError, match="scale"):
        select_from_lists([[one]], scale=-1.0)


def test_columns_of_a_network() -> None:
    columns = confusion_network(["a b c", "a x c d", "b c"], [0.5, 0.25, 0.25], 0)
    assert [dict(column) for column in columns] == [
        {"a": 0.75, "": 0.25},
        {"b": 0.75, "x": 0.25},
        {"c": 1.0},
        {"": 0.75, "d": 0.25},
    ]


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
