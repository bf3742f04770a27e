"""Pictures of an analysis, as SVG text: intervals of systems, and assessors by their control pairs and their pace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from dragoman.assessment.quality import Quality
from dragoman.assessment.scores import Ranking

__all__ = ["assessor_picture", "pace_picture", "ranking_picture"]

_INK, _KEPT, _DROPPED, _PALE = "#333", "#1f6f8b", "#c0392b", "#ddd"


def _svg(width: int, height: int, parts: Sequence[str], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{_INK}" role="img" aria-label="{escape(title)}">'
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>"]) + "\n"


def ranking_picture(ranking: Ranking) -> str:
    """Each system's standardized score with its interval, best first; a line between clusters."""
    left, width, step = 220, 420, 24
    bounds = [bound for one in ranking.systems for bound in (*one.interval, one.z) if math.isfinite(bound)]
    low, high = min(bounds), max(bounds)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return left + width * (min(high, max(low, value)) - low) / span

    parts: list[str] = []
    if low < 0 < high:
        bottom = step * (len(ranking.systems) + 1)
        parts.append(f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="{step}" y2="{bottom}" stroke="{_PALE}"/>')
    cluster = 1
    for at, one in enumerate(ranking.systems):
        y = step * (at + 1) + step / 2
        if ranking.cluster_of(one.system) != cluster:
            cluster = ranking.cluster_of(one.system)
            top = y - step / 2
            parts.append(
                f'<line x1="10" x2="{left + width}" y1="{top}" y2="{top}" stroke="{_INK}" stroke-dasharray="4"/>'
            )
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(one.system)}</text>')
        ends = f'x1="{x(one.interval[0]):.1f}" x2="{x(one.interval[1]):.1f}"'
        parts.append(f'<line {ends} y1="{y}" y2="{y}" stroke="{_KEPT}" stroke-width="2"/>')
        parts.append(f'<circle cx="{x(one.z):.1f}" cy="{y}" r="4" fill="{_KEPT}"/>')
        parts.append(f'<text x="{left + width + 10}" y="{y + 4}">{one.z:+.3f}</text>')
    title = f"{ranking.protocol} {ranking.pair}: standardized scores with 95% intervals"
    parts.append(f'<text x="{left}" y="16">{escape(title)}</text>')
    return _svg(left + width + 80, step * (len(ranking.systems) + 2), parts, title)


def _plane(
    points: Sequence[tuple[float, float, bool, str]], *, across: str, up: str, title: str, diagonal: bool = False
) -> str:
    size, edge = 380, 50
    xs, ys = [one[0] for one in points], [one[1] for one in points]
    low_x, high_x, low_y, high_y = min([0.0, *xs]), max([1e-9, *xs]), min([0.0, *ys]), max([1e-9, *ys])

    def place(a: float, b: float) -> tuple[float, float]:
        return (
            edge + size * (a - low_x) / ((high_x - low_x) or 1),
            30 + size - size * (b - low_y) / ((high_y - low_y) or 1),
        )

    corner, right = place(low_x, max(0.0, low_y)), place(high_x, max(0.0, low_y))
    parts = [
        f'<text x="{edge}" y="18">{escape(title)}</text>',
        f'<line x1="{edge}" x2="{edge}" y1="30" y2="{30 + size}" stroke="{_INK}"/>',
        f'<line x1="{corner[0]:.1f}" y1="{corner[1]:.1f}" x2="{right[0]:.1f}" y2="{right[1]:.1f}" stroke="{_INK}"/>',
        f'<text x="{edge + size}" y="{30 + size + 32}" text-anchor="end">{escape(across)}</text>',
        f'<text x="{edge - 30}" y="30" transform="rotate(-90 {edge - 30} 30)" text-anchor="end">{escape(up)}</text>',
        f'<text x="{edge}" y="{30 + size + 16}">{low_x:g}</text>',
        f'<text x="{edge + size}" y="{30 + size + 16}" text-anchor="end">{high_x:.3g}</text>',
        f'<text x="{edge - 6}" y="38" text-anchor="end">{high_y:.3g}</text>',
        f'<text x="{edge - 6}" y="{30 + size}" text-anchor="end">{low_y:.3g}</text>',
    ]
    if diagonal:
        top = min(high_x, high_y)
        (a, b), (c, d) = place(0, 0), place(top, top)
        parts.append(f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" stroke="{_PALE}"/>')
    for a, b, kept, name in points:
        cx, cy = place(a, b)
        mark = f"<title>{escape(name)}</title>"
        colour = _KEPT if kept else _DROPPED
        if kept:
            parts.append(
                f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="4" fill="{colour}" fill-opacity="0.7">{mark}</circle>'
            )
        else:
            cross = f"M{cx - 4:.1f} {cy - 4:.1f}l8 8m0 -8l-8 8"
            parts.append(f'<path d="{cross}" stroke="{colour}" stroke-width="2" fill="none">{mark}</path>')
    legend = 30 + size + 50
    parts.append(f'<circle cx="{edge + 4}" cy="{legend - 4}" r="4" fill="{_KEPT}"/>')
    parts.append(f'<text x="{edge + 14}" y="{legend}">kept</text>')
    parts.append(f'<path d="M{edge + 66} {legend - 8}l8 8m0 -8l-8 8" stroke="{_DROPPED}" stroke-width="2"/>')
    parts.append(f'<text x="{edge + 80}" y="{legend}">dropped</text>')
    return _svg(edge + size + 20, legend + 12, parts, title)


def assessor_picture(quality: Sequence[Quality]) -> str:
    """Every assessor at the mean difference of repeats (across) and of degraded copies (up): careful is top left."""
    points = [
        (one.mean_d1, one.mean_d2, one.kept, f"{one.assessor}: {one.reason}")
        for one in quality
        if one.degraded and one.repeats
    ]
    return _plane(
        points, across="mean difference of repeats (d1)", up="mean loss of degraded copies (d2)",
        title="assessors by their control pairs", diagonal=True,
    )  # fmt: skip


def pace_picture(quality: Sequence[Quality]) -> str:
    """Every assessor at seconds per item (across) and the p-value of the paired test (up): careful is low."""
    points = [
        (one.seconds, one.p_paired, one.kept, f"{one.assessor}: {one.reason}")
        for one in quality
        if one.p_paired is not None and one.seconds
    ]
    return _plane(points, across="seconds per item", up="p of the paired test", title="reliability and pace")
