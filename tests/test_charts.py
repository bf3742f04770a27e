"""Charts hold every point they are given, inside the drawing and in order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.charts import forest_plot, heat_map, line_plot, scale, scatter_plot, ticks
from dragoman.drawing import Box, Dot, Drawing, Label, Line

FIGURES = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


def dots(drawing: Drawing) -> list[Dot]:
    return [shape for shape in drawing.shapes if isinstance(shape, Dot)]


def labels(drawing: Drawing) -> list[str]:
    return [shape.text for shape in drawing.shapes if isinstance(shape, Label)]


@given(FIGURES, FIGURES)
def test_ticks_are_few_round_and_inside(low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    near = 1e-9 * (max(abs(low), abs(high), 1))
    for whole in (False, True):
        found = ticks(low, high, whole=whole)
        assert len(found) <= 7
        assert all(low - near <= value <= high + near for value in found)
        assert not whole or all(value == round(value) for value in found)


def test_scale_ends_where_the_line_ends() -> None:
    place = scale(2, 4, 100, -50)
    assert [place(2), place(3), place(4)] == [100, 75, 50]
    assert scale(1, 1, 10, 5)(1) == 10


def test_intervals_without_end_reach_the_edge() -> None:
    rows = [("A", -math.inf, 1.0, math.inf), ("B", 0.5, 2.0, 4.0)]
    drawn = forest_plot(rows, title="t", rules={1}, figure="+.1f")
    heavy = [shape for shape in drawn.shapes if isinstance(shape, Line) and shape.width == 2]
    assert heavy[0].x1 < heavy[1].x1 < heavy[1].x2 == heavy[0].x2
    assert [one.note for one in dots(drawn)] == ["+1.0 [-inf, +inf]", "+2.0 [+0.5, +4.0]"]
    dashed = [shape for shape in drawn.shapes if isinstance(shape, Line) and shape.dashed]
    assert len(dashed) == 2  # zero, and the rule above B
    assert dots(drawn)[0].fill != dots(drawn)[1].fill


def test_a_forest_without_zero_fills_its_width() -> None:
    drawn = forest_plot([("A", 20, 20, 20), ("B", 24, 24, 24)], title="t", zero=False, figure=".1f", sure=[True, True])
    first, last = dots(drawn)
    assert last.x - first.x == pytest.approx(380)
    assert first.note == "20.0"


def test_lines_leave_out_what_is_not_finite_and_mark_whole_numbers() -> None:
    lines: dict[str, list[tuple[float, float]]] = {"dev": [(0, 20.0), (2, 22.0), (1, math.nan)], "": [(1.0, 21.0)]}
    drawn = line_plot(lines, title="t", x_name="iteration", y_name="BLEU", zero=False, ring=(2, 22.0))
    *points, ring, legend = dots(drawn)
    assert [one.note for one in points] == ["dev: 20", "dev: 22", "21"]
    assert ring.hollow
    assert (ring.x, ring.y) == (points[1].x, points[1].y)
    assert legend.fill == points[0].fill
    assert {"0", "1", "2"} <= set(labels(drawn))
    assert "0.5" not in labels(drawn)
    assert line_plot({"": []}, title="t", x_name="x", y_name="y").svg()


@pytest.mark.slow
@given(st.lists(st.tuples(FIGURES, FIGURES, st.just("note")), max_size=5), st.booleans())
def test_points_lie_inside(points: list[tuple[float, float, str]], zero: bool) -> None:
    drawn = scatter_plot({"kept": points, "dropped": []}, title="t", x_name="x", y_name="y", zero=zero, diagonal=True)
    assert len(dots(drawn)) == len(points) + 1
    for one in dots(drawn):
        assert 0 <= one.x <= drawn.width
        assert 0 <= one.y <= drawn.height


def test_the_second_group_is_crossed() -> None:
    drawn = scatter_plot({"kept": [(1, 1, "a")], "dropped": [(2, 3, "b")]}, title="t", x_name="x", y_name="y")
    assert [shape.note for shape in drawn.shapes if isinstance(shape, Line) and shape.note] == ["b", "b"]
    assert {"kept", "dropped"} <= set(labels(drawn))


def test_lines_of_one_colour_differ() -> None:
    drawn = line_plot({str(k): [(0, k), (1, k)] for k in range(9)}, title="t", x_name="x", y_name="y")
    heavy = [shape for shape in drawn.shapes if isinstance(shape, Line) and shape.width == 2]
    assert len(heavy) == 18  # each, and in the legend
    looks = [(one.colour, one.dashed) for one in heavy[:9]]
    assert len(set(looks)) == 9
    assert looks == [(one.colour, one.dashed) for one in heavy[9:]]


def test_a_heat_map_shades_each_column_from_worst_to_best() -> None:
    rows = [("A", [30.0, 50.0]), ("B", [35.0, 60.0]), ("C", [32.5, math.nan])]
    drawn = heat_map(rows, ["bleu", "ter"], title="systems", lower_is_better=["ter"], rules=[1])
    fills = {box.note: box.fill for box in drawn.shapes if isinstance(box, Box)}
    assert fills["A, bleu"] == fills["B, ter"] == "#ffffff"
    assert fills["B, bleu"] == fills["A, ter"] == "#1f6f8b"
    assert "C, ter" not in fills
    assert {"60.00", "-"} <= set(labels(drawn))
    same = heat_map([("A", [1.0]), ("B", [1.0])], ["x"], title="")
    assert {box.fill for box in same.shapes if isinstance(box, Box)} == {"#ffffff"}
