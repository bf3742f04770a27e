"""One suite of checks for every entry of a registry."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from dragoman.metrics.base import Metric

HYPOTHESES = [
    "the cat sat on mat", "on the mat the cat sat", "a big house , isn't it ?", "", "Children bought homes in 1999.",
    "he runs the shop quickly", "b c d a", "completely different words", "it is what it is",
]  # fmt: skip
REFERENCES = [
    "the cat sat on the mat", "the cat sat on the mat", "a large house, is it not?", "something",
    "A child bought a home in 1999.", "he operates the shop rapidly", "a b c d", "nothing in common here",
    "it is what it is",
]  # fmt: skip


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
