"""Forest: the packed derivations that every decoder fills, and all that is read off them.

Decoders write nodes and edges; k-best lists, expectations, samples, consensus, oracles, forced derivations and pictures
are computed here, once for all of them. See `docs/concepts/forest.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.forest.derivation import Derivation, DerivationStep, feature_matrix
from dragoman.forest.forest import Forest, ForestBuilder, union
from dragoman.forest.graph import Edge, Node
from dragoman.forest.kbest_lists import KBestLists
from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.forest.inside import expected_features, gain_expectation, posteriors
    from dragoman.forest.intersect import Automaton, constrain
    from dragoman.forest.mbr import NgramExpectations, consensus, minimum_bayes_risk
    from dragoman.forest.oracle import bleu_oracle, sentence_bleu
    from dragoman.forest.store import read_forests, write_forests

__all__ = [
    "Automaton",
    "Derivation",
    "DerivationStep",
    "Edge",
    "Forest",
    "ForestBuilder",
    "KBestLists",
    "NgramExpectations",
    "Node",
    "bleu_oracle",
    "consensus",
    "constrain",
    "expected_features",
    "feature_matrix",
    "gain_expectation",
    "minimum_bayes_risk",
    "posteriors",
    "read_forests",
    "sentence_bleu",
    "union",
    "write_forests",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Automaton": "dragoman.forest.intersect",
        "NgramExpectations": "dragoman.forest.mbr",
        "bleu_oracle": "dragoman.forest.oracle",
        "consensus": "dragoman.forest.mbr",
        "constrain": "dragoman.forest.intersect",
        "expected_features": "dragoman.forest.inside",
        "gain_expectation": "dragoman.forest.inside",
        "minimum_bayes_risk": "dragoman.forest.mbr",
        "posteriors": "dragoman.forest.inside",
        "read_forests": "dragoman.forest.store",
        "sentence_bleu": "dragoman.forest.oracle",
        "write_forests": "dragoman.forest.store",
    },
)
