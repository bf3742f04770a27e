"""Hope and fear from forests, against looking at every derivation."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman._native import forest as native
from dragoman.forest import ForestBuilder
from dragoman.forest.intersect import word_ids
from dragoman.forest.oracle import sentence_bleu
from tests.tuning.test_envelope import random_forest

REFERENCE = "a b c a b"


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_hope_and_fear_are_the_best_of_all_derivations(sign: float) -> None:
    tried = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        build = ForestBuilder("x")
        for word in REFERENCE.split():
            build.words.intern(word)
        forest = random_forest(rng, build)
        forest = forest.rescore(rng.normal(size=forest.edges))
        if forest.count() > 200:
            continue
        tried += 1
        words = word_ids(forest.words, REFERENCE)
        ends = np.array([len(words)], dtype=np.uint32)
        edges, bleu = native.bleu_oracle(forest.native, words, ends, 5000, model=1.0, gain=sign)
        found = forest.derivation(edges)
        values = {d: d.score + sign * sentence_bleu(d.target, [REFERENCE]) * 5 for d in forest.derivations()}
        assert values[found] == pytest.approx(max(values.values()), abs=1e-9)
        assert bleu == pytest.approx(sentence_bleu(found.target, [REFERENCE]))
    assert tried > 10
