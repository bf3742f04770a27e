"""Pictures of forests and derivations: SVG drawn here, without other programs.

Nodes are rounded boxes with their source span, edges are boxes with the words that they write; a line runs from each
tail through the edge to its head. Charts are drawn with the goal on top, lattices (no edge with two tails) from left to
right. Edges of the best derivation are outlined, and the more probable an edge is, the darker it is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from unicodedata import east_asian_width

from dragoman.forest.layout import GraphBox, GraphLayout, layered

__all__ = ["DrawnEdge", "empty_svg", "graph_svg", "shown_score", "spelt"]

_STYLE = """\
text{font:13px sans-serif;text-anchor:middle;dominant-baseline:central;fill:#1b2a41}\
.node rect{fill:#fff;stroke:#5c6b7a}.node text{font-size:11px;fill:#445}\
.edge rect{fill:#8fb8de;stroke:none}.best rect{stroke:#c1440e;stroke-width:2}\
.score{font-size:10px;fill:#445}path{fill:none;stroke:#8a97a5}path.best{stroke:#c1440e;stroke-width:1.6}\
.note{font-size:11px;fill:#667;text-anchor:start}"""

_MARGIN = 12.0


class DrawnEdge(NamedTuple):
    """One edge as it is drawn."""

    head: int
    tails: tuple[int, ...]
    text: str
    score: float
    probability: float = 1.0
    best: bool = False
    """Whether it is part of the best derivation."""


def empty_svg(note: str) -> str:
    """A picture that says why there is nothing to see."""
    return _svg([], 260, 24, note)


def spelt(target: Sequence[str | int]) -> str:
    """Words and, by number, what stands between them."""
    return " ".join(f"[{symbol + 1}]" if isinstance(symbol, int) else symbol for symbol in target) or "ε"


def shown_score(value: float) -> str:
    """Four digits, and no negative zero."""
    return f"{value + 0.0:.4g}"


def graph_svg(nodes: Sequence[str], edges: Sequence[DrawnEdge], note: str) -> str:
    """Nodes by their labels, in topological order; an edge sits in the layer below its head."""
    lattice = all(len(tails) < 2 for _, tails, *_ in edges)
    heights = [0] * len(nodes)
    for head, tails, *_ in edges:
        heights[head] = max([heights[head], *(heights[tail] + 2 for tail in tails), 1])
    top = max(heights, default=0)

    def box(height: int, width: float, thickness: float) -> GraphBox:
        return GraphBox(height, thickness, width) if lattice else GraphBox(top - height, width, thickness)

    boxes = [box(heights[number], _width(text, 6.5) + 14, 20.0) for number, text in enumerate(nodes)]
    boxes += [box(heights[head] - 1, max(_width(text, 7.5), 20) + 16, 34.0) for head, _, text, *_ in edges]
    lines: list[tuple[int, int]] = []
    on_best: list[bool] = []
    for number, (head, tails, *_, best) in enumerate(edges):
        ends = [(len(nodes) + number, head), *((tail, len(nodes) + number) for tail in tails)]
        lines += ends if lattice else [(b, a) for a, b in ends]
        on_best += [best] * len(ends)
    picture = layered(boxes, lines)
    parts = []
    for line, best in zip(picture.lines, on_best, strict=True):
        route = _route(picture, line.start, line.end, line.bends)
        points = [(across, along) if lattice else (along, across) for along, across in route]
        mark = ' class="best"' if best else ""
        parts.append(f'<path{mark} d="{_curve(points, lattice)}"/>')
    for number, text in enumerate(nodes):
        x, y, width, height = _rectangle(picture.boxes[number], lattice)
        parts.append(
            f'<g class="node"><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="9"/>'
            f'<text x="{x + width / 2:.1f}" y="{y + height / 2:.1f}">{escape(text)}</text></g>'
        )
    for number, (_, _, text, score, probability, best) in enumerate(edges):
        x, y, width, height = _rectangle(picture.boxes[len(nodes) + number], lattice)
        mark = "edge best" if best else "edge"
        parts.append(
            f'<g class="{mark}">'
            f"<title>{escape(text)}, score {shown_score(score)}, probability {probability:.3g}</title>"
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3" '
            f'fill-opacity="{0.15 + 0.6 * min(probability, 1.0):.2f}"/>'
            f'<text x="{x + width / 2:.1f}" y="{y + 12:.1f}">{escape(text)}</text>'
            f'<text class="score" x="{x + width / 2:.1f}" y="{y + height - 8:.1f}">{shown_score(score)}</text></g>'
        )
    width, height = (picture.across, picture.along) if lattice else (picture.along, picture.across)
    return _svg(parts, width, height, note)


def _svg(parts: Sequence[str], width: float, height: float, note: str) -> str:
    foot = 18.0 if note else 0.0
    width, height = max(width, _width(note, 6.2)) + 2 * _MARGIN, height + 2 * _MARGIN + foot
    caption = f'<text class="note" x="0" y="{height - 2 * _MARGIN - foot / 2 + 4:.1f}">{escape(note)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" style="max-width:100%;height:auto;background:#fff"><style>{_STYLE}</style>'
        f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">{"".join(parts)}{caption if note else ""}</g></svg>'
    )


def _route(picture: GraphLayout, start: int, end: int, bends: list[tuple[float, float]]) -> list[tuple[float, float]]:
    first, last = picture.boxes[start], picture.boxes[end]
    return [
        (first.position, first.depth + first.across / 2),
        *bends,
        (last.position, last.depth - last.across / 2),
    ]


def _curve(points: Sequence[tuple[float, float]], lattice: bool) -> str:
    """A smooth line that leaves and enters each point along the direction of the layers."""
    (x, y), *rest = points
    path = f"M{x:.1f} {y:.1f}"
    for next_x, next_y in rest:
        if lattice:
            middle = (x + next_x) / 2
            path += f"C{middle:.1f} {y:.1f} {middle:.1f} {next_y:.1f} {next_x:.1f} {next_y:.1f}"
        else:
            middle = (y + next_y) / 2
            path += f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}"
        x, y = next_x, next_y
    return path


def _rectangle(box: GraphBox, lattice: bool) -> tuple[float, float, float, float]:
    along, across = box.position - box.along / 2, box.depth - box.across / 2
    return (across, along, box.across, box.along) if lattice else (along, across, box.along, box.across)


def _width(text: str, letter: float) -> float:
    return letter * sum(1.8 if east_asian_width(c) in "WF" else 1.0 for c in text)
