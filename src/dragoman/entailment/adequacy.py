"""Adequacy as entailment: a good translation follows from the reference, and the reference from it.

What the reference says and the translation does not is lost, what only the translation says was added; entailment in
both directions sees the first as a reference that does not follow, the second as a translation that does not (Padó et
al. 2009 made a metric of the same features). The score of a segment is the mean of both probabilities, the best over
its references; that of a system is the mean over segments. An empty translation scores 0 unless the reference is
empty too.

The metric stands in this room and not among the others because it is made of what this room knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dragoman.annotations import annotator_chain
from dragoman.annotations.annotator import Annotator, reason
from dragoman.annotations.corpus import annotate_lines
from dragoman.annotations.sentence import Sentence
from dragoman.entailment.both_directions import BothDirections, judge_both
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.word_relations import WordRelations
from dragoman.errors import InputError, SettingError
from dragoman.metrics.base import Floats, PreparedReferences
from dragoman.metrics.references import Numbers, References
from dragoman.metrics.segment_means import SegmentMeans
from dragoman.settings import setting

__all__ = ["EntailmentAdequacy"]


@dataclass(frozen=True, slots=True)
class _AnnotatedReferences:
    lines: list[Sentence]

    def take(self, segments: Numbers, lines: Numbers) -> _AnnotatedReferences:
        return _AnnotatedReferences([self.lines[line] for line in lines.tolist()])


@dataclass(frozen=True, kw_only=True)
class EntailmentAdequacy(SegmentMeans):
    """Entailment: whether translation and reference follow from each other (Padó et al. 2009)."""

    name: ClassVar[str] = "entailment"
    columns: ClassVar[tuple[str, ...]] = ("score", "kept", "not added", "segments")

    syntax: str = setting("", "The folder of a model that divides, tags and parses text (`dragoman annotate train`).")
    entailer: str = setting("", "A model of `dragoman entail fit`; without one, hand-set weights decide.")
    compose: bool = setting(False, "Compose accented letters (NFC) first.")

    def signature_parts(self) -> dict[str, str]:
        annotator = _chain(self.syntax).identity if self.syntax else "none"
        return {"annotator": annotator, "weights": "fitted" if self.entailer else "hand"}

    def explain(self, hypothesis: str, references: Sequence[str]) -> BothDirections:
        """The judgements behind a segment's score: forward asks whether the reference follows from the hypothesis."""
        ours, *theirs = self._annotated([hypothesis, *references], 1)
        if not theirs or any(reason(one) is not None for one in (ours, *theirs)):
            raise InputError("an empty segment has no reasons", remedy="give two sentences")
        judged = [judge_both(_entailer(self.entailer), [ours], [reference]) for reference in theirs]
        return max(judged, key=lambda both: sum(both.probabilities))

    def _prepare(self, references: References, threads: int) -> _AnnotatedReferences:
        return _AnnotatedReferences(self._annotated(references.lines, threads))

    def _annotated(self, lines: Sequence[str], threads: int) -> list[Sentence]:
        if not self.syntax:
            raise SettingError("entailment needs a model that parses", remedy="give syntax=FOLDER")
        return list(annotate_lines(_chain(self.syntax), self._normalize(list(lines)), threads=threads))

    def _statistics(self, hypotheses: list[str], prepared: PreparedReferences, threads: int) -> Floats:
        ours = self._annotated(hypotheses, threads)
        theirs: list[Sentence] = prepared.state.lines
        rows = np.zeros((len(ours), self.width))
        starts = np.concatenate([[0], prepared.groups[:-1]])
        for at, (start, end) in enumerate(zip(starts.tolist(), prepared.groups.tolist(), strict=True)):
            rows[at] = max((self._row(ours[at], theirs[line]) for line in range(start, end)), key=lambda row: row[0])
        return rows

    def _row(self, hypothesis: Sentence, reference: Sentence) -> tuple[float, float, float, float]:
        if not hypothesis.words or not reference.words:
            same = float(not hypothesis.words and not reference.words)
            return same, same, same, 1.0
        kept, honest = judge_both(_entailer(self.entailer), [hypothesis], [reference]).probabilities
        return (kept + honest) / 2, kept, honest, 1.0


@lru_cache(maxsize=2)
def _chain(syntax: str) -> Annotator:
    return annotator_chain.load(syntax)


@lru_cache(maxsize=2)
def _entailer(path: str) -> Entailer:
    relations = WordRelations.find()
    return Entailer.open(path, relations) if path else Entailer(relations)
