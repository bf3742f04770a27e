"""The dev set: source sentences, their references, and the metric that judges translations of them.

Everything is tokenised, and so metrics are told not to tokenise again. Tuners see a metric through its statistics: rows
that add up over a corpus, and a gain of their sum, which is the score or, for errors, its negative. Tuners that look at
single sentences use the smoothed relative of a corpus metric on the same rows.

    >>> dev = DevSet.of(["das Haus"], [["the house"]], "bleu:2")
    >>> dev.statistics([0, 0], ["the house", "the home"]).tolist()
    [[2.0, 1.0, 2.0, 1.0, 2.0], [1.0, 0.0, 2.0, 1.0, 2.0]]
    >>> dev.score(["the house"])
    1.0
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman._native import tuning as native
from dragoman.errors import InputError, LengthMismatch
from dragoman.metrics import get_metric
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.metrics.blend import Blend, PositiveDiversity
from dragoman.metrics.bleu import Bleu, BleuNakov, BleuPlusOne, BleuPlusOneAll
from dragoman.text.source_text import Source

__all__ = ["LONG", "SENTENCE_BLEU", "DevSet", "as_streams", "sentence_metric", "tokenized_metric"]

M = TypeVar("M", bound=Metric)

SENTENCE_BLEU: dict[str, type[Bleu]] = {kind.name: kind for kind in (BleuPlusOne, BleuPlusOneAll, BleuNakov)}
"""What BLEU can be in single sentences."""
LONG = 20.0
"""Mean words of a reference from which on one more does not matter."""


@dataclass(frozen=True, slots=True)
class DevSet:
    """Sentences with references under a metric; make one by `DevSet.of`."""

    source: tuple[Source, ...]
    references: tuple[tuple[str, ...], ...]
    metric: Metric
    prepared: PreparedReferences = field(repr=False)
    words: Floats = field(repr=False)
    """Mean number of reference words of each sentence."""

    @staticmethod
    def of(
        source: Sequence[Source],
        references: Sequence[str] | Sequence[Sequence[str]],
        metric: str | Metric = "bleu",
        *,
        threads: int = 0,
    ) -> DevSet:
        """A dev set of tokenised text; `references` is one list, or several with an entry per sentence each."""
        if isinstance(source, str):
            raise InputError("one string where a list of sentences is needed")
        if not len(source):
            raise InputError("a dev set without sentences", remedy="give it a few hundred at least")
        streams = as_streams(references)
        for stream in streams:
            if len(stream) != len(source):
                raise LengthMismatch(f"{len(source)} source sentences, but {len(stream)} references")
        chosen = tokenized_metric(get_metric(metric)) if isinstance(metric, str) else metric
        lists = tuple(tuple(stream) for stream in streams)
        words = np.array([[len(text.split()) for text in stream] for stream in lists], dtype=np.float64).mean(axis=0)
        return DevSet(tuple(source), lists, chosen, chosen.prepare(lists, threads=threads), words)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def sign(self) -> float:
        """1 if more of the metric is better, -1 for errors."""
        return 1.0 if self.metric.higher_is_better else -1.0

    def statistics(
        self, sentences: Sequence[int] | NDArray[np.int64], texts: Sequence[str], *, threads: int = 0
    ) -> Floats:
        """A row for each text, as a translation of the sentence with that number."""
        if len(sentences) != len(texts):
            raise LengthMismatch(f"{len(texts)} texts for {len(sentences)} sentences")
        if not len(texts):
            return np.zeros((0, self.metric.width))
        numbers = np.asarray(sentences, dtype=np.int64).tolist()
        if self.metric.local and not _aligned(self.metric):
            streams = [[stream[number] for number in numbers] for stream in self.references]
            return self.metric.statistics(texts, streams, threads=threads)
        return self._by_rounds(numbers, texts, threads)

    def _by_rounds(self, numbers: list[int], texts: Sequence[str], threads: int) -> Floats:
        """For metrics that must see the whole dev set: one text of every sentence at a time."""
        queues: dict[int, list[int]] = {}
        for place, number in enumerate(numbers):
            queues.setdefault(number, []).append(place)
        rows = np.zeros((len(texts), self.metric.width))
        for depth in range(max(map(len, queues.values()))):
            asked = {number: places[depth] for number, places in queues.items() if depth < len(places)}
            lines = [texts[asked[number]] if number in asked else "" for number in range(len(self))]
            found = self.metric.statistics(lines, self.prepared, threads=threads)
            rows[list(asked.values())] = found[list(asked)]
        return rows

    def score(self, hypotheses: Sequence[str], *, threads: int = 0) -> float:
        """The metric of one translation per sentence."""
        return self.metric.corpus_score(hypotheses, self.prepared, threads=threads)

    def gain(self) -> native.Gain:
        """The metric of a sum of statistics as native code maximises it."""
        if isinstance(self.metric, Bleu) and self.sign > 0:
            return native.BleuGain(self.metric._options())
        metric, sign = self.metric, self.sign
        return native.CallbackGain(lambda rows: np.ascontiguousarray(sign * metric.scores(rows)), metric.width)

    @property
    def length_column(self) -> int:
        """Which of the statistics counts reference words; -1 if none does."""
        return 2 * self.metric.order if isinstance(self.metric, Bleu) else -1

    def sentence_gains(self, statistics: Floats) -> Floats:
        """The gain of each row by itself, smoothed where the metric has a sentence-level relative."""
        return self.sign * self.sentence_metric().scores(statistics)

    def sentence_metric(self, kind: str = "auto") -> Metric:
        """What stands for the metric in single sentences, on the same statistics; `kind` as in `sentence_metric`."""
        return sentence_metric(self.metric, references=len(self.references), words=float(self.words.mean()), kind=kind)


def as_streams(references: Sequence[str] | Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """References as a list for each that a sentence has, also where there is only one."""
    if isinstance(references, str):
        raise InputError("one string where a list of sentences is needed")
    streams: list[Sequence[str]] = list(references)
    if not streams:
        raise InputError("a dev set without references")
    return [references] if isinstance(streams[0], str) else streams  # type: ignore[list-item]


def _aligned(metric: Metric) -> bool:
    """Whether a metric compares with more than references, sentence by sentence."""
    if isinstance(metric, Blend):
        return any(_aligned(member) for _, member in metric.terms)
    return isinstance(metric, PositiveDiversity)


def tokenized_metric(metric: M) -> M:
    """The same metric for text that is tokenised already."""
    if isinstance(metric, Blend):
        return Blend([(weight, tokenized_metric(member)) for weight, member in metric.terms])  # type: ignore[return-value]
    if dataclasses.is_dataclass(metric) and any(f.name == "tokenize" for f in dataclasses.fields(metric)):
        return dataclasses.replace(metric, tokenize="none")
    return metric


def sentence_metric(metric: Metric, *, references: int = 1, words: float = LONG, kind: str = "auto") -> Metric:
    """The sentence-level relative of a corpus metric, on the same statistics.

    BLEU of a sentence is mostly 0 or undefined, so it is smoothed; `kind` is one of `SENTENCE_BLEU`. With `auto` a
    single reference is smoothed as by Nakov, Guzmán and Vogel (2012), and several, or references of few `words` on
    average, as by Lin and Och (2004): the former's extra word of reference would make short output too long. Other
    metrics stand for themselves.
    """
    if isinstance(metric, Blend):
        terms = [(w, sentence_metric(m, references=references, words=words, kind=kind)) for w, m in metric.terms]
        return Blend(terms)
    if isinstance(metric, PositiveDiversity):
        both = (
            sentence_metric(each, references=references, words=words, kind=kind)
            for each in (metric.correctness, metric.similarity)
        )
        return dataclasses.replace(metric, correctness=next(both), similarity=next(both))
    if type(metric) is Bleu and metric.smooth in ("exp", "none"):
        if kind == "auto":
            kind = "bleu-nakov" if references == 1 and words >= LONG else "bleu+1"
        smoothed = SENTENCE_BLEU[kind]
        given = {f.name: getattr(metric, f.name) for f in dataclasses.fields(metric)}
        return smoothed(**{name: value for name, value in given.items() if name not in smoothed.__annotations__})
    return metric
