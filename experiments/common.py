"""What experiments share: a grid of cells, claims decided before the run, and a record of what came out.

A claim is data, its verdict is computed, and "no" is a good answer. Results go into a folder of the docs: `plot.svg`,
`result.json` (date, settings, verdicts, every row) and the page. A page that people wrote is kept, and only what stands
between its marks is written anew, so that a table never comes from another run than the verdicts below it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["Claim", "Table", "arguments", "dot_plot", "grid", "publish", "record"]

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """The rows of a grid: settings of the cell and what was measured."""

    settings: tuple[str, ...]
    rows: tuple[Row, ...]

    def where(self, **chosen: Any) -> list[Row]:
        return [row for row in self.rows if all(row[name] == value for name, value in chosen.items())]

    def mean(self, figure: str, **chosen: Any) -> float:
        return statistics.fmean(row[figure] for row in self.where(**chosen))

    def over(self, axis: str) -> Table:
        """Means over an axis: a row for each of the other settings, in their first order."""
        settings = tuple(name for name in self.settings if name != axis)
        figures = [name for name in self.rows[0] if name not in self.settings]
        rows: dict[tuple[Any, ...], Row] = {}
        for row in self.rows:
            chosen = {name: row[name] for name in settings}
            rows.setdefault(tuple(chosen.values()), {**chosen, **{name: self.mean(name, **chosen) for name in figures}})
        return Table(settings, tuple(rows.values()))

    def markdown(self) -> str:
        names = list(self.rows[0])
        lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
        lines += ["| " + " | ".join(map(_cell, row.values())) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


@dataclass(frozen=True)
class Claim:
    """A sentence that the table makes true or false."""

    text: str
    holds: Callable[[Table], bool]


def arguments(doc: str | None, *, out: str, **defaults: Any) -> argparse.Namespace:
    """The flags of an experiment: `--out`, `--seeds`, and one for each default."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(out))
    parser.add_argument("--seeds", type=int, default=1)
    for name, default in defaults.items():
        if isinstance(default, bool):
            parser.add_argument(f"--{name}", action="store_true", default=default)
        else:
            parser.add_argument(f"--{name}", type=type(default), default=default)
    return parser.parse_args()


def grid(cell: Callable[..., Mapping[str, Any]], **axes: Sequence[Any]) -> Table:
    """Run a cell for every combination; a cell that returns nothing has no row."""
    rows = []
    for values in itertools.product(*axes.values()):
        settings = dict(zip(axes, values, strict=True))
        measured = cell(**settings)
        if measured:
            rows.append({**settings, **measured})
            print(rows[-1], flush=True)
    return Table(tuple(axes), tuple(rows))


def dot_plot(table: Table, *, label: Callable[[Row], str], figure: str) -> str:
    """One line per row with a dot at its figure, as SVG."""
    values = [row[figure] for row in table.rows]
    low, high = min(values), max(values)
    left, width, step = 330, 420, 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" height="{step * (len(values) + 2)}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="{left}" y="14">{escape(figure)}</text>',
    ]
    for at, row in enumerate(table.rows):
        y = step * (at + 2)
        x = left + width * (row[figure] - low) / ((high - low) or 1)
        out.append(f'<text x="{left - 10}" y="{y}" text-anchor="end">{escape(label(row))}</text>')
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{y - 4}" y2="{y - 4}" stroke="#ddd"/>')
        out.append(f'<circle cx="{x:.1f}" cy="{y - 4}" r="4" fill="#1f6f8b"/>')
        out.append(f'<text x="{x + 8:.1f}" y="{y}">{row[figure]:.3f}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def publish(
    title: str,
    doc: str | None,
    tables: Mapping[str, tuple[Table, Sequence[Claim]]],
    *,
    pictures: Mapping[str, str],
    out: Path,
    command: str,
    settings: Mapping[str, Any],
) -> None:
    """Write a page of several tables, each with the claims about it, and pictures; print the verdicts."""
    out.mkdir(parents=True, exist_ok=True)
    today = datetime.now(UTC).date().isoformat()
    page = [f"# {title}", "", (doc or "").strip(), ""]
    result: dict[str, Any] = {"date": today, "settings": _plain(settings)}
    verdicts: dict[str, bool] = {}
    result["tables"] = {}
    for name, (table, claims) in tables.items():
        held = {claim.text: bool(claim.holds(table)) for claim in claims}
        verdicts |= held
        result["tables"][name] = list(table.rows)
        page += [f"## {name}", ""]
        page += [f"- **{'holds' if holds else 'does not hold'}**: {text}" for text, holds in held.items()]
        page += ["", table.markdown()]
    for name, drawing in pictures.items():
        (out / f"{name}.svg").write_text(drawing, "utf-8")
        page += [f"![{name.replace('-', ' ')}]({name}.svg)", ""]
    page += [f"Run on {today} by `{command}`; all figures are in [result.json](result.json)."]
    result["verdicts"] = verdicts
    for text, holds in verdicts.items():
        print(f"{'holds' if holds else 'does not hold'}: {text}")
    (out / "index.md").write_text("\n".join(page) + "\n", "utf-8")
    (out / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")


MARKS = ("<!-- result -->", "<!-- /result -->")
"""What stands between these in a page comes from the last run."""


def record(
    table: Table, claims: Sequence[Claim], *, plot: str, out: Path, settings: Mapping[str, Any],
    shown: Table | None = None,
) -> None:  # fmt: skip
    """Write the table (or the one to be `shown` in its place) with the verdicts, the plot and the result."""
    out.mkdir(parents=True, exist_ok=True)
    verdicts = {claim.text: bool(claim.holds(table)) for claim in claims}
    today = datetime.now(UTC).date().isoformat()
    result = {"date": today, "settings": _plain(settings), "verdicts": verdicts, "rows": list(table.rows)}
    lines = [f"{'holds' if held else 'does not hold'}: {text}" for text, held in verdicts.items()]
    print("\n".join(lines))
    block = "\n".join([
        MARKS[0], "", (shown or table).markdown(), *(f"- {line}" for line in lines), "",
        f"Run on {today} by `{_command()}`; all figures are in [result.json](result.json).", MARKS[1],
    ])  # fmt: skip
    (out / "plot.svg").write_text(plot, "utf-8")
    (out / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    page = out / "index.md"
    if page.exists():
        before, after = (page.read_text("utf-8").split(mark) for mark in MARKS)
        page.write_text(before[0] + block + after[1], "utf-8")
    else:
        page.write_text(block + "\n", "utf-8")


def _command() -> str:
    """How this run was started, without where its results went."""
    given = iter(sys.argv[1:])
    flags = []
    for flag in given:
        if flag.partition("=")[0] in ("--out", "--cache"):
            if "=" not in flag:
                next(given)
        else:
            flags.append(flag)
    script = Path(sys.argv[0])
    return " ".join(["python", f"experiments/{script.parent.name}/{script.name}", *map(shlex.quote, flags)])


def _plain(settings: Mapping[str, Any]) -> dict[str, str]:
    """What decided the figures; not where files were put."""
    return {name: str(value) for name, value in settings.items() if name not in ("out", "cache")}
