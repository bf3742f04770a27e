"""Word vectors: words as points in a space in which what is used alike lies near together.

Vectors may come from here (`dragoman.semantics.embeddings`) or from any program that writes the formats of word2vec
(`dragoman.semantics.vector_files`). Two sets of vectors in one space, of two languages say, can be asked about each
other. The likeness of two words is the cosine of their vectors.

    >>> vectors = WordVectors(["cat", "dog", "run"], [[1.0, 0.2], [0.9, 0.3], [0.0, 1.0]])
    >>> [neighbor.phrase for neighbor in vectors.nearest("cat", k=2)]
    ['dog', 'run']
    >>> vectors.similarity("cat", "bird") is None
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.errors import InputError, SettingError, UnknownName
from dragoman.semantics.neighbor import Neighbor
from dragoman.semantics.vector_files import read_vectors, write_vectors

__all__ = ["VectorSnapshots", "WordVectors"]


class WordVectors:
    """Vectors of words, in the order of their frequency where that is known."""

    def __init__(self, words: Sequence[str], vectors: ArrayLike) -> None:
        values = np.ascontiguousarray(vectors, dtype=np.float32)
        if values.ndim != 2 or len(values) != len(words) or not values.size:
            raise InputError(f"vectors of the shape {values.shape} for {len(words)} words")
        if not np.isfinite(values).all():
            raise InputError("a vector that is no number")
        self.words = tuple(words)
        self.values = values
        self._rows = {word: row for row, word in enumerate(self.words)}
        if len(self._rows) != len(self.words):
            raise InputError("a word has two vectors", remedy="keep the first of them")

    @classmethod
    def open(cls, path: Path | str) -> WordVectors:
        """Read the text or the binary format of word2vec, plain or compressed."""
        return cls(*read_vectors(path))

    def save(self, path: Path | str, *, binary: bool | None = None) -> None:
        """Write the format of word2vec: binary if asked for, or if the name ends in `.bin`; else text."""
        write_vectors(path, self.words, self.values, binary=binary)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words, {self.dimensions} dimensions)"

    @property
    def dimensions(self) -> int:
        return int(self.values.shape[1])

    def row(self, word: str) -> int:
        """The row of a word; a word without a vector is refused."""
        try:
            return self._rows[word]
        except KeyError:
            raise UnknownName(f"{word!r} has no vector", remedy="is it spelt as in the text?") from None

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Rows of words, -1 for those without a vector."""
        return np.array([self._rows.get(word, -1) for word in words], np.int64)

    def vector(self, word: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self.values[self.row(word)]
        return found

    @cached_property
    def unit(self) -> NDArray[np.float32]:
        """All vectors at length 1; a zero vector stays zero."""
        lengths = np.linalg.norm(self.values, axis=1, keepdims=True)
        found: NDArray[np.float32] = np.divide(self.values, lengths, out=np.zeros_like(self.values), where=lengths > 0)
        return found

    def similarity(self, first: str, second: str) -> float | None:
        """The cosine of two words; None if one has no vector."""
        if first not in self._rows or second not in self._rows:
            return None
        return float(self.unit[self._rows[first]] @ self.unit[self._rows[second]])

    def nearest(self, word: str, *, k: int = 10) -> list[Neighbor]:
        """The words most like a word, itself left out."""
        return self._nearest(self.unit[self.row(word)], k, leave_out=self.row(word))

    def nearest_across(self, word: str, other: WordVectors, *, k: int = 10, local: int = 0) -> list[Neighbor]:
        """The words of another language most like a word of this one.

        With `local`, a cosine counts relative to the mean cosine of each word to its `local` nearest across (Conneau
        et al. 2018), which takes away the advantage of words that are near to everything.
        """
        if self.dimensions != other.dimensions:
            raise SettingError(
                f"vectors of {self.dimensions} and of {other.dimensions} dimensions", remedy="train them in one space"
            )
        query = self.unit[self.row(word)]
        if not local:
            return other._nearest(query, k)
        values = other.unit @ query
        own = np.sort(values)[-local:].mean()
        near = np.argpartition(-values, min(len(values) - 1, max(10 * k, 100)))[: max(10 * k, 100)]
        theirs = np.sort(other.unit[near] @ self.unit.T, axis=1)[:, -local:].mean(axis=1)
        scores = 2 * values[near] - own - theirs
        order = np.lexsort((near, -scores))[:k]
        return [Neighbor(other.words[near[at]], float(scores[at])) for at in order]

    def _nearest(self, query: NDArray[np.float32], k: int, leave_out: int = -1) -> list[Neighbor]:
        values = self.unit @ query
        if leave_out >= 0:
            values[leave_out] = -np.inf
        order = np.lexsort((np.arange(len(values)), -values))[: min(k, len(values) - (leave_out >= 0))]
        return [Neighbor(self.words[row], float(values[row])) for row in order]

    def mean(self, words: Iterable[str]) -> NDArray[np.float64]:
        """The mean vector of the words that have one; zero if none has."""
        rows = [self._rows[word] for word in words if word in self._rows]
        return self.values[rows].astype(np.float64).mean(axis=0) if rows else np.zeros(self.dimensions)

    def to_dict(self) -> dict[str, Any]:
        return {"words": len(self), "dimensions": self.dimensions}


class VectorSnapshots:
    """Vectors as they were at several moments of training; what they say of two words is the mean of all."""

    def __init__(self, snapshots: Sequence[WordVectors]) -> None:
        if not snapshots or any(each.words != snapshots[0].words for each in snapshots):
            raise InputError("snapshots of different words")
        self.snapshots = tuple(snapshots)

    def similarity(self, first: str, second: str) -> float | None:
        """The mean cosine; None if a word has no vector."""
        found = [each.similarity(first, second) for each in self.snapshots]
        return None if found[0] is None else float(np.mean([value for value in found if value is not None]))
