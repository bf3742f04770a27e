"""Scorers that look at the surface: shared tokens, shared n-grams, and what two strings have in common in order.

`token-cosine` with its usual settings is the baseline of the shared tasks of 2012 to 2014, to the digit: texts are
split at white space, case and punctuation stay, and what counts is which tokens there are, not how often (Agirre et
al. 2012).

    >>> from dragoman.similarity.pairs import TextPair
    >>> pair = TextPair.of("A man is riding a bicycle .", "A man is riding a bike .")
    >>> TokenCosine().score([pair]).round(5).tolist()
    [0.85714]
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.metrics.lexical import is_punctuation
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.words import cut
from dragoman.text.strings import UNITS, common_subsequences, string_similarities

__all__ = [
    "OVERLAPS",
    "NgramOverlap",
    "StringSimilarity",
    "TokenCosine",
    "ngrams",
    "overlap",
    "same_words",
    "shared_count",
    "stretches",
]

T = TypeVar("T", bound=Hashable)
OVERLAPS = ("cosine", "dice", "jaccard", "containment")


def ngrams(symbols: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """All stretches of so many symbols."""
    return list(zip(*(symbols[start:] for start in range(order)), strict=False))


def stretches(text: str, order: int) -> list[str]:
    """All stretches of so many characters."""
    return [text[start : start + order] for start in range(len(text) - order + 1)]


def shared_count(first: Counter[T], second: Counter[T]) -> int:
    """How many things two bags share, each as often as the smaller number says."""
    if first.keys().isdisjoint(second.keys()):
        return 0
    return sum([min(first[each], second[each]) for each in first.keys() & second.keys()])


def overlap(first: Counter[T], second: Counter[T], measure: str) -> float:
    """What two bags share; 0 if one is empty. `containment` is the share of the smaller one.

    >>> overlap(Counter("aab"), Counter("ab"), "dice")
    0.8
    """
    sizes = first.total(), second.total()
    if not all(sizes):
        return 0.0
    common = shared_count(first, second)
    below = {
        "cosine": math.sqrt(sizes[0] * sizes[1]),
        "dice": sum(sizes) / 2,
        "jaccard": sum(sizes) - common,
        "containment": min(sizes),
    }[measure]
    return common / below


def same_words(first: Sequence[str], second: Sequence[str]) -> MonolingualAlignment:
    """Equal words, each used once, from left to right."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(second):
        places.setdefault(word, []).append(at)
    found = [WordMatch(at, places[word].pop(0), 1.0, "same") for at, word in enumerate(first) if places.get(word)]
    return MonolingualAlignment.of(found)


@dataclass(kw_only=True, eq=False)
class _Plain(PairScorer):
    """A scorer that takes one pair after the other."""

    @abstractmethod
    def _one(self, first: str, second: str) -> float:
        """The score of two texts that are not empty."""

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        return np.array([self._one(*pair.texts) for pair in pairs], np.float64)


@dataclass(kw_only=True, eq=False)
class TokenCosine(_Plain):
    """Cosine of the sets of tokens between blanks: the baseline of the shared tasks (Agirre et al. 2012)."""

    name: ClassVar[str] = "token-cosine"
    lowercase: bool = setting(False, "Compare without case.")
    punctuation: bool = setting(True, "Keep punctuation; without it, words are cut as elsewhere.")
    counts: bool = setting(False, "Count how often a token is there.")

    def _tokens(self, text: str) -> list[str]:
        text = text.lower() if self.lowercase else text
        return text.split() if self.punctuation else [word for word in cut(text) if not is_punctuation(word)]

    def _one(self, first: str, second: str) -> float:
        ours, theirs = self._tokens(first), self._tokens(second)
        if self.counts:
            return overlap(Counter(ours), Counter(theirs), "cosine")
        one, other = set(ours), set(theirs)
        return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0

    def _explain(self, pair: TextPair) -> PairReasons:
        first, second = (tuple(self._tokens(text)) for text in pair.texts)
        sizes = {
            "different tokens of the first": len(set(first)),
            "different tokens of the second": len(set(second)),
            "in both": len(set(first) & set(second)),
        }
        return PairReasons(
            self.name,
            self._one(*pair.texts),
            first,
            second,
            same_words(first, second),
            tuple(Contribution(name, float(value)) for name, value in sizes.items()),
        )


@dataclass(kw_only=True, eq=False)
class StringSimilarity(PairScorer):
    """Twice the longest common subsequence over both lengths, by which the pairs of the shared tasks were sampled."""

    name: ClassVar[str] = "string"
    unit: str = setting("character", "What the strings are made of.", choices=UNITS)
    lowercase: bool = setting(False, "Compare without case.")

    def _texts(self, pairs: list[TextPair]) -> tuple[list[str], list[str]]:
        sides = ([pair.texts[side] for pair in pairs] for side in (0, 1))
        first, second = ([text.lower() for text in side] if self.lowercase else side for side in sides)
        return first, second

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        return string_similarities(*self._texts(pairs), unit=self.unit, threads=threads)

    def _explain(self, pair: TextPair) -> PairReasons:
        common, *lengths = common_subsequences(*self._texts([pair]), unit=self.unit, threads=1)[0].tolist()
        values = {"in common": common, "of the first": lengths[0], "of the second": lengths[1]}
        return PairReasons(
            self.name,
            float(self._scores([pair], 1)[0]),
            cut(pair.texts[0]),
            cut(pair.texts[1]),
            features=tuple(Contribution(f"{self.unit}s {name}", float(value)) for name, value in values.items()),
        )


@dataclass(kw_only=True, eq=False)
class NgramOverlap(_Plain):
    """Shared n-grams of words or characters."""

    name: ClassVar[str] = "ngrams"
    unit: str = setting("character", "What n-grams are made of.", choices=UNITS)
    order: int = setting(3, "How many in a row.", least=1, most=20)
    measure: str = setting("cosine", "How the shared ones are counted.", choices=OVERLAPS)
    lowercase: bool = setting(True, "Compare without case.")

    def _grams(self, text: str) -> Counter[str]:
        text = text.lower() if self.lowercase else text
        if self.unit == "character":
            return Counter(stretches(text, min(self.order, len(text))))
        words = cut(text)
        return Counter(map(" ".join, ngrams(words, min(self.order, len(words)))))

    def _one(self, first: str, second: str) -> float:
        return overlap(self._grams(first), self._grams(second), self.measure)

    def _explain(self, pair: TextPair) -> PairReasons:
        first, second = (cut(text) for text in pair.texts)
        ours, theirs = (self._grams(text) for text in pair.texts)
        features = [Contribution(f"shared: {gram}", float(count)) for gram, count in (ours & theirs).most_common(10)]
        lowered = [[word.lower() if self.lowercase else word for word in words] for words in (first, second)]
        return PairReasons(self.name, self._one(*pair.texts), first, second, same_words(*lowered), tuple(features))
