"""A cache language model: words and pairs of words that people confirmed lately are more probable than they were.

A language model knows nothing of what it was not trained on, so a word that somebody taught the system would still cost
as much as an unknown one. Here the probability of a word is raised by its share in a cache of confirmed translations,
alone and after its neighbour (Kuhn and De Mori 1990); what that adds to the log-probability of the words of a rule is
the value of one feature, whose weight is that of the language model. Contexts beyond the rule are not looked at, so
that it is a feature of the rule alone.

    >>> cache = CacheModel(None)
    >>> cache.remember(("das", "haus")); round(cache.value(("haus",)), 3) > 0, cache.value(("hof",))
    (True, 0.0)
    >>> cache.forget(); cache.value(("haus",))
    0.0
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from dragoman.features.base import Fire, Option, RuleFeature, SourceSentence, Values
from dragoman.lm import NgramModel

__all__ = ["CACHE", "CacheModel"]

CACHE = "cache"
"""The name of the feature."""

_UNSEEN = -12.0
"""Log-probability of a word where there is no language model."""


class _Memory:
    """What the cache holds at one moment."""

    def __init__(self, texts: Sequence[tuple[str, ...]]) -> None:
        self.words = Counter(word for text in texts for word in text)
        self.pairs = Counter(pair for text in texts for pair in pairwise(text))
        self.total = sum(self.words.values())
        self.known: dict[tuple[str, ...], float] = {}


class CacheModel(RuleFeature):
    """Raises the probability of words that were confirmed lately."""

    def __init__(self, model: NgramModel | None, *, share: float = 0.3, most: int = 5000) -> None:
        """`share` is that of the cache in the probability of a word, `most` the number of words that it holds."""
        self._model, self._share, self._most = model, share, most
        self._texts: list[tuple[str, ...]] = []
        self._memory = _Memory(())

    def __str__(self) -> str:
        return CACHE

    def remember(self, words: Sequence[str]) -> None:
        """A translation that somebody confirmed, as tokens."""
        self._texts.append(tuple(words))
        self._refresh()

    def forget(self) -> None:
        """Forget the last one."""
        self._texts.pop()
        self._refresh()

    def _refresh(self) -> None:
        kept: list[tuple[str, ...]] = []
        room = self._most
        for text in reversed(self._texts):
            room -= len(text)
            if room < 0:
                break
            kept.append(text)
        self._memory = _Memory(kept)

    def value(self, words: Sequence[str]) -> float:
        """What the cache adds to the log-probability of words."""
        return self._value(tuple(words), self._memory)

    def _value(self, words: tuple[str, ...], memory: _Memory) -> float:
        if memory.words.keys().isdisjoint(words):
            return 0.0
        known = memory.known.get(words)
        if known is not None:
            return known
        total = 0.0
        state = self._model.empty_state() if self._model is not None else None
        before = ""
        for word in words:
            logprob = _UNSEEN
            if self._model is not None:
                logprob, state = self._model.step(state, word)  # type: ignore[arg-type]
            count = memory.words[word]
            if count:
                chance = count / memory.total
                if memory.words[before]:
                    chance = (chance + memory.pairs[before, word] / memory.words[before]) / 2
                total += math.log1p(self._share * chance / math.exp(logprob))
            before = word
        memory.known[words] = total
        return total

    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        value = self.value(option.target)
        if value:
            fire(CACHE, value)

    def rules(self, sentence: SourceSentence, options: Sequence[Option]) -> list[Values]:
        memory = self._memory
        if not memory.total:
            return [[] for _ in options]
        values = (self._value(option.target, memory) for option in options)
        return [[(CACHE, value)] if value else [] for value in values]
