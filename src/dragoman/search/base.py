"""The decoder contract: sentences in, translations out, whatever the algorithm.

A decoder is made of models, weights and settings, and never changes; other weights make another decoder that shares the
models. Every decoder reports scores that equal `weights . features` of its derivations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from dragoman.features.weights import Weights

if TYPE_CHECKING:
    from dragoman.search.translation import Translation

__all__ = ["Decoder"]


class Decoder(Protocol):
    """What all decoders can do."""

    @property
    def weights(self) -> Weights:
        """The weights in use."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of its dense features; sparse ones appear as they fire."""

    def with_weights(self, weights: Weights) -> Decoder:
        """The same models under other weights."""

    def translate(self, sentences: Sequence[str], *, threads: int = 0, forests: bool = False) -> list[Translation]:
        """Translate tokenised sentences, in order; `forests` keeps what search found for n-best lists and tuning."""
