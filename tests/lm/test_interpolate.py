from __future__ import annotations

import math

import numpy as np
import pytest

from dragoman.errors import InputError, SettingError
from dragoman.lm import estimate, fit_weights, interpolate
from dragoman.lm.interpolate import weights_by_em

FIRST = ["a b c", "a b", "b c a", "c a b d"] * 3
SECOND = ["x a", "a x x b", "b x", "x"] * 3


def test_one_step_of_em_by_hand() -> None:
    """Two tokens, p1 = (.2, .1), p2 = (.1, .4): posteriors 2/3 and 1/5."""
    weights, iterations = weights_by_em(np.array([[0.2, 0.1], [0.1, 0.4]]), max_iterations=1)
    assert weights[0] == pytest.approx(0.4333, abs=1e-4)
    assert iterations == 1


def test_em_finds_the_best_weights() -> None:
    random = np.random.default_rng(1)
    probabilities = random.uniform(0.001, 1, size=(400, 2))
    weights, _ = weights_by_em(probabilities, tolerance=1e-9, max_iterations=10_000)
    grid = [np.log(probabilities @ [w, 1 - w]).sum() for w in np.linspace(0, 1, 201)]
    assert np.log(probabilities @ weights).sum() >= max(grid) - 1e-6


def test_listed_ngrams_are_the_weighted_mean_and_contexts_sum_to_one() -> None:
    lists = [estimate(FIRST, order=3).ngrams, estimate(SECOND, order=2).ngrams]
    one, two = (ngrams.build() for ngrams in lists)
    mixed = interpolate(lists, [0.3, 0.7]).build()
    assert mixed.order == 3
    words = [word for word in mixed.words() if word != "<s>"]
    assert {"x", "d"} <= set(words)

    def probability(model: object, context: str, word: str) -> float:
        from dragoman.lm import NgramModel

        assert isinstance(model, NgramModel)
        if word not in model:
            return 0.0
        _, state = model.step_phrase(model.empty_state(), context)
        return math.exp(model.step(state, word)[0])

    for context, word in [("", "a"), ("a", "b"), ("a b", "c"), ("x", "a"), ("a", "x"), ("", "x")]:
        expected = 0.3 * probability(one, context, word) + 0.7 * probability(two, context, word)
        assert probability(mixed, context, word) == pytest.approx(expected, rel=1e-4), (context, word)
    for context in ["", "a", "a b", "x", "b x", "d d", "zzz"]:
        _, state = mixed.step_phrase(mixed.begin_state(), context)
        total = math.fsum(math.exp(mixed.step(state, word)[0]) for word in words)
        assert total == pytest.approx(1, abs=1e-4), context


def test_fitted_mixture_is_better_than_its_parts() -> None:
    lists = [estimate(text, order=2).ngrams for text in (FIRST, SECOND)]
    dev = ["a b c", "x a", "a b d", "a x b", "never"]
    mixture = fit_weights([ngrams.build() for ngrams in lists], dev)
    assert sum(mixture.weights) == pytest.approx(1)
    assert mixture.unknown == 1
    mixed = interpolate(lists, mixture.weights).build()
    found = mixed.perplexity(dev)
    assert found.unknown == 1
    # The static mixture agrees with the fit wherever its n-grams are listed.
    assert found.perplexity == pytest.approx(mixture.perplexity, rel=0.25)
    other = interpolate(lists, [0.999, 0.001]).build().perplexity(dev)
    assert found.perplexity < other.perplexity


def test_impossible_mixtures_are_refused() -> None:
    ngrams = estimate(["a"], order=2).ngrams
    with pytest.raises(SettingError, match="sum to"):
        interpolate([ngrams, ngrams], [0.5, 0.6])
    with pytest.raises(SettingError, match="1 weights for 2 models"):
        interpolate([ngrams, ngrams], [1.0])
    with pytest.raises(SettingError, match="negative"):
        interpolate([ngrams, ngrams], [1.5, -0.5])
    with pytest.raises(SettingError, match="no models"):
        fit_weights([], ["a"])
    with pytest.raises(InputError, match="no model knows"):
        fit_weights([estimate(["a"], order=1).build()], [])
