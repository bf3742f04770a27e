"""Held-out sets that nothing leaks into.

Random lines of a corpus of documents make a test set that training has half seen: documents repeat themselves and each
other. So whole groups (a source package, a help page) are held out, and of these only segments that no other group has,
compared without case, punctuation and digits. Then dev and test are disjoint from train whatever else is in it, and the
order of groups follows from seed and name alone, so that a corpus which grows keeps most of its test set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.text.corpus import order_key

__all__ = ["HeldOut", "cut_folds", "hold_out", "leak_key", "usual_size"]

_NOT_WORDS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\d+")


def leak_key(text: str) -> str:
    """Segments with the same key count as the same: case, punctuation, white space and digits do not matter.

    >>> leak_key("Tool-kit 2.0, released!") == leak_key("toolkit 3.11 (released)")
    True
    """
    return _NUMBER.sub("0", _NOT_WORDS.sub("", text.casefold()))


def usual_size(segments: int) -> int:
    """Segments for dev and for test: a twentieth of the whole in round hundreds, at least 100 and at most 1,500."""
    return min(1500, max(100, round(segments / 2000) * 100))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Positions of the rows of each part. What belongs to a held-out group and to no part is left out."""

    train: list[int]
    dev: list[int]
    test: list[int]
    groups: frozenset[str]
    """The held-out groups."""


def hold_out(
    groups: Sequence[str],
    texts: Sequence[str],
    *,
    size: int,
    seed: int,
    others: Iterable[tuple[str, str]] = (),
    min_words: int = 3,
    max_words: int = 60,
) -> HeldOut:
    """Choose dev and test of `size` rows each; row i belongs to `groups[i]` and is told apart by `texts[i]`.

    `others` are further (group, text) of the corpus that must not leak either, such as monolingual text. A group with
    more than a twentieth of `size` would dominate its set and stays in train; so does what would take the held-out
    groups above a third of a small corpus. Dev and test are then smaller than asked for.
    """
    owners: dict[str, str | None] = {}
    keys = [leak_key(text) for text in texts]
    for group, key in [*zip(groups, keys, strict=True), *((group, leak_key(text)) for group, text in others)]:
        if owners.setdefault(key, group) != group:
            owners[key] = None
    eligible: dict[str, dict[str, int]] = {}
    for row, (group, text, key) in enumerate(zip(groups, texts, keys, strict=True)):
        if owners[key] == group and min_words <= len(text.split()) <= max_words:
            eligible.setdefault(group, {}).setdefault(key, row)
    parts: tuple[list[int], list[int]] = [], []
    chosen: set[str] = set()
    rows_of = Counter(groups)
    spare = len(groups) // 3
    for group in sorted(eligible, key=lambda name: order_key(seed, name)):
        rows = list(eligible[group].values())
        if len(rows) * 20 > max(size, 20) or rows_of[group] > spare:
            continue
        first = order_key(seed, group)[-1] & 1  # a fair coin, the same for this group in every corpus
        part = next((parts[i] for i in (first, 1 - first) if len(parts[i]) < size), None)
        if part is None:
            break
        part += rows[: size - len(part)]
        spare -= rows_of[group]
        chosen.add(group)
    train = [row for row, group in enumerate(groups) if group not in chosen]
    return HeldOut(train, sorted(parts[0]), sorted(parts[1]), frozenset(chosen))


def cut_folds(texts: Sequence[str], *, folds: int, size: int, seed: int) -> list[list[int]]:
    """Positions of the texts of each fold, about `size` of them; texts that are alike are in the same fold.

    >>> cut_folds(["One.", "two", "one", "three"], folds=3, size=1, seed=1)
    [[1], [3], [0, 2]]
    """
    alike: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        alike.setdefault(leak_key(text), []).append(place)
    cut: list[list[int]] = [[] for _ in range(folds)]
    number = 0
    for key in sorted(alike, key=lambda key: order_key(seed, key)):
        if len(cut[number]) >= size:
            number += 1
            if number == folds:
                break
        cut[number] += alike[key]
    return [sorted(fold) for fold in cut if fold]
