"""What comes out of a model: a text, how each of its sentences came about, and what else it might have been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dragoman.errors import SettingError
from dragoman.search.translation import Translation
from dragoman.text.prepared import is_mask

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["Candidate", "Translated"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the best translations of a text."""

    text: str
    score: float
    features: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "score": self.score, "features": dict(self.features)}


@dataclass(frozen=True, slots=True)
class Translated:
    """A translated text: the raw translation, and for each of its sentences how it came about."""

    source: str
    text: str
    sentences: tuple[Translation, ...]
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)

    @property
    def score(self) -> float:
        """Model score, the sum over the sentences."""
        return sum(sentence.score for sentence in self.sentences)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """Source words that no rule could translate."""
        return tuple(word for part in self.sentences for word in part.unknown_words if not is_mask(word))

    @property
    def alignments(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each sentence its word links, between the tokens of its two sides."""
        return tuple(sentence.alignment for sentence in self.sentences)

    def explain(self) -> Group:
        """For the terminal: for each sentence every phrase with its source and its score by feature."""
        from rich.console import Group

        return Group(*(sentence.explain() for sentence in self.sentences))

    def nbest(self, size: int) -> list[Candidate]:
        """The best translations, this one first; as many as were asked for when translating, at most."""
        if not self.candidates:
            raise SettingError("alternatives were not kept", remedy="translate with nbest=N")
        return list(self.candidates[:size])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "source": self.source,
            "text": self.text,
            "score": self.score,
            "unknown": list(self.unknown_words),
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            **({"nbest": [candidate.to_dict() for candidate in self.candidates]} if self.candidates else {}),
        }

    def _repr_html_(self) -> str:
        from dragoman.search.picture import translation_svg

        return "".join(translation_svg(sentence) + sentence._repr_html_() for sentence in self.sentences)
