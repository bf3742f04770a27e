"""Language models: n-gram models estimated from text or counts, stored, queried, bounded and mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names
from dragoman.lm.bounds import Bounds
from dragoman.lm.classes import ClassMap, train_classes
from dragoman.lm.estimate import Estimate, estimate, estimate_from_counts
from dragoman.lm.interpolate import Mixture, fit_weights, interpolate
from dragoman.lm.model import NgramModel, Ngrams, Perplexity, TokenScore, read_arpa, write_arpa

if TYPE_CHECKING:
    from dragoman.lm.deep_syntax import DeepSyntaxModel
    from dragoman.lm.tree_events import TreeEvents

__all__ = [
    "Bounds",
    "ClassMap",
    "DeepSyntaxModel",
    "Estimate",
    "Mixture",
    "NgramModel",
    "Ngrams",
    "Perplexity",
    "TokenScore",
    "TreeEvents",
    "estimate",
    "estimate_from_counts",
    "fit_weights",
    "interpolate",
    "read_arpa",
    "train_classes",
    "write_arpa",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DeepSyntaxModel": "dragoman.lm.deep_syntax",
        "TreeEvents": "dragoman.lm.tree_events",
    },
)
