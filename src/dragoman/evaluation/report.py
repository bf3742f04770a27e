"""Reports: headings, paragraphs, tables and pictures that are written as Markdown, HTML, LaTeX or JSON.

A result describes itself once, as a `Document`; each format is a way to write one. Everything that comes from outside
(names of systems and files) is escaped here. HTML is one file with its pictures inside; LaTeX draws them with TikZ;
Markdown and JSON put them in SVG files beside.

    >>> table = Table(("system", "score"), (("A & B", "41.2"),))
    >>> print(Document("Scores", (table,)).markdown())
    # Scores
    <BLANKLINE>
    | system | score |
    |---|---|
    | A & B | 41.2 |
    <BLANKLINE>
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.drawing import Drawing, escape_latex
from dragoman.files import writing
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["FORMATS", "Document", "Heading", "Paragraph", "Picture", "Table", "write_report"]

FORMATS = (".md", ".html", ".tex", ".json")


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text; `warning` makes it stand out."""

    text: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; `rules` are rows with a line above."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset[tuple[int, int]] = frozenset()
    rules: frozenset[int] = frozenset()

    def figures(self) -> frozenset[int]:
        """Columns of figures, which are right-aligned: all but the first and those that mostly hold words.

        >>> sorted(Table(("a", "b", "c"), (("x", "y", "+1.2"), ("1", "", "nan"), ("1", "z", "3"))).figures())
        [2]
        """
        found = set()
        for column in range(1, len(self.header)):
            cells = [row[column] for row in self.rows if row[column]]
            if 2 * sum(cell[0].isalpha() for cell in cells) <= len(cells):
                found.add(column)
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, and the name of its file where it needs one."""

    name: str
    drawing: Drawing


Part = Heading | Paragraph | Table | Picture


@dataclass(frozen=True, slots=True)
class Document:
    """A titled sequence of parts."""

    title: str
    parts: tuple[Part, ...]

    def pictures(self) -> tuple[Picture, ...]:
        """The pictures, in order."""
        return tuple(part for part in self.parts if isinstance(part, Picture))

    def markdown(self, prefix: str = "") -> str:
        """Markdown; pictures are links to SVG files whose names start with the prefix."""
        out = [f"# {_markdown(self.title)}", ""]
        for part in self.parts:
            if isinstance(part, Heading):
                out += [f"## {_markdown(part.text)}", ""]
            elif isinstance(part, Paragraph):
                out += [("**Warning:** " if part.warning else "") + _markdown(part.text), ""]
            elif isinstance(part, Picture):
                out += [f"![{_markdown(part.drawing.title)}]({prefix}{part.name}.svg)", ""]
            else:
                out.append("| " + " | ".join(map(_markdown, part.header)) + " |")
                out.append("|" + "---|" * len(part.header))
                for at, row in enumerate(part.rows):
                    cells = (
                        f"**{_markdown(cell)}**" if (at, k) in part.bold and cell else _markdown(cell)
                        for k, cell in enumerate(row)
                    )
                    out.append("| " + " | ".join(cells) + " |")
                out.append("")
        return "\n".join(out)

    def html(self) -> str:
        """A complete page with its pictures inside; it loads nothing."""
        head = (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(self.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        )
        return f"{head}<h1>{html.escape(self.title)}</h1>\n{self.html_parts()}</body>\n</html>\n"

    def html_parts(self) -> str:
        """The parts alone, to be put into another page."""
        out = []
        for part in self.parts:
            if isinstance(part, Heading):
                out.append(f"<h2>{html.escape(part.text)}</h2>")
            elif isinstance(part, Paragraph):
                out.append(f"<p{_kind('warning', part.warning)}>{html.escape(part.text)}</p>")
            elif isinstance(part, Picture):
                out.append(f"<figure>{part.drawing.svg()}</figure>")
            else:
                out.append(f'<div class="wide">{_html_table(part)}</div>')
        return "\n".join(out) + "\n"

    def latex(self) -> str:
        """A complete article; it needs the package tikz only."""
        out = [
            r"\documentclass{article}",
            r"\usepackage{tikz}",
            r"\begin{document}",
            rf"\section*{{{escape_latex(self.title)}}}",
        ]
        for part in self.parts:
            if isinstance(part, Heading):
                out.append(rf"\subsection*{{{escape_latex(part.text)}}}")
            elif isinstance(part, Paragraph):
                out += [(r"\textbf{Warning:} " if part.warning else "") + escape_latex(part.text), ""]
            elif isinstance(part, Picture):
                out += [r"\begin{center}", part.drawing.tikz().rstrip(), r"\end{center}"]
            else:
                out += latex_table(part)
        return "\n".join([*out, r"\end{document}"]) + "\n"

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.rule import Rule
        from rich.table import Table as RichTable
        from rich.text import Text

        shown: list[RenderableType] = []
        for part in self.parts:
            if isinstance(part, Heading):
                shown.append(Text(("\n" if shown else "") + part.text, style="bold"))
            elif isinstance(part, Paragraph):
                shown.append(Text(part.text, style="yellow" if part.warning else "dim"))
            elif isinstance(part, Table):
                table, figures = RichTable(box=None, pad_edge=False), part.figures()
                for k, cell in enumerate(part.header):
                    table.add_column(Text(cell), justify="right" if k in figures else "left", overflow="fold")
                for at, row in enumerate(part.rows):
                    if at in part.rules and at:
                        table.add_row(*(Rule(style="dim") for _ in row))
                    cells = (Text(cell, style="bold" if (at, k) in part.bold else "") for k, cell in enumerate(row))
                    table.add_row(*cells)
                shown.append(table)
        return Group(*shown)


def _html_table(table: Table) -> str:
    figures = table.figures()

    def cell(tag: str, k: int, text: str) -> str:
        return f"<{tag}{_kind('number', k in figures)}>{text}</{tag[:2]}>"

    head = "".join(cell('th scope="col"', k, html.escape(name)) for k, name in enumerate(table.header))
    rows = []
    for at, row in enumerate(table.rows):
        shown = (
            f"<b>{html.escape(text)}</b>" if (at, k) in table.bold else html.escape(text) for k, text in enumerate(row)
        )
        inside = "".join(cell("td", k, text) for k, text in enumerate(shown))
        rows.append(f"<tr{_kind('rule', at in table.rules)}>{inside}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _kind(name: str, applies: bool) -> str:
    return f' class="{name}"' if applies else ""


def latex_table(table: Table) -> list[str]:
    """The lines of a `tabular`."""
    figures = table.figures()
    sides = "".join("r" if k in figures else "l" for k in range(len(table.header)))
    out = [rf"\begin{{tabular}}{{{sides}}}", r"\hline"]
    out += [" & ".join(map(escape_latex, table.header)) + r" \\", r"\hline"]
    for at, row in enumerate(table.rows):
        if at in table.rules and at:
            out.append(r"\hline")
        cells = (
            rf"\textbf{{{escape_latex(cell)}}}" if (at, k) in table.bold else escape_latex(cell)
            for k, cell in enumerate(row)
        )
        line = " & ".join(cells) + r" \\"
        out.append("{}" + line if line.startswith("[") else line)  # LaTeX reads [ after a row as a length
    return [*out, r"\hline", r"\end{tabular}", ""]


def write_report(document: Document, data: Mapping[str, Any], path: Path | str) -> list[Path]:
    """Write a report in the format of the file's ending; returns all files that were written."""
    path = Path(path)
    check_argument("ending", path.suffix, label=path.name, choices=FORMATS)
    beside = {picture: path.with_name(f"{path.stem}.{picture.name}.svg") for picture in document.pictures()}
    if path.suffix in (".html", ".tex"):
        beside = {}
    if path.suffix == ".md":
        text = document.markdown(f"{path.stem}.")
    elif path.suffix == ".html":
        text = document.html()
    elif path.suffix == ".tex":
        text = document.latex()
    else:
        named = {**data, "pictures": [file.name for file in beside.values()]}
        text = json.dumps(named, ensure_ascii=False, indent=2) + "\n"
    for picture, file in beside.items():
        with writing(file) as out:
            out.write(picture.drawing.svg())
    with writing(path) as out:
        out.write(text)
    return [path, *beside.values()]


_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:left;vertical-align:top}"
    ".number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "thead th{border-bottom:2px solid #222}td{border-top:1px solid #ddd}tr.rule td{border-top-color:#222}"
    "figure{display:inline-block;max-width:100%;vertical-align:top}figure,.wide{margin:1em 0;overflow-x:auto}"
    ".warning{color:#9a3b00}"
)

_MARKS = re.compile(r"([\\`*_\[\]<>|])")


def _markdown(text: str) -> str:
    return _MARKS.sub(r"\\\1", text.replace("\n", " "))
