"""Entailment: whether a hypothesis follows from a text, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.entailment.entailer import Entailer, EntailerSettings, EntailmentJudgement
    from dragoman.entailment.marker_lists import Markers
    from dragoman.entailment.natural_logic import LogicProof
    from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair, annotate_pairs, read_pairs
    from dragoman.entailment.suites import load_suite
    from dragoman.entailment.word_relations import WordRelations

__all__ = [
    "AnnotatedPair",
    "Entailer",
    "EntailerSettings",
    "EntailmentJudgement",
    "EntailmentPair",
    "LogicProof",
    "Markers",
    "WordRelations",
    "annotate_pairs",
    "load_suite",
    "read_pairs",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AnnotatedPair": "dragoman.entailment.pairs",
        "Entailer": "dragoman.entailment.entailer",
        "EntailerSettings": "dragoman.entailment.entailer",
        "EntailmentPair": "dragoman.entailment.pairs",
        "EntailmentJudgement": "dragoman.entailment.entailer",
        "Markers": "dragoman.entailment.marker_lists",
        "LogicProof": "dragoman.entailment.natural_logic",
        "WordRelations": "dragoman.entailment.word_relations",
        "annotate_pairs": "dragoman.entailment.pairs",
        "load_suite": "dragoman.entailment.suites",
        "read_pairs": "dragoman.entailment.pairs",
    },
)
