"""Forest: the packed derivations that every decoder fills, and all that is read off them.

Decoders write nodes and edges; k-best lists, expectations, samples, consensus, oracles, forced derivations and pictures
are computed here, once for all of them. See `docs/concepts/forest.md`.
"""

from dragoman.forest.derivation import Derivation, DerivationStep, feature_matrix
from dragoman.forest.forest import Forest, ForestBuilder, union
from dragoman.forest.graph import Edge, Node
from dragoman.forest.kbest_lists import KBestLists

__all__ = [
    "Derivation",
    "DerivationStep",
    "Edge",
    "Forest",
    "ForestBuilder",
    "KBestLists",
    "Node",
    "feature_matrix",
    "union",
]
