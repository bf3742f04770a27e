"""Reduced vectors: LSA and GLSA, the baselines that profiles are compared with.

Latent semantic analysis takes a matrix of words by documents, weighted by log and entropy, and keeps the strongest
dimensions of its singular value decomposition (Deerwester et al. 1990; Landauer and Dumais 1997). The generalised form
starts from a matrix of words by words, weighted by association (Matveeva et al. 2005). Similarity is the cosine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from dragoman.errors import InputError
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.neighbor import Neighbor
from dragoman.settings import check_argument

__all__ = ["ReducedVectors"]


class ReducedVectors:
    """Dense vectors of words."""

    def __init__(self, words: Sequence[str], vectors: NDArray[np.float64]) -> None:
        self.words = tuple(words)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-12)
        self._rows = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def lsa(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        dimensions: int = 300,
        most_words: int = 33_000,
        words: Iterable[str] = (),
        seed: int = 1,
    ) -> ReducedVectors:
        """Of the most frequent words and of `words`, from tokenised documents."""
        counted = [Counter(document) for document in documents]
        totals: Counter[str] = Counter()
        for document in counted:
            totals.update(document)
        frequent = [word for word, _ in sorted(totals.items(), key=lambda entry: (-entry[1], entry[0]))[:most_words]]
        chosen = dict.fromkeys([*frequent, *(word for word in words if word in totals)])
        row = {word: number for number, word in enumerate(chosen)}
        entries = [
            (row[word], column, float(count))
            for column, document in enumerate(counted)
            for word, count in document.items()
            if word in row
        ]
        if not entries:
            raise InputError("no words to make vectors of", remedy="give tokenised documents")
        rows, columns, values = map(np.array, zip(*entries, strict=True))
        matrix = csr_matrix((values, (rows, columns)), shape=(len(row), len(counted)))
        return cls(list(chosen), _decompose(_log_entropy(matrix), dimensions, seed))

    @classmethod
    def glsa(
        cls,
        space: ContextSpace,
        words: Sequence[str],
        *,
        association: Association | None = None,
        dimensions: int = 300,
        seed: int = 1,
    ) -> ReducedVectors:
        """Of these words, from their profiles."""
        matrix = (association or Association(measure="ppmi")).apply(space.count(words))
        used = np.flatnonzero(matrix.getnnz(0))
        return cls(words, _decompose(matrix[:, used], dimensions, seed))

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def similarity(self, first: str, second: str) -> float:
        """The cosine of two words, 0 if one is not known."""
        if first not in self._rows or second not in self._rows:
            return 0.0
        return float(self.vectors[self._rows[first]] @ self.vectors[self._rows[second]])

    def nearest(self, word: str, *, k: int = 20) -> list[Neighbor]:
        """The words most like a word."""
        if word not in self._rows:
            return []
        values = self.vectors @ self.vectors[self._rows[word]]
        values[self._rows[word]] = -np.inf
        best = np.lexsort((np.arange(len(values)), -values))[: min(k, len(values) - 1)]
        return [Neighbor(self.words[row], float(values[row])) for row in best]


def _log_entropy(matrix: csr_matrix) -> csr_matrix:
    """ln(1 + count), times 1 minus the entropy of the word over documents as a share of the greatest there is."""
    documents = matrix.shape[1]
    share = matrix.multiply(1 / matrix.sum(1)).tocsr()
    share.data *= np.log(share.data)
    weights = 1 + np.asarray(share.sum(1)).ravel() / np.log(max(documents, 2))
    found = matrix.copy()
    found.data = np.log1p(found.data) * np.repeat(weights, np.diff(found.indptr))
    return found


def _decompose(matrix: csr_matrix, dimensions: int, seed: int) -> NDArray[np.float64]:
    check_argument("dimensions", dimensions, int, least=1)
    rank = min(matrix.shape) - 1
    if rank < 1:
        raise InputError("too little text to reduce", remedy="give more than one word and one document")
    start = np.random.default_rng(seed).standard_normal(min(matrix.shape))
    left, strengths, _ = svds(matrix.astype(np.float64), k=min(dimensions, rank), v0=start)
    order = np.argsort(-strengths)
    return np.asarray(left[:, order] * strengths[order])
