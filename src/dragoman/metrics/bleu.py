"""BLEU: clipped n-gram precision with a brevity penalty, and its sentence-level relatives.

Papineni et al. (2002). Smoothing follows Chen and Cherry (2014); with the settings of a sacrebleu signature the score
is sacrebleu's. On a single segment plain BLEU is often zero, hence the variants: `bleu+1` adds one to matches and
totals of orders above one (Lin and Och 2004), `bleu+1-all` to all orders, `bleu-nakov` also asks for one more reference
word, because smoothing lengthens n-gram counts but not the reference (Nakov, Guzmán and Vogel 2012).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from dragoman._native import metrics as native
from dragoman.metrics.base import Floats, PreparedReferences
from dragoman.metrics.references import Texts
from dragoman.metrics.words import WordMetric
from dragoman.settings import check_argument, setting

__all__ = ["SENTENCE_BLEU", "Bleu", "BleuNakov", "BleuPlusOne", "BleuPlusOneAll"]

SMOOTHING = {
    "exp": native.Smoothing.exp,
    "floor": native.Smoothing.floor,
    "add-k": native.Smoothing.add_k,
    "add-k-all": native.Smoothing.add_k_all,
    "none": native.Smoothing.none,
}
_SMOOTH_DEFAULT = {"floor": 0.1, "add-k": 1.0, "add-k-all": 1.0}
REFERENCE_LENGTH = {
    "closest": native.ReferenceLength.closest,
    "shortest": native.ReferenceLength.shortest,
    "average": native.ReferenceLength.average,
}
LONG = 20.0
"""Mean words of a reference from which on one more does not matter."""


@dataclass(frozen=True, kw_only=True)
class Bleu(WordMetric):
    """BLEU: clipped n-gram precision with a brevity penalty (Papineni et al. 2002)."""

    name: ClassVar[str] = "bleu"
    positional: ClassVar[str] = "order"

    order: int = setting(4, "Words of the longest n-grams.", least=1, most=9)
    smooth: str = setting(
        "exp",
        "What to do with orders without a match: halve what they get from order to order, count `smooth_value` matches "
        "(`floor`), add it to matches and totals of orders above one (`add-k`) or of all, or give 0.",
        choices=SMOOTHING,
    )
    smooth_value: float | None = setting(None, "For `floor` and `add-k`; none is 0.1 and 1.", least=0)
    effective_order: bool = setting(False, "Leave out orders that the hypothesis is too short for.")
    ref_length: str = setting("closest", "Which length of several references counts.", choices=REFERENCE_LENGTH)
    ref_scale: float = setting(1.0, "Factor of the reference length: 1.1 asks for longer output.", above=0)
    ref_extra: float = setting(0.0, "Words added to the reference length.")
    unclipped: bool = setting(False, "Let the brevity penalty rise above 1 for long hypotheses.")
    grounded: bool = setting(False, "Subtract what the same lengths would earn without any match.")
    scale_by_ref_len: bool = setting(False, "Multiply by the length of the shortest reference.")

    @property
    def width(self) -> int:
        return 2 * self.order + 1 + self.scale_by_ref_len

    @property
    def _smooth_value(self) -> float:
        return _SMOOTH_DEFAULT.get(self.smooth, 0.0) if self.smooth_value is None else self.smooth_value

    def _options(self) -> native.BleuOptions:
        return native.BleuOptions(
            order=self.order,
            smoothing=SMOOTHING[self.smooth],
            smooth_value=self._smooth_value,
            effective_order=self.effective_order,
            reference_scale=self.ref_scale,
            reference_extra=self.ref_extra,
            penalize_length=self.unclipped,
            grounded=self.grounded,
            scale_by_shortest=self.scale_by_ref_len,
        )

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        return native.bleu_statistics(
            self._encode(hypotheses, prepared, threads),
            prepared.state.lines,
            prepared.groups,
            order=self.order,
            length=REFERENCE_LENGTH[self.ref_length],
            with_shortest=self.scale_by_ref_len,
            threads=threads,
        )

    def scores(self, statistics: Floats) -> Floats:
        return native.bleu_scores(statistics, self._options())

    def score_matrix(self, hypotheses: Texts, references: Texts, *, threads: int = 0) -> Floats:
        prepared = self.prepare(references, threads=threads)
        encoded = self._encode(self._normalize(list(hypotheses)), prepared, threads)
        if not len(hypotheses):
            return np.zeros((0, len(references)))
        return native.bleu_matrix(encoded, prepared.state.lines, self._options(), threads=threads)

    def sentence_level(self, *, references: int = 1, words: float = math.inf, kind: str = "auto") -> Bleu:
        """BLEU of a sentence is mostly 0 or undefined, so it is smoothed; `kind` is one of `SENTENCE_BLEU`.

        With `auto` a single reference is smoothed as by Nakov, Guzmán and Vogel (2012), and several, or references of
        few `words` on average, as by Lin and Och (2004): the former's extra word of reference would make short output
        too long. What is smoothed by addition already stands for itself.
        """
        check_argument("kind", kind, label="sentence-level BLEU", choices=("auto", *SENTENCE_BLEU))
        if self.smooth not in ("exp", "none"):
            return self
        if kind == "auto":
            kind = "bleu-nakov" if references == 1 and words >= LONG else "bleu+1"
        smoothed = SENTENCE_BLEU[kind]
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return smoothed(**{name: value for name, value in given.items() if name not in smoothed.__annotations__})

    def gain(self) -> native.Gain:
        return native.BleuGain(self._options())

    @property
    def length_column(self) -> int:
        return 2 * self.order

    @property
    def ngram_order(self) -> int:
        unusual = self.lowercase or self.compose or self.unclipped or self.grounded or self.scale_by_ref_len
        return 0 if unusual or self.ref_length != "closest" or self.ref_scale != 1 else self.order

    def background_scores(self, statistics: Floats, background: Floats) -> Floats:
        """The score of each segment as part of a larger document, whose statistics are `background`.

        What margin-based tuners use for a sentence's gain (Chiang, Marton and Resnik 2008; Cherry and Foster 2012):
        the score of background and segment together, in reference words of the two, so that long segments weigh more.
        """
        together = np.ascontiguousarray(statistics + background)
        return self.scores(together) * together[:, self.length_column]

    def details(self, total: Floats) -> dict[str, float]:
        brevity, precisions = native.bleu_parts(np.ascontiguousarray(total), self._options())
        return {
            **{f"precision_{n}": precision for n, precision in enumerate(precisions, 1)},
            "brevity_penalty": brevity,
            "hypothesis_length": float(total[self.order]),
            "reference_length": float(total[2 * self.order]),
        }

    def signature_parts(self) -> dict[str, str]:
        smooth = self.smooth + (f"[{self._smooth_value:.2f}]" if self.smooth in _SMOOTH_DEFAULT else "")
        case, tok = WordMetric.signature_parts(self).values()
        said = {"case": case, "eff": "yes" if self.effective_order else "no", "tok": tok, "smooth": smooth}
        unusual = {
            "order": (self.order, 4),
            "reflen": (self.ref_length, "closest"),
            "refscale": (self.ref_scale, 1.0),
            "refextra": (self.ref_extra, 0.0),
            "unclipped": (self.unclipped, False),
            "grounded": (self.grounded, False),
            "byreflen": (self.scale_by_ref_len, False),
        }
        said.update({key: _say(value) for key, (value, usual) in unusual.items() if value != usual})
        return said


def _say(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else f"{value}"


class _OfSentences(Bleu):
    """What is made for single sentences stands for itself there, however it is set."""

    def sentence_level(self, *, references: int = 1, words: float = math.inf, kind: str = "auto") -> Bleu:
        return self


@dataclass(frozen=True, kw_only=True)
class BleuPlusOne(_OfSentences):
    """Sentence BLEU, one added to matches and totals of orders above one (Lin and Och 2004)."""

    name: ClassVar[str] = "bleu+1"
    smooth: str = "add-k"


@dataclass(frozen=True, kw_only=True)
class BleuPlusOneAll(_OfSentences):
    """Sentence BLEU, one added to matches and totals of all orders."""

    name: ClassVar[str] = "bleu+1-all"
    smooth: str = "add-k-all"


@dataclass(frozen=True, kw_only=True)
class BleuNakov(_OfSentences):
    """Sentence BLEU, one added to all counts and to the reference length (Nakov, Guzmán and Vogel 2012)."""

    name: ClassVar[str] = "bleu-nakov"
    smooth: str = "add-k-all"
    ref_extra: float = 1.0


SENTENCE_BLEU: dict[str, type[Bleu]] = {kind.name: kind for kind in (BleuPlusOne, BleuPlusOneAll, BleuNakov)}
"""What BLEU can be in single sentences."""
