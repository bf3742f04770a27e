"""Language pairs: a deterministic stream of items.

Item `i` of a stream follows from the pair, the seed and `i` alone: it does not matter how many items are asked for, by
whom, or in which order, so that work can be cut into shards and a larger corpus begins with the smaller one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from dragoman.settings import check_argument
from dragoman.text.synthetic.derivation import Deriver
from dragoman.text.synthetic.grammar.base import Realizer, Style
from dragoman.text.synthetic.grammar.english import English
from dragoman.text.synthetic.grammar.german import German
from dragoman.text.synthetic.grammar.sarvi import Sarvi
from dragoman.text.synthetic.item import Side, SyntheticItem

__all__ = ["EnglishGerman", "EnglishSarvi", "Pair", "Splits"]

MAX_TOKENS = 40


class Pair:
    """A source and a target language that say the same things."""

    name: str
    source: str
    target: str
    realizer: type[Realizer]

    def item(self, number: int, *, seed: int = 1, references: int = 1) -> SyntheticItem:
        """One item of the stream."""
        base = int.from_bytes(
            hashlib.blake2b(f"{self.name}/{seed}/{number}".encode(), digest_size=8).digest(), "little"
        )
        while True:
            random = Random(base).random
            derivation = Deriver(random).sentence()
            source = Side(English(Style(random)).realize(derivation))
            if len(source) <= MAX_TOKENS:
                break
            base += 1  # too long: draw again
        target = Side(self.realizer(Style(random)).realize(derivation))

        def another(attempt: int) -> Side:
            return Side(self.realizer(Style(Random(base + 0x5EED * attempt).random, free=True)).realize(derivation))

        return SyntheticItem(number, derivation, source, target, another, references)

    def generate(
        self, size: int | None = None, *, seed: int = 1, references: int = 1, start: int = 0
    ) -> Iterator[SyntheticItem]:
        """Items `start`, `start + 1`, ...: `size` of them, or without end."""
        if size is not None:
            check_argument("size", size, int, least=0)
        check_argument("references", references, int, least=1)
        number = start
        while size is None or number < start + size:
            yield self.item(number, seed=seed, references=references)
            number += 1

    def splits(self, *, train: int, dev: int = 0, test: int = 0, seed: int = 1, references: int = 1) -> Splits:
        """Three parts without a common source sentence; dev and test have as many references as asked for."""
        stream = self.generate(seed=seed, references=references)
        parts: list[list[SyntheticItem]] = [[], [], []]
        heldout: set[str] = set()
        for part, size in ((1, dev), (2, test)):  # first, so that they do not change with the size of train
            while len(parts[part]) < size:
                item = next(stream)
                if item.source.text not in heldout:
                    heldout.add(item.source.text)
                    parts[part].append(item)
        while len(parts[0]) < train:
            item = next(stream)
            if item.source.text not in heldout:
                parts[0].append(item)
        return Splits(self, *map(tuple, parts))


@dataclass(frozen=True, slots=True)
class Splits:
    """Train, dev and test, disjoint."""

    pair: Pair
    train: tuple[SyntheticItem, ...]
    dev: tuple[SyntheticItem, ...]
    test: tuple[SyntheticItem, ...]


class EnglishGerman(Pair):
    """English and simple, correct German: gender, case, verb-second and verb-final clauses, particle verbs."""

    name, source, target, realizer = "en-de", "en", "de", German


class EnglishSarvi(Pair):
    """English and Sarvi, a constructed language: verb-final, agglutinating, with vowel harmony and postpositions."""

    name, source, target, realizer = "en-qsv", "en", "qsv", Sarvi
