"""The upper envelope and the exact line search, against the obvious ways to compute them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman._native import tuning as native
from dragoman._native.metrics import CallbackGain
from dragoman.errors import InputError, SettingError
from dragoman.forest import Forest, ForestBuilder
from dragoman.metrics.base import Floats
from dragoman.tuning.dev import DevSet
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.surface import ForestSurface, PoolSurface, Windows
from tests.tuning.lists import random_pool

whole = st.integers(-4, 4)
lines = st.lists(st.tuples(whole, whole), min_size=1, max_size=25)


@given(lines)
def test_envelope_is_the_best_line_everywhere(given_lines: list[tuple[int, int]]) -> None:
    slopes, heights = (np.array(values, dtype=np.float64) for values in zip(*given_lines, strict=True))
    begin, winners = native.upper_envelope(slopes, heights)
    assert begin[0] == -math.inf
    assert (np.diff(begin) > 0).all()
    assert (np.diff(slopes[winners]) > 0).all()
    ends = [*begin[1:], math.inf]
    for low, high, winner in zip(begin, ends, winners, strict=True):
        inside = [max(low, -100.0) + 1e-6, min(high, 100.0) - 1e-6]
        for x in (inside[0], sum(inside) / 2, inside[1]):
            scores = heights + x * slopes
            assert scores[winner] == pytest.approx(scores.max(), abs=1e-9)
    # Corners are where the walk from line to line, each time to the nearest crossing, turns.
    x, now = -math.inf, min(range(len(slopes)), key=lambda k: (slopes[k], -heights[k]))
    walked = [x]
    while True:
        ahead = [
            ((heights[now] - heights[k]) / (slopes[k] - slopes[now]), -slopes[k], k)
            for k in range(len(slopes))
            if slopes[k] > slopes[now]
        ]
        if not ahead:
            break
        x, _, now = min(ahead)
        walked.append(x)
    assert_allclose(begin[1:], walked[1:], atol=1e-12)


def test_an_envelope_of_nothing_and_of_parallel_lines() -> None:
    assert native.upper_envelope(np.zeros(0), np.zeros(0))[1].tolist() == []
    begin, winners = native.upper_envelope(np.ones(3), np.array([1.0, 3.0, 3.0]))
    assert (begin.tolist(), winners.tolist()) == ([-math.inf], [1])


def small_house() -> tuple[NBestPool, Floats, Floats]:
    """The worked example of Cer, Jurafsky and Manning (2008), table 1."""
    pool = NBestPool(DevSet.of(["x"], ["This is a small house"], "bleu:order=2,smooth=none"))
    candidates = {
        "This is it": (-1.2, -0.1),
        "This is small house": (-0.2, -1.2),
        "This is miniscule building": (-1.6, -0.9),
        "This is a small house": (-0.1, -0.9),
    }
    pool.add((0, text, {"tm": tm, "lm": lm}) for text, (tm, lm) in candidates.items())
    return pool, pool.vector({"tm": 1.0, "lm": 0.5}), pool.vector({"lm": 1.0})


def test_worked_example_of_one_sentence() -> None:
    pool, weights, direction = small_house()
    begin, gains, _ = PoolSurface(pool).plateaus(weights, direction)
    assert_allclose(begin[1:], [-0.8333, 0.8750], atol=1e-4)
    assert_allclose(gains, [0.6359, 1.0, 0.2964], atol=1e-4)
    point = PoolSurface(pool).line(weights, direction)
    assert_allclose(point.weights, weights)
    assert point.gain == 1.0


@pytest.mark.parametrize(
    ("smoothing", "losses"), [("average", [0.1821, 0.3559, 0.3518]), ("minimum", [0.3641, 0.7036, 0.7036])]
)
def test_worked_example_with_windows(smoothing: str, losses: list[float]) -> None:
    pool, weights, direction = small_house()
    surface = PoolSurface(pool, Windows(smoothing, 3))
    assert_allclose(1 - surface.plateaus(weights, direction)[2], losses, atol=1e-4)
    point = surface.line(weights, direction)
    assert_allclose(point.weights, weights - 1.8333 * direction, atol=1e-4)
    assert point.gain == pytest.approx(0.6359, abs=1e-4)


@pytest.mark.parametrize(
    ("smoothing", "window", "losses", "x"),
    [
        ("none", 1, [0.3, 0.1, 0.5, 0.6], -0.25),
        ("average", 3, [0.2, 0.3, 0.4, 0.55], -1.5),
        ("average", 5, [0.3, 0.375, 0.375, 0.4], -1.5),
        ("minimum", 3, [0.3, 0.5, 0.6, 0.6], -1.5),
    ],
)
def test_worked_example_of_two_sentences(smoothing: str, window: int, losses: list[float], x: float) -> None:
    pool = native.Pool(2, 2)
    for sentence, entries in enumerate([[(-1, 0, 3), (0, 0.5, 1), (2, -1, 2)], [(-2, 0, 0), (1, 0, 4), (0, -0.1, 1)]]):
        for slope, height, errors in entries:
            ids = np.array([pool.intern("height"), pool.intern("slope")], dtype=np.uint32)
            pool.add(sentence, f"{errors} errors", ids, np.array([height, slope], dtype=np.float64))
    _, texts = pool.pending()
    pool.set_statistics(np.array([[float(text[0]), 5.0] for text in texts]))
    gain = CallbackGain(lambda rows: -rows[:, 0] / rows[:, 1], 2)
    search = native.LineSearch(pool, gain)
    weights, direction = np.zeros(pool.features), np.zeros(pool.features)
    weights[pool.id("height")] = direction[pool.id("slope")] = 1.0
    begin, _, judged = search.plateaus(weights, direction, smoothing=smoothing, window=window)
    assert_allclose(begin[1:], [-0.5, 0, 0.75])
    assert_allclose(-judged, losses)
    assert search.search(weights, direction, smoothing=smoothing, window=window)[0] == pytest.approx(x)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from(["bleu", "ter", "wer", "bleu - ter"]))
@settings(max_examples=40)
def test_line_search_equals_a_dense_grid(seed: int, integers: bool, metric: str) -> None:
    pool = random_pool(seed, integers=integers, metric=metric)
    rng = np.random.default_rng(seed)
    surface = PoolSurface(pool)
    weights, direction = rng.normal(size=(2, pool.native.features))
    begin, gains, _ = surface.plateaus(weights, direction)
    point = surface.line(weights, direction)
    assert surface.gain(point.weights) == pytest.approx(point.gain, abs=1e-12)
    grid = np.linspace(-20, 20, 150)
    for x in grid:
        if np.abs(begin[1:] - x).min(initial=1.0) < 1e-9:
            continue
        there = surface.gain(weights + x * direction)
        plateau = int(np.searchsorted(begin, x, side="right")) - 1
        assert there == pytest.approx(gains[plateau], abs=1e-12)
        assert there <= point.gain + 1e-12


@pytest.mark.slow
@given(st.integers(0, 10_000), st.floats(0.01, 100))
@settings(max_examples=25)
def test_what_changes_nothing_changes_nothing(seed: int, factor: float) -> None:
    pool = random_pool(seed)
    rng = np.random.default_rng(seed)
    candidates = list(pool.candidates())
    weights = {f"f{i}": float(v) for i, v in enumerate(rng.normal(size=4))}
    direction = {f"f{i}": float(v) for i, v in enumerate(rng.normal(size=4))}

    def best(items: list[tuple[int, str, dict[str, float]]], scale: float = 1.0) -> float:
        other = NBestPool(pool.dev)
        other.add(items)
        extra = {name: 1.0 for _, _, values in items for name in values if name not in weights}
        return PoolSurface(other).line(other.vector({**weights, **extra}) * scale, other.vector(direction)).gain

    expected = best(candidates)
    assert best(candidates, factor) == pytest.approx(expected, abs=1e-12)
    constants = rng.normal(size=12)
    assert best([(s, t, {**v, "constant": float(constants[s])}) for s, t, v in candidates]) == pytest.approx(expected)
    assert best([*candidates, *candidates[::3]]) == expected
    assert best([candidates[i] for i in rng.permutation(len(candidates))]) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.sampled_from([1, 3, 5, 7]))
def test_windows(values: list[float], window: int) -> None:
    gains = np.array(values)
    average, minimum = (native.smoothed(gains, kind, window) for kind in ("average", "minimum"))
    half = window // 2
    around = [gains[max(0, t - half) : t + half + 1] for t in range(len(gains))]
    assert_allclose(average, [part.mean() for part in around])
    assert_allclose(minimum, [part.min() for part in around])
    assert (minimum <= average + 1e-12).all()
    if window == 1:
        assert average.tolist() == gains.tolist()


def test_bad_lines_are_refused() -> None:
    pool = random_pool(1)
    surface, weights = PoolSurface(pool), np.ones(pool.native.features)
    with pytest.raises(InputError, match="direction"):
        surface.line(weights, np.zeros(len(weights)))
    with pytest.raises(InputError, match="weights"):
        surface.line(weights[:2], weights[:2])
    for window in (0, 2, 4):
        with pytest.raises(SettingError, match="window"):
            Windows("average", window)
    with pytest.raises(SettingError, match="smoothing"):
        Windows("median", 3)


def random_forest(rng: np.random.Generator, build: ForestBuilder) -> Forest:
    """A small forest with edges of up to two tails, one of them twice the same node."""
    nodes = [build.add_node() for _ in range(5)]
    for place, node in enumerate(nodes):
        for _ in range(rng.integers(1, 4)):
            tails = [nodes[int(rng.integers(place))] for _ in range(rng.integers(0, 3))] if place else []
            target: list[str | int] = [str(rng.choice(list("abc"))), *range(len(tails))]
            features = {f"f{i}": float(v) for i, v in enumerate(rng.normal(size=3))}
            build.add_edge(node, target, tails, features=features)
    return build.finish(nodes[-1])


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_forest_envelope_equals_that_of_all_derivations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    builder = ForestBuilder("x")
    forest = random_forest(rng, builder)
    if forest.count() > 3000:
        return
    weights, direction = rng.normal(size=(2, len(forest.features)))
    ends, begin, slopes, heights, texts = native.forest_envelopes([forest.native], [forest.words], weights, direction)
    derivations = list(forest.derivations())
    all_slopes = np.array([derivation.rescore(direction) for derivation in derivations])
    all_heights = np.array([derivation.rescore(weights) for derivation in derivations])
    assert ends.tolist() == [len(begin)] == [len(texts)]
    for x in np.linspace(-5, 5, 101):
        assert (heights + x * slopes).max() == pytest.approx((all_heights + x * all_slopes).max(), abs=1e-9)
    first, last = min([0.0, *begin[1:]]) - 1, max([0.0, *begin[1:]]) + 1
    for place, (low, high) in enumerate(itertools.pairwise([first, *begin[1:], last])):
        x = (low + high) / 2
        assert heights[place] + x * slopes[place] == pytest.approx((all_heights + x * all_slopes).max(), abs=1e-9)
    known = {derivation.text for derivation in derivations}
    assert set(texts) <= known


@pytest.mark.slow
def test_the_surface_of_forests_is_that_of_their_lists() -> None:
    rng = np.random.default_rng(5)
    shared = ForestBuilder("x")
    forests = [random_forest(rng, ForestBuilder("x", words=shared.words, features=shared.features)) for _ in range(8)]
    dev = DevSet.of(["x"] * 8, ["a b c a b"] * 8, "bleu:2")
    pool = NBestPool(dev)
    for sentence, forest in enumerate(forests):
        pool.add((sentence, derivation.text, derivation.features) for derivation in forest.derivations())
    lists, whole_forests = PoolSurface(pool), ForestSurface(dev, forests, names=pool.names, threads=2)
    for _ in range(5):
        weights, direction = rng.normal(size=(2, pool.native.features))
        assert whole_forests.gain(weights) == pytest.approx(lists.gain(weights), abs=1e-12)
        assert whole_forests.line(weights, direction).gain == pytest.approx(lists.line(weights, direction).gain)
