from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FormatError
from dragoman.tuning.updates import RULES, Updates


def one_feature(gradients: list[float], *, rate: float = 0.02, l1: float = 0.1, epsilon: float = 0.0) -> list[float]:
    updates = Updates(rate=rate, l1=lambda ids: np.full(len(ids), l1), epsilon=epsilon)
    found = []
    for gradient in gradients:
        updates.apply(np.array([1]), np.array([gradient]))
        found.append(float(updates.values(2)[1]))
    return found


def test_worked_example_of_adagrad_and_l1() -> None:
    found = one_feature([-0.5, -0.5, 0.0, 0.0, 0.3])
    assert found == pytest.approx([0.016, 0.0273137, 0.0244853, 0.0216569, 0.0112417], abs=5e-8)


def test_debts_are_paid_before_the_gradient_is_taken() -> None:
    found = one_feature([-0.5, *[0.0] * 10, -0.2])
    assert found[4] == 0.0  # it has decayed to nothing and starts afresh
    assert found[-1] == pytest.approx(0.0037139, abs=5e-8)


@pytest.mark.parametrize(
    ("gradient", "l1", "expected"),
    [(-0.5, 0.0, 0.03), (-0.5, 0.1, 0.024), (-2.0, 10.0, 0.0), (-20.0, 10.0, 0.015), (-0.05, 0.1, 0.0)],
)
def test_the_first_step_has_a_closed_form(gradient: float, l1: float, expected: float) -> None:
    assert one_feature([gradient], rate=0.03, l1=l1)[0] == pytest.approx(expected)


@pytest.mark.parametrize(("gradient", "expected"), [(-0.3, 0.034290), (0.3, 0.003420)])
def test_the_second_step(gradient: float, expected: float) -> None:
    assert one_feature([-0.5, gradient], rate=0.03)[1] == pytest.approx(expected, abs=5e-7)


def eager(
    stream: list[dict[int, float]], *, size: int, rate: float, l1: list[float], l2: float, epsilon: float, rule: str
) -> list[float]:
    """Every weight that has had a gradient shrinks at every step."""
    weights, squares, seen = [0.0] * size, [0.0] * size, [False] * size
    for gradients in stream:
        for index in range(size):
            gradient = gradients.get(index, 0.0)
            seen[index] = seen[index] or gradient != 0
            if not seen[index]:
                continue
            squares[index] += gradient**2
            if rule == "sgd":
                own = rate
            else:
                own = rate / (1 + squares[index] if rule == "arow" else math.sqrt(squares[index]) + epsilon)
            value = weights[index] - own * gradient
            shrunk = max(abs(value) - own * l1[index], 0.0) / (1 + own * l2)
            weights[index] = math.copysign(shrunk, value)
    return weights


SIZE = 5
gradients = st.dictionaries(st.integers(1, SIZE - 1), st.floats(-2, 2).map(lambda x: round(x, 3)), max_size=3)


@pytest.mark.slow
@given(
    stream=st.lists(gradients, max_size=30),
    rule=st.sampled_from(RULES),
    l2=st.sampled_from([0.0, 0.3]),
    l1=st.lists(st.sampled_from([0.0, 0.05, 1.0]), min_size=SIZE, max_size=SIZE),
    reads=st.booleans(),
)
def test_lazy_equals_eager(stream: list[dict[int, float]], rule: str, l2: float, l1: list[float], reads: bool) -> None:
    strengths = np.array(l1)
    updates = Updates(rate=0.1, l1=lambda ids: strengths[ids], l2=l2, epsilon=1e-3, rule=rule)
    for step in stream:
        ids = np.array(sorted(step), dtype=np.int64)
        updates.apply(ids, np.array([step[index] for index in ids.tolist()]))
        if reads:
            updates.values(SIZE)
    expected = eager(stream, size=SIZE, rate=0.1, l1=l1, l2=l2, epsilon=1e-3, rule=rule)
    assert updates.values(SIZE) == pytest.approx(expected, abs=1e-12)
    before = updates.values(SIZE)
    updates.sweep()
    updates.sweep()
    assert np.array_equal(updates.values(SIZE), before)


@pytest.mark.slow
@given(st.lists(gradients, min_size=1, max_size=12), st.integers(0, 11))
def test_a_restored_state_goes_on_bit_by_bit(stream: list[dict[int, float]], cut: int) -> None:
    def make() -> Updates:
        return Updates(rate=0.1, l1=lambda ids: np.full(len(ids), 0.02), l2=0.1)

    def feed(updates: Updates, steps: list[dict[int, float]]) -> None:
        for step in steps:
            ids = np.array(sorted(step), dtype=np.int64)
            updates.apply(ids, np.array([step[index] for index in ids.tolist()]))

    whole, first, second = make(), make(), make()
    feed(whole, stream)
    feed(first, stream[:cut])
    second.restore(first.state(SIZE), np.arange(SIZE))
    feed(second, stream[cut:])
    assert np.array_equal(whole.values(SIZE), second.values(SIZE))


def test_rates_scale_the_first_step_and_gradients_do_not() -> None:
    assert one_feature([-0.7], rate=0.06, l1=0.0)[0] == pytest.approx(3 * one_feature([-0.7], l1=0.0)[0])
    assert one_feature([-7.0, 3.0], l1=0.0) == pytest.approx(one_feature([-0.7, 0.3], l1=0.0))


def test_weights_without_gradients_keep_their_start() -> None:
    updates = Updates(rate=0.1, l1=lambda ids: np.full(len(ids), 5.0))
    updates.set(np.array([1, 2]), np.array([0.5, -1.0]))
    updates.apply(np.array([2]), np.array([0.1]))
    for _ in range(5):
        updates.apply(np.zeros(0, dtype=np.int64), np.zeros(0))
    assert updates.values(3).tolist() == [0.0, 0.5, 0.0]
    assert updates.touched.tolist()[:3] == [False, False, True]
    with pytest.raises(FormatError, match="not the state"):
        updates.restore({"time": 1}, np.arange(2))
