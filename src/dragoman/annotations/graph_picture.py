"""Pictures of dependency graphs: words in a row, edges as brackets, and where a pattern holds.

>>> from dragoman.annotations import Sentence
>>> from dragoman.annotations.patterns import Pattern
>>> made = Sentence.of(["Dogs", "bark"], pos=["NOUN", "VERB"], dependencies=([1, -1], ["nsubj", "root"]))
>>> graph = DependencyGraph.of([made])
>>> [found] = Pattern("{pos:VERB}=verb >nsubj {}=who").find(graph)
>>> draw_match(graph, found).svg()[:4]
'<svg'
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dragoman.annotations.graphs import DependencyGraph
from dragoman.annotations.patterns import PatternMatch
from dragoman.annotations.picture import arc_levels
from dragoman.drawing import Drawing, DrawnShape, Label, Line

__all__ = ["LEVEL", "MARGIN", "draw_match", "graph_edges", "graph_middles"]

MARGIN, LEVEL = 18.0, 24.0
_LETTER, _GAP = 8.8, 26.0
_ARC, _LABEL, _NAMED = "#b0b0b0", "#888888", "#9c2a2a"


def draw_match(graph: DependencyGraph, match: PatternMatch) -> Drawing:
    """A graph with the words that the names of a pattern stand for, coloured, their names below them."""
    middles, levels = graph_middles(graph), arc_levels([edge[:2] for edge in graph.edges])
    top = MARGIN + LEVEL * (max(levels, default=0) + 1)
    named: dict[int, list[str]] = {match.node.index: []}
    for name, node in match.names.items():
        named.setdefault(node.index, []).append(name)
    shapes = graph_edges(graph, middles, levels, top, -1.0)
    for node, x in zip(graph, middles, strict=True):
        colour = _NAMED if node.index in named else "#000000"
        shapes.append(Label(x, top + 14, node.word, "middle", colour, 14.0))
        shapes += [
            Label(x, top + 32 + 12 * at, f"={name}", "middle", _NAMED, 10.0)
            for at, name in enumerate(named.get(node.index, ()))
        ]
    deepest = max(map(len, named.values()))
    words = " ".join(node.word for node in graph)
    return Drawing(
        max(middles, default=0.0) + 80, top + 32 + 12 * deepest + MARGIN, tuple(shapes), f"Match in: {words}"
    )


def graph_middles(graph: DependencyGraph) -> list[float]:
    """Where each word of a row has its middle."""
    middles, x = [], MARGIN
    for node in graph:
        wide = max(len(node.word) * _LETTER, 26.0)
        middles.append(x + wide / 2)
        x += wide + _GAP
    return middles


def graph_edges(
    graph: DependencyGraph, middles: Sequence[float], levels: Sequence[int], y: float, way: float
) -> list[DrawnShape]:
    """Edges as brackets above (-1) or below (1) the words."""
    shapes: list[DrawnShape] = []
    base = y - 4 if way < 0 else y + 8
    for (up, down, label), level in zip(graph.edges, levels, strict=True):
        far = base + way * (level + 1) * LEVEL * 0.8
        start, end = middles[up] + (6 if down > up else -6), middles[down]
        corners = [(start, base), (start, far), (end, far), (end, base)]
        shapes += [Line(*one, *other, _ARC) for one, other in pairwise(corners)]
        shapes.append(Label((start + end) / 2, far - 2, label, "middle", _LABEL, 9.0))
    return shapes
