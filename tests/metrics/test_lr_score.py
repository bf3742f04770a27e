"""LRscore against its definition."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest

from dragoman.errors import InputError, LengthMismatch
from dragoman.metrics.lr_score import LrScore, OrderedPair, hamming, kendall, order_of


def test_the_worked_example() -> None:
    """Graham (2013): two of six pairs stand the other way round, and the translation is a word short."""
    monotone = tuple((i, i) for i in range(4))
    reference = ((0, 0), (1, 3), (2, 1), (3, 2))
    pair = OrderedPair(4, (4, monotone), ((5, reference),))
    assert LrScore(brevity=False).sentence(pair) == pytest.approx(1 - math.sqrt(1 / 3))
    assert LrScore().sentence(pair) == pytest.approx(0.32916, abs=1e-5)
    assert LrScore().corpus([pair]) == pytest.approx(32.916, abs=1e-3)
    assert LrScore(distance="hamming", brevity=False).sentence(pair) == 0.25
    assert LrScore(alpha=0.25).corpus([pair], bleu=20.0) == pytest.approx(0.25 * 32.916 + 15, abs=1e-3)


def test_words_without_links_follow_the_word_before() -> None:
    links = [(0, 8), (1, 0), (3, 2), (3, 3), (4, 5), (5, 5), (6, 5), (7, 7)]
    assert order_of(links, 8) == (7, 0, 1, 2, 3, 4, 5, 6)
    assert order_of([], 3) == (0, 1, 2)


@pytest.mark.parametrize("seed", range(30))
def test_kendall_equals_its_definition(seed: int) -> None:
    random = Random(seed)
    size = random.randint(2, 12)
    one, other = (random.sample(range(size), size) for _ in range(2))
    against = sum(one[i] < one[j] and other[i] > other[j] for i, j in itertools.permutations(range(size), 2))
    assert kendall(one, other) == pytest.approx(1 - math.sqrt(against / (size * (size - 1) / 2)))
    assert kendall(one, other) == pytest.approx(kendall(other, one))
    assert kendall(one, one) == hamming(one, one) == 1
    assert kendall(range(size), range(size - 1, -1, -1)) == 0


def test_the_best_of_several_references_counts() -> None:
    straight, swapped = ((0, 0), (1, 1)), ((0, 1), (1, 0))
    pair = OrderedPair(2, (2, straight), ((2, swapped), (2, straight)))
    assert LrScore().sentence(pair) == 1
    assert LrScore(references="mean").sentence(pair) == 0.5


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(LengthMismatch):
        kendall((0, 1), (0,))
    with pytest.raises(InputError, match="source word 3 of 2"):
        order_of([(3, 0)], 2)
    with pytest.raises(InputError, match="no BLEU"):
        LrScore(alpha=0.5).corpus([OrderedPair(1, (1, ()), ((1, ()),))])
    assert LrScore().sentence(OrderedPair(2, (0, ()), ((2, ()),))) == 0
    assert kendall((0,), (0,)) == 1
