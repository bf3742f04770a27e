from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.correlation import (
    ScoredPreference,
    correlate,
    fisher_difference,
    interval,
    kendall,
    pearson,
    rmse,
    spearman,
    wmt_kendall,
)

scores = st.lists(st.integers(-50, 50), min_size=4, max_size=30)


@pytest.mark.slow
@given(scores)
def test_agreement_with_scipy(values: list[int]) -> None:
    other = np.random.default_rng(len(values)).integers(-20, 20, len(values))
    if len(set(values)) < 2 or len(set(other.tolist())) < 2:
        return
    assert pearson(values, other).r == pytest.approx(stats.pearsonr(values, other).statistic, abs=1e-12)
    assert pearson(values, other).p == pytest.approx(stats.pearsonr(values, other).pvalue, abs=1e-9)
    assert spearman(values, other).r == pytest.approx(stats.spearmanr(values, other).statistic, abs=1e-12)
    assert kendall(values, other).r == pytest.approx(stats.kendalltau(values, other).statistic, abs=1e-12)


def test_centred_data_keep_their_digits() -> None:
    base = np.array([1.0, 2.0, 4.0, 3.0])
    assert pearson(base + 1e9, base).r == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_a_constant_vector_raises(coefficient: str) -> None:
    with pytest.raises(InputError, match="second scores are all equal"):
        correlate([1, 2, 3, 4], [7, 7, 7, 7], coefficient)


def test_bad_input() -> None:
    with pytest.raises(LengthMismatch, match="3 scores against 2"):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="score 2 is nan"):
        pearson([1, math.nan, 3], [1, 2, 3])
    with pytest.raises(SettingError, match="coefficient is 'tau'"):
        correlate([1, 2], [2, 1], "tau")


def test_rmse() -> None:
    assert rmse([1, 2], [1, 4]) == pytest.approx(math.sqrt(2))


def test_interval_and_fisher() -> None:
    """Fisher's test finds nothing where Williams' does: z = 0.79254 (worked example of Graham and Baldwin 2014)."""
    assert fisher_difference(0.9, 0.8, 12, 12) == pytest.approx(0.2140, abs=5e-5)
    a, b = np.random.default_rng(1).normal(size=(2, 12))
    expected = stats.pearsonr(a, b).confidence_interval()
    assert interval(pearson(a, b).r, 12) == pytest.approx((expected.low, expected.high))


def test_kendall_of_preferences_treats_ties_as_each_year_did() -> None:
    judged = [
        ScoredPreference(1, 2, 1),
        ScoredPreference(1, 1, 1),
        ScoredPreference(-1, 2, 1),
        ScoredPreference(0, 5, 1),
        ScoredPreference(-1, 0, 1),
    ]
    assert wmt_kendall(judged, "wmt12") == pytest.approx((2 - 2) / 4)
    assert wmt_kendall(judged, "wmt13") == pytest.approx((2 - 1) / 3)
    assert wmt_kendall(judged, "wmt14") == pytest.approx((2 - 1) / 4)
    with pytest.raises(InputError, match="no pair was preferred"):
        wmt_kendall([ScoredPreference(0, 1, 2)])
