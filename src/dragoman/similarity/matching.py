"""Scorers that match each word with the most similar one of the other text, by WordNet or by contexts.

`matching` averages over words how similar their best matches are (Mihalcea, Corley and Strapparava 2006; it is in all
winners of 2012). `lsa` compares sums of word vectors instead of single words. `pairing-words` is the align-and-penalise
scheme of the winners of 2013 (Han et al. 2013; Kashyap et al. 2014): what is badly matched, or matched with its
opposite, costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from dragoman.align.monolingual import MonolingualAlignment, WordMatch
from dragoman.errors import SettingError
from dragoman.settings import setting
from dragoman.similarity.base import PairScorer, Scores
from dragoman.similarity.dls import harmonic_mean
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import Contribution, PairReasons
from dragoman.similarity.word_knowledge import TextStatistics, WordNetDistances
from dragoman.similarity.words import FUNCTION_WORDS, cut, is_content

__all__ = ["BestMatch", "LatentSemantics", "PairingWords", "WithText", "best_matches", "pairing_score"]

WordSimilarity = Callable[[str, str], float]


def content_positions(words: Sequence[str], language: str) -> list[int]:
    """Positions of words of content; of all words where there is none."""
    return [at for at, word in enumerate(words) if is_content(word, language)] or list(range(len(words)))


def best_matches(
    first: Sequence[str], second: Sequence[str], similarity: WordSimilarity
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """For each word of each side the place of the most similar word of the other, the leftmost of equals, and how
    similar it is."""
    table = [[similarity(one, other) for other in second] for one in first]
    forward, back = ([_greatest(row) for row in rows] for rows in (table, zip(*table, strict=True)))
    return forward, back


def _greatest(values: Sequence[float]) -> tuple[int, float]:
    """The place of the greatest value, the leftmost of equals, and the value."""
    value = max(values)
    return values.index(value), value


@dataclass(kw_only=True, eq=False)
class WithText(PairScorer):
    """A scorer that may know frequencies and vectors from a text."""

    text: str = setting("", "A text of the language, one sentence a line, for vectors and frequencies of words.")
    dimensions: int = setting(200, "Of the vectors.", least=2, most=2000)
    _statistics: TextStatistics | None = field(default=None, init=False, repr=False)

    def statistics(self, threads: int = 0) -> TextStatistics | None:
        """What the text says about words, worked out when it is first needed; None without a text."""
        if self._statistics is None and self.text:
            self._statistics = TextStatistics.of_file(self.text, dimensions=self.dimensions, threads=threads)
        return self._statistics

    def require_statistics(self, threads: int = 0) -> TextStatistics:
        """The same, or an error that asks for a text."""
        found = self.statistics(threads)
        if found is None:
            raise SettingError(f"{self.name} needs a text to learn words from", remedy="give text=FILE")
        return found

    def _write(self, folder: Path) -> None:
        super()._write(folder)
        found = self.statistics()
        if found is not None:
            found.save(folder)

    def _read(self, folder: Path) -> None:
        super()._read(folder)
        if (folder / "words.npz").is_file():
            self._statistics = TextStatistics.open(folder)


@dataclass(kw_only=True, eq=False)
class BestMatch(WithText):
    """Mean similarity of each word's best match, by WordNet or by contexts (Mihalcea et al. 2006)."""

    name: ClassVar[str] = "matching"
    words: str = setting("wordnet", "What makes words similar.", choices=("wordnet", "contexts", "both"))
    language: str = setting("en", "Of both texts; WordNet is English.", choices=FUNCTION_WORDS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language != "en" and self.words != "contexts":
            raise SettingError(f"WordNet is English, not {self.language!r}", remedy="choose words=contexts")

    @cached_property
    def _wordnet(self) -> WordNetDistances:
        return WordNetDistances()

    def _similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        values = []
        if self.words != "contexts":
            values.append(self._wordnet.path(first, second))
        if self.words != "wordnet":
            values.append(self.require_statistics().cosine(first, second))
        return max(values)

    def _matched(self, pair: TextPair) -> tuple[list[list[str]], list[list[int]], tuple[list[tuple[int, float]], ...]]:
        words = [list(cut(text)) for text in pair.texts]
        places = [content_positions(side, self.language) for side in words]
        lowered = [[side[at].lower() for at in chosen] for side, chosen in zip(words, places, strict=True)]
        return words, places, best_matches(lowered[0], lowered[1], self._similarity)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        self.statistics(threads)
        return np.array([_mean_of_means(self._matched(pair)[2]) for pair in pairs], np.float64)

    def _explain(self, pair: TextPair) -> PairReasons:
        words, places, matched = self._matched(pair)
        return PairReasons(
            self.name,
            _mean_of_means(matched),
            tuple(words[0]),
            tuple(words[1]),
            _alignment(places, matched, lambda value: "same" if value == 1 else self.words),
            tuple(
                Contribution(f"mean best match of the {side}", float(np.mean([value for _, value in found])))
                for side, found in zip(("first", "second"), matched, strict=True)
            ),
        )


def _mean_of_means(matched: Sequence[list[tuple[int, float]]]) -> float:
    first, second = (float(np.mean([value for _, value in found])) for found in matched)
    return harmonic_mean(first, second)


def _alignment(
    places: Sequence[Sequence[int]],
    matched: Sequence[list[tuple[int, float]]],
    reason: Callable[[float], str],
    least: float = 0.05,
) -> MonolingualAlignment:
    """Best matches of both sides that are worth something."""
    found = [
        WordMatch(places[0][at], places[1][other], min(1.0, value), reason(value))
        for at, (other, value) in enumerate(matched[0])
        if value >= least
    ]
    found += [
        WordMatch(places[0][other], places[1][at], min(1.0, value), reason(value))
        for at, (other, value) in enumerate(matched[1])
        if value >= least
    ]
    return MonolingualAlignment.of(found)


@dataclass(kw_only=True, eq=False)
class LatentSemantics(WithText):
    """Cosine of sums of word vectors from a text, rare words counting more (Deerwester et al. 1990)."""

    name: ClassVar[str] = "lsa"
    weighted: bool = setting(True, "Weight words by their information, ln(tokens / count).")

    def _sum(self, text: str, statistics: TextStatistics) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        total = np.zeros(statistics.vectors.shape[1])
        for word in cut(text.lower()):
            vector = statistics.vector(word)
            if vector is not None:
                total += vector * (statistics.information(word) if self.weighted else 1.0)
        return total

    def _one(self, pair: TextPair, statistics: TextStatistics) -> float:
        first, second = (self._sum(text, statistics) for text in pair.texts)
        lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
        if lengths == 0:
            return float(cut(pair.texts[0].lower()) == cut(pair.texts[1].lower()))
        return max(0.0, float(first @ second) / lengths)

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        statistics = self.require_statistics(threads)
        return np.array([self._one(pair, statistics) for pair in pairs], np.float64)

    def _explain(self, pair: TextPair) -> PairReasons:
        statistics = self.require_statistics()
        sums = [self._sum(text, statistics) for text in pair.texts]
        words = [cut(text) for text in pair.texts]
        features = []
        for side, other, texts in (("first", sums[1], words[0]), ("second", sums[0], words[1])):
            length = float(np.linalg.norm(other)) or 1.0
            for word in texts:
                vector = statistics.vector(word.lower())
                if vector is not None:
                    features.append(Contribution(f"{word} ({side})", float(vector @ other) / length))
        features.sort(key=lambda each: -each.value)
        return PairReasons(self.name, self._one(pair, statistics), words[0], words[1], features=tuple(features))


def pairing_score(
    first: Sequence[str],
    second: Sequence[str],
    similarity: WordSimilarity,
    *,
    frequency: Callable[[str], float],
    importance: Callable[[str], float],
    opposite: Callable[[str, str], bool],
    least: float = 0.05,
) -> tuple[float, float, float, float]:
    """The score of align-and-penalise, 0 to 1, and its parts: matches, bad matches, opposites.

    >>> table = {("dog", "cat"): 0.5, ("dog", "meows"): 0.03, ("barks", "cat"): 0.02, ("barks", "meows"): 0.4}
    >>> one = lambda word: 1.0
    >>> scores = pairing_score(["dog", "barks"], ["cat", "meows"], lambda a, b: table[a, b], frequency=one,
    ...     importance=one, opposite=lambda a, b: False)
    >>> round(scores[0], 4)
    0.45
    """
    forward, back = best_matches(first, second, similarity)
    matched = bad = against = 0.0
    for words, others, found in ((first, second, forward), (second, first, back)):
        share = 1 / (2 * len(words))
        for word, (place, value) in zip(words, found, strict=True):
            matched += share * value
            if value < least:
                bad += share * (value + frequency(word) * importance(word))
            elif opposite(word, others[place]):
                against += share * (value + 0.5)
    return max(0.0, min(1.0, matched - bad - against)), matched, bad, against


@dataclass(kw_only=True, eq=False)
class PairingWords(WithText):
    """Each word with its best match, less bad and opposite ones (Han et al. 2013; Kashyap et al. 2014)."""

    name: ClassVar[str] = "pairing-words"
    language: ClassVar[str] = "en"
    least: float = setting(0.05, "A match below this is none.", least=0, most=1)

    @cached_property
    def _wordnet(self) -> WordNetDistances:
        return WordNetDistances()

    def _similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        statistics = self.statistics()
        value = 0.0 if statistics is None else statistics.cosine(first, second)
        edges = self._wordnet.edges(first, second)
        return min(1.0, value + (0.0 if edges is None else 0.5 * math.exp(-0.25 * edges)))

    def _frequency(self, word: str) -> float:
        statistics = self.statistics()
        return 1.0 if statistics is None else 1 / max(1.0, math.log(statistics.count(word)))

    def _opposite(self, first: str, second: str) -> bool:
        return second in self._wordnet.antonyms(first) or first in self._wordnet.antonyms(second)

    def _parts(self, first: Sequence[str], second: Sequence[str]) -> tuple[float, float, float, float]:
        return pairing_score(
            first,
            second,
            self._similarity,
            frequency=self._frequency,
            importance=self._wordnet.weight_of_class,
            opposite=self._opposite,
            least=self.least,
        )

    def _chosen(self, pair: TextPair) -> tuple[list[tuple[str, ...]], list[list[int]], list[list[str]]]:
        words = [cut(text) for text in pair.texts]
        places = [content_positions(side, self.language) for side in words]
        return words, places, [[side[at].lower() for at in some] for side, some in zip(words, places, strict=True)]

    def _scores(self, pairs: list[TextPair], threads: int) -> Scores:
        self.statistics(threads)
        return np.array([self._parts(*self._chosen(pair)[2])[0] for pair in pairs], np.float64)

    def _explain(self, pair: TextPair) -> PairReasons:
        words, places, lowered = self._chosen(pair)
        score, matched, bad, against = self._parts(*lowered)
        found = best_matches(lowered[0], lowered[1], self._similarity)
        return PairReasons(
            self.name,
            score,
            words[0],
            words[1],
            _alignment(places, found, lambda value: "same" if value == 1 else "related", self.least),
            (
                Contribution("best matches", matched, matched),
                Contribution("words without a match", bad, -bad),
                Contribution("words matched with their opposite", against, -against),
            ),
        )
