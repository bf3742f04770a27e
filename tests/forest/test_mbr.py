from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError, SettingError, UnknownName
from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.mbr import NgramExpectations, consensus, expected_gains, linear_factors, minimum_bayes_risk
from tests import brute_force
from tests.strategies import small_forests


def overlap(hypothesis: tuple[str, ...], reference: tuple[str, ...]) -> float:
    return sum((Counter(hypothesis) & Counter(reference)).values()) / max(len(hypothesis), len(reference), 1)


@given(small_forests(max_derivations=40), st.floats(0.1, 3))
def test_minimum_bayes_risk_over_a_list(forest: Forest, scale: float) -> None:
    candidates = forest.kbest(30)
    if not candidates:
        return
    weights = [math.exp(scale * (c.score - candidates[0].score)) for c in candidates]
    means = [
        sum(w * overlap(h.target, r.target) for w, r in zip(weights, candidates, strict=True)) / sum(weights)
        for h in candidates
    ]
    choice = minimum_bayes_risk(candidates, overlap, scale=scale)
    assert choice.gains.tolist() == pytest.approx(means)
    assert choice.gain == pytest.approx(max(means))
    assert choice.derivation is candidates[choice.index]
    calls: list[tuple[str, ...]] = []
    counted = minimum_bayes_risk(
        candidates,
        lambda h, r: sum((h & r).values()),
        prepare=lambda target: (calls.append(target), Counter(target))[1],  # type: ignore[func-returns-value]
        scale=scale,
    )
    assert len(calls) == len({c.target for c in candidates})
    assert counted.gain >= counted.gains[0]


@pytest.mark.slow
@given(small_forests(max_derivations=80, vocabulary=("a", "b")), st.integers(1, 4))
def test_expected_ngram_counts(forest: Forest, order: int) -> None:
    trees = brute_force.derivations(forest)
    if not trees:
        return
    counts: dict[tuple[str, ...], float] = {}
    present: dict[tuple[str, ...], float] = {}
    length = 0.0
    for tree, p in zip(trees, brute_force.probabilities(trees), strict=True):
        grams = Counter(brute_force.ngrams(tree.target, order))
        for gram, times in grams.items():
            counts[gram] = counts.get(gram, 0.0) + p * times
            present[gram] = present.get(gram, 0.0) + p
        length += p * len(tree.target)
    found = NgramExpectations(forest, order)
    assert found.length == pytest.approx(length)
    assert found.counts() == pytest.approx(counts)
    assert found.occurrence() == pytest.approx(present, abs=1e-9)
    assert found.occurrence(threads=3) == found.occurrence()


@given(small_forests(max_derivations=60), st.floats(0.5, 2))
def test_consensus_gains(forest: Forest, scale: float) -> None:
    trees = brute_force.derivations(forest.scale(scale))
    if not trees:
        return
    expectations = NgramExpectations(forest, scale=scale)
    counts, present = expectations.counts(), expectations.occurrence()
    choice = consensus(forest, scale=scale, k=50)
    candidates = forest.kbest(50, distinct=True)
    assert choice.derivation == candidates[int(np.argmax(choice.gains))]
    factors = linear_factors()
    linear = consensus(forest, gain="linear", scale=scale, k=50)
    for candidate, bleu, gain in zip(candidates, choice.gains, linear.gains, strict=True):
        grams = Counter(brute_force.ngrams(candidate.target, 4))
        expected = factors[0] * len(candidate.target)
        expected += sum(times * factors[len(gram)] * present[gram] for gram, times in grams.items())
        assert gain == pytest.approx(expected)
        product = 1.0
        for n in range(1, 5):
            matches = sum(min(times, counts[gram]) for gram, times in grams.items() if len(gram) == n)
            total = max(0, len(candidate.target) - n + 1)
            product *= (matches + (n > 1)) / (total + (n > 1)) if total + (n > 1) else 0.0
        if candidate.target:
            penalty = min(0.0, 1 - expectations.length / len(candidate.target))
            assert bleu == pytest.approx(product**0.25 * math.exp(penalty))
        else:
            assert bleu == 0.0


def test_consensus_prefers_what_most_derivations_say() -> None:
    """The best derivation stands alone; three others agree with each other."""
    build = ForestBuilder()
    goal = build.add_node()
    build.add_edge(goal, "odd words here", score=math.log(0.31))
    for ending, p in (("sat", 0.23), ("sits", 0.23), ("slept", 0.23)):
        build.add_edge(goal, f"the cat {ending}", score=math.log(p))
    forest = build.finish(goal)
    assert forest.best().text == "odd words here"
    for gain in ("bleu", "linear"):
        assert consensus(forest, gain=gain).derivation.text == "the cat sat"
    assert minimum_bayes_risk(forest.kbest(9), overlap).derivation.text == "the cat sat"


def test_nodes_that_differ_by_their_ends_are_not_split_again() -> None:
    """As after decoding with a language model: then expectations cost one pass over the forest."""
    build = ForestBuilder()
    goal = build.add_node()
    parts = {}
    for side in "lr":
        for first in "ab":
            for last in "cd":
                parts[side, first, last] = build.add_node()
                for middle in ("x y", "y", "z z z"):
                    build.add_edge(parts[side, first, last], f"{first} {first} {middle} {last} {last}", score=-0.1)
    for (_, *left), node in list(parts.items())[:4]:
        for (_, *right), other in list(parts.items())[4:]:
            build.add_edge(goal, [1, "m", 0], [node, other], score=-0.1 * (left == right))
    forest = build.finish(goal)
    assert NgramExpectations(forest, 3).edges == forest.edges
    assert NgramExpectations(forest, 4).edges > forest.edges
    assert NgramExpectations(forest, 1).edges == forest.edges


def test_lattices_are_split_by_their_last_words_only() -> None:
    build = ForestBuilder()
    nodes = [build.add_node() for _ in range(6)]
    build.add_edge(nodes[0], [])
    for number in range(5):
        for word in "abc":
            build.add_edge(nodes[number + 1], [0, word], [nodes[number]])
    forest = build.finish(nodes[5])
    assert NgramExpectations(forest, 2).edges == 1 + 3 + 3 * 3 * 4  # the choice and the word before it


def test_linear_factors() -> None:
    """Tromble et al. (2008): unigram precision 0.85, ratio 0.72."""
    assert linear_factors() == pytest.approx([-1.0, 0.294118, 0.408497, 0.567357, 0.787995], abs=1e-6)


def test_mistakes_are_refused() -> None:
    build = ForestBuilder()
    goal = build.add_node()
    build.add_edge(goal, "a b")
    forest = build.finish(goal)
    with pytest.raises(UnknownName, match="choose bleu or linear"):
        consensus(forest, gain="taste")
    with pytest.raises(SettingError, match="order is 0"):
        NgramExpectations(forest, 0)
    with pytest.raises(SettingError, match="factor"):
        NgramExpectations(forest).linear(forest.kbest(1), [1.0])
    with pytest.raises(InputError, match="one column per score"):
        expected_gains([[1.0, 2.0]], [0.0])
    with pytest.raises(InputError, match="no candidates"):
        minimum_bayes_risk([], overlap)
    with pytest.raises(InputError, match="prune the forest first"):
        NgramExpectations(forest, most_edges=0)
