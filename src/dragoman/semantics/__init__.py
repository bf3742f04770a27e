"""Meaning: what words and phrases have in common beyond their spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
    from dragoman.semantics.cooccurrence import ContextCounts, ContextSpace
    from dragoman.semantics.distributional import Paraphraser
    from dragoman.semantics.embeddings import VectorSettings, train_vectors
    from dragoman.semantics.graph import Graph, build_graph
    from dragoman.semantics.mutual_information import MutualInformation
    from dragoman.semantics.oov import find_unknown_words, graph_translations
    from dragoman.semantics.phrase_similarity import PhraseVectors
    from dragoman.semantics.pivot import PivotModel, PivotResult
    from dragoman.semantics.profiles import Profiles
    from dragoman.semantics.propagation import propagate
    from dragoman.semantics.substitution import ContextSubstitution, DecodedSubstitution
    from dragoman.semantics.substitution_files import Instance
    from dragoman.semantics.substitution_scoring import score_answers
    from dragoman.semantics.thesaurus import Thesaurus
    from dragoman.semantics.translation_counts import TranslationCounts
    from dragoman.semantics.transliteration import Transliterator
    from dragoman.semantics.vectors import WordVectors
    from dragoman.semantics.wordnet import WordNet
    from dragoman.semantics.wordnet_measures import WordNetMeasures

__all__ = [
    "ConceptMatrix",
    "ContextCounts",
    "ContextSpace",
    "ContextSubstitution",
    "DecodedSubstitution",
    "Graph",
    "Instance",
    "MutualInformation",
    "Paraphraser",
    "PhraseVectors",
    "PivotModel",
    "PivotResult",
    "Profiles",
    "SenseProfiles",
    "Thesaurus",
    "TranslationCounts",
    "Transliterator",
    "VectorSettings",
    "WordNet",
    "WordNetMeasures",
    "WordVectors",
    "build_graph",
    "find_unknown_words",
    "graph_translations",
    "propagate",
    "score_answers",
    "train_vectors",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ConceptMatrix": "dragoman.semantics.concepts",
        "ContextCounts": "dragoman.semantics.cooccurrence",
        "ContextSpace": "dragoman.semantics.cooccurrence",
        "ContextSubstitution": "dragoman.semantics.substitution",
        "DecodedSubstitution": "dragoman.semantics.substitution",
        "Graph": "dragoman.semantics.graph",
        "Instance": "dragoman.semantics.substitution_files",
        "MutualInformation": "dragoman.semantics.mutual_information",
        "Paraphraser": "dragoman.semantics.distributional",
        "PhraseVectors": "dragoman.semantics.phrase_similarity",
        "PivotModel": "dragoman.semantics.pivot",
        "PivotResult": "dragoman.semantics.pivot",
        "Profiles": "dragoman.semantics.profiles",
        "SenseProfiles": "dragoman.semantics.concepts",
        "Thesaurus": "dragoman.semantics.thesaurus",
        "TranslationCounts": "dragoman.semantics.translation_counts",
        "Transliterator": "dragoman.semantics.transliteration",
        "VectorSettings": "dragoman.semantics.embeddings",
        "WordNet": "dragoman.semantics.wordnet",
        "WordNetMeasures": "dragoman.semantics.wordnet_measures",
        "WordVectors": "dragoman.semantics.vectors",
        "build_graph": "dragoman.semantics.graph",
        "find_unknown_words": "dragoman.semantics.oov",
        "graph_translations": "dragoman.semantics.oov",
        "propagate": "dragoman.semantics.propagation",
        "score_answers": "dragoman.semantics.substitution_scoring",
        "train_vectors": "dragoman.semantics.embeddings",
    },
)
