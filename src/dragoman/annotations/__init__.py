"""Annotations: one annotated-sentence type for every kind of linguistic analysis, with its readers and writers."""

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

__all__ = [
    "LAYERS",
    "Argument",
    "Chain",
    "Constituent",
    "Dependencies",
    "EmptyNode",
    "Frame",
    "Layers",
    "MissingLayer",
    "Morphology",
    "Multiword",
    "Sentence",
    "Span",
    "Token",
    "Trace",
]
