"""TER: edits and shifts of blocks that turn a hypothesis into a reference.

Snover et al. (2006). The search for shifts is greedy, with tercom's limits, order of trial and ties, so the score is
sacrebleu's for the same signature. Edits are the lowest over the references, the denominator is their mean length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.metrics.base import EncodedReferences, Floats, Metric, PreparedReferences
from dragoman.metrics.references import References
from dragoman.settings import setting

__all__ = ["Ter"]


@cache
def _tokenizer(normalized: bool, no_punct: bool, asian: bool) -> native.Tokenizer:
    return native.Tokenizer("tercom", normalize=normalized, remove_punctuation=no_punct, asian=asian)


@dataclass(frozen=True, kw_only=True)
class Ter(Metric):
    """Translation edit rate: word edits and shifts of blocks, as tercom (Snover et al. 2006)."""

    name: ClassVar[str] = "ter"
    higher_is_better: ClassVar[bool] = False

    normalized: bool = setting(False, "Cut off western punctuation as tercom does.")
    no_punct: bool = setting(False, "Remove punctuation.")
    asian: bool = setting(False, "With one of the two, also split and clean Chinese and Japanese.")

    @classmethod
    def fitting(cls, language: str, tokenize: str) -> dict[str, Any]:
        return {"normalized": True, "asian": True} if tokenize else {}

    case_sensitive: bool = setting(False, "Tell capital letters apart.")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")

    @property
    def width(self) -> int:
        return 2

    def _normalize(self, lines: list[str]) -> list[str]:
        lines = super()._normalize(lines)
        return lines if self.case_sensitive else [line.lower() for line in lines]

    def _prepare(self, references: References, threads: int) -> EncodedReferences:
        words = Vocabulary()
        tokenizer = _tokenizer(self.normalized, self.no_punct, self.asian)
        return EncodedReferences(words, tokenizer.intern(self._normalize(references.lines), words, threads=threads))

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        tokenizer = _tokenizer(self.normalized, self.no_punct, self.asian)
        encoded = tokenizer.lookup(hypotheses, prepared.state.words, threads=threads)
        return native.ter_statistics(encoded, prepared.state.lines, prepared.groups, threads=threads)

    def scores(self, statistics: Floats) -> Floats:
        return native.edit_rates(statistics)

    def details(self, total: Floats) -> dict[str, float]:
        return {"edits": float(total[0]), "reference_length": float(total[1])}

    def signature_parts(self) -> dict[str, str]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": "yes" if self.normalized else "no",
            "punct": "no" if self.no_punct else "yes",
            "asian": "yes" if self.asian else "no",
        }
