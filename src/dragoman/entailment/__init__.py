"""Entailment: whether a hypothesis follows from a text, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.entailment.both_directions import BothDirections, judge_both
    from dragoman.entailment.cross_lingual import (
        CrossLingualModel,
        CrossLingualPair,
        read_cross_lingual,
        shortened_pairs,
        write_cross_lingual,
    )
    from dragoman.entailment.entailer import Entailer, EntailerSettings
    from dragoman.entailment.judgement import EntailmentJudgement
    from dragoman.entailment.marker_lists import Markers
    from dragoman.entailment.monotonicity import mark
    from dragoman.entailment.natural_logic import LogicProof
    from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair, annotate_pairs, read_pairs, write_annotated
    from dragoman.entailment.picture import draw_proof
    from dragoman.entailment.suites import load_suite
    from dragoman.entailment.unaligned_words import CrossLingualEntailer, CrossLingualJudgement
    from dragoman.entailment.word_relations import WordRelations

__all__ = [
    "AnnotatedPair",
    "BothDirections",
    "CrossLingualEntailer",
    "CrossLingualJudgement",
    "CrossLingualModel",
    "CrossLingualPair",
    "Entailer",
    "EntailerSettings",
    "EntailmentJudgement",
    "EntailmentPair",
    "LogicProof",
    "Markers",
    "WordRelations",
    "annotate_pairs",
    "draw_proof",
    "judge_both",
    "load_suite",
    "mark",
    "read_cross_lingual",
    "read_pairs",
    "shortened_pairs",
    "write_annotated",
    "write_cross_lingual",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AnnotatedPair": "dragoman.entailment.pairs",
        "BothDirections": "dragoman.entailment.both_directions",
        "CrossLingualEntailer": "dragoman.entailment.unaligned_words",
        "CrossLingualJudgement": "dragoman.entailment.unaligned_words",
        "CrossLingualModel": "dragoman.entailment.cross_lingual",
        "CrossLingualPair": "dragoman.entailment.cross_lingual",
        "Entailer": "dragoman.entailment.entailer",
        "EntailerSettings": "dragoman.entailment.entailer",
        "EntailmentJudgement": "dragoman.entailment.judgement",
        "EntailmentPair": "dragoman.entailment.pairs",
        "LogicProof": "dragoman.entailment.natural_logic",
        "Markers": "dragoman.entailment.marker_lists",
        "WordRelations": "dragoman.entailment.word_relations",
        "annotate_pairs": "dragoman.entailment.pairs",
        "draw_proof": "dragoman.entailment.picture",
        "judge_both": "dragoman.entailment.both_directions",
        "load_suite": "dragoman.entailment.suites",
        "mark": "dragoman.entailment.monotonicity",
        "read_cross_lingual": "dragoman.entailment.cross_lingual",
        "read_pairs": "dragoman.entailment.pairs",
        "shortened_pairs": "dragoman.entailment.cross_lingual",
        "write_annotated": "dragoman.entailment.pairs",
        "write_cross_lingual": "dragoman.entailment.cross_lingual",
    },
)
