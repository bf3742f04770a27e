"""The result of all aligners within one language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.errors import InputError

matches = st.lists(
    st.builds(WordMatch, st.integers(0, 6), st.integers(0, 6), st.floats(0, 1), st.sampled_from(["same", "stem"]))
)


@given(matches)
def test_survives_transposing_and_plain_values(found: list[WordMatch]) -> None:
    alignment = MonolingualAlignment.of(found)
    assert alignment.transposed().transposed() == alignment
    assert MonolingualAlignment.from_dict(alignment.to_dict()) == alignment
    assert alignment.positions(0) == alignment.transposed().positions(1)
    assert {(match.first, match.second) for match in found} == set(alignment.links())


def test_the_surest_of_equal_pairs_stays() -> None:
    alignment = MonolingualAlignment.of([WordMatch(0, 1, 0.4, "synonym"), WordMatch(0, 1, 0.9, "stem")])
    assert alignment.matches == (WordMatch(0, 1, 0.9, "stem"),)
    assert (0, 1) in alignment
    assert (1, 0) not in alignment
    assert alignment.match_of(3) is None


@pytest.mark.parametrize("bad", [WordMatch(-1, 0, 1.0, "same"), WordMatch(0, 0, 1.5, "same")])
def test_refuses_what_cannot_be(bad: WordMatch) -> None:
    with pytest.raises(InputError):
        MonolingualAlignment.of([bad])


def test_refuses_positions_outside_the_sentences() -> None:
    with pytest.raises(InputError, match="outside"):
        MonolingualAlignment.of([WordMatch(0, 2, 1.0, "same")]).picture(["a"], ["a", "b"])


def test_refuses_foreign_plain_values() -> None:
    with pytest.raises(InputError, match="not an alignment"):
        MonolingualAlignment.from_dict([{"first": 0}])
