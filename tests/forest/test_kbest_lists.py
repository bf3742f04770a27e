"""Flat lists of derivations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.forest import Forest, KBestLists
from tests.strategies import small_forests


def _rows(lists: KBestLists, names: list[Forest]) -> list[list[tuple[str, float, dict[str, float]]]]:
    """Text, score and features by name of each candidate, list by list."""
    found: list[list[tuple[str, float, dict[str, float]]]] = []
    for number, forest in enumerate(names):
        found.append([])
        for k in range(lists.lists[number], lists.lists[number + 1]):
            part = slice(lists.rows[k], lists.rows[k + 1])
            pairs = zip(lists.ids[part].tolist(), lists.values[part].tolist(), strict=True)
            features = {forest.features.word(index): value for index, value in pairs}
            found[-1].append((lists.texts[lists.text_of[k]], float(lists.scores[k]), features))
    return found


@given(st.lists(small_forests(max_derivations=50), min_size=1, max_size=3), st.integers(1, 20), st.booleans())
def test_lists_hold_what_derivations_say(forests: list[Forest], nbest: int, distinct: bool) -> None:
    lists = KBestLists.of_forests(forests, nbest=nbest, distinct=distinct, threads=2)
    assert len(lists) == len(forests)
    for forest, rows in zip(forests, _rows(lists, forests), strict=True):
        derivations = forest.kbest(nbest, distinct=distinct, most_pops=30 * nbest)
        assert [text for text, _, _ in rows] == [each.text for each in derivations]
        assert [score for _, score, _ in rows] == pytest.approx([each.score for each in derivations])
        for (_, _, features), derivation in zip(rows, derivations, strict=True):
            assert features == pytest.approx(derivation.features)
        texts = [text for text, _, _ in rows]
        assert not distinct or len(texts) == len(set(texts))
    assert lists.best == [rows[0][0] if rows else "" for rows in _rows(lists, forests)]
    assert len(lists.texts) == sum(len({text for text, _, _ in rows}) for rows in _rows(lists, forests)), "each once"


@pytest.mark.slow
@given(st.lists(small_forests(max_derivations=50), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_lists_are_joined_and_chosen(forests: list[Forest], random: np.random.Generator) -> None:
    whole = KBestLists.of_forests(forests, nbest=9)
    parts = [KBestLists.of_forests([forest], nbest=9) for forest in forests]
    assert _rows(KBestLists.joined(parts), forests) == _rows(whole, forests)
    assert _rows(KBestLists.joined([KBestLists.joined(parts[:2]), *parts[2:]]), forests) == _rows(whole, forests)
    order = list(range(len(forests)))
    random.shuffle(order)
    assert _rows(whole.chosen(order), [forests[i] for i in order]) == [_rows(whole, forests)[i] for i in order]


def test_a_gradient_sums_feature_vectors() -> None:
    lists = KBestLists(
        np.array([0, 2, 3]),
        np.array([0, 2, 3, 5]),
        np.array([1, 4, 4, 2, 4]),
        np.array([1.0, 2.0, 3.0, 5.0, 7.0]),
        np.zeros(3),
        np.array([0, 1, 2]),
        ["a", "b", "c"],
    )
    ids, gradient = lists.gradient(np.array([1.0, -1.0, 0.5]))
    assert dict(zip(ids.tolist(), gradient.tolist(), strict=True)) == {1: 1.0, 2: 2.5, 4: 2.0 - 3.0 + 3.5}
    ids, gradient = lists.gradient(np.array([0.0, 7.0, -3.0]))
    assert ids.tolist() == [2], "what cancels out is left out"
    assert gradient.tolist() == [-15.0]
    assert len(lists.gradient(np.zeros(3))[0]) == 0
