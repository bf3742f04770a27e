from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.resampling import TESTS, Difference, bootstrap_interval, compare_statistics

Array = NDArray[np.float64]


def mean(sums: Array) -> Array:
    """A score that is the sum of the one statistic; its scale does not matter to any test."""
    return sums[:, 0]


def ratio(sums: Array) -> Array:
    """Edits over length, lower is better."""
    quotient: Array = sums[:, 0] / sums[:, 1]
    return quotient


def column(*values: float) -> Array:
    return np.array(values, np.float64)[:, None]


def exact(x: Array, y: Array, **settings: object) -> Difference:
    return compare_statistics(x, y, mean, exact=True, smoothing=False, **settings)  # type: ignore[arg-type]


X, Y = column(6, 7, 3, 5, 8), column(4, 8, 1, 5, 5)


@pytest.mark.parametrize(
    ("settings", "count", "p"),
    [
        ({"test": "randomization", "sided": 1}, 4, 0.125),
        ({"test": "randomization", "sided": 2}, 8, 0.25),
        ({"test": "paired-bootstrap", "sided": 1, "strict_ties": True}, 86, 0.02752),
        ({"test": "paired-bootstrap", "sided": 1}, 167, 0.05344),
        ({"test": "bootstrap", "sided": 1}, 136, 0.04352),
        ({"test": "bootstrap", "sided": 2}, 303, 0.09696),
        ({"test": "riezler-maxwell"}, 136, 0.04352),
        ({"test": "riezler-maxwell", "centre": "mean-abs"}, 51, 51 / 3125),
    ],
)
def test_mean_metric_enumerated(settings: dict[str, object], count: int, p: float) -> None:
    """First worked example for Graham, Mathur and Baldwin (2014): differences 2, -1, 2, 0, 3."""
    result = exact(X, Y, **settings)
    assert result.count == count
    assert result.p == pytest.approx(p)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"test": "randomization", "sided": 1}, 6),
        ({"test": "randomization", "sided": 2}, 12),
        ({"test": "paired-bootstrap", "sided": 1, "strict_ties": True}, 31),
        ({"test": "paired-bootstrap", "sided": 1}, 54),
        ({"test": "bootstrap", "sided": 1}, 15),
        ({"test": "bootstrap", "sided": 2}, 46),
        ({"test": "riezler-maxwell"}, 15),
        ({"test": "riezler-maxwell", "centre": "mean-abs"}, 5),
    ],
)
def test_ratio_metric_enumerated(settings: dict[str, object], count: int) -> None:
    """Second worked example: a ratio, lower is better; the mean of the pseudo-statistics is not the difference."""
    x = np.array([[1, 10], [2, 5], [0, 20], [3, 8]], np.float64)
    y = np.array([[2, 10], [2, 5], [3, 20], [2, 8]], np.float64)
    result = compare_statistics(
        x,
        y,
        ratio,
        higher_is_better=False,
        exact=True,
        smoothing=False,
        **settings,  # type: ignore[arg-type]
    )
    assert result.delta == pytest.approx(3 / 43)
    assert result.count == count


def test_four_segments_disagree_wildly() -> None:
    """Third worked example."""
    x, y = column(5, 7, 6, 4), column(4, 5, 6, 3)
    counts = [
        exact(x, y, test=test, sided=sided).count
        for test, sided in [("randomization", 1), ("randomization", 2), ("paired-bootstrap", 1), ("bootstrap", 1)]
    ]
    assert counts == [2, 4, 1, 1]
    assert exact(x, y, test="bootstrap", sided=2).count == 2


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "paired-bootstrap"])
@pytest.mark.parametrize("sided", [1, 2])
def test_samples_approach_the_enumeration(test: str, sided: int) -> None:
    x, y = np.random.default_rng(8).normal(size=(2, 6, 1))  # without ties, which a sampled mean would break
    exactly = exact(x, y, test=test, sided=sided).p
    sampled = compare_statistics(x, y, mean, test=test, sided=sided, samples=20000, exact=False, smoothing=False).p
    assert abs(sampled - exactly) < 4 * math.sqrt(0.25 / 20000) * (2 if test == "paired-bootstrap" else 1)


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_never_differ(test: str) -> None:
    assert compare_statistics(X, X, mean, test=test, exact=False).p == 1


@given(st.integers(0, 1000))
def test_swapping_the_systems_changes_no_two_sided_p(seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, 30, 1))
    for test in ("randomization", "bootstrap"):
        forward = compare_statistics(x, y, mean, test=test, samples=200, seed=seed)
        backward = compare_statistics(y, x, mean, test=test, samples=200, seed=seed)
        assert forward.p == backward.p
        assert forward.delta == pytest.approx(-backward.delta)


def test_thread_count_changes_nothing() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 300, 4))
    results = [
        compare_statistics(x, y, mean, test=test, threads=threads, samples=1000)
        for test in ("randomization", "bootstrap")
        for threads in (1, 2, 7)
    ]
    assert results[0] == results[1] == results[2]
    assert results[3] == results[4] == results[5]


def test_agreement_with_scipy() -> None:
    x, y = np.random.default_rng(11).normal(size=(2, 40))
    theirs = stats.permutation_test(
        (x, y), lambda a, b: a.sum() - b.sum(), permutation_type="samples", n_resamples=20000, rng=1, vectorized=False
    ).pvalue
    ours = compare_statistics(x[:, None], y[:, None], mean, samples=20000).p
    assert ours == pytest.approx(theirs, abs=0.02)


def test_level_is_kept_and_the_old_form_is_half() -> None:
    """Equal systems: a test at 0.05 rejects about one time in twenty; the 2005 form twice as often."""
    rejections = dict.fromkeys(TESTS, 0)
    for seed in range(400):
        x, y = np.random.default_rng(seed).normal(size=(2, 60, 1))
        for test in TESTS:
            rejections[test] += compare_statistics(x, y, mean, test=test, samples=400, seed=seed).p < 0.05
    assert 0.025 < rejections["randomization"] / 400 < 0.08
    assert 0.025 < rejections["bootstrap"] / 400 < 0.09
    assert rejections["riezler-maxwell"] > 1.5 * rejections["randomization"]


def test_interval_covers_the_truth() -> None:
    covered = 0
    for seed in range(200):
        x = np.random.default_rng(seed).normal(loc=1.0, size=(100, 1))
        low, high = bootstrap_interval(x, lambda sums: sums[:, 0] / 100, seed=seed)
        covered += low <= 1.0 <= high
    assert 0.88 < covered / 200 < 0.99


def test_refusals() -> None:
    with pytest.raises(LengthMismatch, match="5 segments against 4"):
        compare_statistics(X, Y[:4], mean)
    with pytest.raises(SettingError, match="no test is called 'ar'"):
        compare_statistics(X, Y, mean, test="ar")
    with pytest.raises(InputError, match="segment 2 are not finite"):
        compare_statistics(column(1, math.nan, 2), column(1, 2, 3), mean)
    with pytest.raises(InputError, match="empty"):
        compare_statistics(np.zeros((0, 1)), np.zeros((0, 1)), mean)
    with pytest.raises(SettingError, match="too many to enumerate"):
        compare_statistics(np.zeros((30, 1)), np.ones((30, 1)), mean, exact=True)
