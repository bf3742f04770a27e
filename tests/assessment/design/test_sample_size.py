"""The formulas of power and of a campaign's size, against each other, samples and the paper."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.assessment.design.sample_size import campaign_size, detectable, judgements_needed, power
from dragoman.errors import SettingError
from dragoman.evaluation.ranks import rank_sum


def test_formula_of_power() -> None:
    needed = judgements_needed(5, sd=25)
    assert power(5, needed, sd=25) == pytest.approx(0.8, abs=0.002)
    assert detectable(needed, sd=25) == pytest.approx(5, abs=0.01)
    assert judgements_needed(2.5, sd=25) == pytest.approx(4 * needed, abs=3)
    assert power(0, 100) == pytest.approx(0.05)
    for wrong in (0, -1):
        with pytest.raises(SettingError):
            judgements_needed(wrong)


def test_formula_agrees_with_simulated_samples() -> None:
    rng = np.random.default_rng(1)
    found = np.mean([rank_sum(rng.normal(5, 25, 200), rng.normal(0, 25, 200)).p < 0.05 for _ in range(400)])
    assert power(5, 200, sd=25) == pytest.approx(found, abs=0.06)


def test_plan_of_the_paper() -> None:
    """HITs = ceil(S N / (80 pass)) with 18 s for a judgement of adequacy."""
    found = campaign_size(systems=12, judgements=500, passing=0.6, pay=0.6)
    assert (found.tasks, found.minutes_per_task, found.cost) == pytest.approx((125, 30.0, 75.0))
    fluency = campaign_size(systems=12, judgements=500, protocol="fluency")
    assert fluency.minutes_per_task == pytest.approx(100 * 13 / 60)
    for wrong in ({"systems": 0, "judgements": 1}, {"systems": 1, "judgements": 1, "passing": 0.0}):
        with pytest.raises(SettingError):
            campaign_size(**wrong)
