"""Climbs over exact lines, and MERT as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dragoman.errors import SettingError
from dragoman.metrics.base import Floats
from dragoman.tuning.climbing import CLIMBS, ClimbLimits, normalized
from dragoman.tuning.mert import Mert, TooManyFeatures
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.problem import Problem
from dragoman.tuning.surface import LinePoint, PoolSurface, Windows
from tests.tuning.lists import random_pool, solvable_pool
from tests.tuning.problems import problem

EXACT = ["random", "kcd", "powell", "powell-basic"]


@pytest.mark.parametrize("search", EXACT)
@pytest.mark.parametrize("metric", ["bleu", "ter", "bleu - ter"])
def test_a_known_optimum_is_found(search: str, metric: str) -> None:
    for seed in range(3):
        pool, hidden = solvable_pool(seed, metric=metric)
        best = PoolSurface(pool).gain(hidden)
        found = Mert(search=search, smoothing="none", restarts=10).optimize(problem(pool))
        assert pool.dev.metric.sign * found.objective == pytest.approx(best)
        assert PoolSurface(pool).gain(found.vector) == pytest.approx(best)


@pytest.mark.slow
@pytest.mark.parametrize("search", list(CLIMBS))
@pytest.mark.parametrize("windows", [Windows(), Windows("average", 3), Windows("minimum", 5)])
def test_a_climb_never_ends_below_its_start(search: str, windows: Windows) -> None:
    for seed in range(4):
        pool = random_pool(seed)
        surface = PoolSurface(pool, windows)
        start = np.random.default_rng(seed).normal(size=pool.native.features)
        free = np.flatnonzero(pool.native.used())
        climb = CLIMBS[search](surface, start, free=free, rng=np.random.default_rng(1), limits=ClimbLimits(lines=60))
        assert climb.gain >= surface.gain(start)
        assert surface.gain(climb.weights) == pytest.approx(climb.gain)
        assert np.abs(climb.weights).sum() == pytest.approx(1)


def test_lines_are_compared_by_gain_or_by_what_their_windows_say() -> None:
    """On the first axis a peak stands alone, on the second a lower one among its like."""

    class Two:
        def gain(self, weights: Floats) -> float:
            return 0.0

        def line(self, weights: Floats, direction: Floats) -> LinePoint:
            return LinePoint(weights + direction, *((0.9, 0.3) if direction[0] else (0.6, 0.5)))

    for compare, gain, height in (("raw", 0.9, 0.9), ("smoothed", 0.6, 0.5)):
        found = CLIMBS["kcd"](
            Two(),
            np.zeros(2),
            free=np.arange(2),
            rng=np.random.default_rng(1),
            limits=ClimbLimits(lines=2, compare=compare),
        )
        assert (found.gain, found.height) == (gain, height)
    with pytest.raises(SettingError, match="compare"):
        Mert(compare="surrogate")


def test_one_feature_is_searched_along_by_itself() -> None:
    for seed in range(4):
        pool = random_pool(seed)
        task = problem(pool)
        name = pool.names[int(np.flatnonzero(pool.native.used())[1])]
        place = pool.names.index(name)
        found = Mert(along=name, smoothing="none").optimize(task)
        others = np.delete(np.arange(len(task.start)), place)
        assert_allclose(found.vector[others], task.start[others])
        surface = PoolSurface(pool)
        axis = np.eye(len(task.start))[place]
        tried = [surface.gain(task.start + step * axis) for step in np.linspace(-20, 20, 801)]
        assert surface.gain(found.vector) >= max(tried)
    with pytest.raises(SettingError, match="no candidate has the feature 'nothing'"):
        Mert(along="nothing").optimize(problem(pool))


class Quadratic:
    """A smooth hill, for which lines have their best point in closed form."""

    def __init__(self, matrix: Floats, peak: Floats) -> None:
        self.matrix, self.peak = matrix, peak

    def gain(self, weights: Floats) -> float:
        return -float((weights - self.peak) @ self.matrix @ (weights - self.peak))

    def line(self, weights: Floats, direction: Floats) -> LinePoint:
        x = float(direction @ self.matrix @ (self.peak - weights)) / float(direction @ self.matrix @ direction)
        point = weights + x * direction
        return LinePoint(point, self.gain(point), self.gain(point))


def test_powell_climbs_a_quadratic_in_few_rounds() -> None:
    rng = np.random.default_rng(3)
    size = 5
    roots = rng.normal(size=(size, size))
    hill = Quadratic(roots @ roots.T + np.eye(size), rng.normal(size=size))
    limits = ClimbLimits(objective=1e-12, lines=size * (size + 2))
    climb = CLIMBS["powell-basic"](hill, np.zeros(size), free=np.arange(size), rng=rng, limits=limits, rescale=False)
    assert_allclose(climb.weights, hill.peak, atol=1e-6)


@pytest.mark.slow
def test_random_directions_beat_axes_on_the_objective() -> None:
    reached: dict[str, list[float]] = {name: [] for name in ("random", "kcd")}
    for seed in range(10):
        pool = random_pool(seed, sentences=40, candidates=20, features=8)
        for name, gains in reached.items():
            tuner = Mert(search=name, smoothing="none", restarts=2)
            gains.append(tuner.optimize(problem(pool, seed=seed)).objective)
    assert np.mean(reached["random"]) > np.mean(reached["kcd"])
    assert np.mean(np.array(reached["random"]) >= np.array(reached["kcd"])) >= 0.7


def test_seeds_decide_and_threads_do_not() -> None:
    pool = random_pool(7, sentences=20)
    tuner = Mert(restarts=4)
    first = tuner.optimize(problem(pool, seed=1, threads=1)).vector
    assert tuner.optimize(problem(pool, seed=1, threads=3)).vector.tolist() == first.tolist()
    assert tuner.optimize(problem(pool, seed=2)).vector.tolist() != first.tolist()


def test_restarts_are_the_same_for_every_metric() -> None:
    starts = [
        Mert(restarts=3).starts(problem(random_pool(3, metric=metric), seed=5), np.arange(1, 5))
        for metric in ("bleu", "ter")
    ]
    assert_allclose(starts[0], starts[1])


def test_fixed_weights_stay() -> None:
    pool, hidden = solvable_pool(1)
    away = {f"f{i}": -float(hidden[pool.native.id(f"f{i}")]) for i in range(3)}
    found = Mert(restarts=5).optimize(problem(pool, fixed=["f1"], start=away))
    assert found.vector[pool.native.id("f1")] == away["f1"]
    assert found.vector[pool.native.id("f0")] != away["f0"]
    assert found.objective > pool.score(away)


def test_carrying_the_best_point_of_earlier_iterations() -> None:
    pool, hidden = solvable_pool(2)
    given = problem(pool)
    history = (given.start * -1, hidden)
    carried = Problem(given.pool, given.start, given.fixed, 3, history=history)
    points = Mert(carry="best", restarts=0).starts(carried, np.arange(1, 4))
    assert_allclose(points[1], hidden)


def test_many_features() -> None:
    pool = random_pool(1, features=40)
    with pytest.warns(TooManyFeatures):
        Mert(restarts=0, lines=1).optimize(problem(pool))
    pool = random_pool(1, features=120)
    with pytest.raises(SettingError, match="120 features"):
        Mert(restarts=0, lines=1).optimize(problem(pool))


def test_lists_without_a_choice_give_back_the_start() -> None:
    pool = NBestPool(random_pool(1).dev)
    pool.add((sentence, "a b c d", {"f0": 1.0}) for sentence in range(12))
    given = problem(pool, start={"f0": 1.0})
    assert_allclose(Mert(restarts=1).optimize(given).vector, given.start)


def test_every_metric_is_tuned_to_best_by_itself() -> None:
    metrics = ["bleu", "ter", "chrf", "bleu - ter"]
    pools = {metric: random_pool(11, sentences=15, metric=metric) for metric in metrics}
    vectors = {metric: Mert(restarts=8).optimize(problem(pool)).vector for metric, pool in pools.items()}
    for metric, pool in pools.items():
        surface = PoolSurface(pool)
        gains = {name: surface.gain(vector) for name, vector in vectors.items()}
        assert gains[metric] >= max(gains.values()) - 1e-9


@pytest.mark.parametrize(
    "wrong", [{"search": "genetic"}, {"window": 4}, {"restarts": -1}, {"smoothing": "max"}, {"lists": "lattice"}]
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        Mert(**wrong)  # type: ignore[arg-type]


def test_normalizing_keeps_the_direction() -> None:
    assert normalized(np.array([3.0, -1.0])).tolist() == [0.75, -0.25]
    assert normalized(np.zeros(2)).tolist() == [0.0, 0.0]
