"""Error rates by word edits without shifts: WER, PER and CDER.

WER is Levenshtein distance over reference length; PER compares bags of words (Tillmann et al. 1997); CDER lets the
reading position in the hypothesis jump at the cost of one edit, which forgives moved blocks in quadratic time (Leusch,
Ueffing and Ney 2006). With several references a segment counts against the one with the lowest rate, and that one's
length is its denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dragoman._native import metrics as native
from dragoman.metrics.base import Floats, PreparedReferences
from dragoman.metrics.words import WordMetric

__all__ = ["Cder", "Per", "Wer"]


@dataclass(frozen=True, kw_only=True)
class Wer(WordMetric):
    """Word error rate: Levenshtein distance over reference length."""

    name: ClassVar[str] = "wer"
    higher_is_better: ClassVar[bool] = False
    kind: ClassVar[native.EditKind] = native.EditKind.wer

    @property
    def width(self) -> int:
        return 2

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        encoded = self._encode(hypotheses, prepared, threads)
        return native.edit_statistics(encoded, prepared.state.lines, prepared.groups, self.kind, threads=threads)

    def scores(self, statistics: Floats) -> Floats:
        return native.edit_rates(statistics)

    def details(self, total: Floats) -> dict[str, float]:
        return {"edits": float(total[0]), "reference_length": float(total[1])}


@dataclass(frozen=True, kw_only=True)
class Per(Wer):
    """Position-independent error rate: words wrong whatever their order (Tillmann et al. 1997)."""

    name: ClassVar[str] = "per"
    kind: ClassVar[native.EditKind] = native.EditKind.per


@dataclass(frozen=True, kw_only=True)
class Cder(Wer):
    """Cover-disjoint error rate: edits and jumps of blocks (Leusch, Ueffing and Ney 2006)."""

    name: ClassVar[str] = "cder"
    kind: ClassVar[native.EditKind] = native.EditKind.cder
