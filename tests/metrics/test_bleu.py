from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.metrics.bleu import Bleu, BleuNakov, BleuPlusOne
from tests.peers import peer

approx = pytest.approx
HYP, REF = ["the cat sat on mat"], ["the cat sat on the mat"]
Outputs = dict[str, tuple[list[str], list[list[str]]]]


def test_worked_example() -> None:
    bleu = Bleu(tokenize="none", smooth="none")
    assert bleu.corpus_score(HYP, REF) == approx(math.exp(-0.2) * 0.25**0.25, abs=1e-12)
    details = bleu.details(bleu.statistics(HYP, REF)[0])
    assert details["brevity_penalty"] == approx(0.818731, abs=1e-6)
    assert [details[f"precision_{n}"] for n in (1, 2, 3, 4)] == approx([1, 3 / 4, 2 / 3, 1 / 2])
    assert bleu.corpus_score(["x"], REF) == 0


def test_sentence_variants() -> None:
    """Lin and Och (2004) and Nakov et al. (2012), worked by hand."""
    assert BleuPlusOne().corpus_score(HYP, REF) == approx(0.651113, abs=1e-6)
    assert BleuNakov().corpus_score(HYP, REF) == approx(0.533086, abs=1e-6)
    assert BleuPlusOne().corpus_score(["the cat sat"], ["the cat sat down"]) == approx(math.exp(1 - 4 / 3))
    assert BleuNakov().corpus_score(["the cat sat"], ["the cat sat down"]) == approx(math.exp(1 - 5 / 3))
    for metric in (BleuPlusOne(), BleuNakov(), get_metric("bleu+1-all")):
        assert metric.corpus_score([""], REF) == 0
    assert BleuPlusOne().corpus_score(["x y"], REF) == 0
    assert BleuNakov().corpus_score(["x y"], REF) > 0


def test_variants_against_shrinking_output() -> None:
    longer = ["the cat sat on the mat today"]
    assert Bleu(unclipped=True).corpus_score(longer, REF) == approx(
        Bleu().corpus_score(longer, REF) * math.exp(1 - 6 / 7)
    )
    assert Bleu(ref_scale=1.1).corpus_score(HYP, REF) == approx(
        Bleu().corpus_score(HYP, REF) * math.exp(-6.6 / 5 + 6 / 5)
    )
    nothing = BleuNakov().corpus_score(["x y z"], REF)
    assert BleuNakov(grounded=True).corpus_score(["x y z"], REF) == approx(0)
    assert BleuNakov(grounded=True).corpus_score(["the y z"], REF) == approx(
        BleuNakov().corpus_score(["the y z"], REF) - nothing
    )
    scaled = BleuPlusOne(scale_by_ref_len=True)
    assert scaled.corpus_score(HYP, [REF, ["the cat"]]) == approx(
        2 * BleuPlusOne().corpus_score(HYP, [REF, ["the cat"]])
    )


def test_background() -> None:
    bleu = Bleu(smooth="none")
    rows = bleu.statistics(HYP + REF, REF + REF)
    assert_allclose(bleu.background_scores(rows, np.zeros(9)), bleu.scores(rows) * 6)
    assert bleu.background_scores(rows, rows[1])[1] == approx(12)


def test_reference_length_rules() -> None:
    refs = [["a b c d e f"], ["a b c d"], ["a b c"]]
    hyp = ["a b c d e"]
    lengths = {rule: Bleu(ref_length=rule).statistics(hyp, refs)[0, 8] for rule in ("closest", "shortest", "average")}
    assert lengths == {"closest": 4, "shortest": 3, "average": approx(13 / 3)}


OPTIONS = [
    {}, {"lowercase": True}, {"smooth_method": "floor"}, {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k"}, {"smooth_method": "add-k", "smooth_value": 2.0}, {"smooth_method": "none"},
    {"effective_order": True}, {"effective_order": True, "smooth_method": "none"}, {"max_ngram_order": 2},
    {"tokenize": "intl"}, {"tokenize": "char"}, {"tokenize": "zh"}, {"tokenize": "none"},
]  # fmt: skip


def ours(options: dict[str, object]) -> Bleu:
    names = {"smooth_method": "smooth", "max_ngram_order": "order"}
    return Bleu(**{names.get(key, key): value for key, value in options.items()})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equal_to_sacrebleu_on_system_outputs(options: dict[str, object], outputs: Outputs) -> None:
    other = peer("sacrebleu").BLEU(**options, force=True)
    for hypotheses, references in outputs.values():
        several = [references[0], hypotheses[1:] + hypotheses[:1]]
        for refs in (references, several):
            rows = ours(options).statistics(hypotheses, refs)
            theirs = np.array(other._extract_corpus_statistics(hypotheses, refs), dtype=float)
            order = ours(options).order
            assert_allclose(rows[:, : 2 * order], theirs[:, 2:])
            assert_allclose(rows[:, 2 * order], theirs[:, 1])
            score = other.corpus_score(hypotheses, refs).score
            assert 100 * ours(options).score(rows.sum(axis=0)) == approx(score, abs=1e-9)
        sentences = [other._aggregate_and_compute([list(map(int, row))]).score for row in theirs[:200]]
        assert_allclose(100 * ours(options).scores(rows[:200]), sentences, atol=1e-9)


WORD = st.sampled_from(["a", "b", "c", "d."])
LINE = st.lists(WORD, max_size=8).map(" ".join)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_signatures_are_those_of_sacrebleu(options: dict[str, object]) -> None:
    other = peer("sacrebleu").BLEU(**options)
    other.corpus_score(HYP, [REF])
    theirs = str(other.get_signature()).removeprefix("nrefs:1|").rpartition("|version:")[0]
    mine = ours({key: value for key, value in options.items() if key != "max_ngram_order"})
    assert mine.signature.rpartition("|version:")[0] == theirs


@given(LINE, st.lists(LINE, min_size=1, max_size=3), st.sampled_from(OPTIONS))
def test_equal_to_sacrebleu_on_any_text(hypothesis: str, references: list[str], options: dict[str, object]) -> None:
    other = peer("sacrebleu").BLEU(**options, force=True)
    theirs = other._aggregate_and_compute(other._extract_corpus_statistics([hypothesis], [[r] for r in references]))
    score = ours(options).corpus_score([hypothesis], [[reference] for reference in references])
    assert 100 * score == approx(theirs.score, abs=1e-9)


@given(LINE, st.lists(LINE, min_size=1, max_size=3))
def test_matches_by_brute_force(hypothesis: str, references: list[str]) -> None:
    row = Bleu(tokenize="none").statistics([hypothesis], [[reference] for reference in references])[0]
    for n in range(1, 5):

        def grams(line: str, n: int = n) -> Counter[tuple[str, ...]]:
            words = line.split()
            return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

        limit: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            limit |= grams(reference)
        assert row[n - 1] == (grams(hypothesis) & limit).total()
        assert row[3 + n] == grams(hypothesis).total()


@given(LINE, st.lists(LINE, min_size=1, max_size=3), LINE)
def test_another_reference_never_lowers_matches(hypothesis: str, references: list[str], more: str) -> None:
    before = Bleu().statistics([hypothesis], [[reference] for reference in references])[0]
    after = Bleu().statistics([hypothesis], [[reference] for reference in [*references, more]])[0]
    assert (after[:4] >= before[:4]).all()


def test_published_score_of_newstest2015(data: Path) -> None:
    """multi-bleu printed this (README beside the files)."""
    folder = data / "wmt" / "newstest2015-en-ru"
    hypotheses, references = (list(read_lines(folder / name)) for name in ("google.ru", "ref.ru"))
    multi_bleu = Bleu(tokenize="none", smooth="none").corpus_score(hypotheses, references)
    assert 100 * multi_bleu == approx(23.17, abs=0.005)


def test_bad_input() -> None:
    with pytest.raises(LengthMismatch, match="2 hypotheses, but 1 references"):
        Bleu().statistics(["a", "b"], ["a"])
    with pytest.raises(LengthMismatch, match="different lengths: 1, 2"):
        Bleu().statistics(["a"], [["a"], ["a", "b"]])
    with pytest.raises(InputError, match="write \\[segment\\]"):
        Bleu().statistics("a", ["a"])
    with pytest.raises(InputError, match="hypothesis 2 is of type NoneType"):
        get_metric("ter").statistics(["a", None], ["a", "b"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="reference 1: segment 1 is of type int"):
        Bleu().statistics(["a"], [[1]])  # type: ignore[list-item]
    with pytest.raises(InputError, match="segment 2: no reference"):
        Bleu().statistics(["a", "b"], [["a", None]])
    with pytest.raises(InputError, match="surrogate"):
        Bleu().statistics(["\ud800"], ["a"])
    with pytest.raises(SettingError, match="prepared for 'bleu'"):
        get_metric("bleu:2").statistics(["a"], Bleu().prepare(["a"]))
    with pytest.raises(InputError, match="columns"):
        Bleu().scores(np.zeros((1, 3)))


def test_a_very_long_line_is_scored() -> None:
    line = " ".join(f"w{n % 977}" for n in range(100_000))
    assert Bleu().corpus_score([line], [line]) == approx(1)
