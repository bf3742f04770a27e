from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.files import read_lines
from dragoman.metrics.nist import Nist
from dragoman.text.wmt import read_wmt
from tests.peers import peer

Outputs = dict[str, tuple[list[str], list[list[str]]]]


def test_worked_example() -> None:
    nist = Nist(tokenize="none")
    rows = nist.statistics(["the cat sat", "the cat"], ["the cat sat", "the dog sat"])
    the = math.log2(3)
    assert rows[0].tolist() == pytest.approx([2 * the + math.log2(6), 1, 0, 0, 0, 3, 2, 1, 0, 0, 3, 3])
    assert rows[1].tolist() == pytest.approx([the, 0, 0, 0, 0, 2, 1, 0, 0, 0, 2, 3])
    assert nist.score(rows.sum(axis=0)) == pytest.approx(1.565742, abs=1e-6)


def test_length_penalty_is_one_half_at_two_thirds() -> None:
    nist = Nist()
    total = nist.statistics(["a b c"], ["a b c"])[0]
    shorter = total.copy()
    shorter[-2:] = 2, 3
    assert nist.score(shorter) == pytest.approx(nist.score(total) / 2)


@pytest.mark.slow
def test_equal_to_nltk_on_system_outputs(outputs: Outputs) -> None:
    corpus_nist = peer("nltk.translate.nist_score").corpus_nist
    for lines, references in outputs.values():
        hypotheses, reference = lines[:60], references[0][:60]
        theirs = corpus_nist([[line.split()] for line in reference], [line.split() for line in hypotheses])
        assert Nist(tokenize="none").corpus_score(hypotheses, reference) == pytest.approx(theirs, abs=1e-9)


LINE = st.lists(st.sampled_from(["a", "b", "c"]), min_size=5, max_size=9).map(" ".join)


@pytest.mark.slow
@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=4))
def test_equal_to_nltk_on_any_text(pairs: list[tuple[str, str]]) -> None:
    corpus_nist = peer("nltk.translate.nist_score").corpus_nist
    theirs = corpus_nist(
        [[reference.split()] for _, reference in pairs], [hypothesis.split() for hypothesis, _ in pairs]
    )
    ours = Nist(tokenize="none").corpus_score([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_equal_to_mteval(data: Path) -> None:
    """mteval-v13a.pl printed 5.0564 (and 4.4488 for unigrams) for these files."""
    folder = data / "wmt" / "newstest2015-en-ru"
    sets = [read_wmt(next(folder.glob(f"*100sents-enru-{which}.ru.sgm")))[0] for which in ("google", "ref")]
    hypotheses, references = ([segment.text for segment in one.segments] for one in sets)
    assert Nist().corpus_score(hypotheses, references) == pytest.approx(5.0564, abs=5e-5)
    assert Nist(order=1).corpus_score(hypotheses, references) == pytest.approx(4.4488, abs=5e-5)
    assert len(list(read_lines(folder / "ref.ru"))) == len(references)
