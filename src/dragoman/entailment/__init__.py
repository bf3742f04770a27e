"""Entailment: whether a hypothesis follows from a text, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.entailment.entailer import Entailer, EntailerSettings, EntailmentJudgement
    from dragoman.entailment.marker_lists import Markers
    from dragoman.entailment.monotonicity import mark
    from dragoman.entailment.natural_logic import LogicProof
    from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair, annotate_pairs, read_pairs, write_annotated
    from dragoman.entailment.picture import draw_proof
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
    "draw_proof",
    "load_suite",
    "mark",
    "read_pairs",
    "write_annotated",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AnnotatedPair": "dragoman.entailment.pairs",
        "Entailer": "dragoman.entailment.entailer",
        "EntailerSettings": "dragoman.entailment.entailer",
        "EntailmentJudgement": "dragoman.entailment.entailer",
        "EntailmentPair": "dragoman.entailment.pairs",
        "LogicProof": "dragoman.entailment.natural_logic",
        "Markers": "dragoman.entailment.marker_lists",
        "WordRelations": "dragoman.entailment.word_relations",
        "annotate_pairs": "dragoman.entailment.pairs",
        "draw_proof": "dragoman.entailment.picture",
        "load_suite": "dragoman.entailment.suites",
        "mark": "dragoman.entailment.monotonicity",
        "read_pairs": "dragoman.entailment.pairs",
        "write_annotated": "dragoman.entailment.pairs",
    },
)
