"""Co-occurrence: what stands beside a word or phrase, counted in a window.

A `ContextSpace` is a text with a way to count: how far the window reaches on each side (never over the end of a
sentence), whether places in it are told apart, and which words say nothing because they stand beside everything. Such
*promiscuous* words are found in the text itself: those with more than a number of different neighbours (Marton 2009).
A phrase is counted as one thing: its own words are not its context. Of a phrase that occurs more than `at_most` times,
so many occurrences are looked at, at a uniform stride, and the counts scaled up.

    >>> space = ContextSpace.of(["the cat sat", "the dog sat", "a dog ran"], window=1)
    >>> counts = space.count(["cat", "dog"])
    >>> counts.of("dog")
    {'the': 1.0, 'sat': 1.0, 'a': 1.0, 'ran': 1.0}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from dragoman._native import semantics as native
from dragoman.errors import InputError, UnknownName
from dragoman.settings import check_argument
from dragoman.text.index import CorpusIndex

__all__ = ["ContextCounts", "ContextSpace", "ContextWitness", "csr_arrays", "promiscuous", "wording"]

_LETTER = re.compile(r"[^\W\d_]")
_NO_CLAIMS = np.zeros(0, np.uint8)


def wording(lines: Iterable[str]) -> Iterator[str]:
    """Lines in lower case without tokens that have no letter: what profiles of words are made from.

    >>> list(wording(["In 1999 , the Bank closed ."]))
    ['in the bank closed']
    """
    for line in lines:
        yield " ".join(token for token in line.lower().split() if _LETTER.search(token))


def promiscuous(
    index: CorpusIndex, *, window: int = 5, threshold: int = 2000, least: float = 1, threads: int = 0
) -> list[str]:
    """Words with more than `threshold` different neighbours, each seen at least `least` times; most neighbours first.

    On a large text this catches words of content too: raise `threshold` or `least` until one to six hundred are left.
    """
    types = native.neighbor_types(index.native, window=window, least=least, threshold=threshold, threads=threads)
    found = np.flatnonzero(types > threshold)
    return [index.native.word(int(word)) for word in found[np.argsort(-types[found], kind="stable")]]


@dataclass(frozen=True, slots=True)
class ContextCounts:
    """Rows of counts for some phrases."""

    space: ContextSpace
    phrases: tuple[str, ...]
    matrix: csr_matrix = field(repr=False)
    tokens: NDArray[np.float64] = field(repr=False)
    """How often each phrase occurs in the text."""

    def row(self, phrase: str) -> int:
        """Number of the row of a phrase."""
        try:
            return self.phrases.index(phrase)
        except ValueError:
            raise UnknownName(f"{phrase!r} was not counted", remedy="count it first") from None

    def of(self, phrase: str) -> dict[str, float]:
        """Counts of one phrase, by context, the greatest first."""
        return self.space.spell_row(self.matrix[self.row(phrase)])


class ContextWitness(NamedTuple):
    """A sentence (from 0) of the text with a phrase and a context in it."""

    sentence: int
    text: str


class ContextSpace:
    """A text, and how contexts are counted in it."""

    def __init__(
        self,
        index: CorpusIndex,
        *,
        window: int = 5,
        positional: bool = False,
        at_most: int = 0,
        stoplist: Iterable[str] = (),
        threads: int = 0,
    ) -> None:
        check_argument("at_most", at_most, int, least=0)
        check_argument("window", window, int, least=1)
        self.index, self.window, self.positional, self.at_most = index, window, positional, at_most
        self.stoplist, self.threads = frozenset(stoplist), threads
        self.width = native.context_columns(index.native, window=window, positional=positional)
        self._keep = np.ones(len(index.native), np.uint8)
        self._keep[[index.native.id(word) for word in self.stoplist if index.native.id(word)]] = 0

    @classmethod
    def of(cls, lines: Iterable[str], *, window: int = 5, positional: bool = False, threads: int = 0) -> ContextSpace:
        """The space of some tokenised lines, without a stoplist."""
        return cls(CorpusIndex.build(lines, threads=threads), window=window, positional=positional, threads=threads)

    def settings(self) -> dict[str, Any]:
        """What, with the text, makes the same space again."""
        return {
            "window": self.window,
            "positional": self.positional,
            "at_most": self.at_most,
            "stoplist": sorted(self.stoplist),
        }

    def count(self, phrases: Sequence[str], *, claims: NDArray[np.uint8] | None = None) -> ContextCounts:
        """Count the contexts of words and phrases.

        `claims` says which occurrences count where longer terms take their words away from shorter ones; see
        `dragoman.semantics.concepts`.
        """
        words, ends = self.index.native.encode(list(phrases))
        rows = native.count_contexts(
            self.index.native,
            words,
            ends,
            self._keep,
            _NO_CLAIMS if claims is None else claims,
            window=self.window,
            positional=self.positional,
            at_most=self.at_most,
            threads=self.threads,
        )
        return ContextCounts(self, tuple(phrases), self.matrix(rows), self._occurrences(words, ends))

    def count_by_concept(
        self,
        terms: Sequence[str],
        concepts: Sequence[Sequence[int]],
        strengths: csr_matrix,
        *,
        claims: NDArray[np.uint8] | None = None,
        drop_ties: bool = False,
    ) -> csr_matrix:
        """Contexts of each term under each of its concepts; an occurrence goes to the concept that suits it best."""
        words, ends = self.index.native.encode(list(terms))
        starts = np.cumsum([0, *map(len, concepts)], dtype=np.int64)
        rows = native.count_by_concept(
            self.index.native,
            words,
            ends,
            starts,
            np.array([concept for choices in concepts for concept in choices], np.int32),
            csr_arrays(strengths),
            self._keep,
            _NO_CLAIMS if claims is None else claims,
            window=self.window,
            positional=self.positional,
            at_most=self.at_most,
            drop_ties=drop_ties,
            threads=self.threads,
        )
        return self.matrix(rows)

    def matrix(self, rows: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]) -> csr_matrix:
        """Rows from native code as a matrix of this space."""
        starts, columns, values = rows
        return csr_matrix((values, columns, starts), shape=(len(starts) - 1, self.width))

    def _occurrences(self, words: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        count = self.index.native.count
        return np.array([count(words[a:b]) for a, b in zip(starts, ends, strict=True)], np.float64)

    @cached_property
    def context_tokens(self) -> NDArray[np.float64]:
        """How often the word of each column occurs in the text."""
        counts = self.index.native.counts().astype(np.float64)
        return np.tile(counts, 2 * self.window) if self.positional else counts

    @cached_property
    def context_totals(self) -> NDArray[np.float64]:
        """Sum of each column over all words of the text, 0 for columns that are not counted."""
        totals = native.context_totals(self.index.native, window=self.window, positional=self.positional)
        keep = np.tile(self._keep, 2 * self.window) if self.positional else self._keep
        return totals * keep

    def spell(self, column: int) -> str:
        """The word of a column, with its place in the window if these are told apart."""
        words = len(self.index.native)
        word = self.index.native.word(int(column) % words)
        if not self.positional:
            return word
        slot = int(column) // words
        offset = slot - self.window if slot < self.window else slot - self.window + 1
        return f"{word}@{offset:+d}"

    def spell_row(self, row: csr_matrix) -> dict[str, float]:
        """A row by context, the greatest value first, equal ones in the order of the text."""
        order = np.argsort(-row.data, kind="stable")
        return {self.spell(row.indices[at]): float(row.data[at]) for at in order}


def csr_arrays(matrix: csr_matrix) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """A matrix as native code wants it: starts, columns in order, values."""
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    if matrix.shape[1] > np.iinfo(np.int32).max:
        raise InputError(f"a matrix of {matrix.shape[1]} columns is too wide")
    return (
        np.ascontiguousarray(matrix.indptr, np.int64),
        np.ascontiguousarray(matrix.indices, np.int32),
        np.ascontiguousarray(matrix.data, np.float64),
    )
