"""A matrix of metrics: what was tuned to one, scored by all."""

from __future__ import annotations

import io
import math

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.metrics import get_metric
from dragoman.tuning import TuningMatrix, tune, tuning_matrix
from dragoman.tuning.combination import CombinationDecoder
from dragoman.tuning.matching import Matcher, join_outputs

REFERENCES = [["the cat sat on the mat", "a dog ran home"], ["the cat sat down", "the dog ran home again"]]
SAID = {
    "long": [["the cat sat on the mat on the mat", "a dog ran home"], ["the cat sat on the mat", "a dog ran home"]],
    "short": [["the cat sat", "a dog ran"], ["the cat sat", "a dog ran"]],
}
METRICS = {"B2": "bleu:2,tokenize=none", "wer": "wer:tokenize=none"}


def test_scores_are_those_of_the_metrics() -> None:
    matrix = TuningMatrix.of(SAID, REFERENCES, METRICS)
    for name, spec in METRICS.items():
        for system, runs in SAID.items():
            scores = [100 * get_metric(spec).corpus_score(run, REFERENCES) for run in runs]
            assert matrix.runs[system, name] == pytest.approx(scores)
            assert matrix.mean(system, name) == pytest.approx(sum(scores) / 2)
    assert matrix.deviation("short", "wer") == 0
    assert matrix.deviation("long", "wer") > 0
    assert matrix.length("short") == pytest.approx(6 / 9.5)
    assert matrix.lower_is_better == {"wer"}


def test_errors_are_better_when_they_are_fewer() -> None:
    said = {"good": [["a b c d"]], "bad": [["a x y z"]]}
    matrix = TuningMatrix.of(said, [["a b c d"]], ["wer", "bleu:1"])
    assert [matrix.best(metric) for metric in matrix.metrics] == ["good", "good"]
    assert matrix.best("wer", among=["bad"]) == "bad"
    assert math.isnan(matrix.deviation("good", "wer"))


def test_it_draws_and_prints_itself() -> None:
    from rich.console import Console

    matrix = TuningMatrix.of(SAID, REFERENCES, METRICS)
    for drawing in (matrix.heat_map(rules=[1]), matrix.stability_map()):
        svg = drawing.svg()
        assert all(name in svg for name in ("long", "short", "B2", "wer"))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(matrix)
    assert "tuned to" in console.export_text()
    plain = matrix.to_dict()
    assert plain["metrics"]["wer"] == {"higher_is_better": False}
    assert plain["systems"]["short"]["scores"]["wer"] == list(matrix.runs["short", "wer"])


def test_every_metric_is_tuned_to_with_the_same_seeds() -> None:
    outputs = [["the cat sat on a mat", "a dog ran house"], ["a cat sits on the mat", "a dog ran home"]]
    reference = ["the cat sat on the mat", "a dog ran home"]
    source = join_outputs(outputs)
    decoder = CombinationDecoder(2, None, matcher=Matcher(stages=("exact",)))
    seen: list[tuple[str, int]] = []
    matrix = tuning_matrix(
        decoder,
        (source, reference),
        (source, reference),
        tuned_to={"b": "bleu", "w": "wer"},
        runs=2,
        tuner="mert",
        iterations=2,
        nbest=20,
        threads=1,
        watch=lambda name, seed: seen.append((name, seed)),
    )
    assert seen == [("b", 1), ("b", 2), ("w", 1), ("w", 2)]
    wer = get_metric("wer").for_tokens()
    for seed in (1, 2):
        alone = tune(
            decoder, source, reference, tuner="mert", metric="bleu", iterations=2, nbest=20, seed=seed, threads=1
        )
        said = [each.text for each in decoder.with_weights(alone.weights).translate(source)]
        assert matrix.runs["b", "w"][seed - 1] == pytest.approx(100 * wer.corpus_score(said, reference))


def test_what_makes_no_matrix_is_refused() -> None:
    with pytest.raises(InputError, match="at least one output"):
        TuningMatrix.of({"a": []}, [["a"]], ["bleu"])
    with pytest.raises(InputError, match="needs metrics"):
        TuningMatrix.of({"a": [["a"]]}, [["a"]], [])
    with pytest.raises(SettingError, match="runs"):
        tuning_matrix(CombinationDecoder(2, None), (["a"], ["a"]), (["a"], ["a"]), tuned_to=["bleu"], runs=0)
