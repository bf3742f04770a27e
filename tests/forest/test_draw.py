from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.forest import Forest, ForestBuilder
from dragoman.forest.graphviz import to_dot
from dragoman.forest.layout import GraphBox, layered
from tests.forest.test_forest import chain
from tests.strategies import small_forests

DOCS = Path(__file__).parents[2] / "docs" / "concepts"
SVG = "{http://www.w3.org/2000/svg}"


def boxes_and_texts(svg: str) -> tuple[list[tuple[float, float, float, float]], list[str]]:
    root = ElementTree.fromstring(svg)
    boxes = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height")) for rect in root.iter(f"{SVG}rect")
    ]
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(x >= -0.1 and y >= -0.1 and x + w <= width and y + h <= height for x, y, w, h in boxes)
    return boxes, [text.text or "" for text in root.iter(f"{SVG}text")]  # type: ignore[return-value]


def overlapping(boxes: list[tuple[float, float, float, float]]) -> bool:
    return any(
        a[0] < b[0] + b[2] - 0.2 and b[0] < a[0] + a[2] - 0.2 and a[1] < b[1] + b[3] - 0.2 and b[1] < a[1] + a[3] - 0.2
        for number, a in enumerate(boxes)
        for b in boxes[:number]
    )


@pytest.mark.slow
@given(small_forests(max_derivations=100))
def test_every_node_and_edge_is_drawn_and_nothing_overlaps(forest: Forest) -> None:
    boxes, texts = boxes_and_texts(forest.svg())
    assert len(boxes) == forest.nodes + forest.edges
    assert not overlapping(boxes)
    for number in range(forest.edges):
        words = [f"[{s + 1}]" if isinstance(s, int) else s for s in forest.edge(number).target]
        assert (" ".join(words) or "ε") in texts
    if forest:
        best = forest.best()
        boxes, texts = boxes_and_texts(best.svg())
        assert len(boxes) == 2 * len(best.edges)
        assert not overlapping(boxes)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.data())
def test_layers_are_kept(layers: list[int], data: st.DataObject) -> None:
    boxes = [GraphBox(layer, data.draw(st.floats(5, 80)), 10.0) for layer in layers]
    numbers = st.integers(0, len(boxes) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers)))
    lines = [(a, b) for a, b in pairs if layers[a] < layers[b]]
    picture = layered(boxes, lines, gap=7.0)
    for layer in set(layers):
        row = sorted((b for b in picture.boxes if b.layer == layer), key=lambda b: b.position)
        assert len({b.depth for b in row}) == 1
        for left, right in pairwise(row):
            assert right.position - left.position >= (left.along + right.along) / 2 + 7.0 - 1e-6
    for line in picture.lines:
        depths = [picture.boxes[line.start].depth, *(d for _, d in line.bends), picture.boxes[line.end].depth]
        assert depths == sorted(depths)
        assert len(line.bends) == layers[line.end] - layers[line.start] - 1


def test_lattices_run_from_left_to_right() -> None:
    boxes, _ = boxes_and_texts(chain(4).svg())
    nodes = boxes[:5]
    assert [x for x, *_ in nodes] == sorted(x for x, *_ in nodes)
    assert nodes[-1][0] > 300


def test_large_forests_are_cut_down_to_the_best() -> None:
    boxes, texts = boxes_and_texts(chain(100).svg(most_edges=150, title="many"))
    assert len(boxes) < 101 + 150 + 1
    assert re.fullmatch(r"many \(\d+ of 201 edges, those of the best derivations\)", texts[-1])


def test_text_is_escaped() -> None:
    build = ForestBuilder("<script>")
    goal = build.add_node(0, 1)
    build.add_edge(goal, '<b> & "quotes" \\ 日本語', span=(0, 1))
    forest = build.finish(goal)
    _, texts = boxes_and_texts(forest.svg())
    assert '<b> & "quotes" \\ 日本語' in texts
    _, texts = boxes_and_texts(forest.best().svg(title="a < b"))
    assert texts[-1] == "a < b"
    assert '"quotes"' not in to_dot(forest)
    assert '<b> & \\"quotes\\" \\\\ 日本語\\n0' in to_dot(forest)


def test_graphviz_text() -> None:
    build = ForestBuilder()
    part, goal = build.add_node(0, 1), build.add_node(0, 2)
    build.add_edge(part, "a", score=-0.5)
    build.add_edge(goal, [1, "b", 0], [part, part])
    assert to_dot(build.finish(goal)).splitlines() == [
        "digraph forest {",
        "  rankdir=BT;",
        '  n0 [shape=box, style=rounded, label="0–1"];',
        '  n1 [shape=box, style=rounded, label="0–2"];',
        '  e0 [shape=note, label="a\\n-0.5", color=red];',
        "  e0 -> n0;",
        '  e1 [shape=note, label="[2] b [1]\\n0", color=red];',
        "  e1 -> n1;",
        '  n0 -> e1 [label="1"];',
        '  n0 -> e1 [label="2"];',
        "}",
    ]


def test_the_picture_in_the_docs_is_up_to_date() -> None:
    page = (DOCS / "forest.md").read_text("utf-8")
    script = page.split("```python\n")[1].split("```")[0].replace("write_forests(", "keep(")
    kept: list[Forest] = []
    exec(script, {"keep": lambda _, forests: kept.extend(forests)})
    assert (DOCS / "forest.svg").read_text("utf-8") == kept[0].svg() + "\n", "write it again"


def test_things_show_themselves_in_notebooks() -> None:
    forest = chain(2)
    assert forest._repr_html_().startswith("<svg")
    assert forest.best()._repr_html_().startswith("<svg")
