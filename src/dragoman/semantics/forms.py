"""Unknown words by their form: what a word is made of, and what it is spelled like.

A word that no rule translates may be a compound of words that have rules, an inflected form of a stem that the table
knows in other forms, a variant spelling, or a name in another script. Each of these gives translations with a score and
a reason; they compete as options of the decoder, or go into the table (`dragoman.grammar.augment`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dragoman.grammar.scoring import DIRECT
from dragoman.grammar.table import RuleTable
from dragoman.semantics.oov import Induced
from dragoman.semantics.transliteration import Transliterator
from dragoman.settings import check_argument
from dragoman.text.compounds import CompoundModel
from dragoman.text.morphs import Morphs

__all__ = ["FormAnalysis", "FormTranslations", "SpellingIndex", "edit_distance"]


@dataclass(frozen=True, slots=True)
class FormAnalysis:
    """A translation of an unknown word, how far to trust it, and why."""

    target: str
    score: float
    kind: str
    """compound, morphs, spelling or transliteration."""
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"target": self.target, "score": self.score, "kind": self.kind, "reason": self.reason}


def edit_distance(first: str, second: str) -> int:
    """Letters to insert, delete, replace or exchange with a neighbour (Damerau 1964).

    >>> edit_distance("colour", "color"), edit_distance("teh", "the")
    (1, 1)
    """
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        above, row = row, [i]
        for j, other in enumerate(second, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return row[-1]


class SpellingIndex:
    """Words that can be found by what they are spelled like, by the stretches of three letters that they share."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(dict.fromkeys(words))
        self._places: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            for stretch in _stretches(word):
                self._places.setdefault(stretch, []).append(number)

    def near(self, word: str, *, least: float = 0.75, top: int = 10) -> list[tuple[str, float]]:
        """Words whose share of unchanged letters is at least `least`, the nearest first."""
        shared = Counter(number for stretch in _stretches(word) for number in self._places.get(stretch, ()))
        found = []
        for number, _ in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0]))[:200]:
            other = self.words[number]
            longer = max(len(word), len(other))
            if other == word or abs(len(word) - len(other)) > (1 - least) * longer:
                continue
            score = 1 - edit_distance(word, other) / longer
            if score >= least:
                found.append((other, score))
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))[:top]


def _stretches(word: str) -> set[str]:
    marked = f"^{word}$"
    return {marked[at : at + 3] for at in range(max(1, len(marked) - 2))}


@dataclass
class FormTranslations:
    """Analyses of unknown words by whatever is given: compounds, morphs, spelling, transliteration."""

    table: RuleTable
    compounds: CompoundModel | None = None
    morphs: Morphs | None = None
    spelling: bool = True
    transliterator: Transliterator | None = None
    least: float = 0.75
    top: int = 20
    _index: SpellingIndex | None = field(default=None, repr=False)
    _families: dict[str, list[str]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_argument("least", self.least, float, above=0, most=1)

    def analyses(self, word: str) -> list[FormAnalysis]:
        """All that the form of a word suggests, the most trusted first; one entry per translation."""
        found = [*self._by_compound(word), *self._by_morphs(word), *self._by_spelling(word)]
        if self.transliterator is not None:
            found += [
                FormAnalysis(entry.target, entry.probability, "transliteration", word)
                for entry in self.transliterator.best(word)
            ]
        best: dict[str, FormAnalysis] = {}
        for entry in sorted(found, key=lambda entry: (-entry.score, entry.kind, entry.target)):
            best.setdefault(entry.target, entry)
        return list(best.values())[: self.top]

    def lexicon(self, words: Iterable[str]) -> dict[str, list[Induced]]:
        """Translations of unknown words that have any, with scores in the place of probabilities."""
        found = {word: [Induced(a.target, min(1.0, a.score)) for a in self.analyses(word)] for word in words}
        return {word: entries for word, entries in found.items() if entries}

    def _translations(self, phrase: str, top: int = 5) -> list[tuple[str, float]]:
        rules = self.table.lookup(phrase)[:top]
        return [(rule.target_text, math.exp(rule.values[DIRECT])) for rule in rules]

    def _by_compound(self, word: str) -> list[FormAnalysis]:
        """The translations of the parts in their order, each with the product of their probabilities."""
        if self.compounds is None:
            return []
        parts = [part.removeprefix(self.compounds.settings.marker) for part in self.compounds.split(word)]
        if len(parts) < 2:
            return []
        return [FormAnalysis(target, score, "compound", " + ".join(parts)) for target, score in self._sequence(parts)]

    def _by_morphs(self, word: str) -> list[FormAnalysis]:
        """Pieces that have rules of their own in a row, and words of the table with the same stem."""
        if self.morphs is None:
            return []
        pieces = self.morphs.segment(word)
        if len(pieces) < 2:
            return []
        found = [FormAnalysis(target, score, "morphs", " + ".join(pieces)) for target, score in self._sequence(pieces)]
        stem = self.morphs.stem(word)
        for relative in self._relatives(stem):
            shared = sum(len(piece) for piece in set(pieces) & set(self.morphs.segment(relative)))
            alike = shared / max(len(word), len(relative))
            found += [
                FormAnalysis(target, alike * value, "morphs", f"{relative} (stem {stem})")
                for target, value in self._translations(relative)
            ]
        return found

    def _by_spelling(self, word: str) -> list[FormAnalysis]:
        if not self.spelling:
            return []
        if self._index is None:
            self._index = SpellingIndex(self._words())
        return [
            FormAnalysis(target, score * value, "spelling", other)
            for other, score in self._index.near(word, least=self.least)
            for target, value in self._translations(other)
        ]

    def _sequence(self, parts: Sequence[str]) -> list[tuple[str, float]]:
        """Translations of parts put together; a part without a rule ends it."""
        sequences = [("", 1.0)]
        for part in parts:
            choices = self._translations(part, 3) or self._translations(part.lower(), 3)
            choices = choices or self._translations(part[:1].upper() + part[1:], 3)
            if not choices:
                return []
            sequences = sorted(
                ((f"{text} {target}".strip(), score * value) for text, score in sequences for target, value in choices),
                key=lambda entry: (-entry[1], entry[0]),
            )[:5]
        return sequences

    def _relatives(self, stem: str) -> list[str]:
        if self._families is None:
            assert self.morphs is not None
            self._families = {}
            for word in self._words():
                self._families.setdefault(self.morphs.stem(word), []).append(word)
        return self._families.get(stem, [])[:50] if len(stem) >= 3 else []

    def _words(self) -> list[str]:
        """Single words that have rules."""
        native = self.table.native
        names = (native.source_word(number) for number in range(1, native.source_size))
        return [word for word in names if word.isalpha() and len(self.table.ids([word]))]
