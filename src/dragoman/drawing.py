"""A drawing of lines, boxes, dots and labels that can be written for a web page (SVG) and for LaTeX (TikZ).

Plots of reports are few and plain; drawing them from four shapes keeps them the same in every format, needs no plotting
library, and escapes every label once.

    >>> drawing = Drawing(60, 20, (Label(5, 15, "A & B"),), "a name")
    >>> "A &amp; B" in drawing.svg(), r"A \\& B" in drawing.tikz()
    (True, True)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Literal

from dragoman.errors import SettingError
from dragoman.files import require_writable, writing

__all__ = ["Box", "Dot", "Drawing", "DrawnShape", "Label", "Line", "beside", "escape_latex", "require_svg", "save_svg"]

INK, RULE = "#222222", "#cccccc"


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; `note` appears when a pointer rests on it."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str = INK
    width: float = 1
    dashed: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle, or a ring."""

    x: float
    y: float
    radius: float = 4
    fill: str = INK
    note: str = ""
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Text whose baseline starts, is centred or ends at a point; `upright` text reads from bottom to top."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    colour: str = INK
    size: float = 12
    upright: bool = False


DrawnShape = Line | Box | Dot | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a canvas; x grows to the right, y downwards. `title` says in words what is seen."""

    width: float
    height: float
    shapes: tuple[DrawnShape, ...]
    title: str

    def svg(self) -> str:
        """For web pages; complete in itself."""
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" font-family="sans-serif" role="img" '
            f'aria-label="{escape(self.title)}">',
            f'<rect width="{self.width:.0f}" height="{self.height:.0f}" fill="#ffffff"/>',
            *map(_svg, self.shapes),
            "</svg>",
        ]
        return "\n".join(out) + "\n"

    def tikz(self) -> str:
        """For LaTeX with the package tikz."""
        head = [f"% {escape_latex(self.title)}", r"\begin{tikzpicture}[x=0.75pt,y=-0.75pt,font=\sffamily]"]
        return "\n".join([*head, *map(_tikz, self.shapes), r"\end{tikzpicture}"]) + "\n"

    def _repr_html_(self) -> str:
        return self.svg()


def beside(*drawings: Drawing, title: str) -> Drawing:
    """Drawings from left to right, as one."""
    shapes: list[DrawnShape] = []
    width = 0.0
    for drawing in drawings:
        for shape in drawing.shapes:
            if isinstance(shape, Line):
                shapes.append(replace(shape, x1=shape.x1 + width, x2=shape.x2 + width))
            else:
                shapes.append(replace(shape, x=shape.x + width))
        width += drawing.width
    return Drawing(width, max(drawing.height for drawing in drawings), tuple(shapes), title)


def _svg(shape: DrawnShape) -> str:
    if isinstance(shape, Label):
        turn = f' transform="rotate(-90 {shape.x:.1f} {shape.y:.1f})"' if shape.upright else ""
        return (
            f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" text-anchor="{shape.anchor}" fill="{shape.colour}" '
            f'font-size="{shape.size:g}"{turn}>{escape(shape.text)}</text>'
        )
    note = f"<title>{escape(shape.note)}</title>" if shape.note else ""
    if isinstance(shape, Line):
        dashes = ' stroke-dasharray="4 3"' if shape.dashed else ""
        return (
            f'<line x1="{shape.x1:.1f}" y1="{shape.y1:.1f}" x2="{shape.x2:.1f}" y2="{shape.y2:.1f}" '
            f'stroke="{shape.colour}" stroke-width="{shape.width:g}"{dashes}>{note}</line>'
        )
    if isinstance(shape, Dot):
        paint = f'fill="none" stroke="{shape.fill}"' if shape.hollow else f'fill="{shape.fill}"'
        return f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}" {paint}>{note}</circle>'
    return (
        f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" '
        f'fill="{shape.fill}">{note}</rect>'
    )


def _tikz(shape: DrawnShape) -> str:
    if isinstance(shape, Line):
        style = f"draw={_colour(shape.colour)},line width={0.75 * shape.width:g}pt" + (
            ",dashed" if shape.dashed else ""
        )
        return rf"\draw[{style}] ({shape.x1:.1f},{shape.y1:.1f}) -- ({shape.x2:.1f},{shape.y2:.1f});"
    if isinstance(shape, Dot):
        way = rf"\draw[draw={_colour(shape.fill)}]" if shape.hollow else rf"\fill[{_colour(shape.fill)}]"
        return rf"{way} ({shape.x:.1f},{shape.y:.1f}) circle[radius={0.75 * shape.radius:g}pt];"
    if isinstance(shape, Box):
        corner = f"({shape.x + shape.width:.1f},{shape.y + shape.height:.1f})"
        return rf"\fill[{_colour(shape.fill)}] ({shape.x:.1f},{shape.y:.1f}) rectangle {corner};"
    side = {"start": "base west", "middle": "base", "end": "base east"}[shape.anchor]
    turned = ",rotate=90" if shape.upright else ""
    style = f"anchor={side},inner sep=0pt,text={_colour(shape.colour)}{turned}"
    size = rf"\fontsize{{{0.75 * shape.size:g}}}{{{0.9 * shape.size:g}}}\selectfont"
    return rf"\node[{style}] at ({shape.x:.1f},{shape.y:.1f}) {{{size} {escape_latex(shape.text)}}};"


def _colour(code: str) -> str:
    red, green, blue = (int(code[k : k + 2], 16) for k in (1, 3, 5))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


_LATEX = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "±": r"$\pm$",
        "−": "$-$",
        "≤": r"$\le$",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "\n": " ",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


def require_svg(path: Path | str) -> None:
    """Refuse a file name that promises another kind of picture, before the work, and a place that cannot be written."""
    path = Path(path)
    if path.suffix.lower() != ".svg":
        raise SettingError(f"a picture called {path.name}", remedy=f"drawings are SVG: name it {path.stem}.svg")
    require_writable(path)


def save_svg(path: Path | str, text: str) -> None:
    """Write a drawing."""
    require_svg(path)
    with writing(path) as file:
        file.write(text.rstrip("\n") + "\n")


def escape_latex(text: str) -> str:
    """Text as LaTeX must write it."""
    return text.translate(_LATEX)
