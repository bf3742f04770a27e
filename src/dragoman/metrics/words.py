"""What the word metrics share: a tokenizer, letter case, and references as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.metrics.base import EncodedReferences, Metric, PreparedReferences, PreparedState
from dragoman.metrics.references import References
from dragoman.metrics.tokenize import TOKENIZERS, cut, native_tokenizer, tokenizer_signature
from dragoman.settings import setting

__all__ = ["WordMetric"]


@dataclass(frozen=True, kw_only=True)
class WordMetric(Metric):
    """A metric that sees tokens and asks only whether two of them are the same."""

    tokenize: str = setting("13a", "How text is cut into tokens.", choices=TOKENIZERS)
    lowercase: bool = setting(False, "Compare without case.")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")

    def for_tokens(self) -> Self:
        return replace(self, tokenize="none")

    def signature_parts(self) -> dict[str, str]:
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokenizer_signature(self.tokenize)}

    def _prepare(self, references: References, threads: int) -> PreparedState:
        return self._encoded(references, threads)

    def _encoded(self, references: References, threads: int) -> EncodedReferences:
        words = Vocabulary()
        lines = cut(self._normalize(references.lines), self.tokenize)
        return EncodedReferences(words, native_tokenizer(self.tokenize).intern(lines, words, threads=threads))

    def _encode(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> native.EncodedLines:
        lines = cut(hypotheses, self.tokenize)
        return native_tokenizer(self.tokenize).lookup(lines, prepared.state.words, threads=threads)
