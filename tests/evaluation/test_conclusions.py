from __future__ import annotations

import pytest

from dragoman.errors import InputError
from dragoman.evaluation.conclusions import Accuracy, accuracy, combined, conclusions, same_accuracy


def test_two_attributes() -> None:
    """Adequacy decides where it separates a pair; else fluency does; else there is a tie."""
    adequacy = {
        "A": {"B": 0.01, "C": 0.3, "D": 0.5},
        "B": {"A": 0.99, "C": 0.5, "D": 0.5},
        "C": {"A": 0.7, "B": 0.5, "D": 0.5},
        "D": {"A": 0.5, "B": 0.5, "C": 0.5},
    }
    fluency = {
        "A": {"B": 0.99, "C": 0.97, "D": 0.2},
        "B": {"A": 0.01, "C": 0.2, "D": 0.2},
        "C": {"A": 0.03, "B": 0.8, "D": 0.2},
        "D": {"A": 0.8, "B": 0.8, "C": 0.8},
    }
    both = combined(adequacy, fluency)
    assert both["A"]["B"] == 0.01  # fluency would say the opposite
    assert both["B"]["A"] == 0.99
    assert both["C"]["A"] == 0.03
    found = conclusions("ABCD", both)
    assert (found["A", "B"], found["A", "C"], found["A", "D"]) == (1, -1, 0)


@pytest.mark.parametrize(("correct", "pairs", "low", "high"), [(53, 66, 68.7, 89.1), (34, 55, 47.7, 74.6)])
def test_published_intervals(correct: int, pairs: int, low: float, high: float) -> None:
    gold = {("A", str(k)): 1 for k in range(pairs)}
    found = {("A", str(k)): 1 if k < correct else 0 for k in range(pairs)}
    result = accuracy(found, gold)
    assert (result.correct, result.pairs) == (correct, pairs)
    assert tuple(100 * bound for bound in result.interval) == pytest.approx((low, high), abs=0.05)


def test_pairs_may_be_turned_round() -> None:
    assert accuracy({("B", "A"): -1}, {("A", "B"): 1}).share == 1
    assert accuracy({("B", "A"): 1}, {("A", "B"): 1}).share == 0
    with pytest.raises(InputError, match="did not compare A and C"):
        accuracy({("A", "C"): 1}, {("A", "B"): 1})
    with pytest.raises(InputError, match="no pair"):
        accuracy({}, {})


def test_equal_accuracies() -> None:
    one = Accuracy(53, 66, (0, 1))
    assert same_accuracy(one, one) == 1
    assert same_accuracy(one, Accuracy(20, 66, (0, 1))) < 0.001
    assert same_accuracy(Accuracy(66, 66, (0, 1)), Accuracy(66, 66, (0, 1))) == 1
