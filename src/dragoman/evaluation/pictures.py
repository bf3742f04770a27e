"""Pictures of evaluations: forest plots, heat maps of p-values and correlations, histograms and scatter plots."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dragoman.drawing import INK, RULE, Box, Dot, Drawing, Label, Line, Shape

__all__ = ["correlation_map", "forest_plot", "histogram", "line_plot", "scatter_plot", "significance_map"]

SURE, UNSURE = "#1f6f8b", "#999999"
_COLOURS = ("#1f6f8b", "#c0532b", "#5b8c2a", "#7a4fa3", "#b08900", "#444444")
_CHARACTER = 6.6
"""Width of a character of 12 pixels, about."""


def forest_plot(
    rows: Sequence[tuple[str, float, float, float]], *, title: str, unit: str = "", sure: Sequence[bool] | None = None
) -> Drawing:
    """One line per (label, low, middle, high): a dot with its interval, beside a line at zero."""
    low = min(0.0, *(row[1] for row in rows)) if rows else -1.0
    high = max(0.0, *(row[3] for row in rows)) if rows else 1.0
    left, span, step, top = 16 + _CHARACTER * max((len(row[0]) for row in rows), default=0), 380.0, 22, 34
    place = _scale(low, high, left, span)
    bottom = top + step * len(rows)
    digits = 2 if high - low >= 1 else 4
    shapes: list[Shape] = [Label(left, 14, title, size=13)]
    shapes += _axis(low, high, place, top - 6, bottom)
    shapes.append(Line(place(0), top - 6, place(0), bottom, colour=INK, dashed=True))
    for at, (label, first, middle, last) in enumerate(rows):
        y = top + step * at + step / 2
        colour = SURE if (sure[at] if sure is not None else first > 0 or last < 0) else UNSURE
        shapes += [
            Label(left - 10, y + 4, label, anchor="end"),
            Line(place(first), y, place(last), y, colour=colour, width=2),
            Dot(place(middle), y, fill=colour, note=f"{middle:+.{digits}f} [{first:+.{digits}f}, {last:+.{digits}f}]"),
            Label(left + span + 14, y + 4, f"{middle:+.{digits}f}", colour=colour),
        ]
    if unit:
        shapes.append(Label(left + span / 2, bottom + 32, unit, anchor="middle", colour="#666666"))
    return Drawing(_wide(left + span + 70, left, title), bottom + 42, tuple(shapes), title)


def significance_map(
    names: Sequence[str], p: Mapping[str, Mapping[str, float | None]], *, title: str, alpha: float = 0.05
) -> Drawing:
    """A square of p-values: the row is better than the column; the darker, the surer. Empty where it is not."""

    def shade(value: float | None) -> tuple[str, str]:
        if value is None:
            return "#f4f4f4", ""
        for limit, fill in ((0.001, "#1b6e3c"), (0.01, "#4d9e64"), (alpha, "#9bcf9f")):
            if value <= limit <= alpha or value <= alpha == limit:
                return fill, _short(value)
        return "#e8f0e4", _short(value)

    shapes = _matrix(names, lambda a, b: p.get(a, {}).get(b), shade, title)
    legend = f"row better than column; darker where p ≤ {alpha:g}"
    return _framed(shapes, names, title, legend)


def correlation_map(names: Sequence[str], between: Mapping[str, Mapping[str, float]], *, title: str) -> Drawing:
    """A square of correlations between metrics: the redder, the more alike they are."""

    def shade(value: float | None) -> tuple[str, str]:
        if value is None:
            return "#f4f4f4", ""
        strength = max(0.0, value) ** 2
        rest = round(245 - 185 * strength)
        return f"#{round(250 - 45 * strength):02x}{rest:02x}{rest:02x}", f"{value:.2f}"

    return _framed(_matrix(names, lambda a, b: between[a].get(b), shade, title), names, title, "correlation of metrics")


def histogram(values: ArrayLike, *, mark: float, title: str, bins: int = 40) -> Drawing:
    """How pseudo-statistics of a test lie, with a line at the difference that was found."""
    array = np.asarray(values, np.float64)
    low, high = float(min(array.min(), mark)), float(max(array.max(), mark))
    counts, edges = np.histogram(array, bins=bins, range=(low, high if high > low else low + 1))
    left, span, top, height = 30.0, 460.0, 34.0, 160.0
    place = _scale(float(edges[0]), float(edges[-1]), left, span)
    shapes: list[Shape] = [Label(left, 14, title, size=13)]
    for count, start, end in zip(counts, edges[:-1], edges[1:], strict=True):
        tall = height * count / max(1, counts.max())
        x = place(float(start))
        shapes.append(Box(x, top + height - tall, place(float(end)) - x - 0.5, tall, "#9bb9c6", note=str(int(count))))
    shapes += _axis(float(edges[0]), float(edges[-1]), place, top + height, top + height)
    shapes.append(Line(place(mark), top, place(mark), top + height, colour="#c0532b", width=2))
    return Drawing(_wide(left + span + 30, left, title), top + height + 40, tuple(shapes), title)


def scatter_plot(
    x: ArrayLike, y: ArrayLike, *, title: str, x_name: str, y_name: str, labels: Sequence[str] = ()
) -> Drawing:
    """A dot per system: one score against another."""
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    left, top, side = 60.0, 34.0, 300.0
    across = _scale(float(first.min()), float(first.max()), left + 10, side - 20)
    up = _scale(float(second.min()), float(second.max()), top + side - 10, -(side - 20))
    shapes: list[Shape] = [Label(left, 14, title, size=13)]
    shapes += [Line(left, top + side, left + side, top + side), Line(left, top, left, top + side)]
    for at, (a, b) in enumerate(zip(first, second, strict=True)):
        shapes.append(Dot(across(float(a)), up(float(b)), fill=SURE, note=labels[at] if labels else ""))
    for value in (float(first.min()), float(first.max())):
        shapes.append(Label(across(value), top + side + 16, f"{value:.3g}", anchor="middle", size=11))
    for value in (float(second.min()), float(second.max())):
        shapes.append(Label(left - 6, up(value) + 4, f"{value:.3g}", anchor="end", size=11))
    shapes.append(Label(left + side / 2, top + side + 34, x_name, anchor="middle"))
    shapes.append(Label(16, top + side / 2, y_name, anchor="middle", upright=True))
    return Drawing(_wide(left + side + 20, left, title), top + side + 44, tuple(shapes), title)


def line_plot(lines: Mapping[str, Sequence[tuple[float, float]]], *, title: str, x_name: str, y_name: str) -> Drawing:
    """Named lines through points (x, y)."""
    points = [point for line in lines.values() for point in line]
    left, top, width, height = 60.0, 34.0, 380.0, 240.0
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = min(0.0, *(y for _, y in points)), max(y for _, y in points)
    across, up = _scale(low_x, high_x, left, width), _scale(low_y, high_y, top + height, -height)
    shapes: list[Shape] = [Label(left, 14, title, size=13)]
    shapes += _axis(low_x, high_x, across, top, top + height)
    for value in _ticks(low_y, high_y):
        shapes.append(Line(left, up(value), left + width, up(value), colour=RULE))
        shapes.append(Label(left - 6, up(value) + 4, f"{value:g}", anchor="end", size=11))
    for at, (name, line) in enumerate(lines.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        ordered = sorted(line)
        for (x1, y1), (x2, y2) in itertools.pairwise(ordered):
            shapes.append(Line(across(x1), up(y1), across(x2), up(y2), colour=colour, width=2))
        shapes += [Dot(across(a), up(b), radius=3, fill=colour, note=f"{name}: {b:.3g}") for a, b in ordered]
        shapes += [
            Box(left + width + 16, top + 20 * at, 12, 12, colour),
            Label(left + width + 34, top + 20 * at + 11, name),
        ]
    shapes.append(Label(left + width / 2, top + height + 36, x_name, anchor="middle"))
    shapes.append(Label(16, top + height / 2, y_name, anchor="middle", upright=True))
    longest = max(map(len, lines))
    needed = left + width + 50 + _CHARACTER * longest
    return Drawing(_wide(needed, left, title), top + height + 46, tuple(shapes), title)


_CELL = 46.0


def _matrix(
    names: Sequence[str],
    value: Callable[[str, str], float | None],
    shade: Callable[[float | None], tuple[str, str]],
    title: str,
) -> list[Shape]:
    left, top = _margin(names), 30 + _margin(names)
    shapes: list[Shape] = [Label(8, 16, title, size=13)]
    for row, a in enumerate(names):
        y = top + 24 * row
        shapes.append(Label(left - 8, y + 16, a, anchor="end"))
        shapes.append(Label(left + _CELL * row + _CELL / 2 + 4, top - 8, a, upright=True))
        for column, b in enumerate(names):
            x = left + _CELL * column
            found = None if a == b else value(a, b)
            fill, text = shade(found)
            note = f"{a} / {b}: {found:.4g}" if found is not None else ""
            shapes.append(Box(x + 1, y + 1, _CELL - 2, 22, fill, note=note))
            if text:
                ink = "#ffffff" if int(fill[3:5], 16) < 130 else INK
                shapes.append(Label(x + _CELL / 2, y + 16, text, anchor="middle", size=11, colour=ink))
    return shapes


def _framed(shapes: list[Shape], names: Sequence[str], title: str, legend: str) -> Drawing:
    left, bottom = _margin(names), 30 + _margin(names) + 24 * len(names)
    shapes.append(Label(left, bottom + 20, legend, colour="#666666", size=11))
    width = max(left + _CELL * len(names) + 16, left + _CHARACTER * len(legend))
    return Drawing(_wide(width, 8, title), bottom + 30, tuple(shapes), title)


def _wide(width: float, left: float, title: str) -> float:
    """A width that also holds the title."""
    return max(width, left + 8 + 7.2 * len(title))


def _margin(names: Sequence[str]) -> float:
    return 16 + _CHARACTER * max(map(len, names), default=0)


def _short(value: float) -> str:
    return f"{value:.3f}".lstrip("0") if value >= 0.0005 else "<.001"


def _scale(low: float, high: float, start: float, span: float) -> Callable[[float], float]:
    width = (high - low) or 1.0
    return lambda value: start + span * (value - low) / width


def _ticks(low: float, high: float) -> list[float]:
    width = (high - low) or 1.0
    step = 10 ** math.floor(math.log10(width / 4))
    step = next((step * times for times in (1, 2, 5, 10) if width / (step * times) <= 6), step * 10)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _axis(low: float, high: float, place: Callable[[float], float], top: float, bottom: float) -> list[Shape]:
    shapes: list[Shape] = [Line(place(low), bottom, place(high), bottom)]
    for value in _ticks(low, high):
        shapes.append(Line(place(value), top, place(value), bottom + 4, colour=RULE))
        shapes.append(Label(place(value), bottom + 17, f"{round(value, 10):g}", anchor="middle", size=11))
    return shapes
