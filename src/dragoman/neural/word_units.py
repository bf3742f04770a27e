"""Units: what the words of one side are to a joint model.

Frequent words are units of their own. A network cannot learn much of a word that it saw once, but something of words
like it: rare words have the unit of their class, as have words that were never seen (Devlin et al. 2014 take parts of
speech). Where a unit is predicted, each of its words has a share of its probability, by how often it was seen, so that
all probabilities sum to one. Where words are only predicted from, a rare one that ends in a frequent one, as a compound
ends in its head, has the unit of that.

    >>> units = WordUnits.of(["a b a c", "a b d"], {"<unk>": "0", "c": "1", "d": "1"}, most=10, min_count=2)
    >>> units.words, units.units.tolist(), units.counts.tolist()
    (['<unk>', 'a', 'b', 'c', 'd'], [4, 2, 3, 5, 5], [0.0, 2.0, 3.0, 2.0, 0.0, 2.0])
    >>> units.shares.tolist()[3] == units.shares.tolist()[4] < 0
    True
    >>> units = WordUnits.of(["jacke jacke regenjacke"], {"<unk>": "0"}, most=10, min_count=2, heads=True)
    >>> units.words, units.units.tolist()
    (['<unk>', 'jacke', 'regenjacke'], [3, 2, 2])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.lm.classes import UNKNOWN, fold_digits

__all__ = ["WordUnits"]

_EDGES = 2
"""The first units: the begin and the end of a sentence."""
_HEAD = 4
"""Letters of a head, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class WordUnits:
    """Words by id, `<unk>` first, with the unit of each and the logarithm of its share in that."""

    words: list[str]
    units: NDArray[np.uint32]
    shares: NDArray[np.float32]
    counts: NDArray[np.float64]
    """How often the text has each unit."""

    @staticmethod
    def of(
        lines: Iterable[str], classes: Mapping[str, str], *, most: int, min_count: int, heads: bool = False
    ) -> WordUnits:
        """The units of a tokenised text: at most so many words of their own, each seen so often at least.

        With `heads` rare words are as their heads; their units are then not to be predicted.
        """
        sentences = 0
        seen: Counter[str] = Counter()
        for line in lines:
            seen.update(line.split())
            sentences += 1
        del seen[UNKNOWN]  # as if nobody knew the word
        ordered = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
        own = [word for word, count in ordered[:most] if count >= min_count]
        rest = sorted(word for word, _ in ordered[len(own) :])
        unit_of = {word: _EDGES + number for number, word in enumerate(own)}
        other = classes[UNKNOWN]
        head_of = {word: head for word in rest if heads and (head := _head(word, unit_of))}
        class_of = {
            word: classes.get(word, classes.get(fold_digits(word), other)) for word in rest if word not in head_of
        }
        unit_of_class = {
            name: _EDGES + len(own) + number for number, name in enumerate(sorted({other, *class_of.values()}))
        }
        words = [UNKNOWN, *own, *rest]
        of_rest = (unit_of[head_of[word]] if word in head_of else unit_of_class[class_of[word]] for word in rest)
        units = [unit_of_class[other], *unit_of.values(), *of_rest]
        counts = np.zeros(_EDGES + len(own) + len(unit_of_class))
        counts[1] = sentences
        for word, unit in zip(words[1:], units[1:], strict=True):
            counts[unit] += seen[word]
        # A word that was never seen counts as one that was seen once.
        masses = counts.copy()
        masses[unit_of_class[other]] += 1
        shares = [np.log(max(seen[word], 1) / masses[unit]) for word, unit in zip(words, units, strict=True)]
        return WordUnits(words, np.array(units, np.uint32), np.array(shares, np.float32), counts)


def _head(word: str, known: Container[str]) -> str | None:
    """The longest of some words that a longer one ends in."""
    endings = (word[start:] for start in range(1, len(word) - _HEAD + 1))
    return next((ending for ending in endings if ending in known), None)
