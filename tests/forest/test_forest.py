from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman._native.common import Vocabulary
from dragoman.errors import InputError, SettingError
from dragoman.forest import Forest, ForestBuilder, union
from tests import brute_force
from tests.strategies import small_forests


def chain(choices: int) -> Forest:
    """A lattice of binary choices, one after the other."""
    build = ForestBuilder()
    nodes = [build.add_node() for _ in range(choices + 1)]
    build.add_edge(nodes[0], [])
    for before, after in pairwise(nodes):
        for word in ("x", "y"):
            build.add_edge(after, [0, word], [before], score=0.25)
    return build.finish(nodes[-1])


@given(small_forests())
def test_a_forest_is_sorted_and_trimmed(forest: Forest) -> None:
    used = set()
    for number in range(forest.edges):
        edge = forest.edge(number)
        assert all(tail < edge.head for tail in edge.tails)
        assert number in forest.edges_of(edge.head)
        used |= set(edge.tails)
    if forest:
        assert used == set(range(forest.nodes - 1))
        assert all(len(forest.edges_of(node)) > 0 for node in range(forest.nodes))
    trees = brute_force.derivations(forest)
    assert {edge for tree in trees for edge in tree.edges} == set(range(forest.edges))
    assert bool(trees) == bool(forest)


def test_what_was_added_is_there() -> None:
    build = ForestBuilder("a b c", weights={"tm": 2.0, "lm": 0.5})
    goal = build.add_node(0, 3, category=7, coverage=[0, 1, 2])
    part = build.add_node(0, 1, coverage=[0])
    dead = build.add_node(1, 2, coverage=[1])
    build.add_edge(goal, ["x", 0, "y"], [part], rule=5, span=(1, 3), features={"tm": -1.0, "lm": 3.0}, links=[(1, 2)])
    build.add_edge(part, "z")
    build.add_edge(goal, [0], [dead])
    forest = build.finish(goal)
    assert (forest.nodes, forest.edges, forest.source) == (2, 2, ("a", "b", "c"))
    edge = forest.edge(1)
    assert (edge.head, edge.tails, edge.target) == (1, (0,), ("x", 0, "y"))
    assert (edge.rule, edge.span, edge.features, edge.links) == (5, (1, 3), {"tm": -1.0, "lm": 3.0}, ((1, 2),))
    assert edge.score == -0.5
    node = forest.node(1)
    assert (node.start, node.end, node.category, node.coverage) == (0, 3, 7, frozenset({0, 1, 2}))
    best = forest.best()
    assert (best.text, best.links, best.score) == ("x z y", ((2, 2),), -0.5)


def test_nodes_and_edges_keep_the_decoders_order() -> None:
    """A decoder that adds tails first gets its own numbers back, less what was dropped."""
    build = ForestBuilder()
    nodes = [build.add_node(number, number + 1) for number in range(5)]
    for node in (0, 1, 3):
        build.add_edge(nodes[node], f"w{node}", rule=node)
    build.add_edge(nodes[4], [0, 1, 2], [nodes[3], nodes[0], nodes[1]], rule=9)
    build.add_edge(nodes[4], [0], [nodes[0]], rule=8)
    forest = build.finish(nodes[4])
    assert [forest.node(node).start for node in range(forest.nodes)] == [0, 1, 3, 4]
    assert [forest.edge(edge).rule for edge in range(forest.edges)] == [0, 1, 3, 9, 8]


def test_a_dead_edge_does_not_count_in_sorting() -> None:
    build = ForestBuilder()
    goal, middle, left, right, dead = (build.add_node(number, number + 1) for number in range(5))
    build.add_edge(left, "x")
    build.add_edge(right, "y")
    build.add_edge(middle, [0, 1], [left, dead])
    build.add_edge(middle, [0], [right])
    build.add_edge(goal, [0, 1], [middle, left])
    forest = build.finish(goal)
    assert [forest.node(node).start for node in range(forest.nodes)] == [left, right, middle, goal]
    assert forest.best().text == "y x"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"head": 7, "target": "a"}, "the head is not a node"),
        ({"head": 0, "target": [0], "tails": [9]}, "a tail is not a node"),
        ({"head": 0, "target": "a", "tails": [0]}, "every tail once"),
        ({"head": 0, "target": [0, 0], "tails": [0]}, "a tail twice"),
        ({"head": 0, "target": [1], "tails": [0]}, "a tail that the edge does not have"),
        ({"head": 0, "target": "a", "score": math.nan}, "the score is not a finite number"),
        ({"head": 0, "target": "a", "features": {"f": math.inf}}, "not a finite number"),
        ({"head": 0, "target": "a", "span": (3, 2)}, "ends before it starts"),
        ({"head": 0, "target": "a", "span": (0, 1), "links": [(1, 0)]}, "leaves the source span"),
        ({"head": 0, "target": "a", "span": (0, 1), "links": [(0, 1)]}, "no word of the target"),
    ],
)
def test_what_no_forest_may_hold_is_refused(arguments: dict[str, object], what: str) -> None:
    build = ForestBuilder("s t")
    build.add_node()
    with pytest.raises(InputError, match=what):
        build.add_edge(**arguments)  # type: ignore[arg-type]


def test_a_cycle_is_named() -> None:
    build = ForestBuilder()
    a, b, c = build.add_node(), build.add_node(), build.add_node()
    build.add_edge(a, "x")
    build.add_edge(a, [0], [b])
    build.add_edge(b, [0], [a])
    build.add_edge(c, [0], [b])
    with pytest.raises(InputError, match="a cycle: 0 <- 1 <- 0"):
        build.finish(c)


def test_a_cycle_that_no_derivation_uses_is_dropped() -> None:
    build = ForestBuilder()
    a, b, c = build.add_node(), build.add_node(), build.add_node()
    build.add_edge(a, [0], [b])
    build.add_edge(b, [0], [a])
    build.add_edge(c, "x")
    assert build.finish(c).count() == 1


def test_without_derivations_there_is_an_empty_forest() -> None:
    build = ForestBuilder()
    a, b = build.add_node(), build.add_node()
    build.add_edge(b, [0], [a])
    forest = build.finish(b)
    assert not forest
    assert (forest.nodes, forest.count(), forest.kbest(3), forest.inside("log")) == (0, 0, [], -math.inf)
    assert list(forest.derivations()) == []
    assert not forest.prune(margin=1)
    with pytest.raises(InputError, match="no derivation"):
        forest.best()
    with pytest.raises(InputError, match="no derivation"):
        forest.sample(1, seed=1)


def test_coverage_is_for_all_nodes_or_none() -> None:
    build = ForestBuilder("a b")
    build.add_node(coverage=[0])
    with pytest.raises(InputError, match="coverage sets of different sizes"):
        build.add_node()
    with pytest.raises(InputError, match="outside the source"):
        build.add_node(coverage=[2])


def test_a_goal_must_exist() -> None:
    with pytest.raises(InputError, match="the goal is not a node"):
        ForestBuilder().finish(0)


@given(small_forests(), st.dictionaries(st.sampled_from(["lm", "tm", "words", "other"]), st.floats(-2, 2)))
def test_reweighting_scores_by_weights_and_features(forest: Forest, weights: dict[str, float]) -> None:
    again = forest.reweight(weights)
    for tree in brute_force.derivations(again):
        assert tree.score == pytest.approx(sum(weights.get(name, 0) * value for name, value in tree.features.items()))
    vector = np.zeros(len(forest.features))
    for name, weight in weights.items():
        if name in forest.features:
            vector[forest.features.id(name)] = weight
    assert np.array_equal(forest.reweight(vector).scores, again.scores)
    assert np.array_equal(forest.reweight(vector[:2]).scores, forest.reweight(np.pad(vector[:2], (0, 9))).scores)


def test_weights_must_be_finite() -> None:
    forest = chain(1)
    with pytest.raises(SettingError, match="the weight of 'lm' is nan"):
        forest.reweight({"lm": math.nan})
    with pytest.raises(SettingError, match="finite"):
        forest.reweight(np.array([0.0, math.inf]))
    with pytest.raises(InputError, match="2 values for 3 edges"):
        forest.rescore(np.zeros(2))


@given(small_forests())
def test_counting(forest: Forest) -> None:
    trees = brute_force.derivations(forest)
    assert forest.count() == len(trees)
    assert forest.inside("count") == len(trees)
    assert forest.inside("boolean") == (len(trees) > 0)


@pytest.mark.parametrize("choices", [1, 30, 31, 32, 62, 64, 93, 200, 1500])
def test_large_counts_are_exact(choices: int) -> None:
    assert chain(choices).count() == 2**choices


@given(st.lists(small_forests(max_derivations=40), min_size=1, max_size=3), st.booleans())
def test_union_has_all_derivations_of_all(forests: list[Forest], shared: bool) -> None:
    forests = [Forest(f.native, words=f.words, features=f.features) for f in forests]  # of one sentence
    if shared:
        forests = [forests[0]] * len(forests)
    expected = sorted(
        (tree.target, round(tree.score, 9), sorted(tree.features.items()))
        for forest in forests
        for tree in brute_force.derivations(forest)
    )
    found = brute_force.derivations(union(forests))
    assert sorted((tree.target, round(tree.score, 9), sorted(tree.features.items())) for tree in found) == expected


def test_union_of_different_sentences_is_refused() -> None:
    with pytest.raises(InputError, match="different sentences"):
        union([_one("a"), _one("b")])
    with pytest.raises(InputError, match="no forests"):
        union([])


def _one(source: str) -> Forest:
    build = ForestBuilder(source)
    goal = build.add_node()
    build.add_edge(goal, source)
    return build.finish(goal)


@given(small_forests(), st.floats(0, 4), st.floats(0, 3), st.floats(0, 1))
def test_pruning_keeps_what_it_promises(forest: Forest, margin: float, density: float, posterior: float) -> None:
    trees = brute_force.derivations(forest)
    if not trees:
        return
    best = min(trees, key=lambda tree: tree.key)
    signature = {(tree.target, round(tree.score, 9)) for tree in trees}

    def kept(smaller: Forest) -> set[tuple[tuple[str, ...], float]]:
        return {(tree.target, round(tree.score, 9)) for tree in brute_force.derivations(smaller)}

    near = forest.prune(margin=margin)
    assert {key for key in signature if key[1] >= best.score - margin + 1e-6} <= kept(near) <= signature
    through: dict[int, float] = {}
    for tree in trees:
        for edge in tree.edges:
            through[edge] = max(through.get(edge, -math.inf), tree.score)
    cut = best.score - margin
    assert sum(score > cut + 1e-9 for score in through.values()) <= near.edges
    assert near.edges <= sum(score > cut - 1e-9 for score in through.values())
    dense = forest.prune(density=density)
    assert (best.target, round(best.score, 9)) in kept(dense)
    assert dense.edges <= max(density * max(len(best.target), 1), len(set(best.edges)))
    likely = forest.prune(posterior=posterior)
    assert (best.target, round(best.score, 9)) in kept(likely)
    assert kept(likely) <= signature
    assert forest.prune().edges == forest.edges


def test_settings_out_of_range_are_refused() -> None:
    forest = chain(2)
    for call in (
        lambda: forest.prune(margin=-1.0),
        lambda: forest.prune(density=math.nan),
        lambda: forest.prune(posterior=2.0),
        lambda: forest.kbest(-1),
        lambda: forest.sample(-1, seed=1),
    ):
        with pytest.raises(SettingError):
            call()


def test_a_deep_forest_needs_no_deep_stack() -> None:
    deep = chain(60_000)
    assert len(deep.best().target) == 60_000
    assert len(deep.kbest(3)) == 3
    assert len(deep.sample(1, seed=1)[0].target) == 60_000


def test_memory_is_a_few_numbers_per_edge() -> None:
    forest = chain(5_000)
    assert forest.native.bytes < 100 * forest.edges
    assert Vocabulary is type(forest.words)
