"""A larger difference, judged more often, is found more often."""

from __future__ import annotations

import pytest

from dragoman.assessment.simulation import power
from dragoman.assessment.simulation.power import simulated_power
from dragoman.executors import ProcessExecutor


def test_simulated_power_rises() -> None:
    low = simulated_power(2, 80, runs=12)
    high = simulated_power(20, 160, runs=12)
    assert low < 0.6 < high


@pytest.mark.slow
def test_campaigns_are_simulated_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = simulated_power(6, 80, runs=8)
    monkeypatch.setattr(power, "_AT_ONCE", 3)
    with ProcessExecutor(threads=2) as executor:
        assert simulated_power(6, 80, runs=8, executor=executor) == expected
