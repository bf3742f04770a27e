"""Explicit semantic analysis: what a text is about, by the sentences of a corpus that its words occur in.

Gabrilovich and Markovitch (2007) describe a word by its weight in each article of an encyclopedia, a text by the sum
over its words, and compare texts by the cosine. Here the concepts are the lines of any text; of each word the heaviest
are kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError
from dragoman.files import read_lines
from dragoman.metrics.lexical import is_punctuation
from dragoman.similarity.words import cut

__all__ = ["ConceptVectors", "concepts_of_file"]


class ConceptVectors:
    """The heaviest concepts of each word, and their weights."""

    def __init__(
        self, words: Sequence[str], ends: NDArray[np.int64], concepts: NDArray[np.int32], weights: NDArray[np.float32]
    ) -> None:
        self.words, self.ends, self.concepts, self.weights = tuple(words), ends, concepts, weights
        self._places = {word: at for at, word in enumerate(self.words)}

    @classmethod
    def of(cls, lines: Iterable[str], *, most: int = 100) -> ConceptVectors:
        """Count words in lines; weights are (1 + ln count) * ln(lines / lines with the word), lines of length 1."""
        counted = [Counter(word for word in cut(line.lower()) if not is_punctuation(word)) for line in lines]
        lines_with = Counter(word for line in counted for word in line)
        found: dict[str, list[tuple[float, int]]] = {}
        for number, line in enumerate(counted):
            weights = {
                word: (1 + math.log(count)) * math.log(len(counted) / lines_with[word])
                for word, count in line.items()
                if lines_with[word] > 1
            }
            length = math.sqrt(sum(value * value for value in weights.values()))
            for word, value in weights.items():
                if value > 0:
                    found.setdefault(word, []).append((-value / length, number))
        words, ends, places, weights_ = sorted(found), [], [], []
        for word in words:
            heaviest = sorted(found[word])[:most]
            places += [number for _, number in heaviest]
            weights_ += [-value for value, _ in heaviest]
            ends.append(len(places))
        return cls(words, np.array(ends, np.int64), np.array(places, np.int32), np.array(weights_, np.float32))

    def vector(self, words: Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The concepts of a text, in order, and their weights."""
        known = [self._places[word] for word in words if word in self._places]
        parts = [slice(int(self.ends[at - 1]) if at else 0, int(self.ends[at])) for at in known]
        if not parts:
            return np.zeros(0, np.int32), np.zeros(0)
        given = np.concatenate([self.concepts[part] for part in parts])
        concepts, which = np.unique(given, return_inverse=True)
        weights = np.zeros(len(concepts))
        np.add.at(weights, which, np.concatenate([self.weights[part] for part in parts]))
        return concepts, weights

    def cosine(self, first: Iterable[str], second: Iterable[str]) -> float:
        """Of two texts; 0 if one has no concepts."""
        (ours, our_weights), (theirs, their_weights) = self.vector(first), self.vector(second)
        if not len(ours) or not len(theirs):
            return 0.0
        _, here, there = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        lengths = math.sqrt(float(our_weights @ our_weights) * float(their_weights @ their_weights))
        return float(our_weights[here] @ their_weights[there]) / lengths

    def save(self, folder: Path) -> None:
        """Write two files."""
        (folder / "concept-words.txt").write_text("".join(f"{word}\n" for word in self.words), "utf-8")
        np.savez(folder / "concepts.npz", ends=self.ends, concepts=self.concepts, weights=self.weights)

    @classmethod
    def open(cls, folder: Path) -> ConceptVectors:
        """Read them again."""
        try:
            with np.load(folder / "concepts.npz", allow_pickle=False) as kept:
                words = list(read_lines(folder / "concept-words.txt"))
                return cls(words, kept["ends"], kept["concepts"], kept["weights"])
        except (OSError, KeyError, ValueError) as error:
            raise FormatError(f"damaged concepts: {error}", where=str(folder), remedy="fit again") from None


def concepts_of_file(path: Path | str) -> ConceptVectors:
    """Of a text, one sentence a line; several scorers that learn from one file share what it says."""
    state = Path(path).stat()
    return _of_file(str(path), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=2)
def _of_file(path: str, changed: int, size: int) -> ConceptVectors:
    return ConceptVectors.of(read_lines(path))
