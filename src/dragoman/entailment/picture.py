"""The picture of an aligned pair: text above, hypothesis below, a line for each link, coloured by its reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dragoman.annotations.graphs import DependencyGraph
from dragoman.annotations.picture import arc_levels
from dragoman.drawing import Drawing, DrawnShape, Label, Line
from dragoman.entailment.graph_alignment import GraphAlignment

__all__ = ["draw_alignment"]

_LETTER, _GAP, _MARGIN, _LEVEL, _BETWEEN = 8.8, 26.0, 18.0, 24.0, 90.0
_COLOURS = {
    "same": "#2a6f97",
    "synonym": "#3a7d44",
    "antonym": "#9c2a2a",
    "number": "#9c2a2a",
    "coreference": "#6a4c93",
}
_OTHER, _ARC, _NONE = "#888888", "#b0b0b0", "#c26a00"


def draw_alignment(alignment: GraphAlignment) -> Drawing:
    """Both graphs and their links; words of the hypothesis that are aligned with nothing are orange."""
    upper, lower = alignment.text, alignment.hypothesis
    tops, bottoms = _middles(upper), _middles(lower)
    levels = [arc_levels([edge[:2] for edge in graph.edges]) for graph in (upper, lower)]
    top = _MARGIN + _LEVEL * (max(levels[0], default=0) + 1)
    bottom = top + _BETWEEN
    shapes = [*_edges(upper, tops, levels[0], top, -1.0), *_edges(lower, bottoms, levels[1], bottom, 1.0)]
    for node, place in sorted(alignment.links):
        relation = alignment.relation(node)
        colour = _COLOURS.get(relation.kind, _OTHER)
        shapes.append(Line(tops[place], top + 20, bottoms[node], bottom - 16, colour, 1.5))
        if relation.kind not in ("same", "none"):
            middle = (tops[place] + bottoms[node]) / 2
            shapes.append(Label(middle, (top + bottom) / 2 + 2, relation.kind, "middle", colour, 10.0))
    shapes += [Label(x, top + 14, word.word, "middle", size=14.0) for word, x in zip(upper, tops, strict=True)]
    for word, x in zip(lower, bottoms, strict=True):
        colour = "#000000" if alignment.place(word.index) is not None else _NONE
        shapes.append(Label(x, bottom, word.word, "middle", colour, 14.0))
    width = max(tops[-1] if tops else 0.0, bottoms[-1] if bottoms else 0.0) + 80
    height = bottom + _LEVEL * (max(levels[1], default=0) + 1) + _MARGIN
    words = " ".join(node.word for node in lower)
    return Drawing(width, height, tuple(shapes), f"Alignment of: {words}")


def _middles(graph: DependencyGraph) -> list[float]:
    middles, x = [], _MARGIN
    for node in graph:
        wide = max(len(node.word) * _LETTER, 26.0)
        middles.append(x + wide / 2)
        x += wide + _GAP
    return middles


def _edges(
    graph: DependencyGraph, middles: Sequence[float], levels: Sequence[int], y: float, way: float
) -> list[DrawnShape]:
    """Edges as brackets above (-1) or below (1) the words."""
    shapes: list[DrawnShape] = []
    base = y - 4 if way < 0 else y + 8
    for (up, down, label), level in zip(graph.edges, levels, strict=True):
        far = base + way * (level + 1) * _LEVEL * 0.8
        start, end = middles[up] + (6 if down > up else -6), middles[down]
        corners = [(start, base), (start, far), (end, far), (end, base)]
        shapes += [Line(*one, *other, _ARC) for one, other in pairwise(corners)]
        shapes.append(Label((start + end) / 2, far - 2, label, "middle", _OTHER, 9.0))
    return shapes
