"""The one loop over systems and metrics."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dragoman
from dragoman.evaluation.measures import measure_texts
from dragoman.metrics import get_metric
from dragoman.metrics.fitting import fitting
from dragoman.metrics.measuring import measured
from dragoman.metrics.reference_spread import reference_spreads
from dragoman.progress import Progress

REFERENCE = [f"the cat number {n} sat on the mat" for n in range(120)]
SYSTEMS = {
    "A": [line.replace("cat", "dog") for line in REFERENCE],
    "B": [line.replace("the", "a", 1) for line in REFERENCE],
}


def test_statistics_of_each_system_by_each_metric() -> None:
    seen: list[Progress] = []
    named, _ = fitting(["bleu", " ter", "bleu", get_metric("ter")], ["a"])
    assert list(named) == ["bleu", "ter", "bleu'", "ter'"]
    found = list(measured(SYSTEMS, [REFERENCE, SYSTEMS["A"]], named, progress=seen.append))
    assert [(one.label, one.system) for one in found] == [(label, name) for label in named for name in SYSTEMS]
    assert [(step.done, step.total) for step in seen] == [(done, 8) for done in range(1, 9)]
    for one in found:
        rows = one.metric.statistics(SYSTEMS[one.system], [REFERENCE, SYSTEMS["A"]])
        assert_array_equal(one.statistics, rows)
        assert one.score == one.metric.scale * one.metric.score(rows.sum(axis=0))
        assert_array_equal(one.sentence_scores, one.metric.scale * one.metric.scores(rows))
        assert one.signature == f"nrefs:2|{one.metric.signature}"


def test_reports_agree_since_they_look_at_the_same() -> None:
    references = [REFERENCE, SYSTEMS["B"]]
    report = dragoman.score(SYSTEMS, references, ["bleu+1", "ter"], confidence=None, sentence_level=True)
    comparison = dragoman.compare(SYSTEMS, references, ["bleu+1", "ter"], samples=100)
    measures, _ = measure_texts(SYSTEMS, references, ["bleu+1", "ter"])
    spreads = reference_spreads(SYSTEMS, references, ["bleu+1", "ter"])
    assert list(spreads) == [(system, label) for label in ("bleu+1", "ter") for system in SYSTEMS]
    for measure in measures:
        label = measure.label
        assert measure.signature == report.signatures[label] == comparison[label].signature
        for system in SYSTEMS:
            assert measure.corpus_scores()[system] == report[system, label].value
            assert comparison[label].scores[system] == pytest.approx(report[system, label].value)
            spread = spreads[system, label]
            assert spread.signature == measure.signature
            assert_array_equal(spread.together, report[system, label].sentences)
            alone = get_metric(label).sentence_scores(SYSTEMS[system], SYSTEMS["B"])
            assert_array_equal(spread.each[:, 1], 100 * alone)


def test_a_reference_that_nobody_has_is_nan() -> None:
    blank = [None] * len(REFERENCE)
    found = reference_spreads(SYSTEMS, [REFERENCE, blank, SYSTEMS["A"]], "wer")
    assert np.isnan(found["A", "wer"].each[:, 1]).all()
    assert not np.isnan(found["A", "wer"].each[:, 2]).any()
