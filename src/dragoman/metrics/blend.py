"""Blends: weighted sums of metrics, and the blend that rewards difference.

The statistics of a blend are those of its members side by side; the weighted sum is taken after summing over segments,
since a corpus score is not a mean of sentence scores (Cer, Manning and Jurafsky 2010). Weights say what is good: errors
are subtracted. Members that pull in opposite directions are refused as a slip.

`PositiveDiversity` is BLEU against references less BLEU against what other systems said, which serve as several
references of one BLEU (Cer, Manning and Jurafsky 2013).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from dragoman.errors import LengthMismatch, SettingError
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.metrics.bleu import Bleu
from dragoman.metrics.references import Numbers, References, Texts, check_list
from dragoman.settings import setting

__all__ = ["Blend", "PositiveDiversity"]


@dataclass(frozen=True, slots=True)
class _Members:
    """References prepared for several metrics, which count the same segments."""

    each: tuple[PreparedReferences, ...]

    def take(self, segments: Numbers, lines: Numbers) -> _Members:
        return _Members(tuple(member.take(segments) for member in self.each))

    def statistics(self, hypotheses: Texts, threads: int) -> Floats:
        """The statistics of all metrics side by side."""
        return np.hstack([ready.metric.statistics(hypotheses, ready, threads=threads) for ready in self.each])


class Blend(Metric):
    """A weighted sum of metrics, such as `bleu - 2*ter`."""

    def __init__(self, terms: Sequence[tuple[float, Metric]]) -> None:
        if not terms:
            raise SettingError("a blend without metrics")
        if not all(math.isfinite(weight) and weight != 0 for weight, _ in terms):
            raise SettingError("weights of a blend must be numbers other than 0")
        gains = [(weight > 0) == metric.higher_is_better for weight, metric in terms]
        if len(set(gains)) > 1:
            good, bad = (next(m.name for (_, m), g in zip(terms, gains, strict=True) if g is w) for w in (True, False))
            raise SettingError(
                f"a blend in which more {good} is better and more {bad} is worse", remedy="subtract errors from gains"
            )
        self.terms = tuple(terms)
        self.higher_is_better = gains[0]  # type: ignore[misc]
        self.scale = 100.0 if all(m.scale == 100.0 for _, m in terms) else 1.0  # type: ignore[misc]
        self.local = all(metric.local for _, metric in terms)  # type: ignore[misc]
        self.name = _expression(terms)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blend) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __repr__(self) -> str:
        return f"Blend({self.name!r})"

    @property
    def width(self) -> int:
        return sum(metric.width for _, metric in self.terms)

    def signature_parts(self) -> dict[str, str]:
        said: dict[str, str] = {}
        for position, (weight, metric) in enumerate(self.terms, 1):
            said[str(position)] = f"{weight:g}*{metric.name}"
            said.update({f"{position}.{key}": value for key, value in metric.signature_parts().items()})
        return said

    def for_tokens(self) -> Blend:
        return Blend([(weight, metric.for_tokens()) for weight, metric in self.terms])

    def sentence_level(self, *, references: int = 1, words: float = math.inf, kind: str = "auto") -> Blend:
        return Blend(
            [
                (weight, metric.sentence_level(references=references, words=words, kind=kind))
                for weight, metric in self.terms
            ]
        )

    def _prepare(self, references: References, threads: int) -> _Members:
        return _Members(tuple(metric.prepare(references, threads=threads) for _, metric in self.terms))

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        members: _Members = prepared.state
        return members.statistics(hypotheses, threads)

    def scores(self, statistics: Floats) -> Floats:
        total = np.zeros(len(statistics))
        start = 0
        for weight, metric in self.terms:
            total += weight * metric.scores(np.ascontiguousarray(statistics[:, start : start + metric.width]))
            start += metric.width
        return total

    def details(self, total: Floats) -> dict[str, float]:
        found: dict[str, float] = {}
        start = 0
        for _, metric in self.terms:
            found[metric.name] = metric.score(total[start : start + metric.width])
            start += metric.width
        return found


def _expression(terms: Sequence[tuple[float, Metric]]) -> str:
    text = ""
    for weight, metric in terms:
        sign = "-" if weight < 0 else "+"
        factor = "" if abs(weight) == 1 else f"{abs(weight):g}*"
        text += f" {sign} {factor}{metric.name}" if text else f"{'-' if weight < 0 else ''}{factor}{metric.name}"
    return text


@dataclass(frozen=True)
class PositiveDiversity(Metric):
    """Correctness less similarity to what other systems said (Cer, Manning and Jurafsky 2013).

    `others` holds one list of translations per earlier system, for the same segments in the same order; without any,
    only correctness counts. `correctness` and `similarity` may be any metrics, such as `bleu+1` for tuners that score
    single segments; the result is a gain or an error as correctness is, and errors against other systems count as
    difference from them.
    """

    name: ClassVar[str] = "positive-diversity"
    others: Sequence[Texts]
    alpha: float = setting(0.95, "What correctness counts, of 1.", least=0, most=1)
    correctness: Metric = field(default_factory=Bleu)
    similarity: Metric = field(default_factory=Bleu)

    def __post_init__(self) -> None:
        super().__post_init__()
        for system in self.others:
            check_list(system, "translations", where="other system")
        object.__setattr__(self, "others", tuple(map(tuple, self.others)))
        object.__setattr__(self, "higher_is_better", self.correctness.higher_is_better)
        object.__setattr__(self, "scale", self.correctness.scale)
        object.__setattr__(self, "local", self.correctness.local and not self.others)

    @property
    def width(self) -> int:
        return self.correctness.width + (self.similarity.width if self.others else 0)

    def signature_parts(self) -> dict[str, str]:
        return {
            "alpha": f"{self.alpha:g}",
            "others": str(len(self.others)),
            **{f"correctness.{key}": value for key, value in self.correctness.signature_parts().items()},
            **{f"similarity.{key}": value for key, value in self.similarity.signature_parts().items()},
        }

    def for_tokens(self) -> PositiveDiversity:
        return replace(self, correctness=self.correctness.for_tokens(), similarity=self.similarity.for_tokens())

    def sentence_level(self, *, references: int = 1, words: float = math.inf, kind: str = "auto") -> PositiveDiversity:
        return replace(
            self,
            correctness=self.correctness.sentence_level(references=references, words=words, kind=kind),
            similarity=self.similarity.sentence_level(references=references, words=words, kind=kind),
        )

    def _prepare(self, references: References, threads: int) -> _Members:
        correctness = self.correctness.prepare(references, threads=threads)
        if not self.others:
            return _Members((correctness,))
        similarity = self.similarity.prepare(list(self.others), threads=threads)
        if similarity.segments != correctness.segments:
            raise LengthMismatch(
                f"{similarity.segments} translations of each other system, but {correctness.segments} references"
            )
        return _Members((correctness, similarity))

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        members: _Members = prepared.state
        return members.statistics(hypotheses, threads)

    def scores(self, statistics: Floats) -> Floats:
        cut = self.correctness.width
        gain = self.alpha * self.correctness.scores(np.ascontiguousarray(statistics[:, :cut]))
        if not self.others:
            return gain
        likeness = self.similarity.scores(np.ascontiguousarray(statistics[:, cut:]))
        alike = self.similarity.higher_is_better == self.higher_is_better
        return gain - (1 - self.alpha) * (likeness if alike else -likeness)
