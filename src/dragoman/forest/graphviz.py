"""Forests as text for Graphviz, for those who have it."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.forest.draw import shown_score, spelt
from dragoman.forest.forest import Forest

__all__ = ["to_dot"]


def to_dot(forest: Forest) -> str:
    """Graphviz text: nodes are boxes, edges are notes between their tails and their head."""
    return "\n".join(["digraph forest {", "  rankdir=BT;", *_dot_lines(forest), "}", ""])


def _dot_lines(forest: Forest) -> Iterator[str]:
    best = set(forest.best().edges.tolist()) if forest else set()
    for node in range(forest.nodes):
        yield f"  n{node} [shape=box, style=rounded, label={_quoted(forest.node(node).label)}];"
    for number in range(forest.edges):
        edge = forest.edge(number)
        colour = ", color=red" if number in best else ""
        text = f"{spelt(edge.target)}\n{shown_score(edge.score)}"
        yield f"  e{number} [shape=note, label={_quoted(text)}{colour}];"
        yield f"  e{number} -> n{edge.head};"
        for index, tail in enumerate(edge.tails):
            yield f'  n{tail} -> e{number} [label="{index + 1}"];'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
