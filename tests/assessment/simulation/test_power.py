"""A larger difference, judged more often, is found more often."""

from __future__ import annotations

from dragoman.assessment.simulation.power import simulated_power


def test_simulated_power_rises() -> None:
    low = simulated_power(2, 80, runs=12)
    high = simulated_power(20, 160, runs=12)
    assert low < 0.6 < high
