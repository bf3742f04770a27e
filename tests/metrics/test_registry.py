"""Every metric of the registry passes the conformance suite."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman.errors import SettingError, UnknownName
from dragoman.metrics import METRICS, get_metric
from dragoman.metrics.base import Metric
from dragoman.metrics.blend import Blend, PositiveDiversity
from dragoman.metrics.bleu import Bleu
from dragoman.metrics.report import score
from dragoman.metrics.ter import Ter
from dragoman.metrics.terp import Terp
from tests.conformance import check_hooks, check_in_tuning, check_metric, check_settings

PLAIN = [name for name in METRICS if name not in ("entailment", "spede", "tine")]
"""Metrics that need no model."""
VARIANTS = [
    *PLAIN,
    "tine:beta=0",
    "tine:beta=0,lexical=bleu",
    "bleu:2",
    "bleu:smooth=none,effective_order=true",
    "bleu:ref_length=average",
    "bleu:scale_by_ref_len=true",
    "bleu:tokenize=char",
    "chrf:whitespace=true,eps_smoothing=true",
    "ter:normalized=true,no_punct=true,asian=true",
    "meteor:stages=exact",
    "meteor:0.5",
    "terpa:relaxed=false",
    "bleu-ter",
    "0.5*bleu + 0.5*meteor",
    "nist:3",
    "bleu:2 + 0.1*nist",
]


@pytest.mark.slow
@pytest.mark.parametrize("spec", VARIANTS)
@pytest.mark.usefixtures("wordnet")
def test_conformance(spec: str) -> None:
    check_metric(get_metric(spec))


def test_conformance_of_positive_diversity() -> None:
    """With nobody to differ from it is like any other metric; others' texts are looked up segment by segment."""
    check_metric(PositiveDiversity([], 0.9))
    check_metric(PositiveDiversity([], 0.9, Ter(), Ter()))
    others = [["b a", "b a c", "h a", "a a", "c d"], ["a b c", "b", "e f g", "x", "a b"]]
    metric = PositiveDiversity(others, 0.8, get_metric("bleu:2"), get_metric("bleu:2"))
    assert not metric.local
    check_hooks(metric)
    check_in_tuning(metric)


@pytest.mark.parametrize("name", list(METRICS))
def test_names_are_those_of_the_registry_and_described(name: str) -> None:
    assert METRICS.get(name).name == name
    assert METRICS.describe(name).endswith(".")


@pytest.mark.usefixtures("wordnet")
def test_signatures_differ_when_scores_may() -> None:
    specs = [spec for spec in VARIANTS if spec not in ("bleu+1",)]
    signatures = [(get_metric(spec).name, get_metric(spec).signature) for spec in specs]
    assert len(set(signatures)) == len(specs)


def test_unknown_names_and_settings_list_the_choices() -> None:
    with pytest.raises(UnknownName, match="did you mean 'bleu'"):
        get_metric("blue")
    with pytest.raises(UnknownName, match="dragoman list metrics"):
        get_metric("xyzzy")
    with pytest.raises(UnknownName, match="bleu has no setting 'tokeniser'; did you mean 'tokenize'"):
        get_metric("bleu:tokeniser=13a")
    with pytest.raises(SettingError, match="13a, intl, char"):
        get_metric("bleu:tokenize=12b")
    with pytest.raises(SettingError, match="13a, intl, char"):
        Bleu(tokenize="12b")
    with pytest.raises(SettingError, match="bleu: lowercase is 'maybe'; it must be true or false"):
        get_metric("bleu:lowercase=maybe")
    with pytest.raises(SettingError, match="a whole number"):
        get_metric("bleu:order=2.5")
    with pytest.raises(SettingError, match="no setting for a bare value"):
        get_metric("ter:5")
    with pytest.raises(SettingError, match="exact, stem, synonym, paraphrase"):
        get_metric("meteor:stages=fuzzy")


@pytest.mark.parametrize("name", list(METRICS))
def test_settings_of_every_metric(name: str) -> None:
    check_settings(METRICS.get(name))


def test_lists_end_where_the_next_term_begins() -> None:
    metric = get_metric("terp:phrase=0+-.5+1e-3+2+2*wer - bleu")
    assert isinstance(metric, Blend)
    assert [(weight, each.name) for weight, each in metric.terms] == [(1.0, "terp"), (2.0, "wer"), (-1.0, "bleu")]
    assert metric.terms[0][1] == Terp(phrase=(0.0, -0.5, 0.001, 2.0))
    with pytest.raises(SettingError, match=r"terp: phrase is \(0.0, 1.0\); it must be four numbers"):
        get_metric("terp:phrase=0+1")


def test_settings_out_of_range_are_refused() -> None:
    ngrams = ["bleu:order=0", "bleu:ref_scale=0", "bleu:smooth=floor,smooth_value=-1", "nist:order=99"]
    for spec in [*ngrams, "chrf:char_order=0", "chrf:beta=0", "meteor:1.5", "terp:beam=0"]:
        with pytest.raises(SettingError):
            get_metric(spec)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bleu", "bleu+1", "nist", "wer", "per", "cder", "ter", "terp", "meteor:stages=exact"])
@given(st.data())
@settings(max_examples=25)
def test_words_are_only_compared(name: str, data: st.DataObject) -> None:
    """Other names for the same words change nothing."""
    line = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9)
    hypotheses, references = (data.draw(st.lists(line, min_size=3, max_size=3)) for _ in range(2))
    renamed = dict(
        zip("abcdef", data.draw(st.permutations(["uno", "due", "tre", "quattro", "cinque", "sei"])), strict=True)
    )
    metric = get_metric(name)
    before = metric.statistics([" ".join(h) for h in hypotheses], [" ".join(r) for r in references])
    after = metric.statistics(
        [" ".join(renamed[w] for w in h) for h in hypotheses], [" ".join(renamed[w] for w in r) for r in references]
    )
    assert_allclose(after, before)


def test_a_metric_is_a_value(wordnet: Path) -> None:
    assert get_metric("bleu:2") == get_metric("bleu:order=2") != get_metric("bleu")
    assert len({get_metric("ter"), get_metric("ter")}) == 1
    metric: Metric = get_metric("meteor")
    assert get_metric(metric) is metric


@pytest.mark.parametrize(
    "spec", [*(name for name in METRICS if name not in ("entailment", "spede", "tine")), "tine:beta=0"]
)
def test_letters_are_composed_where_a_metric_is_told_to(spec: str, wordnet: Path) -> None:
    """Else they are compared as they are, as other tools do (Popović 2015; Post 2018)."""
    lines = ["über den Fluß führt eine schöne Brücke", "das Café hat geöffnet für jeden"] * 3
    apart = [unicodedata.normalize("NFD", line) for line in lines]
    plain, told = get_metric(spec), get_metric(f"{spec}{',' if ':' in spec else ':'}compose=true")
    perfect = plain.corpus_score(lines, [lines])
    assert told.corpus_score(apart, [lines]) == perfect
    assert told.corpus_score(lines, [apart]) == perfect
    assert plain.corpus_score(apart, [lines]) != perfect
    assert "|form:nfc|" in told.signature
    assert "form" not in plain.signature
    warned = score({"A": apart}, [lines], [spec]).warnings
    assert any("spelt in two ways (in A not composed" in warning for warning in warned)
