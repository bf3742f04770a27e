"""Learning curves: how the dev score went over the iterations, as a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from dragoman.tuning.result import TuningResult

__all__ = ["learning_curve", "line_chart"]

_COLOURS = ("#1f6f8b", "#c8553d", "#588157", "#6d597a", "#bc8034", "#3d405b", "#8a3033", "#457b9d")


def learning_curve(result: TuningResult) -> str:
    """Dev score, held-out score and what the tuner believed, by iteration, as SVG; the chosen iteration is ringed."""
    scale, history = result.scale, result.history
    curves: dict[str, list[tuple[float, float]]] = {"dev": [(entry.number, scale * entry.score) for entry in history]}
    heldout = [(entry.number, scale * entry.heldout) for entry in history if entry.heldout is not None]
    if heldout:
        curves["held out"] = [(float(number), value) for number, value in heldout]
    reached = [(e.number + 1, e.objective) for e in history if e.objective is not None and e.objective_is_metric]
    if reached:
        curves["lists"] = [(number, scale * objective) for number, objective in reached]
    chosen = result.best
    mark = (float(chosen.number), scale * (chosen.score if chosen.heldout is None else chosen.heldout))
    return line_chart(curves, title=f"{result.method}: {result.metric} by iteration", mark=mark)


def line_chart(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    across: str = "iteration",
    mark: tuple[float, float] | None = None,
) -> str:
    """Named curves in one picture, as SVG text."""
    points = [point for curve in curves.values() for point in curve if all(map(math.isfinite, point))]
    xs, ys = ([point[side] for point in points] or [0.0] for side in (0, 1))
    left, top, width, height = 56, 34, 520, 260
    low, high = min(ys), max(ys)
    margin = (high - low) * 0.08 or 1.0
    low, high = low - margin, high + margin
    first, last = min(xs), max(max(xs), min(xs) + 1)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x = left + width * (point[0] - first) / (last - first)
        return x, top + height * (1 - (point[1] - low) / (high - low))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 130} {top + height + 44}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="{left}" y="18" font-size="14">{escape(title)}</text>',
    ]
    for step in range(5):
        value = low + (high - low) * step / 4
        y = place((first, value))[1]
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e3e3"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for number in sorted({round(first + (last - first) * step / 10) for step in range(11)}):
        x = place((number, low))[0]
        out.append(f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle">{number}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">{escape(across)}</text>')
    for place_in_list, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[place_in_list % len(_COLOURS)]
        spots = [place(point) for point in curve if all(map(math.isfinite, point))]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots]
        y = top + 14 + 18 * place_in_list
        out.append(f'<rect x="{left + width + 14}" y="{y - 9}" width="12" height="10" fill="{colour}"/>')
        out.append(f'<text x="{left + width + 32}" y="{y}">{escape(name)}</text>')
    if mark is not None:
        x, y = place(mark)
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="#333" stroke-width="1.5"/>')
    return "\n".join([*out, "</svg>"]) + "\n"
