"""A translation memory: what people translated before, exactly or nearly the same.

An exact match is what somebody wrote for the same text. A fuzzy one is for a text that shares most of its words in the
same order; it is shown to people, and never put in place of a translation by itself.

    >>> memory = TranslationMemory([("The house is old.", "Das Haus ist alt.")])
    >>> memory.exact("The  house is old.")
    'Das Haus ist alt.'
    >>> [(match.target, round(match.score, 2)) for match in memory.fuzzy("The house is new.")]
    [('Das Haus ist alt.', 0.75)]
"""

from __future__ import annotations

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
    return " ".join(text.split())


class TranslationMemory:
    """Pairs of texts; of the same source the last one counts."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._pairs: list[tuple[str, str]] = []
        self._exact: dict[str, int] = {}
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
        self._exact[key] = len(self._pairs)
        for word in set(key.split()):
            self._having[word].append(len(self._pairs))
        self._pairs.append((source, target))

    def exact(self, source: str) -> str | None:
        """What was written for the same text, white space aside."""
        number = self._exact.get(_key(source))
        return self._pairs[number][1] if number is not None else None

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
            if self._exact[_key(theirs)] != number:
                continue
            score = SequenceMatcher(None, words, _key(theirs).split(), autojunk=False).ratio()
            if score >= least:
                matches.append(MemoryMatch(theirs, target, score))
        return sorted(matches, key=lambda match: -match.score)[:limit]
