from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from dragoman.errors import InputError, UnknownName
from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.inside import (
    entropy,
    expected_features,
    gain_expectation,
    inside,
    max_marginals,
    moments,
    outside,
    posteriors,
)
from tests import brute_force
from tests.strategies import small_forests


@given(small_forests())
def test_inside_is_the_sum_over_derivations(forest: Forest) -> None:
    scores = [tree.score for tree in brute_force.derivations(forest)]
    if scores:
        assert forest.inside("log") == pytest.approx(brute_force.log_sum(scores), abs=1e-9)
        assert forest.inside("max") == pytest.approx(max(scores), abs=1e-9)


@given(small_forests())
def test_posteriors_count_uses(forest: Forest) -> None:
    """Also where one node or edge is used twice by a derivation."""
    trees = brute_force.derivations(forest)
    if not trees:
        return
    uses: Counter[int] = Counter()
    best: dict[int, float] = {}
    for tree, probability in zip(trees, brute_force.probabilities(trees), strict=True):
        for edge in tree.edges:
            uses[edge] += probability  # type: ignore[assignment]
            best[edge] = max(best.get(edge, -math.inf), tree.score)
    found = posteriors(forest)
    assert found.log_partition == pytest.approx(brute_force.log_sum([tree.score for tree in trees]))
    assert found.edges.tolist() == pytest.approx([uses[edge] for edge in range(forest.edges)])
    heads = Counter[int]()
    for edge, amount in uses.items():
        heads[forest.edge(edge).head] += amount
    assert found.nodes.tolist() == pytest.approx([heads[node] for node in range(forest.nodes)])
    nodes, edges = max_marginals(forest)
    assert edges.tolist() == pytest.approx([best[edge] for edge in range(forest.edges)])
    assert nodes.tolist() == pytest.approx(
        [max(edges[edge] for edge in forest.edges_of(n)) for n in range(forest.nodes)]
    )


@given(small_forests(max_derivations=60))
def test_outside_is_the_derivative_of_inside(forest: Forest) -> None:
    """Raising the scores of a node's edges by h raises log Z by h times its posterior."""
    if not forest:
        return
    found = posteriors(forest)
    below, above = inside(forest, "log"), outside(forest, "log")
    for node in range(forest.nodes):
        assert math.exp(below[node] + above[node] - found.log_partition) == pytest.approx(found.nodes[node])
        h = 1e-6
        scores = forest.scores.copy()
        for edge in forest.edges_of(node):
            scores[edge] += h
        slope = (forest.rescore(scores).inside("log") - found.log_partition) / h
        assert slope == pytest.approx(found.nodes[node], abs=1e-4)


@pytest.mark.slow
@given(small_forests())
def test_outside_counts_completions(forest: Forest) -> None:
    trees = brute_force.derivations(forest)
    below, above = inside(forest, "count"), outside(forest, "count")
    for node in range(forest.nodes):
        uses = sum(forest.edge(edge).head == node for tree in trees for edge in tree.edges)
        assert below[node] * above[node] == uses
    assert all(outside(forest, "boolean") == 1)


@given(small_forests())
@pytest.mark.slow
def test_expected_features_and_entropy(forest: Forest) -> None:
    trees = brute_force.derivations(forest)
    if not trees:
        return
    shares = brute_force.probabilities(trees)
    expected = expected_features(forest).to_dict()
    assert set(expected) == {name for tree in trees for name in tree.features}
    for name, value in expected.items():
        mean = math.fsum(p * tree.features.get(name, 0.0) for p, tree in zip(shares, trees, strict=True))
        assert value == pytest.approx(mean, abs=1e-9)
    assert entropy(forest) == pytest.approx(-math.fsum(p * math.log(p) for p in shares if p > 0), abs=1e-9)


@given(small_forests())
def test_covariance_with_a_gain_is_the_gradient_of_its_mean(forest: Forest) -> None:
    trees = brute_force.derivations(forest)
    if not trees:
        return
    gains = np.cos(np.arange(forest.edges) * 1.7)  # anything
    shares = brute_force.probabilities(trees)
    values = [math.fsum(gains[edge] for edge in tree.edges) for tree in trees]
    mean = math.fsum(p * value for p, value in zip(shares, values, strict=True))
    found = gain_expectation(forest, gains)
    assert found.mean == pytest.approx(mean, abs=1e-9)
    for name, covariance in found.covariance.to_dict().items():
        features = [tree.features.get(name, 0.0) for tree in trees]
        expected = math.fsum(
            p * (value - mean) * feature for p, value, feature in zip(shares, values, features, strict=True)
        )
        assert covariance == pytest.approx(expected, abs=1e-8)
    second = np.sin(np.arange(forest.edges) * 0.9)
    others = [math.fsum(second[edge] for edge in tree.edges) for tree in trees]
    other = math.fsum(p * value for p, value in zip(shares, others, strict=True))
    both = moments(forest, gains, second)
    assert [both.first, both.second] == pytest.approx([mean, other], abs=1e-9)
    covariance = math.fsum(p * (a - mean) * (b - other) for p, a, b in zip(shares, values, others, strict=True))
    assert both.covariance == pytest.approx(covariance, abs=1e-8)


@given(small_forests(max_derivations=50))
def test_gradient_of_the_entropy(forest: Forest) -> None:
    """d entropy / d w = - Cov(score, features)."""
    weights = {"lm": 0.3, "tm": -0.2, "words": 0.5}
    scored = forest.reweight(weights)
    gradient = gain_expectation(scored, scored.scores).covariance.to_dict()
    for name, slope in gradient.items():
        up, down = ({**weights, name: weights[name] + h} for h in (1e-5, -1e-5))
        change = (entropy(forest.reweight(up)) - entropy(forest.reweight(down))) / 2e-5
        assert change == pytest.approx(-slope, abs=1e-5)


def test_expected_bleu_worked_example() -> None:
    """Gradient of the expected gain over three candidates, as in tuning by expected BLEU (finite differences agree)."""
    build = ForestBuilder(weights={"x": 0.3, "y": -0.1})
    goal = build.add_node()
    gains = {"one": 0.2, "two": 0.6, "three": 0.4}
    for word, features in (("one", {"x": 1.0}), ("two", {"y": 1.0}), ("three", {"x": 1.0, "y": 1.0})):
        build.add_edge(goal, word, features=features)
    found = gain_expectation(build.finish(goal), lambda edge: gains[str(edge.target[0])])
    assert found.mean == pytest.approx(0.374395, abs=1e-6)
    assert found.covariance.to_dict() == pytest.approx({"x": -0.058725, "y": 0.067722}, abs=1e-6)


def test_far_apart_features_are_summed_too() -> None:
    build = ForestBuilder()
    for number in range(50_000):
        build.features.intern(f"filler{number}")
    goal = build.add_node()
    build.add_edge(goal, "a", features={"filler3": 2.0, "late": 1.0}, score=0.0)
    build.add_edge(goal, "b", features={"late": 3.0}, score=0.0)
    assert expected_features(build.finish(goal)).to_dict() == pytest.approx({"filler3": 1.0, "late": 2.0})


def test_very_different_scores_do_not_overflow() -> None:
    build = ForestBuilder()
    goal = build.add_node()
    for score in (-1e5, 1e5, 0.0):
        build.add_edge(goal, "a", score=score, features={"f": score})
    forest = build.finish(goal)
    assert forest.inside("log") == 1e5
    assert expected_features(forest).to_dict() == {"f": 1e5}
    assert entropy(forest) == 0.0
    assert gain_expectation(forest, np.array([1.0, 2.0, 3.0])).mean == 2.0


def test_mistakes_are_named() -> None:
    build = ForestBuilder()
    build.add_edge(build.add_node(), "a")
    forest = build.finish(0)
    with pytest.raises(UnknownName, match="no semiring is called 'nonsense'; choose from log, max"):
        forest.inside("nonsense")
    with pytest.raises(InputError, match="2 values for 1 edges"):
        gain_expectation(forest, np.zeros(2))
