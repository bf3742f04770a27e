"""What pictures and explanations need to know of a translated sentence, whoever made it.

A translation can draw and explain itself; so what draws and explains must not ask for its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dragoman.annotations import Sentence
    from dragoman.features.weights import Weights
    from dragoman.forest import Derivation, Forest

__all__ = ["ToldPhrase", "ToldSentence", "shown"]


class ToldPhrase(Protocol):
    """One step of a translation; see `Phrase`."""

    @property
    def source_span(self) -> tuple[int, int]: ...
    @property
    def target_span(self) -> tuple[int, int]: ...
    @property
    def source(self) -> tuple[str, ...]: ...
    @property
    def target(self) -> tuple[str, ...]: ...
    @property
    def score(self) -> float: ...
    @property
    def features(self) -> Mapping[str, float]: ...
    @property
    def links(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def within(self) -> tuple[int, int]: ...
    @property
    def positions(self) -> tuple[int, ...]: ...


class ToldSentence(Protocol):
    """A translated sentence with its reasons; see `SentenceTranslation`."""

    @property
    def source(self) -> tuple[str, ...]: ...
    @property
    def target(self) -> tuple[str, ...]: ...
    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def phrases(self) -> Sequence[ToldPhrase]: ...
    @property
    def features(self) -> Mapping[str, float]: ...
    @property
    def final_features(self) -> Mapping[str, float]: ...
    @property
    def weights(self) -> Weights: ...
    @property
    def kept_forest(self) -> Forest | None: ...
    @property
    def annotation(self) -> Sentence | None: ...
    @property
    def protected(self) -> Mapping[str, str]: ...
    def nbest(self, size: int, *, distinct: bool = False) -> list[Derivation]:
        """The best derivations, this translation first."""
        ...


def shown(protected: Mapping[str, str], words: Iterable[str]) -> tuple[str, ...]:
    """Words as people know them: in the place of each mask what it stands for."""
    return tuple(protected.get(word, word) for word in words)
