"""Drawings say the same in SVG and in TikZ, and escape what comes from outside."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from dragoman.drawing import Box, Dot, Drawing, DrawnShape, Label, Line, beside

SHAPES: dict[str, tuple[DrawnShape, str, str]] = {
    "line": (Line(1, 2, 3, 4, dashed=True), "stroke-dasharray", "dashed] (1.0,2.0) -- (3.0,4.0);"),
    "box": (Box(1, 2, 3, 4, "#ff0000"), 'width="3.0" height="4.0"', "rectangle (4.0,6.0);"),
    "dot": (Dot(1, 2, 3), 'r="3" fill="#222222"', r"\fill["),
    "ring": (Dot(1, 2, 3, hollow=True), 'fill="none" stroke="#222222"', r"\draw["),
    "label": (Label(1, 2, "a < b_1", upright=True), "a &lt; b_1", r"a \textless{} b\_1"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_in_both_formats(name: str) -> None:
    shape, svg, tikz = SHAPES[name]
    drawing = Drawing(10, 10, (shape,), "a & b")
    assert ElementTree.fromstring(drawing.svg()).get("aria-label") == "a & b"
    assert svg in drawing.svg()
    assert tikz in drawing.tikz()


@pytest.mark.parametrize("shape", [Line(0, 0, 1, 1, note="<x>"), Dot(0, 0, note="<x>"), Box(0, 0, 1, 1, "#fff", "<x>")])
def test_notes_are_escaped(shape: DrawnShape) -> None:
    assert "<title>&lt;x&gt;</title>" in Drawing(10, 10, (shape,), "").svg()


def test_drawings_side_by_side() -> None:
    small, big = Drawing(10, 20, (Line(1, 2, 3, 4), Dot(5, 6)), "small"), Drawing(30, 10, (Dot(7, 8),), "big")
    both = beside(small, big, title="both")
    assert (both.width, both.height) == (40, 20)
    assert both.shapes == (*small.shapes, Dot(17, 8))
    assert beside(big, small, title="").shapes[1] == Line(31, 2, 33, 4)
