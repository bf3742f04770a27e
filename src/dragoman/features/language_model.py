"""A language model as a feature: what target words, or their classes, are worth one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dragoman.lm import NgramModel

__all__ = ["LanguageModel"]


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A language model under the name of its feature.

    With `classes` it is a model over word classes: every word is replaced by its class, or by that of `<unk>`.
    """

    name: str
    model: NgramModel
    classes: Mapping[str, str] | None = field(default=None, repr=False)
