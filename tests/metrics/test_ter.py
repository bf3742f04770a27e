from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from dragoman.metrics.base import Floats
from dragoman.metrics.ter import Ter
from dragoman.metrics.wer import Wer
from tests.peers import peer

Outputs = dict[str, tuple[list[str], list[list[str]]]]
OPTIONS = [
    {}, {"normalized": True}, {"no_punct": True}, {"case_sensitive": True}, {"normalized": True, "asian_support": True},
    {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
]  # fmt: skip


def ours(options: dict[str, bool]) -> Ter:
    return Ter(**{"asian" if key == "asian_support" else key: value for key, value in options.items()})


def theirs(options: dict[str, bool], hypotheses: list[str], references: list[list[str]]) -> Floats:
    rows = peer("sacrebleu").TER(**options)._extract_corpus_statistics(hypotheses, references)
    return np.array(rows, dtype=float)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "edits"),
    [
        ("the cat sat on mat", "the cat sat on the mat", 1),
        ("on the mat the cat sat", "the cat sat on the mat", 1),
        ("b c d a", "a b c d", 1),
        ("", "a b c", 3),
        ("a b c", "", 3),
    ],
)
def test_worked_examples(hypothesis: str, reference: str, edits: int) -> None:
    assert Ter().statistics([hypothesis], [reference])[0].tolist() == [edits, len(reference.split())]


def test_lowest_edits_over_mean_length() -> None:
    assert Ter().statistics(["a b c"], [["a b c d"], ["a b x y z w"]])[0].tolist() == [1, 5]
    assert Ter().corpus_score(["a"], [""]) == 1
    assert Ter().corpus_score([""], [""]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equal_to_sacrebleu_on_system_outputs(options: dict[str, bool], outputs: Outputs) -> None:
    for hypotheses, references in outputs.values():
        step = 20 if options else 5
        few, refs = hypotheses[::step], [references[0][::step]]
        assert_array_equal(ours(options).statistics(few, refs), theirs(options, few, refs))
        several = [refs[0][:5], few[1:6]]
        assert_array_equal(ours(options).statistics(few[:5], several), theirs(options, few[:5], several))


WORD = st.sampled_from(["a", "b", "c", "d", "e", "f"])
LINE = st.lists(WORD, max_size=14).map(" ".join)


@pytest.mark.slow
@given(LINE, st.lists(LINE, min_size=1, max_size=2))
@settings(max_examples=150)
def test_equal_to_sacrebleu_on_any_text(hypothesis: str, references: list[str]) -> None:
    refs = [[reference] for reference in references]
    assert_array_equal(Ter().statistics([hypothesis], refs), theirs({}, [hypothesis], refs))


@pytest.mark.slow
def test_equal_to_sacrebleu_where_limits_bite() -> None:
    """Long lines of few words: the limits on candidates, distance, size and beam all take effect."""
    draw = random.Random(5)
    pairs = []
    for words, length, other in [(3, 30, 30), (40, 70, 70), (60, 70, 30), (4, 8, 130), (500, 60, 60), (2, 1, 70)]:
        reference = [str(draw.randrange(words)) for _ in range(other)]
        hypothesis = [str(draw.randrange(words)) for _ in range(length)]
        if words == 500:  # a permutation of blocks
            blocks = [reference[i : i + 17] for i in range(0, other, 17)]
            draw.shuffle(blocks)
            hypothesis = [word for block in blocks for word in block]
        pairs.append((" ".join(hypothesis), " ".join(reference)))
    hypotheses, references = ([pair[side] for pair in pairs] for side in (0, 1))
    assert_array_equal(Ter().statistics(hypotheses, references), theirs({}, hypotheses, [references]))


@given(st.permutations([str(n) for n in range(12)]), st.integers(0, 11), st.integers(1, 10), st.integers(0, 11))
def test_one_moved_block_costs_one(words: list[str], start: int, length: int, target: int) -> None:
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    target %= len(rest) + 1
    moved = rest[:target] + block + rest[target:]
    edits = Ter().statistics([" ".join(moved)], [" ".join(words)])[0, 0]
    assert edits == (0 if moved == words else 1)


@given(LINE, LINE)
def test_shifts_never_cost_more_than_edits(hypothesis: str, reference: str) -> None:
    ter, wer = (m.statistics([hypothesis], [reference])[0, 0] for m in (Ter(), Wer(tokenize="none")))
    assert ter <= wer


@given(LINE, st.lists(LINE, min_size=1, max_size=2), LINE)
def test_another_reference_never_raises_edits(hypothesis: str, references: list[str], more: str) -> None:
    before = Ter().statistics([hypothesis], [[reference] for reference in references])[0, 0]
    after = Ter().statistics([hypothesis], [[reference] for reference in [*references, more]])[0, 0]
    assert after <= before


def test_a_very_long_line_is_scored() -> None:
    words = [f"w{n}" for n in range(20_000)]
    moved = words[5:10] + words[:5] + words[10:]
    assert Ter().statistics([" ".join(moved)], [" ".join(words)])[0].tolist() == [1, 20_000]
