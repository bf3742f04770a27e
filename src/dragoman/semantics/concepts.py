"""Concepts: profiles of the groups of a thesaurus, and of single senses of words.

A group of a thesaurus has a profile too: what stands beside its members. In the base matrix an ambiguous member counts
for all its groups; the bootstrapped one gives each occurrence to the group that its neighbours speak for (Mohammad and
Hirst 2006). Two words are as near as their nearest groups, which makes all members of a group the same.

Sense profiles keep the word: its counts are shared out among its senses in the proportion in which each context goes
with each group (`proportional`), or a sense keeps the contexts that its group has at all (`filtered`); `weight` mixes
that with the undivided counts (Marton, Mohammad and Resnik 2009). Proportions are taken over the senses of the word,
not over all groups, so that the senses of a word add up to the word. A word outside the thesaurus has one sense,
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from dragoman.semantics.association import Association, associate
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.similarity import Similarity
from dragoman.semantics.thesaurus import Thesaurus
from dragoman.settings import check_argument
from dragoman.text.index import CorpusIndex

__all__ = ["ConceptMatrix", "SensePair", "SenseProfiles", "SenseUse", "claim_terms", "split_by_sense"]

_INSIDE = 255
_LONGEST_TERM = 64


class SensePair(NamedTuple):
    """How alike two words are in their nearest senses (groups of the thesaurus; empty for a word that has none)."""

    value: float
    first: str
    second: str


def claim_terms(index: CorpusIndex, terms: Sequence[str]) -> NDArray[np.uint8]:
    """Where terms of several words stand, the longest first: their words do not count as single words there."""
    claims = np.zeros(len(index.native.text), np.uint8)
    several = sorted({term for term in terms if 1 < len(term.split()) <= _LONGEST_TERM}, key=lambda t: -len(t.split()))
    for term in several:
        size = len(term.split())
        for place in np.sort(index.native.occurrences(index.ids(term))).tolist():
            if not claims[place : place + size].any():
                claims[place : place + size] = _INSIDE
                claims[place] = size
    return claims


class ConceptMatrix:
    """One row of counts per group of a thesaurus."""

    def __init__(self, space: ContextSpace, thesaurus: Thesaurus, matrix: csr_matrix, *, bootstrapped: bool) -> None:
        self.space, self.thesaurus, self.matrix, self.bootstrapped = space, thesaurus, matrix, bootstrapped
        self._rows = {name: number for number, name in enumerate(thesaurus.groups)}

    @classmethod
    def base(cls, space: ContextSpace, thesaurus: Thesaurus) -> ConceptMatrix:
        """Every occurrence of a member counts for all groups of the member."""
        terms, concepts, claims = _present(space, thesaurus)
        counts = space.count(terms, claims=claims).matrix
        rows = np.repeat(np.arange(len(terms)), [len(choices) for choices in concepts])
        columns = np.array([concept for choices in concepts for concept in choices], np.int64)
        member = csr_matrix((np.ones(len(rows)), (columns, rows)), shape=(len(thesaurus), len(terms)))
        return cls(space, thesaurus, csr_matrix(member @ counts), bootstrapped=False)

    def bootstrap(self, *, on_tie: str = "all") -> ConceptMatrix:
        """The matrix anew, each occurrence counted for the group that its neighbours speak for.

        They speak by positive pointwise mutual information with the groups of this matrix. Where groups are equal, all
        of them count (`all`) or none (`skip`).
        """
        check_argument("on_tie", on_tie, choices=("all", "skip"))
        terms, concepts, claims = _present(self.space, self.thesaurus)
        rows, columns = (np.asarray(self.matrix.sum(axis)).ravel() for axis in (1, 0))
        strengths = associate(self.matrix, rows, columns, float(rows.sum()), Association(measure="ppmi"))
        counts = self.space.count_by_concept(terms, concepts, strengths, claims=claims, drop_ties=on_tie == "skip")
        of_rows = np.array([concept for choices in concepts for concept in choices], np.int64)
        member = csr_matrix(
            (np.ones(len(of_rows)), (of_rows, np.arange(len(of_rows)))), shape=(len(self.thesaurus), len(of_rows))
        )
        return ConceptMatrix(self.space, self.thesaurus, csr_matrix(member @ counts), bootstrapped=True)

    def rows_of(self, groups: Sequence[str]) -> csr_matrix:
        """Counts of these groups."""
        return self.matrix[[self._rows[name] for name in groups]]

    def similarity(
        self,
        first: str,
        second: str,
        *,
        association: Association | None = None,
        similarity: Similarity | None = None,
    ) -> SensePair | None:
        """The nearest groups of two words; None if one is not in the thesaurus."""
        ours, theirs = self.thesaurus.senses(first), self.thesaurus.senses(second)
        if not ours or not theirs:
            return None
        association = association or Association(measure="cp")
        tokens = [np.array([self._tokens(group) for group in groups]) for groups in (ours, theirs)]
        weighed = [
            association.weigh(self.rows_of(groups), self.space, count)
            for groups, count in zip((ours, theirs), tokens, strict=True)
        ]
        return _nearest_pair(ours, weighed[0], theirs, weighed[1], similarity or Similarity())

    def _tokens(self, group: str) -> float:
        return float(sum(self.space.index.count(term) for term in self.thesaurus.members(group)))


def split_by_sense(counts: csr_matrix, concepts: csr_matrix, *, kind: str, weight: float = 1.0) -> csr_matrix:
    """A row of counts divided among senses: one row per row of `concepts`.

    A context that no sense has is shared out evenly (`proportional`) or kept by all (`filtered`).
    """
    check_argument("kind", kind, choices=("proportional", "filtered"))
    check_argument("weight", weight, float, least=0, most=1)
    senses = concepts.shape[0]
    known = np.asarray(concepts[:, counts.indices].todense(), np.float64)
    sums = known.sum(0)
    share = np.divide(known, sums, out=np.full_like(known, 1 / senses), where=sums > 0)
    if kind == "filtered":
        share = (share > 0).astype(np.float64)
    values = (weight * share + (1 - weight)) * counts.data
    starts = np.arange(senses + 1) * len(counts.data)
    found = csr_matrix((values.ravel(), np.tile(counts.indices, senses), starts), shape=(senses, counts.shape[1]))
    found.eliminate_zeros()
    return found


@dataclass(frozen=True, slots=True)
class _Senses:
    groups: tuple[str, ...]
    rows: csr_matrix


@dataclass(frozen=True, slots=True)
class SenseUse:
    """A sense of a word (empty for a word outside the thesaurus), its share of the counts, its strongest contexts."""

    sense: str
    share: float
    contexts: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"sense": self.sense, "share": self.share, "contexts": self.contexts}


class SenseProfiles:
    """Profiles of the senses of words."""

    def __init__(
        self,
        concepts: ConceptMatrix,
        *,
        kind: str = "proportional",
        weight: float = 1.0,
        marginals: str = "scaled",
        association: Association | None = None,
        similarity: Similarity | None = None,
    ) -> None:
        check_argument("marginals", marginals, choices=("scaled", "word"))
        self.concepts, self.kind, self.weight, self.marginals = concepts, kind, weight, marginals
        self.association = association or Association()
        self.similarity_settings = similarity or Similarity()
        self._cached = lru_cache(maxsize=100_000)(self._profiles)

    def counts(self, word: str) -> tuple[tuple[str, ...], csr_matrix]:
        """The senses of a word, and the counts of each; one sense without a name for a word that has no group."""
        row = self.concepts.space.count([word]).matrix
        groups = self.concepts.thesaurus.senses(word)
        if not groups:
            return ("",), row
        return groups, split_by_sense(row, self.concepts.rows_of(groups), kind=self.kind, weight=self.weight)

    def _profiles(self, word: str) -> _Senses:
        groups, rows = self.counts(word)
        space = self.concepts.space
        whole = space.count([word])
        tokens = np.full(len(groups), whole.tokens[0])
        all_counts = float(whole.matrix.sum())
        margins = np.full(len(groups), all_counts)
        if self.marginals == "scaled" and all_counts > 0:
            margins = np.asarray(rows.sum(1)).ravel()
            tokens = tokens * margins / all_counts
        return _Senses(groups, self.association.weigh(rows, space, tokens, margins=margins))

    def describe(self, word: str, *, contexts: int = 10) -> list[SenseUse]:
        """The senses of a word, the most used first, with what speaks for each."""
        groups, counts = self.counts(word)
        sums = np.asarray(counts.sum(1)).ravel()
        rows = self._cached(word).rows
        found = [
            SenseUse(
                group,
                float(sums[number] / max(sums.sum(), 1e-12)),
                dict(list(self.concepts.space.spell_row(rows[[number]]).items())[:contexts]),
            )
            for number, group in enumerate(groups)
        ]
        return sorted(found, key=lambda use: (-use.share, use.sense))

    def similarity(self, first: str, second: str) -> SensePair:
        """The nearest senses of two words."""
        ours, theirs = self._cached(first), self._cached(second)
        return _nearest_pair(ours.groups, ours.rows, theirs.groups, theirs.rows, self.similarity_settings)


def _present(space: ContextSpace, thesaurus: Thesaurus) -> tuple[list[str], list[list[int]], NDArray[np.uint8] | None]:
    """Terms that the text has, the groups of each, and the places that terms of several words take."""
    number = {name: row for row, name in enumerate(thesaurus.groups)}
    terms = [term for term in thesaurus.terms if len(term.split()) <= _LONGEST_TERM and term in space.index]
    concepts = [[number[name] for name in thesaurus.senses(term)] for term in terms]
    several = any(" " in term for term in terms)
    return terms, concepts, claim_terms(space.index, terms) if several else None


def _nearest_pair(
    ours: Sequence[str], first: csr_matrix, theirs: Sequence[str], second: csr_matrix, similarity: Similarity
) -> SensePair:
    pairs = [(i, j) for i in range(len(ours)) for j in range(len(theirs))]
    values = similarity.pairs(first[[i for i, _ in pairs]], second[[j for _, j in pairs]])
    best = int(np.argmin(values) if similarity.is_distance else np.argmax(values))
    i, j = pairs[best]
    return SensePair(float(values[best]), ours[i], theirs[j])
