"""Degrade: worsen a translation on purpose, so that a careful assessor scores it lower.

The copy must be worse in the attribute that is asked for and still look like an output. Adequacy loses a run of words
(Graham, Baldwin, Moffat and Zobel 2014), or has it replaced by one of equal length from another segment, which cannot
be told by length (the practice of the WMT evaluations); fluency gets two of its own words once more at wrong places,
which leaves the meaning alone (Graham et al. 2013). How many words depends on the length; the first and the last word
survive wherever the segment is long enough.

    >>> degrade_by_deletion("the committee said on Monday that talks would go on", start=3)
    'the committee said would go on'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dragoman.errors import InputError, UnknownName
from dragoman.settings import check_argument

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "DEGRADATIONS",
    "degrade",
    "degrade_by_deletion",
    "deleted_words",
    "duplicate_words",
    "eligible",
    "join_words",
    "replaced_words",
    "split_words",
]

DEGRADATIONS = ("delete", "duplicate", "replace")

_UNSPACED = {"Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"}
_PREFERRED = {"delete": 4, "duplicate": 4, "replace": 2}


def split_words(text: str, language: str = "") -> list[str]:
    """What is deleted or moved as a unit: words between spaces; characters where a language writes none."""
    if _unspaced(language):
        import regex

        return [piece for piece in regex.findall(r"\X", text) if not piece.isspace()]
    return text.split()


def join_words(words: Sequence[str], language: str = "") -> str:
    """The inverse of `split_words`, up to the amount of white space."""
    return ("" if _unspaced(language) else " ").join(words)


def deleted_words(length: int) -> int:
    """How many consecutive words a segment of that length loses.

    >>> [deleted_words(length) for length in (2, 4, 6, 9, 16, 21, 26)]
    [1, 2, 3, 4, 5, 5, 6]
    """
    if length < 1:
        raise InputError("an empty segment cannot be degraded")
    for longest, count in ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if length <= longest:
            return count
    return -(-length // 5)


def replaced_words(length: int) -> int:
    """How many consecutive words of a segment of that length are replaced.

    >>> [replaced_words(length) for length in (1, 2, 6, 9, 16, 21, 24)]
    [1, 2, 3, 4, 5, 5, 6]
    """
    if length < 1:
        raise InputError("an empty segment cannot be degraded")
    for longest, count in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if length <= longest:
            return count
    return length // 4


def eligible(text: str, how: str, *, language: str = "") -> bool:
    """Whether a segment is long enough to be degraded without looking odd."""
    return len(split_words(text, language)) >= _PREFERRED[how]


def degrade(text: str, how: str, *, rng: np.random.Generator, others: Sequence[str] = (), language: str = "") -> str:
    """A worsened copy; `others` are texts to take foreign words from (references of other segments)."""
    check_argument("how", how, choices=DEGRADATIONS)
    words = split_words(text, language)
    if not words:
        raise InputError("an empty segment cannot be degraded")
    if how == "duplicate":
        found = duplicate_words(words, rng)
    elif how == "replace":
        found = _replace(words, others, rng, language)
    elif len(words) == 1:
        found = [_foreign_word(words[0], others, rng, language)]
    else:
        count = deleted_words(len(words))
        start = 1 if len(words) == 2 else int(rng.integers(1, len(words) - count))
        found = words[:start] + words[start + count :]
    return join_words(found, language)


def degrade_by_deletion(text: str, *, start: int, language: str = "") -> str:
    """Delete the words that the table asks for, from a given place (counted from 0)."""
    words = split_words(text, language)
    count = deleted_words(len(words))
    if not 1 <= start <= max(1, len(words) - count - 1):
        raise InputError(f"words {start} to {start + count} of {len(words)} cannot be deleted")
    return join_words(words[:start] + words[start + count :], language)


def duplicate_words(words: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Insert a copy of two of the words, neither first nor last, and neither beside its original."""
    if len(words) < 4:
        raise InputError(f"a segment of {len(words)} words is too short to duplicate some", remedy="4 are needed")
    order: list[tuple[int, str]] = list(enumerate(words))
    for chosen in rng.choice(len(words), 2, replace=False).tolist():
        at = next(place for place, (number, _) in enumerate(order) if number == chosen)
        gaps = [gap for gap in range(1, len(order)) if gap not in (at, at + 1)]
        order.insert(gaps[int(rng.integers(len(gaps)))], (-1, words[chosen]))
    return [word for _, word in order]


def _replace(words: list[str], others: Sequence[str], rng: np.random.Generator, language: str) -> list[str]:
    count = min(replaced_words(len(words)), len(words))
    low, high = (1, len(words) - count - 1) if len(words) >= count + 2 else (0, len(words) - count)
    start = int(rng.integers(low, high + 1))
    for index in rng.permutation(len(others)).tolist():
        other = split_words(others[index], language)
        if len(other) < count:
            continue
        begin = int(rng.integers(0, len(other) - count + 1))
        if other[begin : begin + count] != words[start : start + count]:
            return words[:start] + other[begin : begin + count] + words[start + count :]
    raise InputError("no other reference is long enough to take foreign words from", remedy="degrade by deletion")


def _foreign_word(word: str, others: Sequence[str], rng: np.random.Generator, language: str) -> str:
    vocabulary = sorted({other for text in others for other in split_words(text, language)} - {word})
    if not vocabulary:
        raise InputError(f"there is no word to replace {word!r} by", remedy="give references")
    return vocabulary[int(rng.integers(len(vocabulary)))]


def _unspaced(language: str) -> bool:
    if not language:
        return False
    from dragoman.text.scripts import scripts_of

    try:
        return bool(_UNSPACED & set(scripts_of(language))) and "Hangul" not in scripts_of(language)
    except UnknownName:
        return False
