from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman.forest import KBestLists
from dragoman.seeds import stream
from dragoman.tuning.losses import (
    LOSSES,
    expected_gain_loss,
    hope_fear_loss,
    list_loss,
    ranking_loss,
    sample_pairs,
)
from dragoman.tuning.updates import Updates

values = st.floats(-3, 3, allow_nan=False).map(lambda x: round(x, 4))


def test_worked_example_of_ranking() -> None:
    # Two pairs whose feature differences are (1, 2) and (-0.5, 1).
    features = np.array([[1.0, 2.0], [0.0, 0.0], [-0.5, 1.0], [0.0, 0.0]])
    scores = features @ [0.5, -0.2]
    found = ranking_loss(scores, np.array([[0, 1], [2, 3]]))
    gradient = features.T @ found.coefficients
    assert (found.value, *gradient) == pytest.approx((1.587646, -0.169701, -1.560681), abs=1e-6)
    updates = Updates(rate=0.02, l1=lambda ids: np.full(len(ids), 0.1), epsilon=0.0)
    updates.set(np.array([0, 1]), np.array([0.5, -0.2]))
    updates.apply(np.array([0, 1]), gradient)
    assert updates.values(2) == pytest.approx([0.508215, -0.178719], abs=1e-6)


def test_second_worked_example_of_ranking() -> None:
    features = np.array([[1.0, -2.0], [0.0, 0.0]])
    found = ranking_loss(features @ [0.1, 0.2], np.array([[0, 1]]))
    assert (found.value, *(features.T @ found.coefficients)) == pytest.approx((0.854355, -0.574443, 1.148885), abs=1e-6)


def test_worked_example_of_expected_gain() -> None:
    features, gains = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.2, 0.6, 0.4])
    found = expected_gain_loss(features @ [0.3, -0.1], gains)
    gradient = features.T @ found.coefficients
    assert (found.value, *gradient) == pytest.approx((-0.374395, 0.058725, -0.067722), abs=1e-6)
    updates = Updates(rate=0.02, epsilon=0.0)
    updates.set(np.array([0, 1]), np.array([0.3, -0.1]))
    updates.apply(np.array([0, 1]), gradient)
    assert updates.values(2) == pytest.approx([0.28, -0.08])


@pytest.mark.slow
@given(
    name=st.sampled_from(LOSSES),
    scores=st.lists(values, min_size=2, max_size=8),
    seed=st.integers(0, 99),
    temperature=st.sampled_from([0.5, 1.0, 3.0]),
)
def test_coefficients_are_derivatives(name: str, scores: list[float], seed: int, temperature: float) -> None:
    random = np.random.default_rng(seed)
    gains = random.uniform(0, 1, len(scores))
    start = np.array(scores) + random.uniform(-1e-3, 1e-3, len(scores))  # away from kinks, almost surely

    def loss(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return list_loss(
            name, at, gains, stream(1, "test"), samples=20, pairs=5, threshold=0.05, temperature=temperature, scale=2.0
        ).value

    found = list_loss(
        name, start, gains, stream(1, "test"), samples=20, pairs=5, threshold=0.05, temperature=temperature, scale=2.0
    )
    for index in range(len(scores)):
        step = np.zeros(len(scores))
        step[index] = 1e-6
        slope = (loss(start + step) - loss(start - step)) / 2e-6
        assert found.coefficients[index] == pytest.approx(slope, abs=1e-4)


@given(st.lists(values, min_size=1, max_size=8), st.floats(-5, 5), st.integers(0, 9))
def test_expected_gain(scores: list[float], shift: float, seed: int) -> None:
    gains = np.random.default_rng(seed).uniform(0, 1, len(scores))
    at = np.array(scores)
    found = expected_gain_loss(at, gains)
    assert -found.value <= gains.max() + 1e-12
    assert expected_gain_loss(at, gains + shift).coefficients == pytest.approx(found.coefficients, abs=1e-9)
    assert not expected_gain_loss(at, np.full(len(scores), 0.3)).used
    sharp = expected_gain_loss(at * 1e6, gains)
    best = np.flatnonzero(at == at.max())
    assert -sharp.value == pytest.approx(gains[best].mean())


@given(st.lists(st.floats(0, 1), max_size=30), st.integers(0, 99), st.sampled_from([0.0, 0.05, 0.4]))
def test_pairs_are_ordered_and_far_enough_apart(gains: list[float], seed: int, threshold: float) -> None:
    found = sample_pairs(np.array(gains), stream(seed, "pairs"), samples=60, pairs=7, threshold=threshold)
    assert len(found) <= 7
    differences = [gains[better] - gains[worse] for better, worse in found.tolist()]
    assert all(difference >= threshold and difference > 0 for difference in differences)
    assert differences == sorted(differences, reverse=True)


def test_kept_pairs_are_the_ones_that_differ_most() -> None:
    gains = np.array([0.0, 0.1, 0.9])
    pairs = sample_pairs(gains, np.random.default_rng(1), samples=500, pairs=20, threshold=0.05)
    assert {tuple(pair) for pair in pairs.tolist()} == {(2, 0)}


def test_the_order_of_a_list_does_not_matter_to_the_distribution() -> None:
    gains = np.array([0.1, 0.4, 0.6, 0.95])
    order = np.array([2, 0, 3, 1])
    counts = np.zeros((2, 4, 4))
    for which, values, names in ((0, gains, np.arange(4)), (1, gains[order], order)):
        for seed in range(300):
            drawn = sample_pairs(values, np.random.default_rng(seed), samples=20, pairs=20, threshold=0.0)
            np.add.at(counts[which], (names[drawn[:, 0]], names[drawn[:, 1]]), 1)
    assert_allclose(counts[0] / counts[0].sum(), counts[1] / counts[1].sum(), atol=0.02)


def test_without_pairs_there_is_no_gradient() -> None:
    found = ranking_loss(np.array([1.0, 2.0]), np.zeros((0, 2), dtype=np.int64))
    assert (found.value, found.used, found.coefficients.tolist()) == (0.0, 0, [0.0, 0.0])
    assert ranking_loss(np.array([800.0, -800.0]), np.array([[1, 0]])).value == pytest.approx(1600.0)


def test_hope_and_fear() -> None:
    found = hope_fear_loss(np.array([0.0, 0.5, 0.2]), np.array([1.0, 0.0, 0.9]))
    # The hope has 0.2 + 0.9, the fear 0.5 - 0: gains differ by 0.9, scores by -0.3.
    assert found.value == pytest.approx(1.2)
    assert found.coefficients.tolist() == [0.0, 1.0, -1.0]
    assert hope_fear_loss(np.array([5.0, 0.0]), np.array([1.0, 0.0])).used == 0


def test_what_is_equal_everywhere_cancels_out() -> None:
    random = np.random.default_rng(3)
    scores, gains = random.normal(size=50), random.uniform(size=50)
    coefficients = expected_gain_loss(scores, gains).coefficients
    ids = np.tile([3, 7], 50)
    numbers = np.ravel(np.stack([np.full(50, 0.1), random.normal(size=50)], axis=1))
    lists = KBestLists(
        np.array([0, 50]), np.arange(0, 101, 2), ids, numbers, scores, np.zeros(50, dtype=np.int64), [""]
    )
    found, gradient = lists.gradient(coefficients)
    assert found.tolist() == [7]
    assert gradient[0] == pytest.approx(float(coefficients @ numbers[1::2]))
