"""Worsened copies: the published tables and places, checked on worked examples and on all lengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.assessment.design.degrade import (
    degrade,
    degrade_by_deletion,
    deleted_words,
    duplicate_words,
    eligible,
    replaced_words,
    split_words,
)
from dragoman.errors import InputError, SettingError


class Chosen(np.random.Generator):
    """A generator whose next choices are written down beforehand."""

    def __init__(self, sample: list[int], picks: list[int]) -> None:
        super().__init__(np.random.Philox(1))
        self.sample, self.picks = sample, picks

    def choice(self, *_: object, **__: object) -> np.ndarray:  # type: ignore[override]
        return np.array(self.sample)

    def integers(self, *_: object, **__: object) -> int:  # type: ignore[override]
        return self.picks.pop(0)


def test_deletion_worked_example() -> None:
    """Worked example for Graham et al. (2014): ten words lose four, from the fourth on."""
    text = "the committee said on Monday that talks would go on"
    assert degrade_by_deletion(text, start=3) == "the committee said would go on"
    with pytest.raises(InputError):
        degrade_by_deletion(text, start=6)


def test_tables() -> None:
    expected = [1, 1, 2, 2, 3, 3, 3, *[4] * 7, *[5] * 10, *[6] * 5, 7]
    assert [deleted_words(n) for n in range(2, 32)] == expected
    assert [replaced_words(n) for n in range(1, 25)] == [1, *[2] * 4, *[3] * 3, *[4] * 7, *[5] * 8, 6]
    for n in range(1, 200):
        assert deleted_words(n) <= deleted_words(n + 1)
        assert replaced_words(n) <= replaced_words(n + 1)


@given(st.integers(2, 60), st.integers(0, 10**6))
def test_deletion_leaves_a_prefix_and_a_suffix(length: int, seed: int) -> None:
    words = [f"w{at}" for at in range(length)]
    found = degrade(" ".join(words), "delete", rng=np.random.default_rng(seed)).split()
    assert len(found) == length - deleted_words(length)
    kept = next((at for at, word in enumerate(found) if word != words[at]), len(found))
    assert found == words[:kept] + words[length - (len(found) - kept) :]
    if length >= 3:
        assert (found[0], found[-1]) == (words[0], words[-1])
    else:
        assert found == ["w0"]


def test_every_place_of_deletion_is_reached() -> None:
    words = " ".join(f"w{at}" for at in range(10))
    found = {degrade(words, "delete", rng=np.random.default_rng(seed)) for seed in range(200)}
    assert len(found) == 5


def test_one_word_becomes_another() -> None:
    assert degrade("yes", "delete", rng=np.random.default_rng(1), others=["no", "yes"]) == "no"
    for text in ("", "  "):
        with pytest.raises(InputError):
            degrade(text, "delete", rng=np.random.default_rng(1))


def test_duplication_worked_example() -> None:
    """Worked example for Graham et al. (2013): copies of `cat` at 3 and of `mats` at 2."""
    rng = Chosen([1, 4], [0, 1])
    assert " ".join(duplicate_words(["the", "cat", "sat", "on", "mats"], rng)) == "the cat mats sat cat on mats"


@given(st.integers(4, 40), st.integers(0, 10**6))
def test_duplication_keeps_order_and_ends(length: int, seed: int) -> None:
    words = [f"w{at}" for at in range(length)]
    found = duplicate_words(words, np.random.default_rng(seed))
    assert len(found) == length + 2
    assert (found[0], found[-1]) == (words[0], words[-1])
    rest = iter(found)
    assert all(word in rest for word in words)
    twice = {word for word in found if found.count(word) == 2}
    assert len(twice) == 2
    for word in twice:
        first, second = (at for at, one in enumerate(found) if one == word)
        assert second - first > 1


@given(st.integers(1, 40), st.integers(0, 10**6))
def test_replacement_keeps_length_and_ends(length: int, seed: int) -> None:
    words = [f"w{at}" for at in range(length)]
    others = [" ".join(f"x{at}" for at in range(50)), "too short"]
    found = degrade(" ".join(words), "replace", rng=np.random.default_rng(seed), others=others).split()
    changed = [at for at in range(length) if found[at] != words[at]]
    assert len(found) == length
    assert len(changed) == min(length, replaced_words(length))
    assert changed == list(range(changed[0], changed[-1] + 1))
    if length >= replaced_words(length) + 2:
        assert 0 not in changed
        assert length - 1 not in changed


def test_scripts_without_spaces_lose_characters() -> None:
    text = "今日は天気がいいです"
    assert len(split_words(text, "ja")) == 10
    found = degrade(text, "delete", rng=np.random.default_rng(3), language="ja")
    assert len(found) == 6
    assert " " not in found
    assert eligible(text, "delete", language="ja")
    assert not eligible(text, "delete", language="de")


def test_unknown_ways_are_refused() -> None:
    with pytest.raises(SettingError, match="shuffle"):
        degrade("a b c d", "shuffle", rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="too short"):
        duplicate_words(["a", "b", "c"], np.random.default_rng(1))
    with pytest.raises(InputError, match="foreign"):
        degrade("a b c d", "replace", rng=np.random.default_rng(1), others=["x"])
