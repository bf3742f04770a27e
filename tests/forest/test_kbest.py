from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError
from dragoman.forest import Forest, ForestBuilder, feature_matrix
from tests import brute_force
from tests.strategies import small_forests


@given(small_forests(), st.integers(0, 250))
def test_the_k_best_in_order(forest: Forest, k: int) -> None:
    trees = sorted(brute_force.derivations(forest), key=lambda tree: tree.key)
    found = forest.kbest(k)
    assert [tuple(d.edges.tolist()) for d in found] == [tree.edges for tree in trees[:k]]
    assert [d.score for d in found] == pytest.approx([tree.score for tree in trees[:k]])


@given(small_forests(ties=True))
def test_ties_are_ordered_by_edges(forest: Forest) -> None:
    trees = sorted(brute_force.derivations(forest), key=lambda tree: tree.key)
    assert [tuple(d.edges.tolist()) for d in forest.derivations()] == [tree.edges for tree in trees]
    if trees:
        assert tuple(forest.best().edges.tolist()) == trees[0].edges


@given(small_forests(ties=True, vocabulary=("a",), most_words=2), st.integers(1, 20))
def test_distinct_targets(forest: Forest, k: int) -> None:
    first: dict[tuple[str, ...], tuple[int, ...]] = {}
    trees = sorted(brute_force.derivations(forest), key=lambda tree: tree.key)
    for tree in trees:
        first.setdefault(tree.target, tree.edges)
    found = forest.kbest(k, distinct=True)
    assert [(d.target, tuple(d.edges.tolist())) for d in found] == list(first.items())[:k]
    few = forest.kbest(k, distinct=True, most_pops=3)
    assert len(few) == min(k, len({tree.target for tree in trees[:3]}))


@pytest.mark.slow
@given(small_forests(max_derivations=100))
def test_a_derivation_says_what_its_edges_say(forest: Forest) -> None:
    for tree in brute_force.derivations(forest):
        derivation = forest.derivation(tree.edges)
        assert derivation.target == tree.target
        assert set(derivation.links) == tree.links
        assert list(derivation.links) == sorted(tree.links)
        assert derivation.features == pytest.approx(tree.features)
        assert derivation.score == pytest.approx(tree.score)
        weights = {"lm": 0.5, "tm": -2.0, "nothing": 1.0}
        assert derivation.rescore(weights) == pytest.approx(
            sum(weights.get(name, 0) * value for name, value in tree.features.items())
        )
        assert derivation.rescore(weights) == pytest.approx(forest.reweight(weights).derivation(tree.edges).score)
        assert [step.edge for step in derivation.steps] == list(tree.edges)
        assert sum(step.score for step in derivation.steps) == pytest.approx(derivation.score)
        assert len(list(derivation.lines())) == len(tree.edges)


@given(small_forests())
def test_feature_matrix_of_a_list(forest: Forest) -> None:
    derivations = forest.kbest(30)
    starts, ids, values = feature_matrix(derivations)
    for derivation, start, end in zip(derivations, starts[:-1], starts[1:], strict=True):
        names = [forest.features.word(feature) for feature in ids[start:end].tolist()]
        assert dict(zip(names, values[start:end].tolist(), strict=True)) == derivation.features
        assert ids[start:end].tolist() == sorted(set(ids[start:end].tolist()))


def test_derivations_of_one_forest_only() -> None:
    build = ForestBuilder()
    goal = build.add_node()
    build.add_edge(goal, "a")
    one, other = build.finish(goal), build.finish(goal)
    with pytest.raises(InputError, match="different forests"):
        feature_matrix([one.best(), other.best()])
    for edges in ([], [0, 0], [7]):
        with pytest.raises(InputError, match=r"edges are missing|left over|no such edge"):
            one.derivation(edges)


def test_many_derivations_of_a_large_forest_are_found_one_by_one() -> None:
    """2^40 derivations; the best ones flip the cheapest choices."""
    build = ForestBuilder()
    nodes = [build.add_node() for _ in range(41)]
    build.add_edge(nodes[0], [])
    for number in range(40):
        build.add_edge(nodes[number + 1], [0, "keep"], [nodes[number]], score=0.0)
        build.add_edge(nodes[number + 1], [0, f"flip{number}"], [nodes[number]], score=-(2.0**number))
    forest = build.finish(nodes[40])
    assert [d.score for d in islice(forest.derivations(), 1000)] == [-float(number) for number in range(1000)]
