from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman._native import metrics as native
from dragoman.errors import InputError, SettingError
from dragoman.metrics.ter import Ter
from dragoman.metrics.terp import FUNCTION_WORDS, Terp, Terpa

LINE = st.lists(st.sampled_from("abcdef"), max_size=10).map(" ".join)


@pytest.mark.slow
@given(LINE, st.lists(LINE, min_size=1, max_size=2))
@settings(max_examples=200)
def test_default_costs_give_ter(hypothesis: str, references: list[str]) -> None:
    refs = [[reference] for reference in references]
    ours = Terp(tokenize="none").statistics([hypothesis], refs)
    assert ours.tolist() == Ter().statistics([hypothesis], refs).tolist()


def test_normalization() -> None:
    assert Terp().corpus_score(["Hello , World !"], ["hello world"]) == 0
    assert Terp(keep_punctuation=True).corpus_score(["Hello , World !"], ["hello world"]) == 1


@pytest.mark.usefixtures("wordnet")
def test_adequacy_costs() -> None:
    terpa = Terpa(capped=False)
    assert terpa.statistics(["the cat sat on mat"], ["the cat sat on the mat"])[0].tolist() == [1.4269, 6]
    assert terpa.statistics(["the cat sat on the old mat"], ["the cat sat on the mat"])[0, 0] == pytest.approx(0.2589)
    assert terpa.statistics(["the cat lay on the mat"], ["the cat sat on the mat"])[0, 0] == pytest.approx(1.5565)
    assert terpa.statistics(["he bought large houses"], ["he purchased big homes"])[0, 0] == 0
    assert terpa.statistics(["mat sat on the cat today"], ["cat sat on the mat today"])[0, 0] == pytest.approx(
        2 * 0.5621
    )


@pytest.mark.usefixtures("wordnet")
def test_relaxed_shifts(tmp_path: Path) -> None:
    hypothesis, reference = ["homes large he bought"], ["he bought big houses"]
    assert (
        Terpa(capped=False).statistics(hypothesis, reference)[0, 0]
        < Terpa(relaxed=False, capped=False).statistics(hypothesis, reference)[0, 0]
    )
    # the span of function words stays where it is, and pays for an extra and a missing word
    moved = Terpa(capped=False).statistics(["cat sat mat the"], ["the cat sat mat"])[0, 0]
    assert moved == pytest.approx(0.2589 + 1.4269)
    nothing = tmp_path / "words"
    nothing.write_text("xyzzy\n", "utf-8")
    free = Terpa(capped=False, function_words=str(nothing))
    assert free.statistics(["cat sat mat the"], ["the cat sat mat"])[0, 0] == pytest.approx(0.5621)
    assert "the" in FUNCTION_WORDS


@pytest.mark.usefixtures("wordnet")
def test_cap() -> None:
    assert Terpa().corpus_score(["x y z x y z"], ["a b"]) == 1
    assert Terpa(capped=False).corpus_score(["x y z x y z"], ["a b"]) > 1


@pytest.mark.usefixtures("wordnet")
def test_phrase_costs(tmp_path: Path) -> None:
    """Two substitutions away: p1 + 2 * 1.5565 (p2 log10 p + p3 p + p4)."""
    table = tmp_path / "table"
    table.write_text("passed away ||| is dead ||| 0.01\n", "utf-8")
    terpa = Terpa(paraphrases=str(table), capped=False)
    edits = 2 * 1.5565
    cost = -0.2307 + edits * (-0.1469 * math.log10(0.01) - 0.0784 * 0.01 + 0.1771)
    assert terpa.statistics(["he is dead now"], ["he passed away now"])[0, 0] == pytest.approx(cost)
    assert terpa.statistics(["he passed away now"], ["he is dead now"])[0, 0] == pytest.approx(edits)
    certain = tmp_path / "certain"
    certain.write_text("passed away ||| is dead ||| 1\n", "utf-8")
    cheap = Terpa(paraphrases=str(certain)).statistics(["he is dead now"], ["he passed away now"])[0, 0]
    assert cheap == pytest.approx(max(0, -0.2307 + edits * (0.1771 - 0.0784)))
    bare = tmp_path / "bare"
    bare.write_text("passed away\tis dead\n", "utf-8")
    with pytest.raises(SettingError, match="'passed away' has no probability"):
        Terpa(paraphrases=str(bare)).corpus_score(["a"], ["a"])


Phrase = tuple[tuple[int, ...], tuple[int, ...]]
WORDS = st.lists(st.integers(0, 3), max_size=5).map(tuple)
PHRASES = st.dictionaries(
    st.tuples(
        st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple),
        st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple),
    ),
    st.floats(0.0, 2.0),
    max_size=4,
)


def lines(many: list[tuple[int, ...]]) -> native.EncodedLines:
    words = np.array([word for line in many for word in line], np.uint32)
    return native.EncodedLines(words, np.cumsum([len(line) for line in many], dtype=np.int64))


@pytest.mark.slow
@given(WORDS, WORDS, st.lists(st.integers(0, 1), min_size=4, max_size=4), PHRASES)
@settings(max_examples=300)
def test_edits_by_brute_force(
    hypothesis: tuple[int, ...], reference: tuple[int, ...], stems: list[int], phrases: dict[Phrase, float]
) -> None:
    missing, extra, other, stem = 1.4, 0.3, 1.5, 0.2
    relations = native.WordRelations(
        np.array(stems, np.uint32), np.zeros(0, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.uint8)
    )
    options = native.TerpOptions(
        deletion=missing,
        insertion=extra,
        substitution=other,
        shift=0.5,
        stem=stem,
        synonym=other,
        phrase=[0, 0, 0, 0],
        relaxed=True,
        beam=20,
        capped=False,
    )
    pairs = native.PhrasePairs(
        lines([phrase[0] for phrase in phrases]),
        lines([phrase[1] for phrase in phrases]),
        np.array(list(phrases.values())),
    )

    @cache
    def least(i: int, j: int) -> float:
        if i == len(hypothesis) and j == len(reference):
            return 0.0
        ways = [math.inf]
        if i < len(hypothesis):
            ways.append(extra + least(i + 1, j))
        if j < len(reference):
            ways.append(missing + least(i, j + 1))
        if i < len(hypothesis) and j < len(reference):
            same, kin = hypothesis[i] == reference[j], stems[hypothesis[i]] == stems[reference[j]]
            ways.append((0 if same else stem if kin else other) + least(i + 1, j + 1))
        for (here, there), cost in phrases.items():
            if hypothesis[i : i + len(here)] == here and reference[j : j + len(there)] == there:
                ways.append(cost + least(i + len(here), j + len(there)))
        return min(ways)

    cost, shifts = native.terp_distances(
        lines([hypothesis]), lines([reference]), relations, pairs, options, may_shift=False
    )[0]
    assert cost == pytest.approx(least(0, 0))
    assert shifts == 0
    shifted, count = native.terp_distances(lines([hypothesis]), lines([reference]), relations, pairs, options)[0]
    assert shifted <= cost + 1e-9
    assert count > 0 or shifted == pytest.approx(cost)


def test_limits() -> None:
    with pytest.raises(InputError, match="more than 2048 words"):
        Terp().corpus_score(["a " * 3000], ["b"])
    with pytest.raises(SettingError, match="deletion is -1"):
        Terp(deletion=-1)
