"""Held-out sets share nothing with train."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.heldout import cut_folds, hold_out, leak_key, usual_size


def test_keys_ignore_case_punctuation_and_digits() -> None:
    assert leak_key("Supports IPv6, and 10.5 MB!") == leak_key("supports ipv4 and 3 mb")
    assert leak_key("supports this") != leak_key("support this")


def test_sizes() -> None:
    assert [usual_size(n) for n in (100, 5_681, 34_902, 119_000)] == [100, 300, 1500, 1500]


@given(
    st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.sampled_from("mnopqrstuvwxyz1")), max_size=60),
    st.lists(st.tuples(st.sampled_from("abcxyz"), st.sampled_from("mnop")), max_size=5),
    st.integers(0, 12),
    st.integers(0, 3),
)
def test_nothing_leaks(rows: list[tuple[str, str]], others: list[tuple[str, str]], size: int, seed: int) -> None:
    groups = [group for group, _ in rows]
    texts = [f"this is {word}" for _, word in rows]
    more = [(group, f"This is {word}!") for group, word in others]
    parts = hold_out(groups, texts, size=size, seed=seed, others=more)
    assert len(parts.dev) <= size
    assert len(parts.test) <= size
    held = {groups[row] for row in (*parts.dev, *parts.test)}
    assert held <= parts.groups
    assert 3 * (len(rows) - len(parts.train)) <= len(rows), "most of a small corpus is for training"
    assert not {groups[row] for row in parts.train} & parts.groups
    assert not {groups[row] for row in parts.dev} & {groups[row] for row in parts.test}
    keys = [leak_key(texts[row]) for row in (*parts.dev, *parts.test)]
    assert len(set(keys)) == len(keys), "not twice in dev and test together"
    rest = {leak_key(texts[row]) for row in parts.train}
    rest |= {leak_key(text) for group, text in more if group not in parts.groups}
    assert not rest & set(keys)
    assert parts == hold_out(groups, texts, size=size, seed=seed, others=more)


def test_sets_fill_up_and_no_group_dominates() -> None:
    groups = [f"g{i // 3}" for i in range(3000)] + ["huge"] * 500
    texts = [f"unique {chr(97 + i % 26)}{'x' * (i // 26)} text" for i in range(3500)]
    parts = hold_out(groups, texts, size=100, seed=1)
    assert (len(parts.dev), len(parts.test)) == (100, 100)
    assert "huge" not in parts.groups
    assert hold_out(groups, texts, size=100, seed=2).groups != parts.groups


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["A b", "a b!", "c", "d", "e", "f 1", "f 2", "g", "h"]), max_size=40),
    st.integers(1, 5),
    st.integers(1, 6),
    st.integers(0, 3),
)
def test_what_is_alike_is_in_one_fold_or_in_none(texts: list[str], folds: int, size: int, seed: int) -> None:
    cut = cut_folds(texts, folds=folds, size=size, seed=seed)
    places = [place for fold in cut for place in fold]
    assert len(set(places)) == len(places)
    assert all(len(fold) >= size for fold in cut[:-1])
    home = {leak_key(texts[place]): number for number, fold in enumerate(cut) for place in fold}
    for place, text in enumerate(texts):
        number = home.get(leak_key(text))
        assert (place in places) == (number is not None)
        assert number is None or place in cut[number]
    assert len(places) == len(texts) or len(cut) == folds, "text is left over only if all folds are full"
