"""Pictures of alignments: a matrix in the terminal, as SVG in notebooks, and through matplotlib.

Rows are source words, columns target words. A full mark is a link; where gold links are given, possible ones are drawn
lightly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from dragoman.errors import MissingDependency

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["AlignmentPicture"]

_LINK, _POSSIBLE, _NONE = "■", "□", "·"


@dataclass(frozen=True, slots=True)
class AlignmentPicture:
    """One sentence pair with its links, which shows itself."""

    source: Sequence[str]
    target: Sequence[str]
    links: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]] = frozenset()

    def _mark(self, i: int, j: int) -> str:
        if (i, j) in self.links:
            return _LINK
        return _POSSIBLE if (i, j) in self.possible else _NONE

    def __str__(self) -> str:
        width = max(map(len, self.source), default=0)
        height = max(map(len, self.target), default=0)
        lines = [
            " " * (width + 1) + " ".join(word.rjust(height)[row] for word in self.target).rstrip()
            for row in range(height)
        ]
        lines += [
            f"{word:>{width}} " + " ".join(self._mark(i, j) for j in range(len(self.target)))
            for i, word in enumerate(self.source)
        ]
        return "\n".join(lines)

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(str(self), no_wrap=True)

    def svg(self) -> str:
        """A scalable drawing."""
        cell = 18
        left = 10 + 8 * max(map(len, self.source), default=0)
        top = 10 + 8 * max(map(len, self.target), default=0)
        width, height = left + cell * len(self.target) + 10, top + cell * len(self.source) + 10
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="13">'
        ]
        for i, word in enumerate(self.source):
            y = top + cell * i + 13
            out.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{escape(word)}</text>')
        for j, word in enumerate(self.target):
            x = left + cell * j + 13
            out.append(f'<text x="{x}" y="{top - 6}" transform="rotate(-90 {x} {top - 6})">{escape(word)}</text>')
        for i in range(len(self.source)):
            for j in range(len(self.target)):
                fill = {_LINK: "#1f6f8b", _POSSIBLE: "#bcd9e2", _NONE: "#f2f2f2"}[self._mark(i, j)]
                out.append(
                    f'<rect x="{left + cell * j + 1}" y="{top + cell * i + 1}" width="{cell - 2}" '
                    f'height="{cell - 2}" fill="{fill}"/>'
                )
        return "".join([*out, "</svg>"])

    def _repr_html_(self) -> str:
        return self.svg()

    def plot(self, axes: Any = None) -> Any:
        """Draw with matplotlib, into given axes or new ones."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise MissingDependency("matplotlib is not installed", remedy="pip install 'dragoman[viz]'") from None
        if axes is None:
            _, axes = pyplot.subplots()
        values = {_LINK: 1.0, _POSSIBLE: 0.4, _NONE: 0.0}
        rows = [[values[self._mark(i, j)] for j in range(len(self.target))] for i in range(len(self.source))]
        axes.imshow(rows, cmap="Blues", vmin=0, vmax=1)
        axes.set_xticks(range(len(self.target)), self.target, rotation=90)
        axes.set_yticks(range(len(self.source)), self.source)
        return axes
