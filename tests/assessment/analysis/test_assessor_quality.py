"""Careful assessors are told from careless ones: worked examples, scipy, pass rates, and simulated crowds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dragoman.assessment.analysis.assessor_quality import assess_quality, consistency_test, difference_test, paired_test
from dragoman.assessment.analysis.control_pairs import collect_controls
from dragoman.assessment.ratings import Rating
from dragoman.errors import SettingError

D1 = [3, 8, 0, 12, 5, 7, 2, 9, 4, 10]
D2 = [25, 14, 33, 9, 18, 40, 6, 22, 29, 15]
SCORES = st.lists(st.integers(0, 100), min_size=3, max_size=12)


def worker(
    name: str, original: Sequence[float], damaged: Sequence[float], repeats: Sequence[tuple[float, float]] = ()
) -> list[Rating]:
    rows = []
    for at, (a, b) in enumerate(zip(original, damaged, strict=True)):
        rows.append(Rating(name, "t", 2 * at, f"o{at}", "system", a))
        rows.append(Rating(name, "t", 2 * at + 1, f"d{at}", "degraded", b, partner=f"o{at}"))
    for at, (a, b) in enumerate(repeats):
        rows.append(Rating(name, "t", 100 + 2 * at, f"r{at}", "system", a))
        rows.append(Rating(name, "t", 101 + 2 * at, f"rr{at}", "repeat", b, partner=f"r{at}"))
    return rows


def test_paired_worked_example() -> None:
    """Worked example for Graham et al. (2014): a careful worker, and a random clicker."""
    careful = paired_test([72, 55, 81, 40, 66, 90, 35, 58, 77, 49], [47, 41, 48, 31, 48, 50, 29, 36, 48, 34])
    assert (careful.statistic, careful.df, careful.p) == pytest.approx((6.18069, 9, 8.13e-5), rel=1e-3)
    random = paired_test([72, 15, 81, 40, 66, 20, 35, 58, 77, 49], [60, 44, 30, 71, 48, 80, 29, 66, 48, 34])
    assert (random.statistic, random.p) == pytest.approx((0.02899, 0.4888), abs=1e-4)


def test_difference_worked_example() -> None:
    """Worked example for Graham et al. (2013)."""
    welch = difference_test(D1, D2, test="welch")
    assert (welch.statistic, welch.df, welch.p) == pytest.approx((-4.16861, 11.2299, 0.000749), rel=1e-3)
    ranks = difference_test(D1, D2, test="mann-whitney")
    assert (ranks.statistic, ranks.p) == pytest.approx((7.5, 0.000746), rel=1e-2)


@pytest.mark.filterwarnings("ignore:Precision loss occurred:RuntimeWarning")  # scipy's, of a side without spread
@given(SCORES, SCORES)
def test_tests_agree_with_scipy(a: list[int], b: list[int]) -> None:
    size = min(len(a), len(b))
    x, y = np.array(a[:size], float), np.array(b[:size], float)
    if np.ptp(x - y) > 0:
        expected = stats.ttest_rel(x, y, alternative="greater")
        assert (paired_test(x, y).statistic, paired_test(x, y).p) == pytest.approx(
            (expected.statistic, expected.pvalue)
        )
        assert consistency_test(x, y).p == pytest.approx(stats.ttest_rel(x, y).pvalue)
    if np.ptp(a) > 0 or np.ptp(b) > 0:
        expected = stats.ttest_ind(a, b, equal_var=False, alternative="less")
        found = difference_test(a, b, test="welch")
        assert (found.statistic, found.df, found.p) == pytest.approx((expected.statistic, expected.df, expected.pvalue))


def test_no_spread() -> None:
    assert paired_test([50] * 6, [40] * 6).p == 0
    assert paired_test([50] * 4, [40] * 4).p == 1
    assert paired_test([40] * 6, [50] * 6).p == 1
    assert paired_test([50], [40]).p == 1
    assert consistency_test([50, 60], [50, 60]).p == 1
    assert consistency_test([50, 60], [40, 50]).p == 0
    assert difference_test([0, 0], [5, 5], test="welch").p == 0
    assert difference_test([5, 5], [5, 5], test="mann-whitney").p == 1


@pytest.mark.slow
def test_pass_rates_of_simulated_workers() -> None:
    """Pass rates at 0.05 with 10 and with 30 pairs: quality uniform 20-90, damage 20, noise 12."""
    rng = np.random.default_rng(1)
    rates = {}
    for pairs in (10, 30):
        for kind in ("careful", "random", "high"):
            passed = {"paired": 0, "welch": 0, "mann-whitney": 0, "absolute": 0}
            for _ in range(500):
                if kind == "careful":
                    quality = rng.uniform(20, 90, (2, pairs))
                    noise = rng.normal(0, 12, (4, pairs))
                    first, again = quality[0] + noise[0], quality[0] + noise[1]
                    good, bad = quality[1] + noise[2], quality[1] - 20 + noise[3]
                else:
                    low = 80 if kind == "high" else 0
                    first, again, good, bad = rng.uniform(low, 100, (4, pairs))
                first, again, good, bad = (np.clip(values, 0, 100) for values in (first, again, good, bad))
                d1, d2 = np.abs(first - again), good - bad
                passed["paired"] += paired_test(good, bad).p < 0.05
                passed["welch"] += difference_test(d1, d2, test="welch").p < 0.05
                passed["absolute"] += difference_test(d1, np.abs(d2), test="welch").p < 0.05
                if pairs == 10:
                    passed["mann-whitney"] += difference_test(d1, d2, test="mann-whitney").p < 0.05
            rates[pairs, kind] = {test: count / 500 for test, count in passed.items()}

    def near(value: float) -> Any:
        return pytest.approx(value, abs=0.05)

    assert rates[10, "careful"] == {
        "paired": near(0.96),
        "welch": near(0.28),
        "mann-whitney": near(0.27),
        "absolute": near(0.42),
    }
    assert (rates[30, "careful"]["paired"], rates[30, "careful"]["welch"]) == (near(1.0), near(0.53))
    assert rates[30, "careful"]["absolute"] == near(0.83)
    assert rates[10, "random"]["paired"] == near(0.056)
    assert rates[10, "random"]["welch"] < 0.01
    assert rates[10, "random"]["absolute"] == near(0.05)
    assert rates[10, "high"]["paired"] == near(0.045)


def test_the_table_of_assessors() -> None:
    good = worker("ann", [72, 55, 81, 40, 66], [47, 41, 48, 31, 48], [(50, 52), (60, 61), (70, 69), (20, 20), (33, 30)])
    bad = worker("bob", [50, 20, 70, 10, 90], [60, 70, 20, 80, 40], [(5, 90), (60, 10), (70, 20), (20, 80), (33, 99)])
    table = {one.assessor: one for one in assess_quality([*good, *bad])}
    assert table["ann"].kept
    assert not table["bob"].kept
    assert "not reliably lower" in table["bob"].reason
    assert table["ann"].mean_d2 == pytest.approx(np.mean([25, 14, 33, 9, 18]))
    assert table["ann"].mean_d1 == pytest.approx(np.mean([2, 1, 1, 0, 3]))
    assert table["ann"].consistent is not None
    strict = {one.assessor: one.kept for one in assess_quality([*good, *bad], test="welch")}
    assert strict == {"ann": True, "bob": False}
    few = assess_quality(worker("cid", [60, 70], [10, 20]), test="mann-whitney")[0]
    assert not few.kept
    assert "insufficient" in few.reason
    assert all(one.kept for one in assess_quality([*good, *bad], test="none"))
    with pytest.raises(SettingError, match="oracle"):
        assess_quality(good, test="oracle")
    with pytest.raises(SettingError, match="alpha"):
        assess_quality(good, alpha=0)


def test_half_pairs_are_counted_and_skipped() -> None:
    rows = [one for one in worker("ann", [72, 55, 81, 40], [47, 41, 48, 31]) if one.item != "o2"]
    own = collect_controls(rows)["ann", "adequacy", ""]
    assert len(own.degraded) == 3
    assert own.incomplete == 1
    assert "1 control pairs are incomplete" in assess_quality(rows)[0].flags


def test_nothing_depends_on_leniency() -> None:
    rows = worker("ann", [72, 55, 81, 40, 66], [47, 41, 48, 31, 48], [(50, 52), (60, 61), (70, 69), (20, 20), (33, 30)])
    shifted = [replace(one, score=0.5 * one.score + 20) for one in rows]
    for a, b in zip(assess_quality(rows), assess_quality(shifted), strict=True):
        assert (a.p_paired, a.p_welch, a.p_mann_whitney) == pytest.approx((b.p_paired, b.p_welch, b.p_mann_whitney))


def test_flags_for_a_person_to_look_at() -> None:
    rows = [Rating("lee", "t1", at, f"i{at}", "system", 50.0, milliseconds=800) for at in range(20)]
    rows += [Rating("lee", "t1", 30 + at, f"r{at}", "reference", 40.0, partner=f"i{at}") for at in range(3)]
    rows += [Rating("lee", "t1", 40 + at, f"d{at}", "degraded", 55.0, partner=f"i{at}") for at in range(3)]
    flags = " / ".join(assess_quality(rows)[0].flags)
    for expected in (
        "degraded copies score",
        "outputs score as high",
        "below 90%",
        "0.8 s per item",
        "20 equal scores",
    ):
        assert expected in flags


def test_gold_decides_where_it_is_hidden() -> None:
    rng = np.random.default_rng(3)
    known = rng.integers(0, 6, 12)
    rows = []
    for name, given_scores in (("ann", known), ("bob", rng.permutation(known)), ("flo", np.full(12, 3))):
        rows += [
            Rating(name, "t", at, f"g{at}", "gold", float(score), protocol="similarity", expected=float(truth))
            for at, (score, truth) in enumerate(zip(given_scores, known, strict=True))
        ]
    table = {one.assessor: one for one in assess_quality(rows, full_marks=5)}
    assert [table[name].kept for name in ("ann", "bob", "flo")] == [True, False, False]
    assert table["flo"].gold_correlation == 0
    assert table["ann"].gold_near == 1
    assert assess_quality([one for one in rows if int(one.item[1:]) < 5])[0].kept
