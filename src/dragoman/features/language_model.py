"""A language model as a feature: what target words, or their classes, are worth one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    def said(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words as the model has them: themselves, or their classes; the marks of a sentence's ends stay."""
        if self.classes is None:
            return tuple(words)
        other = self.classes.get("<unk>", "<unk>")
        return tuple(word if word in ("<s>", "</s>") else self.classes.get(word, other) for word in words)

    def score(self, words: Sequence[str]) -> float:
        """The log probability of a whole sentence."""
        state, total = self.model.begin_state(), 0.0
        for word in self.said(words):
            logprob, state = self.model.step(state, word)
            total += logprob
        return total + self.model.finish(state)
