"""Similarity of texts with reasons: scorers of pairs, the data of the shared tasks, and near-duplicates.

A scorer (`SCORERS`, `get_scorer`) takes pairs and gives scores from 0 to 1 and reasons; some learn from what people
gave. How well they do is measured in `dragoman.evaluation.similarity_runs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.similarity.base import SCORERS, PairScorer, annotate_pairs, get_scorer, open_scorer
    from dragoman.similarity.pairs import PairSet, TextPair, read_pair_set, read_task, read_texts
    from dragoman.similarity.reasons import PairReasons, reasons_page

__all__ = [
    "SCORERS",
    "PairReasons",
    "PairScorer",
    "PairSet",
    "TextPair",
    "annotate_pairs",
    "get_scorer",
    "open_scorer",
    "read_pair_set",
    "read_task",
    "read_texts",
    "reasons_page",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "SCORERS": "dragoman.similarity.base",
        "PairScorer": "dragoman.similarity.base",
        "PairSet": "dragoman.similarity.pairs",
        "PairReasons": "dragoman.similarity.reasons",
        "TextPair": "dragoman.similarity.pairs",
        "annotate_pairs": "dragoman.similarity.base",
        "get_scorer": "dragoman.similarity.base",
        "open_scorer": "dragoman.similarity.base",
        "read_pair_set": "dragoman.similarity.pairs",
        "read_task": "dragoman.similarity.pairs",
        "read_texts": "dragoman.similarity.pairs",
        "reasons_page": "dragoman.similarity.reasons",
    },
)
