"""A candidate: one entry of an n-best list, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.forest import Derivation

__all__ = ["Candidate"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the best translations: its text, score, feature values, and word links between tokens."""

    text: str
    score: float
    features: Mapping[str, float]
    alignment: Sequence[tuple[int, int]]

    def __repr__(self) -> str:
        return f"Candidate({self.text!r}, score={self.score:.3f})"

    @staticmethod
    def of(derivation: Derivation) -> Candidate:
        """A derivation as an entry of a list."""
        return Candidate(derivation.text, derivation.score, derivation.features, derivation.links)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "text": self.text,
            "score": self.score,
            "features": dict(self.features),
            "alignment": [list(link) for link in self.alignment],
        }
