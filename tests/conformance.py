"""One suite of checks for every entry of a registry."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from dragoman.metrics.base import Metric
from dragoman.tuning.batch import Problem
from dragoman.tuning.dev import DevSet
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.pro import Pro

HYPOTHESES = [
    "the cat sat on mat", "on the mat the cat sat", "a big house , isn't it ?", "", "Children bought homes in 1999.",
    "he runs the shop quickly", "b c d a", "completely different words", "it is what it is",
]  # fmt: skip
REFERENCES = [
    "the cat sat on the mat", "the cat sat on the mat", "a large house, is it not?", "something",
    "A child bought a home in 1999.", "he operates the shop rapidly", "a b c d", "nothing in common here",
    "it is what it is",
]  # fmt: skip


TOKENS = ["a b c d e f", "b a c d", "e f g h a", "a", "c d e f g h a b"]
"""Words of one letter, which every tokenizer leaves alone."""
TOKEN_REFERENCES = ["a b d c e f", "b a c d e", "f e g h", "a b", "c d e f g h"]


def check_metric(metric: Metric) -> None:
    """What every metric promises."""
    rows = metric.statistics(HYPOTHESES, REFERENCES)
    assert rows.shape == (len(HYPOTHESES), metric.width)
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    scores = metric.scores(rows)
    assert np.isfinite(scores).all()

    # the corpus score is a function of the sum, and sentence scores are scores of rows
    assert metric.score(rows.sum(axis=0)) == metric.corpus_score(HYPOTHESES, REFERENCES)
    assert_array_equal(metric.sentence_scores(HYPOTHESES, REFERENCES), scores)
    assert_allclose([metric.score(row) for row in rows], scores)

    # threads, preparation and number of segments change nothing
    many = metric.statistics(HYPOTHESES * 30, REFERENCES * 30, threads=1)
    assert_array_equal(metric.statistics(HYPOTHESES * 30, REFERENCES * 30, threads=3), many)
    assert_array_equal(metric.statistics(HYPOTHESES, metric.prepare(REFERENCES)), rows)
    if metric.local:
        assert_array_equal(many, np.tile(rows, (30, 1)))
        for index in range(len(HYPOTHESES)):
            assert_array_equal(metric.statistics([HYPOTHESES[index]], [REFERENCES[index]])[0], rows[index])

    # the order of segments is of no consequence, nor is a reference given twice
    assert_array_equal(metric.statistics(HYPOTHESES[::-1], REFERENCES[::-1])[::-1], rows)
    if metric.local:
        assert_allclose(metric.statistics(HYPOTHESES, [REFERENCES, REFERENCES]), rows)
    assert_array_equal(metric.statistics(HYPOTHESES, [REFERENCES, [None] * len(REFERENCES)]), rows)

    # nothing scores better than the reference itself
    sign = 1 if metric.higher_is_better else -1
    perfect = metric.corpus_score(REFERENCES, REFERENCES)
    assert sign * perfect > sign * metric.corpus_score(HYPOTHESES, REFERENCES)
    assert sign * perfect > sign * metric.corpus_score(["x"] * len(REFERENCES), REFERENCES)

    # all pairs hold the sentence scores
    if metric.local:
        matrix = metric.score_matrix(HYPOTHESES, REFERENCES)
        assert matrix.shape == (len(HYPOTHESES), len(REFERENCES))
        assert_allclose(np.diagonal(matrix), scores, atol=1e-12)

    # the signature is stable, states the version, and tells settings apart
    assert metric.signature == metric.signature
    assert "version:dragoman-" in metric.signature
    assert metric.statistics([], []).shape == (0, metric.width)

    # some segments, in any order and as often as asked, are measured as parts of the whole
    several = metric.prepare([REFERENCES, [None, *REFERENCES[:-1]]])
    together = metric.statistics(HYPOTHESES, several)
    numbers = [4, 0, 0, 8, 1, 5]
    taken = several.take(numbers)
    assert_array_equal(metric.statistics([HYPOTHESES[number] for number in numbers], taken), together[numbers])
    assert metric.statistics([], several.take([])).shape == (0, metric.width)

    check_hooks(metric)
    check_in_tuning(metric)


def check_hooks(metric: Metric) -> None:
    """What a metric tells tuners agrees with what it is."""
    rows = metric.statistics(TOKENS, TOKEN_REFERENCES)
    total = rows.sum(axis=0)

    # text that is tokenised already needs no tokenizer
    plain = metric.for_tokens()
    assert plain.for_tokens() == plain
    assert plain.width == metric.width
    assert_array_equal(plain.statistics(TOKENS, TOKEN_REFERENCES), rows)

    # sentences are judged on the same statistics, in the same direction
    for references, words in ((1, 30.0), (1, 3.0), (4, 30.0)):
        single = metric.sentence_level(references=references, words=words)
        assert single.width == metric.width
        assert single.sign == metric.sign
        assert_array_equal(single.statistics(TOKENS, TOKEN_REFERENCES), rows)
        assert np.isfinite(single.scores(rows)).all()
        assert single.sentence_level(references=references, words=words) == single

    # what native code maximises is the score, turned so that more is better
    assert metric.sign == (1 if metric.higher_is_better else -1)
    gain = metric.gain()
    assert_allclose(gain.scores(total.reshape(1, -1)), [metric.sign * metric.score(total)], rtol=1e-12)
    assert_allclose(gain.scores(rows), metric.sign * metric.scores(rows), rtol=1e-12)

    # a column of reference words holds them
    assert -1 <= metric.length_column < metric.width
    if metric.length_column >= 0:
        assert_array_equal(rows[:, metric.length_column], [len(text.split()) for text in TOKEN_REFERENCES])
    assert metric.ngram_order >= 0


def check_in_tuning(metric: Metric) -> None:
    """Tuners of every kind learn from tiny lists that the reference is better than what the weights prefer."""
    dev = DevSet.of(["x"] * len(TOKENS), TOKEN_REFERENCES, metric)
    pool = NBestPool(dev)
    for sentence, (text, reference) in enumerate(zip(TOKENS, TOKEN_REFERENCES, strict=True)):
        pool.add([(sentence, text, {"good": 0.0, "bad": 1.0}), (sentence, reference, {"good": 1.0, "bad": 0.0})])
    start = pool.vector({"good": 0.1, "bad": 0.2})
    before, best = dev.score(TOKENS), dev.score(TOKEN_REFERENCES)
    assert metric.sign * best > metric.sign * before
    for tuner in (
        Mira(passes=20, step=1.0),
        Mert(restarts=1, patience=2, smoothing="none"),
        Pro(threshold=0.0, samples=100),
    ):
        found = tuner.optimize(Problem(pool, start, pool.fixed((), len(start)), threads=1))
        assert_allclose(pool.score(pool.weights(found.vector)), best, rtol=1e-12, err_msg=tuner.name)
