"""Forests in files that people look at, and as text for Graphviz, for those who have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dragoman.drawing import save_svg
from dragoman.errors import SettingError
from dragoman.files import writing
from dragoman.forest.draw import shown_score, spelt
from dragoman.forest.forest import Forest
from dragoman.forest.store import write_forests

__all__ = ["save_graph", "to_dot"]


def save_graph(forest: Forest, path: Path, *, most_edges: int = 60) -> None:
    """Write a forest: Graphviz text (.dot), a drawing of the best of it (.svg), or all of it as JSON."""
    if path.suffix == ".json":
        write_forests(path, [forest])
    elif path.suffix == ".dot":
        with writing(path) as file:
            file.write(to_dot(forest))
    elif path.suffix == ".svg":
        save_svg(path, forest.svg(most_edges=most_edges))
    else:
        raise SettingError(f"a graph called {path.name}", remedy="name it .dot, .svg or .json")


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
