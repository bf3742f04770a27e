"""Hope and fear from forests, against looking at every derivation."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman._native import forest as native
from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.intersect import word_ids
from dragoman.forest.oracle import sentence_bleu
from dragoman.metrics import get_metric
from dragoman.metrics.base import Metric
from dragoman.metrics.blend import PositiveDiversity
from dragoman.metrics.bleu import Bleu
from dragoman.tuning.dev import DevSet
from dragoman.tuning.hope_fear import HopeFearSearch, ListSearch, NgramSearch, hope_fear_search
from tests.tuning.test_envelope import random_forest

REFERENCE = "a b c a b"


def small_forests() -> list[Forest]:
    """Forests whose derivations can all be looked at, with the words of the reference in their vocabulary."""
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        build = ForestBuilder("x")
        for word in REFERENCE.split():
            build.words.intern(word)
        forest = random_forest(rng, build)
        forest = forest.rescore(rng.normal(size=forest.edges))
        if forest.count() <= 200:
            found.append(forest)
    assert len(found) > 10
    return found


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_hope_and_fear_are_the_best_of_all_derivations(sign: float) -> None:
    for forest in small_forests():
        words = word_ids(forest.words, REFERENCE)
        ends = np.array([len(words)], dtype=np.uint32)
        edges, bleu = native.bleu_oracle(forest.native, words, ends, 5000, model=1.0, gain=sign)
        found = forest.derivation(edges)
        values = {d: d.score + sign * sentence_bleu(d.target, [REFERENCE]) * 5 for d in forest.derivations()}
        assert values[found] == pytest.approx(max(values.values()), abs=1e-9)
        assert bleu == pytest.approx(sentence_bleu(found.target, [REFERENCE]))


OTHER = PositiveDiversity([["a b b"]], 0.7, Bleu(tokenize="none"), Bleu(tokenize="none"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric",
    ["bleu", "bleu:2", "bleu:lowercase=true", "bleu+1", "ter", "wer", "chrf", "nist", "bleu:2 - ter", OTHER],
    ids=lambda metric: metric if isinstance(metric, str) else metric.name,
)
def test_any_metric_finds_hope_and_fear_of_all_derivations(metric: str | Metric) -> None:
    dev = DevSet.of(["x"], [REFERENCE], metric)
    search = hope_fear_search(dev, beam=5000, nbest=1000)
    judge = dev.sentence_metric()
    for forest in small_forests():
        every = list(forest.derivations())
        gains = judge.sign * judge.scores(dev.statistics([0] * len(every), [each.text for each in every]))
        gains *= len(REFERENCE.split())
        scores = np.array([each.score for each in every])
        found = _found(search, forest)
        hopes = np.flatnonzero(np.isclose(scores + gains, (scores + gains).max(), atol=1e-9))
        fears = np.flatnonzero(np.isclose(scores - gains, (scores - gains).max(), atol=1e-9))
        assert any(found[0] == every[k].features for k in hopes)
        assert any(found[1] == every[k].features for k in fears)
        margins = [gains[hope] - gains[fear] for hope in hopes for fear in fears]
        assert np.isclose(margins, found[2], atol=1e-9).any()


def _found(search: HopeFearSearch, forest: Forest) -> tuple[dict[str, float], dict[str, float], float]:
    """Features of hope and fear by name, and the margin."""
    search.begin([forest])
    found = search.find(0, forest)
    assert found is not None
    names = forest.features
    hope, fear = (
        {names.word(int(index)): float(value) for index, value in zip(*side, strict=True)}
        for side in (found.hope, found.fear)
    )
    dense = found.difference(len(names))
    for name in {*hope, *fear}:
        assert dense[names.id(name)] == pytest.approx(hope.get(name, 0.0) - fear.get(name, 0.0))
    return hope, fear, found.margin


def test_the_search_fits_the_metric() -> None:
    for metric, kind in [
        ("bleu", NgramSearch),
        ("bleu+1", NgramSearch),
        ("bleu:smooth=none", NgramSearch),
        ("bleu:3", ListSearch),
        ("bleu:lowercase=true", ListSearch),
        ("bleu:ref_length=shortest", ListSearch),
        ("1*bleu - 1*wer", ListSearch),
        ("chrf", ListSearch),
    ]:
        assert isinstance(hope_fear_search(DevSet.of(["x"], [REFERENCE], metric), beam=4, nbest=5), kind)


def test_ngrams_propose_what_is_too_deep_for_a_list() -> None:
    # One derivation is the reference, and a thousand score better.
    build = ForestBuilder("x")
    goal, parts = build.add_node(), [build.add_node() for _ in range(5)]
    for place, (node, word) in enumerate(zip(parts, REFERENCE.split(), strict=True)):
        for rank, text in enumerate(["u", "v", "w", word]):
            build.add_edge(node, text, score=-0.1 * rank, features={f"{place}{text}": 1.0})
    build.add_edge(goal, list(range(5)), parts)
    forest = build.finish(goal)
    dev = DevSet.of(["x"], [REFERENCE], get_metric("ter"))
    hope, _, margin = _found(ListSearch(dev, beam=100, nbest=10), forest)
    assert margin == 5.0
    assert set(hope) == {f"{place}{word}" for place, word in enumerate(REFERENCE.split())}


def test_a_forest_without_derivations_has_neither() -> None:
    build = ForestBuilder("x")
    forest = build.finish(build.add_node())
    for metric in ("bleu", "ter"):
        search = hope_fear_search(DevSet.of(["x"], [REFERENCE], metric), beam=4, nbest=5)
        search.begin([forest])
        assert search.find(0, forest) is None
