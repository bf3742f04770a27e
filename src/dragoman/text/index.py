"""The corpus index: where any phrase occurs in a text, and what stands between two phrases.

A suffix array over the tokens: all places of the text, sorted by what follows from there, so that the occurrences of a
phrase lie together and two binary searches find them (Manber and Myers 1993; Callison-Burch, Bannard and Schroeder
2005 for translation). Phrases never reach over the end of a sentence. The file is mapped, not read, and takes eight
bytes a token. Of a phrase that occurs very often a sample at a uniform stride will do.

    >>> index = CorpusIndex.build(["she declined to give details", "he declined to provide details"])
    >>> index.count("declined to"), index.count("to details")
    (2, 0)
    >>> index.occurrences("to provide")
    [Occurrence(sentence=1, start=2)]
    >>> index.between("declined", "details")
    ['to give', 'to provide']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman._native import text as native
from dragoman.settings import check_argument

__all__ = ["CorpusIndex", "Occurrence"]


class Occurrence(NamedTuple):
    """A phrase was seen in a sentence (from 0), from this token of it on (from 0)."""

    sentence: int
    start: int


class CorpusIndex:
    """A tokenised text that can be searched, immutable and safe to share between threads."""

    def __init__(self, index: native.CorpusIndex) -> None:
        self.native = index

    @classmethod
    def build(cls, lines: Iterable[str], *, threads: int = 0) -> CorpusIndex:
        """Index tokenised sentences; `save` keeps it."""
        return cls(native.CorpusIndex.build(list(lines), threads=threads))

    @classmethod
    def open(cls, path: Path | str) -> CorpusIndex:
        """Map an index file."""
        return cls(native.CorpusIndex.open(path))

    def save(self, path: Path | str) -> None:
        """Write the index file."""
        self.native.save(path)

    @property
    def tokens(self) -> int:
        return self.native.tokens

    @property
    def sentences(self) -> int:
        return self.native.sentences

    def __repr__(self) -> str:
        return f"CorpusIndex({self.sentences:,} sentences, {self.tokens:,} tokens, {len(self.native) - 1:,} words)"

    def __contains__(self, phrase: str) -> bool:
        return self.count(phrase) > 0

    def words(self) -> list[str]:
        """The different words, by id from 1 on."""
        return [self.native.word(number) for number in range(1, len(self.native))]

    def ids(self, phrase: str | Sequence[str]) -> NDArray[np.uint32]:
        """Ids of the tokens of a phrase, 0 for words that the text does not have."""
        return self.native.encode([phrase if isinstance(phrase, str) else " ".join(phrase)])[0]

    def spell(self, ids: Iterable[int]) -> str:
        """The tokens of some ids."""
        return " ".join(self.native.word(int(number)) for number in ids)

    def count(self, phrase: str | Sequence[str]) -> int:
        """How often a phrase occurs."""
        return self.native.count(self.ids(phrase))

    def occurrences(self, phrase: str | Sequence[str], *, limit: int = 0) -> list[Occurrence]:
        """Where a phrase occurs; of more than `limit` occurrences (0: no limit) so many at a uniform stride."""
        found = []
        for place in self.native.occurrences(self.ids(phrase), _limit(limit)).tolist():
            sentence = self.native.sentence_of(place)
            found.append(Occurrence(sentence, place - self.native.sentence_start(sentence)))
        return sorted(found)

    def sentence(self, number: int) -> str:
        """The tokens of a sentence."""
        return self.spell(self.native.sentence(number).tolist())

    def between(
        self, left: str | Sequence[str], right: str | Sequence[str], *, longest: int = 6, limit: int = 0
    ) -> list[str]:
        """What stands between two phrases, 1 to `longest` tokens, once for each time it was seen.

        The rarer of the two is looked for, at most `limit` times (0: no limit) at a uniform stride.
        """
        check_argument("longest", longest, int, least=1)
        before, after = self.ids(left), self.ids(right)
        found, _ = self.native.between(
            np.concatenate([before, after]),
            np.array([len(before)], np.int64),
            np.array([len(before) + len(after)], np.int64),
            np.array([_limit(limit)], np.int64),
            longest=longest,
        )
        text = self.native.text
        return sorted(self.spell(text[place : place + length]) for place, length in found.tolist())


def _limit(limit: int) -> int:
    check_argument("limit", limit, int, least=0)
    return limit
