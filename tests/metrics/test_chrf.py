from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman.metrics.chrf import Chrf, ChrfPlusPlus
from tests.peers import peer

OPTIONS: list[dict[str, object]] = [
    {}, {"word_order": 2}, {"word_order": 1, "lowercase": True}, {"whitespace": True}, {"eps_smoothing": True},
    {"whitespace": True, "word_order": 2, "eps_smoothing": True}, {"char_order": 3, "beta": 1}, {"beta": 3},
]  # fmt: skip
Outputs = dict[str, tuple[list[str], list[list[str]]]]


def ours(options: dict[str, object]) -> Chrf:
    return Chrf(**options)  # type: ignore[arg-type]


def test_worked_example() -> None:
    """abc against abd: unigrams 2/3, bigrams 1/2, trigram 0; the longer orders do not exist."""
    chrf = Chrf(beta=1)
    assert chrf.corpus_score(["abc"], ["abd"]) == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert chrf.statistics(["abc"], ["abd"])[0].tolist() == [3, 3, 2, 2, 2, 1, 1, 1, 0, *[0] * 9]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equal_to_sacrebleu_on_system_outputs(options: dict[str, object], outputs: Outputs) -> None:
    other = peer("sacrebleu").CHRF(**options)
    for hypotheses, references in outputs.values():
        hypotheses, reference = hypotheses[:50], references[0][:50]
        for refs in ([reference], [reference, hypotheses[1:] + hypotheses[:1]]):
            rows = ours(options).statistics(hypotheses, refs)
            theirs = np.array(other._extract_corpus_statistics(hypotheses, refs), dtype=float)
            assert_allclose(rows, theirs)
            score = other.corpus_score(hypotheses, refs).score
            assert 100 * ours(options).score(rows.sum(axis=0)) == pytest.approx(score, abs=1e-9)
        sentences = [other._compute_f_score(list(row)) for row in theirs]
        assert_allclose(100 * ours(options).scores(rows), sentences, atol=1e-9)


LINE = st.lists(st.sampled_from([*"ab. ,(", "ab", "é", "\u00a0", "漢字", "a.", "(b"]), max_size=12).map("".join)


@pytest.mark.slow
@given(LINE, st.lists(LINE, min_size=1, max_size=3), st.sampled_from(OPTIONS))
def test_equal_to_sacrebleu_on_any_text(hypothesis: str, references: list[str], options: dict[str, object]) -> None:
    other = peer("sacrebleu").CHRF(**options)
    refs = [[reference] for reference in references]
    theirs = other._extract_corpus_statistics([hypothesis], refs)
    assert_allclose(ours(options).statistics([hypothesis], refs), theirs)
    score = ours(options).corpus_score([hypothesis], refs)
    assert 100 * score == pytest.approx(other._compute_f_score(theirs[0]), abs=1e-9)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_signatures_are_those_of_sacrebleu(options: dict[str, object]) -> None:
    other = peer("sacrebleu").CHRF(**options)
    other.corpus_score(["a"], [["a"]])
    theirs = str(other.get_signature()).removeprefix("nrefs:1|").rpartition("|version:")[0]
    assert ours(options).signature.startswith(f"{theirs}|")


def test_plus_plus_is_chrf_with_word_pairs() -> None:
    hyp, ref = ["the cat sat"], ["the cat sits"]
    assert ChrfPlusPlus().corpus_score(hyp, ref) == Chrf(word_order=2).corpus_score(hyp, ref)
    assert "nw:2" in ChrfPlusPlus().signature
