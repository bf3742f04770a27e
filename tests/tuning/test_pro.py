from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from dragoman.errors import SettingError
from dragoman.seeds import stream
from dragoman.tuning.dev import DevSet
from dragoman.tuning.losses import sample_pairs
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.pro import Pro, pairwise_loss
from tests.tuning.lists import random_pool, solvable_pool
from tests.tuning.problems import problem


def test_gradient() -> None:
    rng = np.random.default_rng(1)
    differences, weights = rng.normal(size=(7, 3)), rng.normal(size=3)
    numeric = approx_fprime(weights, lambda point: pairwise_loss(point, differences)[0], 1e-7)
    assert_allclose(pairwise_loss(weights, differences)[1], numeric, atol=1e-5)
    assert np.isfinite(pairwise_loss(1e4 * weights, differences)[0])


def test_separable_lists_are_ranked_right() -> None:
    pool, hidden = solvable_pool(2)
    found = Pro(sigma=10.0).optimize(problem(pool))
    assert pool.score(pool.weights(found.vector)) == pool.score(pool.weights(hidden)) == 1.0
    assert found.details["ranked_right"] == 1.0


def test_it_is_logistic_regression_with_a_gaussian_prior() -> None:
    pool = random_pool(5)
    tuner = Pro(sigma=0.5, samples=200, keep=10)
    found = tuner.optimize(problem(pool))
    lists = pool.lists()
    gains = pool.dev.sentence_gains(lists.statistics)
    pairs = []
    for sentence, (first, end) in enumerate(itertools.pairwise(lists.starts)):
        rng = stream(1, "pro", 0, sentence)
        pairs.append(first + sample_pairs(gains[first:end], rng, samples=200, pairs=10, threshold=0.05))
    better, worse = np.concatenate(pairs).T
    features = lists.features.toarray()
    differences = features[better] - features[worse]
    # At the optimum the gradient of loss and prior cancel out.
    gradient = pairwise_loss(found.vector, differences)[1] + found.vector / 0.25
    assert_allclose(gradient, 0, atol=2e-3)


def test_nothing_to_rank_changes_nothing() -> None:
    pool = NBestPool(random_pool(1).dev)
    pool.add((sentence, "a b", {"f0": 1.0}) for sentence in range(12))
    given_problem = problem(pool)
    assert Pro().optimize(given_problem).vector.tolist() == given_problem.start.tolist()


def test_rare_and_fixed_features_keep_their_weight() -> None:
    pool = random_pool(6)
    pool.add([(0, "a a a", {"f0": 1.0, "rare": 1.0}), (1, "a", {"f0": 2.0, "rare": -1.0})])
    found = Pro().optimize(problem(pool, fixed=["f1"])).vector
    assert found[pool.native.id("rare")] == 0.2
    assert found[pool.native.id("f1")] == 0.2
    assert found[pool.native.id("f2")] != 0.2


def test_a_dev_set_of_one_sentence_is_learned_from() -> None:
    pool = NBestPool(DevSet.of(["x"], ["a b c d"]))
    pool.add([(0, "a b c d", {"f0": 1.0}), (0, "a x", {"f0": -1.0})])
    found = Pro().optimize(problem(pool))
    assert found.details["ranked_right"] == 1.0
    assert found.vector[pool.native.id("f0")] > problem(pool).start[pool.native.id("f0")]


def test_interpolation() -> None:
    pool = random_pool(6)
    whole, tenth = (Pro(interpolation=share).optimize(problem(pool)).vector for share in (1.0, 0.1))
    start = problem(pool).start
    assert_allclose(tenth[1:], (0.1 * whole + 0.9 * start)[1:], atol=1e-6)
    with pytest.raises(SettingError):
        Pro(interpolation=0.0)
