from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import DragomanError, LengthMismatch, SettingError
from dragoman.metrics import get_metric
from dragoman.metrics.base import Metric
from dragoman.metrics.blend import Blend, PositiveDiversity
from dragoman.metrics.bleu import Bleu, BleuPlusOne
from dragoman.metrics.ter import Ter
from dragoman.metrics.terp import Terpa

HYP = ["the cat sat on mat", "a dog barks", "nothing"]
REF = ["the cat sat on the mat", "the dog barks loudly", "something else"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("bleu-ter", [(1, "bleu"), (-1, "ter")]),
        ("bleu - 2*terp", [(1, "bleu"), (-2, "terp")]),
        ("bleu:4+2*chrf", [(1, "bleu"), (2, "chrf")]),
        ("0.5 * bleu + .5*chrf++", [(0.5, "bleu"), (0.5, "chrf++")]),
        ("bleu+1-ter", [(1, "bleu+1"), (-1, "ter")]),
        ("bleu+1-all", [(1, "bleu+1-all")]),
        ("bleu+1*chrf", [(1, "bleu"), (1, "chrf")]),
        ("bleu-nakov-wer", [(1, "bleu-nakov"), (-1, "wer")]),
        ("-ter - 3*wer", [(-1, "ter"), (-3, "wer")]),
        ("bleu:smooth=add-k,order=3-ter", [(1, "bleu"), (-1, "ter")]),
        ("meteor:stages=exact+stem+bleu", [(1, "meteor"), (1, "bleu")]),
        ("BLEU - TER", [(1, "bleu"), (-1, "ter")]),
        ("1e-1*bleu", [(0.1, "bleu")]),
    ],
)
def test_expressions(text: str, terms: list[tuple[float, str]]) -> None:
    metric = get_metric(text)
    found = [(w, m.name) for w, m in metric.terms] if isinstance(metric, Blend) else [(1.0, metric.name)]
    assert found == terms


def test_options_inside_expressions() -> None:
    metric = get_metric("bleu:smooth=add-k,order=3,tokenize=ja-mecab - ter:no_punct=true")
    assert isinstance(metric, Blend)
    assert metric.terms == ((1, Bleu(smooth="add-k", order=3, tokenize="ja-mecab")), (-1, Ter(no_punct=True)))


@pytest.mark.parametrize("text", ["", "bleu ter", "bleu -", "2*", "bleu - - ter", "bleu:", "bleu,ter", "0*bleu", "3"])
def test_what_is_no_metric_is_refused(text: str) -> None:
    with pytest.raises(DragomanError):
        get_metric(text)


@given(st.text("bleu+-1.*:=,ter chrf02", max_size=16))
def test_any_text_is_a_metric_or_an_error(text: str) -> None:
    with contextlib.suppress(DragomanError):
        assert get_metric(text).name


def test_settings_that_may_be_left_out() -> None:
    metric = get_metric("bleu - terpa:synonym=none,stem=0.5")
    assert isinstance(metric, Blend)
    assert metric.terms[1] == (-1, Terpa(synonym=None, stem=0.5))


def test_values() -> None:
    blend = get_metric("bleu-ter")
    assert blend.corpus_score(HYP, REF) == Bleu().corpus_score(HYP, REF) - Ter().corpus_score(HYP, REF)
    one = Blend([(1.0, Bleu())])
    assert one.corpus_score(HYP, REF) == Bleu().corpus_score(HYP, REF)
    assert blend.details(blend.statistics(HYP, REF).sum(axis=0))["ter"] == Ter().corpus_score(HYP, REF)
    assert blend.name == "bleu - ter"
    assert get_metric("ter+wer").higher_is_better is False
    assert get_metric("-ter").higher_is_better is True
    assert get_metric("bleu + nist").scale == 1


def test_opposite_directions_are_a_slip() -> None:
    with pytest.raises(SettingError, match="more bleu is better and more ter is worse; subtract"):
        get_metric("bleu + ter")


def test_positive_diversity_worked_example() -> None:
    """Preference flips from the copy to the diverse candidate at alpha 0.95 (Cer, Manning and Jurafsky 2013)."""
    reference = ["the minister said he would go home"]
    other = ["the minister said that he would go home"]
    diverse = ["the minister announced he would go home"]
    scores = {}
    for alpha in (1.0, 0.95):
        metric = PositiveDiversity([other], alpha, BleuPlusOne(), BleuPlusOne())
        scores[alpha] = [metric.corpus_score(hypothesis, reference) for hypothesis in (diverse, other)]
    assert scores[1.0] == pytest.approx([0.591546, 0.594604], abs=1e-6)
    assert scores[0.95] == pytest.approx([0.536329, 0.514873], abs=1e-6)


def test_positive_diversity_statistics() -> None:
    metric = PositiveDiversity([HYP, REF], 0.9)
    rows = metric.statistics(HYP, REF)
    assert rows.shape == (3, 18)
    similarity = Bleu().corpus_score(HYP, [HYP, REF])
    assert metric.score(rows.sum(axis=0)) == pytest.approx(0.9 * Bleu().corpus_score(HYP, REF) - 0.1 * similarity)
    assert "alpha:0.9" in metric.signature
    alone = PositiveDiversity([], 0.9)
    assert alone.corpus_score(HYP, REF) == pytest.approx(0.9 * Bleu().corpus_score(HYP, REF))
    with pytest.raises(SettingError):
        PositiveDiversity([], 1.5)
    with pytest.raises(LengthMismatch):
        PositiveDiversity([HYP[:2]]).statistics(HYP, REF)


@pytest.mark.parametrize("correctness", [Bleu(), Ter()])
@pytest.mark.parametrize("similarity", [Bleu(), Ter()])
def test_positive_diversity_knows_gains_from_errors(correctness: Metric, similarity: Metric) -> None:
    """Whatever measures them: what is right beats what is wrong, and what is new beats what has been said."""
    reference, said = ["the minister said he would go home today"], ["the minister said that he would go home"]
    goal = PositiveDiversity([said], 0.6, correctness, similarity)
    assert (goal.higher_is_better, goal.scale) == (correctness.higher_is_better, correctness.scale)
    sign = 1 if goal.higher_is_better else -1
    new = ["the minister said he would go home"]
    right, old, wrong = (sign * goal.corpus_score(text, reference) for text in (new, said, ["x y z u v w p q r s"]))
    assert right > old
    assert right > wrong
