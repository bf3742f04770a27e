"""Entailment in both directions: labels, the adequacy metric, the scorer of similarity, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.annotations.training import train_annotator
from dragoman.entailment.adequacy import EntailmentAdequacy
from dragoman.entailment.both_directions import judge_both, label_of
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair, annotate_pairs
from dragoman.errors import InputError, SettingError
from dragoman.metrics import get_metric
from dragoman.similarity import TextPair, get_scorer, open_scorer
from dragoman.similarity.entailment_features import EntailmentFeatures
from dragoman.text import synthetic
from tests.commands import Run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser of made-up sentences."""
    folder = tmp_path_factory.mktemp("model") / "syntax"
    sentences = [item.source.annotated for item in synthetic.pair("en-de").generate(100, seed=1)]
    train_annotator("syntax", sentences, epochs=2).save(folder)
    return folder


def test_labels(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    assert [label_of(f, b) for f in (True, False) for b in (True, False)] == [
        "bidirectional",
        "forward",
        "backward",
        "no_entailment",
    ]
    pair = phenomena[0]
    same = judge_both(entailer, [pair.hypothesis], [pair.hypothesis])
    assert same.label == "bidirectional"
    there = judge_both(entailer, pair.text, [pair.hypothesis])
    back = judge_both(entailer, [pair.hypothesis], pair.text)
    assert there.probabilities == back.probabilities[::-1]
    assert there.forward[0].answer == entailer.judge(replace(pair, label=None)).answer
    # a text of two sentences follows if both do
    two = judge_both(entailer, [pair.hypothesis], [pair.hypothesis, phenomena[-1].hypothesis])
    assert two.probabilities[0] == min(each.probability for each in two.forward)
    assert two.to_dict()["label"] == two.label


@pytest.mark.slow
def test_decisions_do_not_depend_on_the_number_of_threads(model: Path, entailer: Entailer) -> None:
    from dragoman.annotations import annotator_chain

    items = [item.source.text for item in synthetic.pair("en-de").generate(12, seed=4)]
    raw = [EntailmentPair(str(at), one, other) for at, (one, other) in enumerate(pairwise(items))]
    chain = annotator_chain.load(str(model))
    judged = [
        [(each.answer, each.probability, each.alignment.links) for each in entailer.judge_all(pairs)]
        for pairs in (annotate_pairs(chain, raw, threads=threads) for threads in (1, 2, 3))
    ]
    assert judged[0] == judged[1] == judged[2]


@pytest.mark.usefixtures("words")
def test_adequacy(model: Path) -> None:
    lines = [item.source.text for item in synthetic.pair("en-de").generate(8, seed=5)]
    metric = get_metric(f"entailment:syntax={model}")
    assert isinstance(metric, EntailmentAdequacy)
    same, other = metric.sentence_scores(lines, lines), metric.sentence_scores(lines[::-1], lines)
    assert same.mean() > other.mean()
    two = metric.sentence_scores(lines[::-1], [lines, lines[::-1]])
    assert (two >= other).all()
    assert metric.corpus_score(lines, lines) == pytest.approx(same.mean())
    assert metric.sentence_scores(["", ""], ["a dog barks", ""]).tolist() == [0.0, 1.0]
    found = metric.explain(lines[0], [lines[1], lines[0]])
    assert sum(found.probabilities) / 2 == pytest.approx(same[0])
    assert "weights:hand" in metric.signature
    assert set(metric.details(metric.statistics(lines, lines).sum(0))) == {"kept", "not added"}
    with pytest.raises(SettingError, match="syntax=FOLDER"):
        get_metric("entailment").sentence_scores(["a"], ["a"])
    with pytest.raises(InputError, match="empty"):
        metric.explain("", ["a"])


@pytest.mark.slow
@pytest.mark.usefixtures("words")
def test_a_similarity_scorer(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    sides = [item.source.annotated for item in synthetic.pair("en-de").generate(24, seed=6)]
    pairs = [TextPair(one, one if at % 3 == 0 else other) for at, (one, other) in enumerate(pairwise(sides))]
    gold = [1.0 if at % 3 == 0 else 0.2 for at in range(len(pairs))]
    scorer = get_scorer("entailment").fit(pairs, gold)
    assert isinstance(scorer, EntailmentFeatures)
    scores = scorer.score(pairs)
    assert scores[::3].mean() > scores[1::3].mean() + 0.3
    row = scorer.features(pairs[1])
    turned = scorer.features(pairs[1].swapped())
    assert row["forward score"] == turned["backward score"]
    told = scorer.explain(pairs[1])
    assert any(note.startswith("as two decisions") for note in told.notes)
    scorer.save(tmp_path / "scorer")
    assert open_scorer(tmp_path / "scorer").score(pairs).tolist() == scores.tolist()


@pytest.mark.usefixtures("words")
def test_the_command_asks_in_both_directions(run: Run, model: Path) -> None:
    line = next(iter(synthetic.pair("en-de").generate(1, seed=7))).source.text
    given = ("entail", line, line, "--with", str(model), "--both")
    shown = run(*given)
    assert [line for line in shown.splitlines() if line in ("bidirectional", "forward", "backward")] == [
        "bidirectional",
        "forward",
        "backward",
    ]
    assert shown.count("natural logic: yes") == 2
    assert json.loads(run(*given, "--json"))["label"] == "bidirectional"
    assert "one direction" in run(*given, "-o", "x.svg", code=2)
