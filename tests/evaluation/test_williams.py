from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.correlation import fisher_difference, pearson
from dragoman.evaluation.williams import compare_metrics, difference_interval, metric_matrix, steiger, williams


def test_worked_examples() -> None:
    """n = 12; a weaker correlation between the metrics turns a significant difference into an insignificant one."""
    result = williams(r12=0.95, r13=0.90, r23=0.80, n=12)
    assert result.df == 9
    assert (result.t, result.p) == pytest.approx((2.37652, 0.020732), abs=5e-6)
    assert williams(r12=0.95, r13=0.90, r23=0.80, n=12, alternative="two-sided").p == pytest.approx(0.041464, abs=1e-6)
    weaker = williams(r12=0.5, r13=0.90, r23=0.80, n=12)
    assert (weaker.t, weaker.p) == pytest.approx((1.08873, 0.152283), abs=5e-6)


@pytest.mark.parametrize(
    ("r13", "r23", "r12", "t", "p", "published"),
    [
        (0.880651, 0.760352, 0.947390, 2.6870, 0.01246, 0.01141),
        (0.970826, 0.957146, 0.940272, 0.5846, 0.2866, 0.2859),
        (0.970826, 0.904199, 0.859278, 1.8254, 0.05062, 0.04896),
        (0.787475, 0.760352, 0.996586, 1.8214, 0.05094, 0.04928),
        (0.957146, 0.747202, 0.877206, 5.7293, 0.000142, 0.000095),
    ],
)
def test_spanish_english_2012(r13: float, r23: float, r12: float, t: float, p: float, published: float) -> None:
    """Metrics of WMT 2012 on 12 systems; the published p-values used n - 2 degrees of freedom."""
    result = williams(r12=r12, r13=r13, r23=r23, n=12)
    assert result.t == pytest.approx(t, rel=5e-4)
    assert result.p == pytest.approx(p, rel=5e-3)
    assert williams(r12=r12, r13=r13, r23=r23, n=12, df="n-2").p == pytest.approx(published, rel=5e-3)


vectors = st.integers(0, 10**6).map(lambda seed: np.random.default_rng(seed).normal(size=(3, 15)))


@pytest.mark.slow
@given(vectors, st.floats(0.1, 10), st.floats(-10, 10))
def test_properties(data: np.ndarray[tuple[int, int], np.dtype[np.float64]], scale: float, shift: float) -> None:
    a, b, human = data
    forward = compare_metrics(a, b, human, a_higher_is_better=True, b_higher_is_better=True)
    backward = compare_metrics(b, a, human, a_higher_is_better=True, b_higher_is_better=True)
    assert forward.t == pytest.approx(-backward.t, abs=1e-9)
    assert forward.p + backward.p == pytest.approx(1, abs=1e-9)
    moved = compare_metrics(scale * a + shift, b, human, a_higher_is_better=True, b_higher_is_better=True)
    assert moved.t == pytest.approx(forward.t, abs=1e-6)
    flipped = compare_metrics(-a, b, human, a_higher_is_better=False, b_higher_is_better=True)
    assert flipped.t == pytest.approx(forward.t, abs=1e-9)
    order = np.random.default_rng(1).permutation(15)
    shuffled = compare_metrics(a[order], b[order], human[order], a_higher_is_better=True, b_higher_is_better=True)
    assert shuffled.t == pytest.approx(forward.t, abs=1e-9)


def test_equal_correlations_and_identical_metrics() -> None:
    assert williams(r12=0.5, r13=0.7, r23=0.7, n=10).p == 0.5
    same = williams(r12=1.0, r13=0.7, r23=0.7, n=10)
    assert (same.t, same.p, same.identical) == (0.0, 0.5, True)


def test_more_systems_make_it_surer() -> None:
    p = [williams(r12=0.95, r13=0.90, r23=0.80, n=n).p for n in (6, 12, 25, 50)]
    assert p == sorted(p, reverse=True)
    assert p[-1] == pytest.approx(9.7e-7, rel=0.01)


@pytest.mark.slow
def test_level_and_power_by_simulation() -> None:
    """Keeps its level where Fisher's transformation is far too timid, and gains power from related metrics."""
    chance = np.random.default_rng(3)

    def rejections(r13: float, r23: float, r12: float) -> tuple[float, float]:
        covariance = [[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]
        samples = chance.multivariate_normal(np.zeros(3), covariance, size=(2000, 12))
        ours = fishers = 0
        for sample in samples:
            r = np.corrcoef(sample.T)
            ours += williams(r12=r[0, 1], r13=r[0, 2], r23=r[1, 2], n=12).p < 0.05
            fishers += fisher_difference(r[0, 2], r[1, 2], 12, 12) < 0.05
        return ours / 2000, fishers / 2000

    level, fisher_level = rejections(0.8, 0.8, 0.9)
    assert 0.035 < level < 0.065
    assert fisher_level < 0.02
    power, fisher_power = rejections(0.95, 0.80, 0.9)
    assert power > rejections(0.95, 0.80, 0.75)[0] > fisher_power


def test_steiger_and_the_interval_agree_with_williams() -> None:
    """Three ways to ask the same question of many systems; for r12 = 0 Steiger's is Fisher's for equal correlations."""
    ours = williams(r12=0.7, r13=0.45, r23=0.4, n=500)
    assert steiger(r12=0.7, r13=0.45, r23=0.4, n=500) == pytest.approx(ours.p, abs=0.005)
    both = steiger(r12=0.7, r13=0.45, r23=0.4, n=500, alternative="two-sided")
    assert both == pytest.approx(2 * ours.p, abs=0.01)
    assert steiger(r12=0.7, r13=0.4, r23=0.4, n=20) == 0.5
    low, high = difference_interval(r12=0.7, r13=0.45, r23=0.4, n=500)
    assert low < 0.05 < high
    narrow = difference_interval(r12=0.95, r13=0.45, r23=0.4, n=500)
    assert narrow[1] - narrow[0] < high - low
    assert (low > 0) == (ours.p < 0.025)
    assert difference_interval(r12=0.7, r13=1.0, r23=0.7, n=10) == pytest.approx((0.3, 0.3))
    assert steiger(r12=1.0, r13=0.4, r23=0.4, n=20) == 0.5
    with pytest.raises(InputError, match="perfect correlation"):
        steiger(r12=0.4, r13=1.0, r23=0.4, n=20)
    with pytest.raises(InputError, match="at least 4"):
        steiger(r12=0.4, r13=0.3, r23=0.4, n=3)


def test_intervals_cover_the_true_difference() -> None:
    chance = np.random.default_rng(9)
    covariance = [[1, 0.8, 0.9], [0.8, 1, 0.7], [0.9, 0.7, 1]]
    covered = 0
    for sample in chance.multivariate_normal(np.zeros(3), covariance, size=(400, 20)):
        r = np.corrcoef(sample.T)
        low, high = difference_interval(r12=r[0, 1], r13=r[0, 2], r23=r[1, 2], n=20)
        covered += low <= 0.2 <= high
    assert 0.92 < covered / 400 < 0.98


def test_impossible_correlations_and_settings_are_refused() -> None:
    with pytest.raises(InputError, match="no data can have"):
        williams(r12=0.9, r13=0.9, r23=-0.9, n=12)
    with pytest.raises(SettingError, match="r13 is 2"):
        williams(r12=0.9, r13=2, r23=0.9, n=12)
    with pytest.raises(InputError, match="at least 4"):
        williams(r12=0.9, r13=0.8, r23=0.9, n=3)


def test_matrix() -> None:
    chance = np.random.default_rng(5)
    human = chance.normal(size=14)
    good, poor = human + 0.3 * chance.normal(size=14), human + 2 * chance.normal(size=14)
    matrix = metric_matrix(human, {"poor": poor, "good": good, "error": -good}, higher_is_better={"error": False})
    assert matrix.order == ("error", "good", "poor")
    assert matrix.p["poor"] == {"error": None, "good": None}
    assert matrix.p["error"]["good"] is None  # the same metric, turned round
    better = compare_metrics(good, poor, human, a_higher_is_better=True, b_higher_is_better=True)
    assert matrix.p["good"]["poor"] == pytest.approx(better.p)
    assert ("good", "poor") in matrix.significant(0.05)
    assert matrix.r["good"] == pytest.approx(pearson(good, human).r)
    three = {"poor": poor, "good": good, "noise": chance.normal(size=14)}
    plain, corrected = metric_matrix(human, three), metric_matrix(human, three, correction="holm")
    raw, holm = plain.p["good"]["noise"], corrected.p["good"]["noise"]
    assert raw is not None
    assert holm is not None
    assert raw < holm <= 3 * raw


def test_wrong_direction_is_reported() -> None:
    human = [1.0, 2, 3, 4, 5, 6]
    metrics = {"bad": [6, 5, 4, 3, 2, 1.5], "good": [1.0, 2, 3, 4, 6, 5]}
    matrix = metric_matrix(human, metrics, higher_is_better={"bad": True})
    assert any("bad correlates in the wrong direction" in warning for warning in matrix.warnings)
    assert any("only 6 systems" in warning for warning in matrix.warnings)


def test_matrix_refuses() -> None:
    with pytest.raises(InputError, match="at least two metrics"):
        metric_matrix([1, 2, 3, 4], {"a": [1, 2, 3, 4]})
    with pytest.raises(LengthMismatch, match="a scores 3 systems"):
        metric_matrix([1, 2, 3, 4], {"a": [1, 2, 3], "b": [1, 2, 3, 4]})
    with pytest.raises(SettingError, match="Pearson"):
        metric_matrix([1, 2, 3, 4], {"a": [1, 2, 4, 3], "b": [1, 2, 3, 4]}, coefficient="kendall")
