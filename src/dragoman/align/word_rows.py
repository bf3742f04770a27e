"""A pair of sentences drawn as two rows of words, with a line for each pair of words or stretches that belong together.

>>> links = [RowLink((0, 2), (1, 3), "A0"), RowLink((2, 3), (0, 1), "predicate")]
>>> draw_word_rows(["the", "dog", "bit"], ["bit", "a", "dog"], links).title
'the dog = a dog (A0); bit = bit (predicate)'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.drawing import Drawing, DrawnShape, Label, Line

__all__ = ["RowLink", "draw_word_rows"]

_COLOURS = ("#1f6f8b", "#b3541e", "#5d8a3a", "#7a4f9a", "#a8323e", "#3b5ba5", "#8a7a1f")
_FAINT = "#bbbbbb"
"""Of links that count nothing by themselves (score 0)."""
_TOPS = (30.0, 120.0)


@dataclass(frozen=True, slots=True)
class RowLink:
    """Two stretches of words, half-open, that belong together: why, how surely (0 to 1), and what a pointer shows."""

    first: tuple[int, int]
    second: tuple[int, int]
    reason: str
    score: float = 1.0
    note: str = ""


def draw_word_rows(first: Sequence[str], second: Sequence[str], links: Iterable[RowLink]) -> Drawing:
    """One sentence above the other, links coloured by their reasons; stretches of several words are underlined."""
    links = list(links)
    shapes: list[DrawnShape] = []
    edges: list[list[tuple[float, float]]] = []
    width = 20.0
    for words, top in zip((first, second), _TOPS, strict=True):
        x, places = 10.0, []
        for word in words:
            size = 7.2 * len(word) + 10
            places.append((x, x + size))
            shapes.append(Label(x + size / 2, top, word, anchor="middle"))
            x += size
        width = max(width, x + 10)
        edges.append(places)
    faint = {link.reason for link in links} - {link.reason for link in links if link.score > 0}
    strong = sorted({link.reason for link in links} - faint)
    colours = {reason: _COLOURS[at % len(_COLOURS)] for at, reason in enumerate(strong)}
    colours |= dict.fromkeys(sorted(faint), _FAINT)
    for link in links:
        colour, ends = colours[link.reason], []
        for (start, end), places, y in zip(
            (link.first, link.second), edges, (_TOPS[0] + 6, _TOPS[1] - 14), strict=True
        ):
            left, right = places[start][0], places[end - 1][1]
            ends.append(((left + right) / 2, y))
            if end - start > 1:
                shapes.append(Line(left + 4, y, right - 4, y, colour=colour, width=2))
        note = link.note or f"{link.reason} {link.score:.2f}"
        shapes.append(Line(*ends[0], *ends[1], colour=colour, width=1 + link.score, note=note))
    x = 10.0
    for reason in colours:
        shapes += [Line(x, 146, x + 18, 146, colour=colours[reason], width=2), Label(x + 22, 150, reason, size=11)]
        x += 34 + 6.5 * len(reason)
    said = "; ".join(
        f"{' '.join(first[slice(*link.first)])} = {' '.join(second[slice(*link.second)])} ({link.reason})"
        for link in links
    )
    return Drawing(max(width, x), 160, tuple(shapes), said or "nothing belongs together")
