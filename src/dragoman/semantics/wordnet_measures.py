"""Measures over WordNet: how near two words are in its hierarchy, and how much their definitions share.

| measure | value of two synonym sets |
|---|---|
| `path` | 1 / (1 + edges on the shortest way over hypernyms) |
| `resnik` | information of the most informative common hypernym (Resnik 1995) |
| `lin` | twice that, over the information of both sets (Lin 1998) |
| `jiang-conrath` | 1 / (information of both - twice that), infinite for one set (Jiang and Conrath 1997) |
| `lesk` | squared lengths of what definitions share (Lesk 1986; Banerjee and Pedersen 2003) |

For `lesk` the definitions of hypernyms and hyponyms count too.

Two words get the greatest value over their sets. The information of a set is minus the logarithm of the share of a
text's words that it or one of its hyponyms may stand for; every sense of an ambiguous word counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from dragoman.errors import SettingError
from dragoman.semantics.wordnet import Synset, WordNet
from dragoman.settings import check_argument

__all__ = ["WORDNET_MEASURES", "InformationContent", "WordNetMeasures"]

WORDNET_MEASURES = ("path", "resnik", "lin", "jiang-conrath", "lesk")

_HYPERNYMS, _HYPONYMS = ("@", "@i"), ("~", "~i")
_FUNCTION_WORDS = frozenset(
    [
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "in", "is", "it", "its", "no", "not"),
        *("of", "on", "or", "that", "the", "to", "was", "were", "which", "who", "with"),
    ]
)

SynsetId = tuple[str, int]
_ROOT = -1
"""Offset of the set above all sets of a part of speech that has several tops, as verbs have."""


@dataclass(frozen=True, slots=True)
class InformationContent:
    """How much a synonym set says, from how often its words occur in a text."""

    counts: dict[SynsetId, float] = field(repr=False)
    totals: dict[str, float]

    @staticmethod
    def of(
        wordnet: WordNet, words: Iterable[str], *, smoothing: float = 1.0, split: bool = False
    ) -> InformationContent:
        """Count the sets of the words of a text, and all their hypernyms.

        A word counts for each of its sets, or, with `split`, is shared out among them. `smoothing` is added to every
        set that is met, so that sets above rare words keep a place.
        """
        counts: dict[SynsetId, float] = {}
        totals: dict[str, float] = {}
        measures = WordNetMeasures(wordnet)
        for word, count in Counter(words).items():
            for pos in ("n", "v"):
                sets = wordnet.synset_ids(word, pos)
                for found in sets:
                    weight = count / (len(sets) if split else 1)
                    totals[pos] = totals.get(pos, 0.0) + weight
                    for above in measures.distances(found):
                        if above[1] != _ROOT:
                            counts[above] = counts.get(above, smoothing) + weight
        return InformationContent(counts, {pos: total + smoothing for pos, total in totals.items()})

    def __call__(self, synset: SynsetId) -> float:
        """Information of a set; infinite if the text has nothing below it."""
        if synset[1] == _ROOT:
            return 0.0
        count, total = self.counts.get(synset, 0.0), self.totals.get(synset[0], 0.0)
        return max(0.0, -math.log(count / total)) if count else math.inf


class WordNetMeasures:
    """The measures over one database."""

    def __init__(self, wordnet: WordNet, information: InformationContent | None = None) -> None:
        self.wordnet, self.information = wordnet, information
        self.distances = lru_cache(maxsize=None)(self._distances)
        self._glosses = lru_cache(maxsize=None)(self._definitions)

    def similarity(self, first: str, second: str, measure: str = "path", pos: str | None = None) -> float | None:
        """The greatest value over the synonym sets of two words; None if one has none that compare."""
        check_argument("measure", measure, choices=WORDNET_MEASURES)
        best: float | None = None
        for one in self.wordnet.synset_ids(first, pos):
            for other in self.wordnet.synset_ids(second, pos):
                value = self.of_sets(one, other, measure)
                if value is not None and (best is None or value > best):
                    best = value
        return best

    def of_sets(self, first: SynsetId, second: SynsetId, measure: str) -> float | None:
        """A measure of two synonym sets; None where it does not say anything."""
        if measure == "lesk":
            return self._lesk(first, second)
        if first[0] != second[0] or first[0] not in "nv":
            return (1.0 if first == second else None) if measure == "path" else None
        ours, theirs = self.distances(first), self.distances(second)
        common = ours.keys() & theirs.keys()
        if measure == "path":
            return 1 / (1 + min(ours[above] + theirs[above] for above in common))
        information = self._information()
        shared = max(value for value in map(information, common) if value < math.inf)
        if measure == "resnik":
            return shared
        one, other = information(first), information(second)
        if math.isinf(one) or math.isinf(other):
            return None
        if measure == "lin":
            return 2 * shared / (one + other) if one + other > 0 else 1.0
        distance = one + other - 2 * shared
        return 1 / distance if distance > 1e-12 else math.inf

    def _information(self) -> InformationContent:
        if self.information is None:
            raise SettingError("this measure needs counts of a text", remedy="give InformationContent.of(...)")
        return self.information

    def _distances(self, synset: SynsetId) -> dict[SynsetId, int]:
        """Edges up to each hypernym, the set itself and the root above all tops included."""
        found, level, steps = {synset: 0}, [synset], 0
        while level:
            steps += 1
            above = [hypernym for below in level for hypernym in self.wordnet.hypernyms(*below)]
            level = [hypernym for hypernym in dict.fromkeys(above) if hypernym not in found]
            found.update(dict.fromkeys(level, steps))
        tops = [steps for place, steps in found.items() if not self.wordnet.hypernyms(*place)]
        found[synset[0], _ROOT] = min(tops) + 1
        return found

    def _related(self, synset: SynsetId, relations: tuple[str, ...]) -> list[SynsetId]:
        pointers = self.wordnet.synset(*synset).pointers
        return [(p.part_of_speech, p.offset) for p in pointers if p.relation in relations and p.source == 0]

    def _definitions(self, synset: SynsetId) -> tuple[list[str], list[str], list[str]]:
        """Words of the definition, of those of its hypernyms and of those of its hyponyms."""
        own = self.wordnet.synset(*synset)
        related = [
            [word for near in self._related(synset, kind) for word in _words(self.wordnet.synset(*near))]
            for kind in (_HYPERNYMS, _HYPONYMS)
        ]
        return _words(own), related[0], related[1]

    def _lesk(self, first: SynsetId, second: SynsetId) -> float:
        ours, theirs = self._glosses(first), self._glosses(second)
        pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 0))
        return float(sum(overlap(ours[one], theirs[other]) for one, other in pairs))


def _words(synset: Synset) -> list[str]:
    """The words of a definition without its examples."""
    text = synset.gloss.partition('"')[0].lower()
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def overlap(first: list[str], second: list[str]) -> int:
    """Sum of squared lengths of the stretches that two texts share, the longest first, each word used once.

    A stretch that begins or ends with a word of function is cut back to its words of content.

    >>> overlap("a place to live in".split(), "the place to live".split())
    9
    """
    ours: list[str | None] = list(first)
    places: dict[str | None, list[int]] = {}
    for j, word in enumerate(second):
        places.setdefault(word, []).append(j)
    free = [True] * len(second)
    total = 0
    while True:
        best = (0, 0, 0)
        lengths: dict[int, int] = {}
        for i, own in enumerate(ours):
            row = {j: lengths.get(j - 1, 0) + 1 for j in places.get(own, ()) if free[j]}
            for j, length in row.items():
                if length > best[0]:
                    best = (length, i + 1 - length, j + 1 - length)
            lengths = row
        size, i, j = best
        if size < 2:
            break
        stretch = [word for word in ours[i : i + size] if word is not None]
        while stretch and stretch[0] in _FUNCTION_WORDS:
            stretch.pop(0)
        while stretch and stretch[-1] in _FUNCTION_WORDS:
            stretch.pop()
        total += len(stretch) ** 2
        ours[i : i + size] = [None] * size
        free[j : j + size] = [False] * size
    singles = Counter(ours) & Counter(word for word, unused in zip(second, free, strict=True) if unused)
    return total + sum(count for word, count in singles.items() if word not in _FUNCTION_WORDS)
