"""What the word metrics share: a tokenizer, letter case, and references as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.metrics.base import EncodedReferences, Metric, PreparedReferences, choices
from dragoman.metrics.tokenize import TOKENIZERS, cut, native_tokenizer, tokenizer_signature

__all__ = ["WordMetric"]


@dataclass(frozen=True, kw_only=True)
class WordMetric(Metric):
    """A metric that sees tokens and asks only whether two of them are the same."""

    tokenize: str = field(default="13a", metadata=choices(tuple(TOKENIZERS)))
    lowercase: bool = False

    def __post_init__(self) -> None:
        self._check_choices()

    def _signature(self) -> dict[str, str]:
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokenizer_signature(self.tokenize)}

    def _prepare(self, lines: list[str], groups: NDArray[np.int64], threads: int) -> Any:
        words = Vocabulary()
        encoded = native_tokenizer(self.tokenize).intern(cut(lines, self.tokenize), words, threads=threads)
        return EncodedReferences(words, encoded)

    def _encode(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> native.EncodedLines:
        lines = cut(hypotheses, self.tokenize)
        return native_tokenizer(self.tokenize).lookup(lines, prepared.state.words, threads=threads)
