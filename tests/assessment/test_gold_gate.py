"""The gold gate lets in, stops, and counts exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dragoman.assessment.gold_gate import GateState, GoldGate
from dragoman.errors import SettingError, UnknownName

YES, NO = True, False


def test_two_thirds_are_compared_exactly() -> None:
    """Worked example for Agirre et al. (2013): 4 of 6 is not below 66.7%."""
    gate = GoldGate(stop=Fraction(2, 3), least=4)
    assert gate.state([YES, YES, YES, YES, NO, NO]) is GateState.WORK
    assert gate.state([YES, YES, YES, YES, NO, NO, NO]) is GateState.STOPPED


def test_entry() -> None:
    gate = GoldGate(entry=4, tries=6)
    assert gate.state([]) is GateState.QUALIFY
    assert gate.state([YES, NO, YES, YES]) is GateState.QUALIFY
    assert gate.state([YES, NO, YES, YES, YES]) is GateState.WORK
    assert gate.state([NO, NO, NO, YES, YES, YES]) is GateState.STOPPED
    assert gate.state([NO, NO, NO, YES, YES, YES, YES, YES]) is GateState.STOPPED
    assert GoldGate(entry=0).state([]) is GateState.WORK


def test_cap_and_answers() -> None:
    gate = GoldGate(cap=20)
    assert gate.admits(19)
    assert not gate.admits(20)
    assert GoldGate().admits(10**6)
    assert gate.right(4, (3.0, 4.0, 5.0))
    assert not gate.right(2, (3.0, 4.0, 5.0))


def test_settings() -> None:
    assert GoldGate.from_settings({}) is None
    assert GoldGate.from_settings({"stop": "2/3"}) == GoldGate(stop=Fraction(2, 3))
    assert GoldGate.from_settings({"stop": 0.7}) == GoldGate()
    for wrong in ({"stop": "2/0"}, {"entry": 9}, {"stp": 1}, {"stop": 2}, {"entry": "four"}):
        with pytest.raises((SettingError, UnknownName), match=r"^gold gate"):
            GoldGate.from_settings(wrong)
