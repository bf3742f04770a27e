"""LRscore: how alike a translation and a reference put the words of the source into order (Birch and Osborne 2010).

Word links say where each source word went. The order of the source words in the translation is a permutation, that in
the reference another, and their distance is a score: by Kendall's tau, one less the root of the share of pairs that
stand the other way round, or by Hamming distance, the share of words that have the same place. A translation that is
too short is punished as by BLEU. The mean over sentences, times 100, is the score of a text; with `alpha` below 1 it
is mixed with BLEU. Kendall's form is the LR-K of Graham (2013).

    >>> order_of([(0, 0), (1, 3), (2, 1), (3, 2)], 4)
    (0, 3, 1, 2)
    >>> round(kendall((0, 1, 2, 3), (0, 3, 1, 2)), 5)
    0.42265
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dragoman.errors import InputError, LengthMismatch
from dragoman.settings import Settings, setting

__all__ = ["DISTANCES", "LrScore", "OrderedPair", "hamming", "kendall", "order_of"]


def order_of(links: Iterable[tuple[int, int]], words: int) -> tuple[int, ...]:
    """The rank of each source word in the other text.

    A word stands where its first link goes, one without a link where the word before it stands, and at the beginning
    if there is none; of two at one place the first in the source comes first.
    """
    lowest: dict[int, int] = {}
    for source, target in links:
        if not 0 <= source < words:
            raise InputError(f"a link of source word {source} of {words}", remedy="do the links belong to this text?")
        lowest[source] = min(target, lowest.get(source, target))
    places: list[int] = []
    for word in range(words):
        places.append(lowest.get(word, places[-1] if places else 0))
    ranks = [0] * words
    for rank, word in enumerate(sorted(range(words), key=lambda each: (places[each], each))):
        ranks[word] = rank
    return tuple(ranks)


def kendall(one: Sequence[int], other: Sequence[int]) -> float:
    """1 less the root of the share of pairs in different order; 1 for a single word."""
    size = _same_size(one, other)
    if size < 2:
        return 1.0
    by_one = [other[word] for word in sorted(range(size), key=lambda each: one[each])]
    return 1 - math.sqrt(_inversions(by_one)[1] / (size * (size - 1) / 2))


def hamming(one: Sequence[int], other: Sequence[int]) -> float:
    """The share of words that have the same place."""
    size = _same_size(one, other)
    return sum(a == b for a, b in zip(one, other, strict=True)) / size if size else 1.0


DISTANCES: Mapping[str, Callable[[Sequence[int], Sequence[int]], float]] = {"kendall": kendall, "hamming": hamming}
"""How two orders are compared, by name."""


def _same_size(one: Sequence[int], other: Sequence[int]) -> int:
    if len(one) != len(other):
        raise LengthMismatch(f"orders of {len(one)} and of {len(other)} words", remedy="both must be of one source")
    return len(one)


def _inversions(values: list[int]) -> tuple[list[int], int]:
    """The values sorted, and how many pairs were in the wrong order."""
    if len(values) < 2:
        return values, 0
    middle = len(values) // 2
    left, first = _inversions(values[:middle])
    right, second = _inversions(values[middle:])
    merged: list[int] = []
    count, at = first + second, 0
    for value in right:
        while at < len(left) and left[at] <= value:
            merged.append(left[at])
            at += 1
        count += len(left) - at
        merged.append(value)
    return merged + left[at:], count


@dataclass(frozen=True, slots=True)
class OrderedPair:
    """A sentence: its length, and length and links of its translation and of each reference."""

    words: int
    hypothesis: tuple[int, tuple[tuple[int, int], ...]]
    references: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LrScore(Settings):
    """How translations order the words of their sources."""

    distance: str = setting("kendall", "Between two orders.", choices=tuple(DISTANCES))
    brevity: bool = setting(True, "Punish translations that are shorter than the reference.")
    references: str = setting("best", "Of several references the best counts, or the mean.", choices=("best", "mean"))
    alpha: float = setting(1.0, "The weight of order beside that of BLEU, whose weight is the rest.", least=0, most=1)

    def sentence(self, pair: OrderedPair) -> float:
        """Between 0 and 1; an empty translation has 0."""
        length, links = pair.hypothesis
        if not pair.references:
            raise InputError("a sentence without a reference", remedy="give at least one")
        if not length:
            return 0.0
        order, measure = order_of(links, pair.words), DISTANCES[self.distance]
        found = []
        for reference_length, reference_links in pair.references:
            short = min(1.0, math.exp(1 - reference_length / length)) if self.brevity else 1.0
            found.append(measure(order, order_of(reference_links, pair.words)) * short)
        return max(found) if self.references == "best" else sum(found) / len(found)

    def corpus(self, pairs: Sequence[OrderedPair], *, bleu: float | None = None) -> float:
        """The mean of the sentences, times 100, mixed with BLEU (of 100) where `alpha` wants it."""
        if not pairs:
            raise InputError("no sentences to score")
        order = 100 * sum(map(self.sentence, pairs)) / len(pairs)
        if self.alpha == 1:
            return order
        if bleu is None:
            raise InputError("a score that is mixed with BLEU, and no BLEU", remedy="give it, or set alpha=1")
        return self.alpha * order + (1 - self.alpha) * bleu
