from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from scipy.stats import chisquare

from dragoman.forest import Forest
from tests import brute_force
from tests.strategies import small_forests


@pytest.mark.slow
@settings(max_examples=40)
@given(small_forests(max_derivations=30))
def test_samples_follow_the_probabilities(forest: Forest) -> None:
    trees = brute_force.derivations(forest)
    if not trees:
        return
    count = 2000
    drawn = Counter(tuple(d.edges.tolist()) for d in forest.sample(count, seed=1))
    expected = dict(zip((t.edges for t in trees), brute_force.probabilities(trees), strict=True))
    assert set(drawn) <= set(expected)
    # Cells of fewer than five expected draws are put together, as the test demands.
    rare = [edges for edges, p in expected.items() if p * count < 5]
    cells = [(drawn[edges], p * count) for edges, p in expected.items() if edges not in rare]
    cells.append((sum(drawn[edges] for edges in rare), sum(expected[edges] for edges in rare) * count))
    cells = [(seen, mean) for seen, mean in cells if mean > 1e-9]
    if len(cells) > 1:
        assert chisquare([seen for seen, _ in cells], [mean for _, mean in cells]).pvalue > 1e-5


@pytest.mark.slow
@given(small_forests())
def test_draws_are_numbered(forest: Forest) -> None:
    """The same for any number of threads, and a longer list starts like a shorter one."""
    if not forest:
        return
    whole = [d.edges.tolist() for d in forest.sample(600, seed=7)]
    assert [d.edges.tolist() for d in forest.sample(600, seed=7, threads=3)] == whole
    assert [d.edges.tolist() for d in forest.sample(100, seed=7, first=500)] == whole[500:]
    assert forest.sample(0, seed=7) == []
    assert [d.edges.tolist() for d in forest.sample(5, seed=7 - 2**64)] == whole[:5]


@pytest.mark.slow
@given(small_forests(max_derivations=20))
def test_sharpened_forests_give_their_best(forest: Forest) -> None:
    scores = sorted((tree.score for tree in brute_force.derivations(forest)), reverse=True)
    if scores and (len(scores) == 1 or scores[0] - scores[1] > 0.1):
        best = forest.best()
        assert all(d.target == best.target for d in forest.scale(1000.0).sample(20, seed=3))
