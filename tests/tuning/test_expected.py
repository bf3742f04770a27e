from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from dragoman.tuning.expected import Expected, expected_gain
from tests.tuning.lists import random_pool, solvable_pool
from tests.tuning.problems import problem

RNG = np.random.default_rng(2)
FEATURES, GAINS, STARTS = RNG.normal(size=(9, 3)), RNG.random(9), np.array([0, 4, 5, 9])
WEIGHTS = RNG.normal(size=3)


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 3.0])
def test_gradient(sharpness: float) -> None:
    numeric = approx_fprime(
        WEIGHTS, lambda point: expected_gain(point, FEATURES, GAINS, STARTS, sharpness=sharpness)[0], 1e-7
    )
    assert_allclose(expected_gain(WEIGHTS, FEATURES, GAINS, STARTS, sharpness=sharpness)[1], numeric, atol=1e-5)


def test_what_the_gradient_cannot_depend_on() -> None:
    gradient = expected_gain(WEIGHTS, FEATURES, GAINS, STARTS)[1]
    assert_allclose(expected_gain(WEIGHTS, FEATURES, GAINS + 7, STARTS)[1], gradient, atol=1e-12)
    assert_allclose(expected_gain(WEIGHTS, FEATURES, np.ones(9), STARTS)[1], 0, atol=1e-12)
    constant = np.hstack([FEATURES, np.repeat([[1.0], [2.0], [5.0]], np.diff(STARTS), axis=0)])
    assert expected_gain(np.append(WEIGHTS, 1.0), constant, GAINS, STARTS)[1][3] == pytest.approx(0, abs=1e-12)


def test_the_mean_is_below_the_best_and_sharpens_to_the_one_best() -> None:
    best = np.maximum.reduceat(GAINS, STARTS[:-1]).sum()
    assert expected_gain(WEIGHTS, FEATURES, GAINS, STARTS)[0] < best
    scores = FEATURES @ WEIGHTS
    chosen = sum(GAINS[a + int(scores[a:b].argmax())] for a, b in itertools.pairwise(STARTS))
    assert expected_gain(1e6 * WEIGHTS, FEATURES, GAINS, STARTS)[0] == pytest.approx(chosen)


@pytest.mark.parametrize("anneal", [0.0, 0.1])
def test_separable_lists_are_solved(anneal: float) -> None:
    for metric in ("bleu", "ter"):
        pool, hidden = solvable_pool(3, metric=metric)
        found = Expected(anneal=anneal, l2=1e-6, sharpness=5.0).optimize(problem(pool))
        assert pool.score(pool.weights(found.vector)) == pytest.approx(pool.score(pool.weights(hidden)))


def test_fixed_weights_stay_and_threads_change_nothing() -> None:
    pool = random_pool(2)
    found = Expected().optimize(problem(pool, fixed=["f0"])).vector
    assert found[pool.native.id("f0")] == 0.2
    assert found[pool.native.id("f1")] != 0.2
    assert Expected().optimize(problem(pool, fixed=["f0"], threads=2)).vector.tolist() == found.tolist()
