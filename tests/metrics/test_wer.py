from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.metrics.wer import Cder, Per, Wer

WORD = st.sampled_from(["a", "b", "c", "d"])
LINE = st.lists(WORD, max_size=7).map(" ".join)


def levenshtein(first: list[str], second: list[str]) -> int:
    row = list(range(len(second) + 1))
    for i, word in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(second, 1):
            diagonal, row[j] = row[j], min(diagonal + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def cover(hypothesis: tuple[str, ...], reference: tuple[str, ...]) -> int:
    """CDER by search over (position in the hypothesis, reference words covered), every step at its cost."""
    best = {(0, 0): 0}
    frontier = [(0, 0)]
    while frontier:
        later = []
        for i, j in frontier:
            cost = best[i, j]
            steps = [((jump, j), 1) for jump in range(len(hypothesis) + 1)]
            steps += [((i + 1, j), 1)] if i < len(hypothesis) else []
            steps += [((i, j + 1), 1)] if j < len(reference) else []
            if i < len(hypothesis) and j < len(reference):
                steps.append(((i + 1, j + 1), int(hypothesis[i] != reference[j])))
            for place, extra in steps:
                if cost + extra < best.get(place, 10**9):
                    best[place] = cost + extra
                    later.append(place)
        frontier = later
    return best[len(hypothesis), len(reference)]


@pytest.mark.parametrize(
    ("hypothesis", "wer", "per"),
    [("the cat sat on mat", 1, 1), ("on the mat the cat sat", 6, 0), ("", 6, 6), ("the the the the the the the", 5, 5)],
)
def test_worked_examples(hypothesis: str, wer: int, per: int) -> None:
    reference = "the cat sat on the mat"
    assert Wer().statistics([hypothesis], [reference])[0].tolist() == [wer, 6]
    assert Per().statistics([hypothesis], [reference])[0].tolist() == [per, 6]
    assert Wer().statistics(["b c d a"], ["a b c d"])[0].tolist() == [2, 4]


@pytest.mark.slow
@given(LINE, LINE)
def test_distances_by_brute_force(hypothesis: str, reference: str) -> None:
    first, second = hypothesis.split(), reference.split()
    assert Wer(tokenize="none").statistics([hypothesis], [reference])[0, 0] == levenshtein(first, second)
    common = sum(min(first.count(word), second.count(word)) for word in set(first))
    assert Per(tokenize="none").statistics([hypothesis], [reference])[0, 0] == max(len(first), len(second)) - common
    assert Cder(tokenize="none").statistics([hypothesis], [reference])[0, 0] == cover(tuple(first), tuple(second))


@pytest.mark.parametrize(
    ("first", "second"), [(63, 64), (64, 65), (65, 130), (128, 128), (200, 1), (1, 200), (129, 64)]
)
def test_distances_beyond_one_machine_word(first: int, second: int) -> None:
    draw = random.Random(first * 1000 + second)
    lines = [[str(draw.randrange(20)) for _ in range(size)] for size in (first, second)]
    found = Wer(tokenize="none").statistics([" ".join(lines[0])], [" ".join(lines[1])])[0, 0]
    assert found == levenshtein(lines[0], lines[1])


@pytest.mark.slow
@given(LINE, LINE)
def test_order_of_the_error_rates(hypothesis: str, reference: str) -> None:
    wer, per, cder = (m.statistics([hypothesis], [reference])[0, 0] for m in (Wer(), Per(), Cder()))
    assert per <= wer
    assert cder <= wer


@pytest.mark.slow
@given(LINE, st.lists(LINE, min_size=1, max_size=3), LINE)
def test_another_reference_never_raises_the_rate(hypothesis: str, references: list[str], more: str) -> None:
    for metric in (Wer(), Per()):
        before = metric.corpus_score([hypothesis], [[reference] for reference in references])
        assert metric.corpus_score([hypothesis], [[reference] for reference in [*references, more]]) <= before


def test_the_chosen_reference_gives_the_length() -> None:
    assert Wer().statistics(["a b c"], [["a b"], ["a b c d e f g h"]])[0].tolist() == [1, 2]
    assert Wer().corpus_score(["a"], [""]) == 1


@cache
def _long() -> tuple[str, str]:
    words = [f"w{n % 997}" for n in range(100_000)]
    return " ".join(words), " ".join(words[10:])


@pytest.mark.slow
def test_very_long_lines_are_scored() -> None:
    hypothesis, reference = _long()
    assert Wer(tokenize="none").statistics([hypothesis], [reference])[0, 0] == 10
    assert Per(tokenize="none").statistics([hypothesis], [reference])[0, 0] == 10
