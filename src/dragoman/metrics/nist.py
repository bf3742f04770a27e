"""NIST: n-gram precision in which a match counts as many bits as it informs.

Doddington (2002). The information of an n-gram is how much rarer it is than its first n-1 words in the whole set of
references, so a segment's statistics depend on that set; resampling keeps it fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.metrics.base import EncodedReferences, Floats, PreparedReferences
from dragoman.metrics.references import Numbers, References
from dragoman.metrics.words import WordMetric
from dragoman.settings import setting

__all__ = ["Nist"]


@dataclass(frozen=True, slots=True)
class _InformedReferences:
    """Parts of the references keep what all of them inform."""

    encoded: EncodedReferences
    information: native.NgramInformation

    @property
    def words(self) -> Vocabulary:
        return self.encoded.words

    def take(self, segments: Numbers, lines: Numbers) -> _InformedReferences:
        return _InformedReferences(self.encoded.take(segments, lines), self.information)


@dataclass(frozen=True, kw_only=True)
class Nist(WordMetric):
    """NIST: n-gram precision weighted by information, in bits (Doddington 2002)."""

    name: ClassVar[str] = "nist"
    scale: ClassVar[float] = 1.0
    local: ClassVar[bool] = False
    positional: ClassVar[str] = "order"

    order: int = setting(5, "Words of the longest n-grams.", least=1, most=9)

    @property
    def width(self) -> int:
        return 2 * self.order + 2

    def _prepare(self, references: References, threads: int) -> _InformedReferences:
        encoded = self._encoded(references, threads)
        return _InformedReferences(encoded, native.NgramInformation(encoded.lines, self.order))

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        state: _InformedReferences = prepared.state
        encoded = self._encode(hypotheses, prepared, threads)
        return native.nist_statistics(encoded, state.encoded.lines, prepared.groups, state.information, threads=threads)

    def scores(self, statistics: Floats) -> Floats:
        return native.nist_scores(statistics, self.order)

    def details(self, total: Floats) -> dict[str, float]:
        return {"hypothesis_length": float(total[-2]), "reference_length": float(total[-1])}

    def signature_parts(self) -> dict[str, str]:
        return {**WordMetric.signature_parts(self), "order": str(self.order)}
