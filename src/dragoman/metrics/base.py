"""What a metric is: statistics per segment, and a score of their sum.

Everything that resamples, tunes or compares works on matrices of statistics (a row per segment) and never on strings:
a corpus score is `score` of the sum of the rows, a sentence score is `score` of one row, a bootstrap sample is a sum of
rows drawn with replacement. Scores are fractions (NIST: bits); reports multiply by `scale` to show the customary
points. A metric is a frozen value: its settings are its fields, its signature states them.

    >>> from dragoman.metrics import get_metric
    >>> bleu = get_metric("bleu:tokenize=none")
    >>> rows = bleu.statistics(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> rows.tolist()
    [[5.0, 3.0, 2.0, 1.0, 5.0, 4.0, 3.0, 2.0, 6.0]]
    >>> round(bleu.score(rows.sum(axis=0)), 5)
    0.57893
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dragoman._native import metrics as native
from dragoman._native.common import Vocabulary
from dragoman.errors import SettingError
from dragoman.metrics.references import Numbers, References, ReferenceText, Texts, check_hypotheses
from dragoman.settings import Settings, declared
from dragoman.text.composing import nfc
from dragoman.version import __version__

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["EncodedReferences", "Floats", "Metric", "PreparedReferences", "PreparedState", "SegmentReasons"]

Floats = NDArray[np.float64]


class SegmentReasons(Protocol):
    """Why a segment scores what it does: shown in a terminal, as JSON, and as a section of a page."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""

    def html_part(self) -> str:
        """A section of a page."""

    def __rich__(self) -> RenderableType: ...


class PreparedState(Protocol):
    """What a metric made of references: anything of which parts can be taken."""

    def take(self, segments: Numbers, lines: Numbers) -> Self:
        """The same for some segments in any order, each as often as asked; `lines` are those of their references."""


@dataclass(frozen=True, slots=True)
class PreparedReferences:
    """References as a metric wants them, made once and used for any number of systems."""

    metric: Metric
    groups: Numbers
    """Where the references of each segment end."""
    state: Any

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return len(self.groups)

    @property
    def per_segment(self) -> str:
        """References per segment, `var` if that varies; as signatures say it."""
        counts = np.unique(np.diff(self.groups, prepend=0))
        return str(counts[0]) if len(counts) == 1 else "var"

    def take(self, segments: Sequence[int] | Numbers) -> PreparedReferences:
        """Those of some segments, in any order and as often as asked, still as parts of the whole: what a metric knows
        from all references (NIST) or from other texts at their side stays known."""
        chosen = np.asarray(segments, dtype=np.int64)
        sizes = np.diff(self.groups, prepend=0)[chosen]
        groups = np.cumsum(sizes)
        lines = np.arange(sizes.sum()) + np.repeat(self.groups[chosen] - groups, sizes)
        return PreparedReferences(self.metric, groups, self.state.take(chosen, lines))


class Metric(Settings, ABC):
    """A way to score hypotheses against references."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[float] = 100.0
    """What reports multiply a score by: points for fractions, 1 for bits."""
    local: ClassVar[bool] = True
    """Whether the statistics of a segment follow from its hypothesis and its references alone; NIST looks at all
    references, and a metric may hold the texts of other systems. `PreparedReferences.take` serves all alike."""
    separator: ClassVar[str] = "+"
    positional: ClassVar[str] = ""
    """The setting that a bare value after the name sets, as in `bleu:2`."""
    compose: bool = False
    """Whether accented letters are composed first (NFC); a setting of most metrics."""
    lowercase: bool = False
    """Whether case is ignored before the tokenizer sees a line; a setting of many."""

    @classmethod
    def fitting(cls, language: str, tokenize: str) -> dict[str, Any]:
        """Settings that fit text of a language, cut into tokens by that tokenizer; both may be empty, unknown."""
        own = declared(cls).get("tokenize")
        return {"tokenize": tokenize} if tokenize and own is not None and own.default == "13a" else {}

    def prepare(
        self, references: ReferenceText | References | PreparedReferences, *, threads: int = 0
    ) -> PreparedReferences:
        """References made ready, to be handed to `statistics` many times."""
        if isinstance(references, PreparedReferences):
            if references.metric != self:
                raise SettingError(
                    f"references prepared for {references.metric.name!r} ({references.metric.signature}), not for"
                    f" {self.name!r} ({self.signature})"
                )
            return references
        given = References.of(references)
        return PreparedReferences(self, given.groups, self._prepare(given, threads))

    def statistics(
        self, hypotheses: Texts, references: ReferenceText | References | PreparedReferences, *, threads: int = 0
    ) -> Floats:
        """A row of statistics per segment."""
        prepared = self.prepare(references, threads=threads)
        check_hypotheses(hypotheses, prepared.segments)
        if not prepared.segments:
            return np.zeros((0, self.width))
        return self._statistics(self._normalize(list(hypotheses)), prepared, threads)

    @property
    @abstractmethod
    def width(self) -> int:
        """How many statistics a segment has."""

    @abstractmethod
    def scores(self, statistics: Floats) -> Floats:
        """The score of each row of a matrix of statistics (sums, or single segments)."""

    def score(self, total: Floats) -> float:
        """The score of one vector of statistics, usually a sum over segments."""
        return float(self.scores(np.ascontiguousarray(total, dtype=np.float64).reshape(1, -1))[0])

    def corpus_score(
        self, hypotheses: Texts, references: ReferenceText | References | PreparedReferences, *, threads: int = 0
    ) -> float:
        """The score of all segments together."""
        return self.score(self.statistics(hypotheses, references, threads=threads).sum(axis=0))

    def sentence_scores(
        self, hypotheses: Texts, references: ReferenceText | References | PreparedReferences, *, threads: int = 0
    ) -> Floats:
        """The score of each segment by itself."""
        return self.scores(self.statistics(hypotheses, references, threads=threads))

    def score_matrix(self, hypotheses: Texts, references: Texts, *, threads: int = 0) -> Floats:
        """The sentence score of every hypothesis (rows) against every single reference (columns)."""
        if not len(hypotheses):
            return np.zeros((0, len(references)))
        prepared = [self.prepare([reference] * len(hypotheses), threads=threads) for reference in references]
        columns = [self.sentence_scores(hypotheses, each, threads=threads) for each in prepared]
        return np.stack(columns, axis=1) if columns else np.zeros((len(hypotheses), 0))

    def details(self, total: Floats) -> dict[str, float]:
        """The parts of a score that explain it."""
        return {}

    def explain(self, hypothesis: str, references: Sequence[str]) -> SegmentReasons:
        """Why a segment scores what it does against the best of its references; few metrics can say."""
        raise SettingError(f"{self.name} gives no reasons", remedy="choose tine, spede or entailment")

    @property
    def signature(self) -> str:
        """The settings that must be stated for a score to be reproduced."""
        form = {"form": "nfc"} if self.compose else {}
        said = {**self.signature_parts(), **form, "version": _VERSION}
        return "|".join(f"{key}:{value}" for key, value in said.items())

    @abstractmethod
    def signature_parts(self) -> dict[str, str]:
        """The parts of the signature by name, without the version."""

    @property
    def stemmed_language(self) -> str:
        """The language of stems, where `fitting` takes it from that of the text; empty where it does not."""
        return ""

    # What tuners ask. The answers here hold for every metric; one that knows better says so.

    @property
    def sign(self) -> float:
        """1 if more is better, -1 for errors."""
        return 1.0 if self.higher_is_better else -1.0

    def for_tokens(self) -> Metric:
        """The same metric for text that is tokenised already."""
        return self

    def sentence_level(self, *, references: int = 1, words: float = math.inf, kind: str = "auto") -> Metric:
        """What stands for the metric in single sentences, on the same statistics.

        Corpus metrics that are mostly 0 or undefined there give a smoothed relative, chosen for as many `references`
        of `words` on average, or named by `kind` where there are several; all others stand for themselves.
        """
        return self

    def gain(self) -> native.Gain:
        """The score of a sum of statistics, negative for errors, as native code maximises it."""
        return native.CallbackGain(lambda rows: np.ascontiguousarray(self.sign * self.scores(rows)), self.width)

    @property
    def length_column(self) -> int:
        """Which of the statistics counts the reference words that a hypothesis is held against, where the metric
        chooses among references by length; -1 where the mean number of words of all references serves, as for blends,
        whose members may count differently."""
        return -1

    @property
    def ngram_order(self) -> int:
        """The longest n-grams, if the metric is their clipped precision with a brevity penalty, on words as they are:
        forests can be searched for it (`dragoman.forest.oracle`). 0 for everything else."""
        return 0

    def _normalize(self, lines: list[str]) -> list[str]:
        """What is done to every line before the tokenizer sees it."""
        if self.compose:
            lines = [nfc(line) for line in lines]
        return [line.lower() for line in lines] if self.lowercase else lines

    @abstractmethod
    def _prepare(self, references: References, threads: int) -> PreparedState: ...

    @abstractmethod
    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats: ...


_VERSION = f"dragoman-{__version__}"


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """Words of references as numbers, with the vocabulary that numbers them."""

    words: Vocabulary
    lines: native.EncodedLines

    def take(self, segments: Numbers, lines: Numbers) -> EncodedReferences:
        return EncodedReferences(self.words, self.lines.take(lines))
