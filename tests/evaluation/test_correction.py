from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dragoman.errors import InputError, SettingError
from dragoman.evaluation.correction import adjusted
from dragoman.evaluation.ranks import proportion_interval, rank_sum


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_as_scipy(p: list[float]) -> None:
    assert adjusted(p, "bh") == pytest.approx(stats.false_discovery_control(p).tolist(), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_nothing_and_bonferroni(p: list[float]) -> None:
    for raw, holm in zip(p, adjusted(p, "holm"), strict=True):
        assert raw <= holm <= min(1, raw * len(p)) + 1e-15


def test_refusals() -> None:
    with pytest.raises(SettingError, match="one of none, holm, bh"):
        adjusted([0.1], "sidak")
    with pytest.raises(InputError, match=r"1\.5 is not a p-value"):
        adjusted([0.1, 1.5], "holm")


@pytest.mark.slow
@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_rank_sum_with_ties_as_scipy(x: list[int], y: list[int]) -> None:
    if len({*x, *y}) == 1:
        assert rank_sum(x, y, alternative="two-sided").p == 1
        return
    method = "exact" if len({*x, *y}) == len(x) + len(y) else "asymptotic"
    expected = stats.mannwhitneyu(x, y, alternative="greater", method=method)
    assert rank_sum(x, y).p == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(("k", "m", "low", "high"), [(53, 66, 68.7, 89.1), (34, 55, 47.7, 74.6), (54, 66, 70.4, 90.2)])
def test_published_intervals(k: int, m: int, low: float, high: float) -> None:
    """Accuracies in Graham, Mathur and Baldwin (2014)."""
    found = proportion_interval(k, m)
    assert (100 * found[0], 100 * found[1]) == pytest.approx((low, high), abs=0.05)
