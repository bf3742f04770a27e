"""The dev set: source sentences, their references, and the metric that scores translations of them.

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

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dragoman.errors import InputError, LengthMismatch
from dragoman.metrics import get_metric
from dragoman.metrics.base import Floats, Metric, PreparedReferences
from dragoman.metrics.references import Numbers, References, ReferenceText, check_length, check_list
from dragoman.text.source_text import Source

__all__ = ["DevSet"]


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
        references: ReferenceText | References,
        metric: str | Metric = "bleu",
        *,
        threads: int = 0,
    ) -> DevSet:
        """A dev set of tokenised text; `references` is one list, or several with an entry per sentence each."""
        check_list(source, "source sentences")
        if not len(source):
            raise InputError("a dev set without sentences", remedy="give it a few hundred at least")
        given = References.of(references)
        check_length(source, given.segments, "source sentences")
        lists = tuple(_complete(stream, number) for number, stream in enumerate(given.streams, 1))
        words = np.array([[len(text.split()) for text in stream] for stream in lists], dtype=np.float64).mean(axis=0)
        chosen = get_metric(metric).for_tokens() if isinstance(metric, str) else metric
        return DevSet(tuple(source), lists, chosen, chosen.prepare(given, threads=threads), words)

    def __len__(self) -> int:
        return len(self.source)

    def statistics(self, sentences: Sequence[int] | Numbers, texts: Sequence[str], *, threads: int = 0) -> Floats:
        """A row for each text, as a translation of the sentence with that number."""
        if len(sentences) != len(texts):
            raise LengthMismatch(f"{len(texts)} texts for {len(sentences)} sentences")
        return self.metric.statistics(texts, self.prepared.take(sentences), threads=threads)

    def score(self, hypotheses: Sequence[str], *, threads: int = 0) -> float:
        """The metric of one translation per sentence."""
        return self.metric.corpus_score(hypotheses, self.prepared, threads=threads)

    def sentence_gains(self, statistics: Floats) -> Floats:
        """The gain of each row by itself, smoothed where the metric has a sentence-level relative."""
        return self.metric.sign * self.sentence_metric().scores(statistics)

    def sentence_metric(self, kind: str = "auto") -> Metric:
        """What stands for the metric in single sentences, on the same statistics; `kind` as in
        `Metric.sentence_level`."""
        return self.metric.sentence_level(references=len(self.references), words=float(self.words.mean()), kind=kind)


def _complete(stream: Sequence[str | None], number: int) -> tuple[str, ...]:
    """The texts of one reference, of which none may be missing: tuners weigh sentences by the words of each."""
    for sentence, text in enumerate(stream, 1):
        if text is None:
            raise InputError(
                f"sentence {sentence} is missing",
                where=f"reference {number}",
                remedy="give a dev set as many references for each sentence",
            )
    return tuple(text for text in stream if text is not None)
