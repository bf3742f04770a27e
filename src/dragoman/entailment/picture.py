"""The picture of an aligned pair: text above, hypothesis below, a line for each link, coloured by its reason.

With a proof, words carry the sign of their context where it is not upward, and the edits stand below, one a line.
"""

from __future__ import annotations

from dragoman.annotations.graph_picture import LEVEL, MARGIN, graph_edges, graph_middles
from dragoman.annotations.picture import arc_levels
from dragoman.drawing import Drawing, DrawnShape, Label, Line
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.monotonicity import mark
from dragoman.entailment.natural_logic import LogicProof

__all__ = ["draw_alignment", "draw_proof"]

_BETWEEN, _LINE = 90.0, 16.0
_COLOURS = {
    "same": "#2a6f97",
    "synonym": "#3a7d44",
    "paraphrase": "#3a7d44",
    "antonym": "#9c2a2a",
    "number": "#9c2a2a",
    "coreference": "#6a4c93",
}
_OTHER, _NONE = "#888888", "#c26a00"
_SIGNS = {-1: "−", 0: "○"}
"""Of words in a downward context, and in one that is neither."""


def draw_alignment(alignment: GraphAlignment) -> Drawing:
    """Both graphs and their links; words of the hypothesis that are aligned with nothing are orange."""
    upper, lower = alignment.text, alignment.hypothesis
    tops, bottoms = graph_middles(upper), graph_middles(lower)
    levels = [arc_levels([edge[:2] for edge in graph.edges]) for graph in (upper, lower)]
    top = _top(alignment)
    bottom = top + _BETWEEN
    shapes = [*graph_edges(upper, tops, levels[0], top, -1.0), *graph_edges(lower, bottoms, levels[1], bottom, 1.0)]
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
    height = bottom + LEVEL * (max(levels[1], default=0) + 1) + MARGIN
    words = " ".join(node.word for node in lower)
    return Drawing(width, height, tuple(shapes), f"Alignment of: {words}")


def draw_proof(alignment: GraphAlignment, proof: LogicProof, markers: Markers) -> Drawing:
    """The same with contexts and the steps of a proof."""
    plain = draw_alignment(alignment)
    top = _top(alignment)
    shapes: list[DrawnShape] = list(plain.shapes)
    for graph, y in ((alignment.text, top + 14), (alignment.hypothesis, top + _BETWEEN)):
        found = mark(graph, markers).marks
        for node, x in zip(graph, graph_middles(graph), strict=True):
            if found[node.index] in _SIGNS:
                half = 4.4 * len(node.word) + 5
                shapes.append(Label(x + half, y - 7, _SIGNS[found[node.index]], "middle", _COLOURS["antonym"], 12.0))
    lines = str(proof).splitlines()
    shapes += [Label(MARGIN, plain.height + at * _LINE, line, size=12.0) for at, line in enumerate(lines)]
    width = max(plain.width, MARGIN + 6.6 * max(map(len, lines)))
    return Drawing(width, plain.height + len(lines) * _LINE, tuple(shapes), f"{plain.title}; {lines[-1]}")


def _top(alignment: GraphAlignment) -> float:
    """Where the words of the text stand: below its edges."""
    return MARGIN + LEVEL * (max(arc_levels([edge[:2] for edge in alignment.text.edges]), default=0) + 1)
