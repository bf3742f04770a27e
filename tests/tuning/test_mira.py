"""Batch MIRA and its relatives, against the algorithm written down plainly."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dragoman._native import tuning as native
from dragoman._native.metrics import CallbackGain
from dragoman.errors import SettingError
from dragoman.metrics.base import Floats
from dragoman.metrics.bleu import Bleu
from dragoman.tuning.batch import BatchTuner
from dragoman.tuning.mira import Mira, Perceptron, Ramp
from dragoman.tuning.nbest import NBestPool
from tests.tuning.lists import random_pool, solvable_pool
from tests.tuning.problems import problem


def run(pool: NBestPool, start: Floats, *, rule: str = "margin", passes: int = 1, step: float = 0.01) -> Floats:
    dev = pool.dev
    vector, *_ = native.batch_mira(
        pool.native,
        dev.metric.gain(),
        start,
        dev.words,
        np.zeros(len(start), dtype=np.uint8),
        rule=rule,
        step=step,
        pull=0.0,
        decay=0.999,
        passes=passes,
        length_column=dev.metric.length_column,
        seed=1,
        threads=1,
    )
    return vector


def test_worked_example_of_a_step() -> None:
    # Hope (1, 2) and fear (2, 1) are 1.2 apart by gain and level by score: the longest step is taken.
    pool = native.Pool(1, 1)
    ids = np.array([pool.intern("a"), pool.intern("b")], dtype=np.uint32)
    pool.add(0, "hope", ids, np.array([1.0, 2.0]))
    pool.add(0, "fear", ids, np.array([2.0, 1.0]))
    pool.set_statistics(np.array([[2.2], [1.0]]))
    gain = CallbackGain(lambda rows: rows[:, 0] / 2, 1)
    start = np.array([0.0, 0.1, 0.1])
    vector, *_ = native.batch_mira(
        pool,
        gain,
        start,
        np.array([1.0]),
        np.zeros(3, dtype=np.uint8),
        rule="margin",
        step=0.01,
        pull=0.0,
        decay=0.999,
        passes=1,
        length_column=-1,
        seed=1,
        threads=1,
    )
    assert_allclose(vector[1:], [0.09, 0.11])


def plain_mira(pool: NBestPool, start: Floats, order: list[int], step: float) -> Floats:
    """One pass, as the paper's algorithm says it; returns the average of the weights over all visits."""
    lists, metric = pool.lists(), pool.dev.metric
    assert isinstance(metric, Bleu)
    features = lists.features.toarray()
    weights, background, seen = start.copy(), np.ones(metric.width), []
    for sentence in order:
        rows = slice(int(lists.starts[sentence]), int(lists.starts[sentence + 1]))
        scores = features[rows] @ weights
        gains = metric.background_scores(lists.statistics[rows], background)
        hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
        if gains[hope] > gains[fear]:
            difference = features[rows][hope] - features[rows][fear]
            loss = gains[hope] - gains[fear] - difference @ weights
            if loss > 0 and difference @ difference > 0:
                weights = weights + min(step, loss / (difference @ difference)) * difference
            background = 0.999 * background + lists.statistics[rows][hope]
        seen.append(weights)
    average: Floats = np.array(seen).mean(axis=0)
    return average


@pytest.mark.parametrize("step", [0.001, 0.1, 100.0])
def test_a_pass_is_the_papers(step: float) -> None:
    # A pool of one sentence has only one order of visits, one of two sentences two.
    for sentences in (1, 2):
        for seed in range(10):
            pool = random_pool(seed, sentences=sentences)
            start = np.full(pool.native.features, 0.1)
            orders = [[0]] if sentences == 1 else [[0, 1], [1, 0]]
            wanted = [plain_mira(pool, start, order, step) for order in orders]
            found = run(pool, start, step=step)
            assert any(np.allclose(found, one, atol=1e-9) for one in wanted)


def test_a_margin_that_holds_changes_nothing() -> None:
    pool, hidden = solvable_pool(1)
    assert_allclose(run(pool, 1000 * hidden, passes=3), 1000 * hidden)


@pytest.mark.parametrize(
    "tuner",
    [Mira(), Mira(step=0.1, passes=10), Perceptron(step=0.01, passes=50), Ramp(step=0.01, passes=50, pull=1e-6)],
)
@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_separable_lists_are_solved(tuner: BatchTuner, metric: str) -> None:
    pool, hidden = solvable_pool(4, metric=metric)
    found = tuner.optimize(problem(pool, start={"f0": 0.01, "f1": 0.01, "f2": 0.01}))
    best = pool.dev.metric.score(pool.native.best_statistics(hidden))
    assert found.objective == pytest.approx(best)
    assert pool.score(pool.weights(found.vector)) == pytest.approx(best)


def test_threads_change_nothing_and_seeds_do() -> None:
    pool = random_pool(3, sentences=30)
    first = Mira(passes=5).optimize(problem(pool, seed=1)).vector
    assert Mira(passes=5).optimize(problem(pool, seed=1, threads=3)).vector.tolist() == first.tolist()
    assert Mira(passes=5).optimize(problem(pool, seed=2)).vector.tolist() != first.tolist()


def test_fixed_weights_stay() -> None:
    pool = random_pool(3)
    found = Mira(step=1.0).optimize(problem(pool, fixed=["f2"])).vector
    assert found[pool.native.id("f2")] == 0.2
    assert found[pool.native.id("f1")] != 0.2


def test_bad_settings_are_refused() -> None:
    for wrong in ({"step": 0.0}, {"passes": 0}, {"decay": 1.5}):
        with pytest.raises(SettingError):
            Mira(**wrong)
    with pytest.raises(SettingError):
        Ramp(pull=-1.0)
