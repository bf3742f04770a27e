"""Pseudo-words: two words written as one, to see whether a model tells their senses apart.

Two words that are about as frequent and translated differently become one word with two senses, and every occurrence
has a known sense: no people are needed to judge. A paraphrase of an occurrence is right if it is among the paraphrases
of the word that stood there, and not among those of the other (after Gale, Church and Yarowsky 1992).

    >>> counts = {("gato", "cat"): 3.0, ("mesa", "table"): 3.0}
    >>> pseudo = PseudoWord("gato", "mesa")
    >>> conflated(counts, [pseudo])
    {('gato_mesa', 'cat'): 3.0, ('gato_mesa', 'table'): 3.0}
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dragoman.seeds import stream

__all__ = ["PseudoWord", "SenseItem", "SenseScore", "choose_pseudo_words", "conflated", "is_right", "score_senses"]

PairCounts = Mapping[tuple[str, str], float]


class PseudoWord(NamedTuple):
    """Two words that are written as one."""

    first: str
    second: str

    @property
    def name(self) -> str:
        return f"{self.first}_{self.second}"

    def other(self, word: str) -> str:
        """The one of the two that a word is not."""
        return self.second if word == self.first else self.first


def choose_pseudo_words(
    frequencies: Mapping[str, int],
    translations: Mapping[str, Collection[str]],
    *,
    count: int,
    least: int = 30,
    most: int = 300,
    ratio: float = 1.5,
    seed: int = 1,
) -> list[PseudoWord]:
    """Pairs of words of similar frequency that share no translation; each word is in one pair at most."""
    usable = sorted(word for word, seen in frequencies.items() if least <= seen <= most and translations.get(word))
    order = [usable[place] for place in stream(seed, "pseudo-words").permutation(len(usable)).tolist()]
    found: list[PseudoWord] = []
    taken: set[str] = set()
    for place, word in enumerate(order):
        if len(found) == count:
            break
        if word in taken:
            continue
        for other in order[place + 1 :]:
            alike = max(frequencies[word], frequencies[other]) <= ratio * min(frequencies[word], frequencies[other])
            if other not in taken and alike and not set(translations[word]) & set(translations[other]):
                found.append(PseudoWord(word, other))
                taken |= {word, other}
                break
    return found


def conflated(counts: PairCounts, pseudo_words: Iterable[PseudoWord], *, side: int = 0) -> dict[tuple[str, str], float]:
    """Counts of phrase pairs with pseudo-words on one side (0: the first)."""
    names = {word: pseudo.name for pseudo in pseudo_words for word in (pseudo.first, pseudo.second)}
    found: dict[tuple[str, str], float] = {}
    for pair, count in counts.items():
        renamed = " ".join(names.get(token, token) for token in pair[side].split())
        key = (renamed, pair[1]) if side == 0 else (pair[0], renamed)
        found[key] = found.get(key, 0.0) + count
    return found


@dataclass(frozen=True, slots=True)
class SenseItem:
    """An occurrence of a pseudo-word: which word stood there, and what was proposed, best first."""

    pseudo: PseudoWord
    word: str
    proposals: Sequence[str]


@dataclass(frozen=True, slots=True)
class SenseScore:
    """How often the first proposal has the right sense."""

    items: int
    proposed: int
    right: int
    minority_items: int
    minority_right: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.proposed)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.items)

    @property
    def coverage(self) -> float:
        return self.proposed / max(1, self.items)

    @property
    def minority(self) -> float:
        """Recall on occurrences of the rarer word of each pair."""
        return self.minority_right / max(1, self.minority_items)

    def to_dict(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "coverage": self.coverage,
            "precision": self.precision,
            "recall": self.recall,
            "minority_recall": self.minority,
        }


def is_right(item: SenseItem, lists: Mapping[str, Collection[str]]) -> bool:
    """Whether the first proposal is among the paraphrases of the word, and not among those of the other."""
    first = item.proposals[0] if item.proposals else ""
    return first in lists.get(item.word, ()) and first not in lists.get(item.pseudo.other(item.word), ())


def score_senses(
    items: Sequence[SenseItem], lists: Mapping[str, Collection[str]], frequencies: Mapping[str, int]
) -> SenseScore:
    """Score first proposals by the lists of paraphrases that the words themselves have."""
    right = [is_right(item, lists) for item in items]
    rare = [frequencies.get(item.word, 0) < frequencies.get(item.pseudo.other(item.word), 0) for item in items]
    return SenseScore(
        len(items),
        sum(bool(item.proposals) for item in items),
        sum(right),
        sum(rare),
        sum(good and minor for good, minor in zip(right, rare, strict=True)),
    )
