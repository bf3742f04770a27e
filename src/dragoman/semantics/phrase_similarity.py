"""How alike the two sides of a phrase pair are, by vectors of their words in one space.

Counts cannot tell that a rare phrase pair is plausible. The cosine of the mean vectors of both sides can be a column of
a table, worked out while rules are learned, or a feature that a decoder asks for (Zou, Socher, Cer and Manning 2013).

    >>> import numpy as np
    >>> source, target = WordVectors(["f", "g"], np.eye(2)), WordVectors(["e", "d"], [[1.0, 1.0], [1.0, 0.0]])
    >>> alike = PhraseVectors.of(source, target)
    >>> alike.compare(["f g oov", "f g"], ["e", "oov"])["cosine"].tolist()
    [1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import semantics as native
from dragoman.errors import SettingError
from dragoman.grammar.extraction_features import ExtractionFeature, RuleOccurrence, TrainingPair
from dragoman.semantics.vectors import WordVectors
from dragoman.settings import check_argument

__all__ = ["KINDS", "PhraseVectors", "VectorColumns"]

KINDS = {
    "cosine": "cosine of the mean vectors of both sides",
    "best": "mean over source words of the cosine of the most similar target word",
    "unknown": "share of the words of both sides that have no vector",
}
"""What can be said of a phrase pair."""


class PhraseVectors:
    """Vectors of two languages in one space, in the native core."""

    def __init__(self, vectors: native.PhraseVectors) -> None:
        self.native = vectors

    @classmethod
    def of(cls, source: WordVectors, target: WordVectors) -> PhraseVectors:
        if source.dimensions != target.dimensions:
            raise SettingError(
                f"vectors of {source.dimensions} and of {target.dimensions} dimensions",
                remedy="train one of them in the space of the other",
            )
        return cls(native.PhraseVectors(list(source.words), source.values, list(target.words), target.values))

    @classmethod
    def open(cls, path: Path | str) -> PhraseVectors:
        """Read a file that `save` wrote; one that is damaged is refused."""
        return cls(native.PhraseVectors.open(Path(path)))

    def save(self, path: Path | str) -> None:
        self.native.save(Path(path))

    def compare(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """What can be said of pairs of tokenised phrases, by kind."""
        found = self.native.compare(list(sources), list(targets))
        return {kind: found[:, column] for column, kind in enumerate(KINDS)}


class VectorColumns(ExtractionFeature):
    """Columns of a table: likeness of the two sides of a rule by vectors."""

    estimate: ClassVar[str] = "mean"

    def __init__(self, vectors: PhraseVectors, kinds: Sequence[str] = ("cosine",)) -> None:
        for kind in kinds:
            check_argument("kinds", kind, label="likeness of phrases", choices=KINDS)
        self.vectors, self.kinds = vectors, tuple(kinds)
        self.columns = tuple(f"vectors.{kind}" for kind in kinds)  # type: ignore[misc]

    def __str__(self) -> str:
        return "vectors"

    def values(self, pair: TrainingPair, occurrences: Sequence[RuleOccurrence]) -> Sequence[Sequence[float]]:
        sources = [" ".join(pair.source[slice(*each.source)]) for each in occurrences]
        targets = [" ".join(pair.target[slice(*each.target)]) for each in occurrences]
        found = self.vectors.compare(sources, targets)
        rows: list[list[float]] = np.stack([found[kind] for kind in self.kinds], axis=1).tolist()
        return rows
