"""Pictures of evaluations: heat maps of p-values and correlations, and histograms of pseudo-statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dragoman.charts import CHARACTER, axis, scale, wide
from dragoman.drawing import INK, Box, Drawing, DrawnShape, Label, Line

__all__ = ["correlation_map", "histogram", "significance_map"]


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
    place = scale(float(edges[0]), float(edges[-1]), left, span)
    shapes: list[DrawnShape] = [Label(left, 14, title, size=13)]
    for count, start, end in zip(counts, edges[:-1], edges[1:], strict=True):
        tall = height * count / max(1, counts.max())
        x = place(float(start))
        shapes.append(Box(x, top + height - tall, place(float(end)) - x - 0.5, tall, "#9bb9c6", note=str(int(count))))
    shapes += axis(float(edges[0]), float(edges[-1]), place, top + height, top + height)
    shapes.append(Line(place(mark), top, place(mark), top + height, colour="#c0532b", width=2))
    return Drawing(wide(left + span + 30, left, title), top + height + 40, tuple(shapes), title)


_CELL = 46.0


def _matrix(
    names: Sequence[str],
    value: Callable[[str, str], float | None],
    shade: Callable[[float | None], tuple[str, str]],
    title: str,
) -> list[DrawnShape]:
    left, top = _margin(names), 30 + _margin(names)
    shapes: list[DrawnShape] = [Label(8, 16, title, size=13)]
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


def _framed(shapes: list[DrawnShape], names: Sequence[str], title: str, legend: str) -> Drawing:
    left, bottom = _margin(names), 30 + _margin(names) + 24 * len(names)
    shapes.append(Label(left, bottom + 20, legend, colour="#666666", size=11))
    width = max(left + _CELL * len(names) + 16, left + CHARACTER * len(legend))
    return Drawing(wide(width, 8, title), bottom + 30, tuple(shapes), title)


def _margin(names: Sequence[str]) -> float:
    return 16 + CHARACTER * max(map(len, names), default=0)


def _short(value: float) -> str:
    return f"{value:.3f}".lstrip("0") if value >= 0.0005 else "<.001"
