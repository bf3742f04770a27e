"""A translation memory: what people translated before, exactly or nearly the same.

An exact match is what somebody wrote for the same text. A fuzzy one is for a text that shares most of its words in the
same order; it is shown to people, and never put in place of a translation by itself.

    >>> memory = TranslationMemory([("The house is old.", "Das Haus ist alt.")])
    >>> memory.exact("The  house is old.")
    'Das Haus ist alt.'
    >>> memory.exact("  The house is old.\\n")
    '  Das Haus ist alt.\\n'
    >>> [(match.target, round(match.score, 2)) for match in memory.fuzzy("The house is new.")]
    [('Das Haus ist alt.', 0.75)]
"""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

__all__ = ["MemoryMatch", "TranslationMemory"]

_TRIED = 50
"""Candidates that are compared word by word."""


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """A pair of the memory, and how much of its source is the same."""

    source: str
    target: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"source": self.source, "target": self.target, "score": self.score}


def _key(text: str) -> str:
    """A text as it is compared: blanks count once, and lines stay lines."""
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


class TranslationMemory:
    """Pairs of texts; of the same source the last one counts."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._pairs: list[tuple[str, str]] = []
        self._exact: dict[str, tuple[int, ...]] = {}
        """Pairs of the same source, the last of which counts; never changed in place, as others may be reading."""
        self._having: defaultdict[str, list[int]] = defaultdict(list)
        for source, target in pairs:
            self.add(source, target)

    def __len__(self) -> int:
        return len(self._exact)

    def add(self, source: str, target: str) -> None:
        """Remember a pair."""
        key = _key(source)
        if not key or not target.strip():
            return
        number = len(self._pairs)
        self._pairs.append((source, target))
        self._exact[key] = (*self._exact.get(key, ()), number)
        for word in set(key.split()):
            self._having[word].append(number)

    def forget(self, source: str, target: str) -> None:
        """Take a pair back; what was written for the same source before counts again."""
        key = _key(source)
        numbers = self._exact.get(key, ())
        last = next((number for number in reversed(numbers) if self._pairs[number][1] == target), None)
        left = tuple(number for number in numbers if number != last)
        if left:
            self._exact[key] = left
        else:
            self._exact.pop(key, None)

    def exact(self, source: str) -> str | None:
        """What was written for the same text; blanks within it count once, and those around it stay as they are."""
        numbers = self._exact.get(_key(source))
        if not numbers:
            return None
        start, end = len(source) - len(source.lstrip()), len(source.rstrip())
        return source[:start] + self._pairs[numbers[-1]][1].strip() + source[end:]

    def exact_markup(self, source: str) -> str | None:
        """The same for text of pages, with its entities; nothing if it has tags, because nobody knows their places."""
        found = self.exact(html.unescape(source)) if "<" not in source else None
        return None if found is None else html.escape(found, quote=False)

    def fuzzy(self, source: str, *, least: float = 0.7, limit: int = 3) -> list[MemoryMatch]:
        """The nearest texts, the best first."""
        words = _key(source).split()
        shared: Counter[int] = Counter()
        for word in set(words):
            found = self._having.get(word, [])
            if len(found) <= max(1000, len(self._pairs) // 10):  # words that nearly all have say nothing
                shared.update(found)
        matches = []
        for number, _ in shared.most_common(_TRIED):
            theirs, target = self._pairs[number]
            if self._exact.get(_key(theirs), (-1,))[-1] != number:
                continue
            compared = SequenceMatcher(None, words, _key(theirs).split(), autojunk=False)
            # Upper bounds first: what is far away costs little, however long it is.
            if min(compared.real_quick_ratio(), compared.quick_ratio()) >= least and compared.ratio() >= least:
                matches.append(MemoryMatch(theirs, target, compared.ratio()))
        return sorted(matches, key=lambda match: -match.score)[:limit]
