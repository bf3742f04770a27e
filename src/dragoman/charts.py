"""Charts that rooms share: intervals in rows, lines or points in a plane with round marks on their axes, heat maps.

What a room draws differs in what it says, not in how an axis looks. Values that are not finite are drawn at the edge
(ends of intervals) or left out (points of lines).

    >>> chart = line_plot({"dev": [(0, 20.1), (1, 22.4)]}, title="BLEU", x_name="iteration", y_name="BLEU", zero=False)
    >>> chart.svg().count("<circle")
    3
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from dragoman.drawing import RULE, Box, Dot, Drawing, DrawnShape, Label, Line

__all__ = ["Plane", "axis", "cross", "forest_plot", "heat_map", "line_plot", "scale", "scatter_plot", "ticks", "wide"]

SURE, UNSURE, FAINT = "#1f6f8b", "#999999", "#e8e8e8"
COLOURS = (SURE, "#c0532b", "#5b8c2a", "#7a4fa3", "#b08900", "#3d405b", "#8a3033", "#457b9d")
CHARACTER = 6.6
"""Width of a character of 12 pixels, about."""

Mark = Callable[[float, float], Sequence[DrawnShape]]
"""What is drawn at a place of a drawing."""


def forest_plot(
    rows: Sequence[tuple[str, float, float, float]],
    *,
    title: str,
    unit: str = "",
    sure: Sequence[bool] | None = None,
    zero: bool = True,
    figure: str = "",
    rules: Collection[int] = (),
) -> Drawing:
    """One line per (label, low, middle, high): a dot with its interval, beside a line at zero.

    A dot without an interval has a faint line that leads the eye from label to figure. Grey are those that are not
    sure, by default those whose interval holds zero. `figure` is the format of numbers, and `rules` are rows with a
    line above.
    """
    low, high = _range((value for row in rows for value in row[1:]), zero=zero, margin=0)
    left, span, step, top = 16 + CHARACTER * max((len(row[0]) for row in rows), default=0), 380.0, 22, 34
    inside = scale(low, high, left, span)
    bottom = top + step * len(rows)
    figure = figure or ("+.2f" if high - low >= 1 else "+.4f")

    def place(value: float) -> float:
        return inside(min(high, max(low, value)))

    shapes: list[DrawnShape] = [Label(left, 14, title, size=13)]
    shapes += axis(low, high, place, top - 6, bottom)
    if zero:
        shapes.append(Line(place(0), top - 6, place(0), bottom, dashed=True))
    for at, (label, first, middle, last) in enumerate(rows):
        y = top + step * at + step / 2
        colour = SURE if (sure[at] if sure is not None else first > 0 or last < 0) else UNSURE
        value = note = format(middle, figure)
        reach = Line(left, y, left + span, y, colour=FAINT)
        if first != last:
            note += f" [{first:{figure}}, {last:{figure}}]"
            reach = Line(place(first), y, place(last), y, colour=colour, width=2)
        if at in rules:
            shapes.append(Line(8, y - step / 2, left + span + 60, y - step / 2, dashed=True))
        shapes += [
            Label(left - 10, y + 4, label, anchor="end"),
            reach,
            Dot(place(middle), y, fill=colour, note=note),
            Label(left + span + 14, y + 4, value, colour=colour),
        ]
    if unit:
        shapes.append(Label(left + span / 2, bottom + 32, unit, anchor="middle", colour="#666666"))
    return Drawing(wide(left + span + 70, left, title), bottom + 42, tuple(shapes), title)


def heat_map(
    rows: Sequence[tuple[str, Sequence[float]]],
    columns: Sequence[str],
    *,
    title: str,
    lower_is_better: Collection[str] = (),
    figure: str = ".2f",
    rules: Collection[int] = (),
) -> Drawing:
    """A table whose cells are the darker the better they are in their column; the best of a column has a frame.

    Columns are on scales of their own, so each is shaded from its worst to its best value. `lower_is_better` names
    the columns of errors, `figure` is the format of numbers, and `rules` are columns with a line before them.
    """
    left, step, top = 16 + CHARACTER * max((len(name) for name, _ in rows), default=0), 22, 44.0
    cell = 10 + CHARACTER * max(6, *(len(name) for name in columns)) if columns else 0.0
    bottom, right = top + step * len(rows), left + cell * len(columns)
    shapes: list[DrawnShape] = [Label(left, 14, title, size=13)]
    for at, name in enumerate(columns):
        x = left + cell * at
        sign = -1 if name in lower_is_better else 1
        values = [sign * row[at] for _, row in rows]
        low, high = _range((value for value in values if math.isfinite(value)), zero=False, margin=0)
        shapes.append(Label(x + cell / 2, top - 8, name, anchor="middle", size=11))
        for place, value in enumerate(values):
            y = top + step * place
            if math.isfinite(value):
                share = (value - low) / (high - low) if high > low else 0.0
                shapes.append(Box(x, y, cell, step, _shade(share), note=f"{rows[place][0]}, {name}"))
                best = value == high
                if best:
                    shapes += _frame(x, y, cell, step)
            shown = format(sign * value, figure) if math.isfinite(value) else "-"
            ink = "#ffffff" if math.isfinite(value) and share > 0.6 else "#222222"
            shapes.append(Label(x + cell / 2, y + 15, shown, anchor="middle", colour=ink, size=11))
        if at in rules:
            shapes.append(Line(x, top - 22, x, bottom, width=2))
    for place, (name, _) in enumerate(rows):
        shapes.append(Label(left - 10, top + step * place + 15, name, anchor="end"))
    return Drawing(wide(right + 12, left, title), bottom + 12, tuple(shapes), title)


def _shade(share: float) -> str:
    """From white to the colour of what is sure."""
    light, dark = (255, 255, 255), tuple(int(SURE[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(light, dark, strict=True))


def _frame(x: float, y: float, width: float, height: float) -> list[DrawnShape]:
    corners = [(x + 1, y + 1), (x + width - 1, y + 1), (x + width - 1, y + height - 1), (x + 1, y + height - 1)]
    sides = zip(corners, [*corners[1:], corners[0]], strict=True)
    return [Line(*start, *end, width=2) for start, end in sides]


def line_plot(
    lines: Mapping[str, Iterable[tuple[float, float]]],
    *,
    title: str,
    x_name: str,
    y_name: str,
    zero: bool = True,
    ring: tuple[float, float] | None = None,
) -> Drawing:
    """Named lines through points (x, y), dashed where colours come again.

    `zero` is in view upwards, and one point may have a ring.
    """
    found = {name: sorted(point for point in line if all(map(math.isfinite, point))) for name, line in lines.items()}
    points = [point for line in found.values() for point in line]
    across = _range((x for x, _ in points), zero=False, margin=0)
    plane = Plane(
        across,
        _range((y for _, y in points), zero=zero),
        title=title,
        x_name=x_name,
        y_name=y_name,
        whole=all(x == round(x) for x, _ in points),
    )
    shapes: list[DrawnShape] = []
    legend: dict[str, Mark] = {}
    for at, ((name, line), colour) in enumerate(zip(found.items(), itertools.cycle(COLOURS), strict=False)):
        draw = partial(Line, colour=colour, width=2, dashed=at >= len(COLOURS))
        places = [plane.place(*point) for point in line]
        shapes += [draw(*one, *other) for one, other in itertools.pairwise(places)]
        for place, (_, y) in zip(places, line, strict=True):
            shapes.append(Dot(*place, radius=3, fill=colour, note=f"{name}: {y:.4g}" if name else f"{y:.4g}"))
        legend[name] = partial(_stroke, draw=draw, colour=colour)
    if ring is not None:
        shapes.append(Dot(*plane.place(*ring), radius=8, hollow=True))
    return plane.drawing(shapes, legend)


def scatter_plot(
    groups: Mapping[str, Sequence[tuple[float, float, str]]],
    *,
    title: str,
    x_name: str,
    y_name: str,
    zero: bool = False,
    diagonal: bool = False,
) -> Drawing:
    """Points (x, y, note): dots, and crosses for every group but the first; `zero` is in view both ways."""
    points = [point for group in groups.values() for point in group]
    xs, ys = _range((x for x, _, _ in points), zero=zero), _range((y for _, y, _ in points), zero=zero)
    plane = Plane(xs, ys, title=title, x_name=x_name, y_name=y_name, width=320, height=320)
    shapes: list[DrawnShape] = []
    if diagonal:
        first, last = max(xs[0], ys[0]), min(xs[1], ys[1])
        shapes.append(Line(*plane.place(first, first), *plane.place(last, last), colour="#999999", dashed=True))
    legend: dict[str, Mark] = {}
    for at, ((name, group), colour) in enumerate(zip(groups.items(), itertools.cycle(COLOURS), strict=False)):
        draw = cross if at else _dot
        legend[name] = partial(draw, colour=colour)
        for x, y, note in group:
            shapes += draw(*plane.place(x, y), colour=colour, note=note)
    return plane.drawing(shapes, legend if len(groups) > 1 else {})


@dataclass(frozen=True, slots=True)
class Plane:
    """A field between two axes: where a point of it lies in the drawing, and the drawing with what is put into it."""

    x: tuple[float, float]
    y: tuple[float, float]
    title: str
    x_name: str
    y_name: str
    width: float = 380
    height: float = 240
    whole: bool = False
    """Whether marks across are whole numbers."""

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies."""
        return scale(*self.x, _LEFT, self.width)(x), scale(*self.y, _TOP + self.height, -self.height)(y)

    def drawing(self, shapes: Iterable[DrawnShape], legend: Mapping[str, Mark]) -> Drawing:
        """Axes, shapes, and to the right what marks mean; a name that is empty needs no word."""
        right, bottom = _LEFT + self.width, _TOP + self.height
        out: list[DrawnShape] = [Label(_LEFT, 14, self.title, size=13)]
        out += axis(*self.x, lambda x: self.place(x, 0)[0], _TOP, bottom, whole=self.whole)
        for value in ticks(*self.y):
            y = self.place(0, value)[1]
            out += [Line(_LEFT, y, right, y, colour=RULE), Label(_LEFT - 6, y + 4, _round(value), "end", size=11)]
        out += shapes
        out.append(Label(_LEFT + self.width / 2, bottom + 36, self.x_name, "middle"))
        out.append(Label(16, _TOP + self.height / 2, self.y_name, "middle", upright=True))
        names = [name for name in legend if name]
        for at, name in enumerate(names):
            out += [*legend[name](right + 22, _TOP + 20 * at + 7), Label(right + 34, _TOP + 20 * at + 11, name)]
        width = right + (50 + CHARACTER * max(map(len, names)) if names else 20)
        return Drawing(wide(width, _LEFT, self.title), bottom + 46, tuple(out), self.title)


_LEFT, _TOP = 60.0, 34.0


def cross(x: float, y: float, *, colour: str, note: str = "") -> list[DrawnShape]:
    """A cross of two strokes."""
    return [Line(x - 4, y + 4 * way, x + 4, y - 4 * way, colour, 2, note=note) for way in (-1, 1)]


def _stroke(x: float, y: float, *, draw: Callable[..., Line], colour: str) -> list[DrawnShape]:
    return [draw(x - 9, y, x + 7, y), Dot(x - 1, y, radius=3, fill=colour)]


def _dot(x: float, y: float, *, colour: str, note: str = "") -> list[DrawnShape]:
    return [Dot(x, y, fill=colour, note=note)]


def scale(low: float, high: float, start: float, span: float) -> Callable[[float], float]:
    """Where a value lies on a line from `start` that is `span` long."""
    width = (high - low) or 1.0
    return lambda value: start + span * (value - low) / width


def ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Round values between two, at most seven.

    >>> ticks(0, 1), ticks(0, 3, whole=True)
    ([0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], [0, 1, 2, 3])
    """
    width = (high - low) or 1.0
    step: float = 10 ** math.floor(math.log10(width / 4))
    step = next((step * times for times in (1, 2, 5, 10) if width / (step * times) <= 6), step * 10)
    step = max(1, step) if whole else step
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def axis(
    low: float, high: float, place: Callable[[float], float], top: float, bottom: float, *, whole: bool = False
) -> list[DrawnShape]:
    """A line across with round values below and faint lines up to the top."""
    shapes: list[DrawnShape] = [Line(place(low), bottom, place(high), bottom)]
    for value in ticks(low, high, whole=whole):
        shapes.append(Line(place(value), top, place(value), bottom + 4, colour=RULE))
        shapes.append(Label(place(value), bottom + 17, _round(value), anchor="middle", size=11))
    return shapes


def wide(width: float, left: float, title: str) -> float:
    """A width that also holds the title."""
    return max(width, left + 8 + 7.2 * len(title))


def _range(values: Iterable[float], *, zero: bool, margin: float = 0.05) -> tuple[float, float]:
    """From the lowest to the highest finite value, with some room beyond all ends but zero."""
    finite = [value for value in values if math.isfinite(value)] + [0.0] * zero or [0.0]
    low, high = min(finite), max(finite)
    room = margin * ((high - low) or 20.0)
    return low - room * (not zero or low < 0), high + room * (not zero or high > 0)


def _round(value: float) -> str:
    return f"{round(value, 10):g}"
