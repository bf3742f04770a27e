"""Language models: n-gram models estimated from text or counts, stored, queried, bounded and mixed."""

from dragoman.lm.bounds import Bounds
from dragoman.lm.classes import ClassMap, train_classes
from dragoman.lm.estimate import Estimate, estimate, estimate_from_counts
from dragoman.lm.interpolate import Mixture, fit_weights, interpolate
from dragoman.lm.model import NgramModel, Ngrams, Perplexity, TokenScore, read_arpa, write_arpa

__all__ = [
    "Bounds",
    "ClassMap",
    "Estimate",
    "Mixture",
    "NgramModel",
    "Ngrams",
    "Perplexity",
    "TokenScore",
    "estimate",
    "estimate_from_counts",
    "fit_weights",
    "interpolate",
    "read_arpa",
    "train_classes",
    "write_arpa",
]
