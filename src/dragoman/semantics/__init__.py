"""Meaning: what words and phrases have in common beyond their spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.semantics.concepts import ConceptMatrix
    from dragoman.semantics.cooccurrence import ContextCounts
    from dragoman.semantics.distributional import Paraphraser
    from dragoman.semantics.graph import Graph, build_graph
    from dragoman.semantics.oov import find_unknown_words, graph_translations
    from dragoman.semantics.pivot import PivotModel, PivotResult
    from dragoman.semantics.profiles import Profiles
    from dragoman.semantics.propagation import propagate
    from dragoman.semantics.thesaurus import Thesaurus
    from dragoman.semantics.transliteration import Transliterator
    from dragoman.semantics.wordnet import WordNet
    from dragoman.semantics.wordnet_measures import WordNetMeasures

__all__ = [
    "ConceptMatrix",
    "ContextCounts",
    "Graph",
    "Paraphraser",
    "PivotModel",
    "PivotResult",
    "Profiles",
    "Thesaurus",
    "Transliterator",
    "WordNet",
    "WordNetMeasures",
    "build_graph",
    "find_unknown_words",
    "graph_translations",
    "propagate",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ConceptMatrix": "dragoman.semantics.concepts",
        "ContextCounts": "dragoman.semantics.cooccurrence",
        "Graph": "dragoman.semantics.graph",
        "Paraphraser": "dragoman.semantics.distributional",
        "PivotModel": "dragoman.semantics.pivot",
        "PivotResult": "dragoman.semantics.pivot",
        "Profiles": "dragoman.semantics.profiles",
        "Thesaurus": "dragoman.semantics.thesaurus",
        "Transliterator": "dragoman.semantics.transliteration",
        "WordNet": "dragoman.semantics.wordnet",
        "WordNetMeasures": "dragoman.semantics.wordnet_measures",
        "build_graph": "dragoman.semantics.graph",
        "find_unknown_words": "dragoman.semantics.oov",
        "graph_translations": "dragoman.semantics.oov",
        "propagate": "dragoman.semantics.propagation",
    },
)
