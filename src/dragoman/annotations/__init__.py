"""Annotations: one annotated-sentence type for every kind of linguistic analysis, with its readers and writers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.annotations.layers import (
    Argument,
    Chain,
    Constituent,
    Dependencies,
    EmptyNode,
    Frame,
    Layers,
    Morphology,
    Multiword,
    Span,
    Trace,
)
from dragoman.annotations.sentence import LAYERS, MissingLayer, Sentence, Token
from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.annotations.fstructure import FStructure
    from dragoman.annotations.function_guesser import FunctionGuesser
    from dragoman.annotations.functions import broken_at, cases
    from dragoman.annotations.graph_picture import draw_match
    from dragoman.annotations.graphs import COLLAPSED, DependencyGraph
    from dragoman.annotations.offsets import locate_loosely, transfer
    from dragoman.annotations.patterns import Pattern
    from dragoman.annotations.predicates import PredicateGraph, PredicateTree
    from dragoman.annotations.projection import project
    from dragoman.annotations.shallow_trees import relaxed, shallow_tree

__all__ = [
    "COLLAPSED",
    "LAYERS",
    "Argument",
    "Chain",
    "Constituent",
    "Dependencies",
    "DependencyGraph",
    "EmptyNode",
    "FStructure",
    "Frame",
    "FunctionGuesser",
    "Layers",
    "MissingLayer",
    "Morphology",
    "Multiword",
    "Pattern",
    "PredicateGraph",
    "PredicateTree",
    "Sentence",
    "Span",
    "Token",
    "Trace",
    "broken_at",
    "cases",
    "draw_match",
    "locate_loosely",
    "project",
    "relaxed",
    "shallow_tree",
    "transfer",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "COLLAPSED": "dragoman.annotations.graphs",
        "DependencyGraph": "dragoman.annotations.graphs",
        "FStructure": "dragoman.annotations.fstructure",
        "FunctionGuesser": "dragoman.annotations.function_guesser",
        "Pattern": "dragoman.annotations.patterns",
        "PredicateGraph": "dragoman.annotations.predicates",
        "PredicateTree": "dragoman.annotations.predicates",
        "broken_at": "dragoman.annotations.functions",
        "cases": "dragoman.annotations.functions",
        "draw_match": "dragoman.annotations.graph_picture",
        "locate_loosely": "dragoman.annotations.offsets",
        "project": "dragoman.annotations.projection",
        "relaxed": "dragoman.annotations.shallow_trees",
        "shallow_tree": "dragoman.annotations.shallow_trees",
        "transfer": "dragoman.annotations.offsets",
    },
)
