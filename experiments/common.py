"""What experiments share: a grid of cells, claims decided before the run, and a record of what came out.

A claim is data, its verdict is computed, and "no" is a good answer. `record` writes `table.md`, `plot.svg` and
`result.json` (date, commit, settings, verdicts) into a folder; the docs show them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dragoman.charts import forest_plot
from dragoman.drawing import Drawing

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

    def markdown(self) -> str:
        names = list(self.rows[0])
        lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
        for row in self.rows:
            cells = (f"{value:.4f}" if isinstance(value, float) else str(value) for value in row.values())
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"


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


def dot_plot(table: Table, *, label: Callable[[Row], str], figure: str) -> Drawing:
    """One line per row with a dot at its figure."""
    rows = [(label(row), *[row[figure]] * 3) for row in table.rows]
    return forest_plot(rows, title=figure, sure=[True] * len(rows), zero=False, figure=".3f")


def publish(
    title: str,
    doc: str | None,
    tables: Mapping[str, tuple[Table, Sequence[Claim]]],
    *,
    pictures: Mapping[str, Drawing],
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
        (out / f"{name}.svg").write_text(drawing.svg(), "utf-8")
        page += [f"![{name.replace('-', ' ')}]({name}.svg)", ""]
    page += [f"Run on {today} by `{command}`; all figures are in [result.json](result.json)."]
    result["verdicts"] = verdicts
    for text, holds in verdicts.items():
        print(f"{'holds' if holds else 'does not hold'}: {text}")
    (out / "index.md").write_text("\n".join(page) + "\n", "utf-8")
    (out / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")


def record(table: Table, claims: Sequence[Claim], *, plot: Drawing, out: Path, settings: Mapping[str, Any]) -> None:
    """Write the table with the verdicts, the plot and the result; print the verdicts."""
    out.mkdir(parents=True, exist_ok=True)
    verdicts = {claim.text: bool(claim.holds(table)) for claim in claims}
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "settings": _plain(settings),
        "verdicts": verdicts,
        "rows": list(table.rows),
    }
    lines = [f"{'holds' if held else 'does not hold'}: {text}" for text, held in verdicts.items()]
    print("\n".join(lines))
    (out / "table.md").write_text(table.markdown() + "\n" + "\n".join(f"- {line}" for line in lines) + "\n", "utf-8")
    (out / "plot.svg").write_text(plot.svg(), "utf-8")
    (out / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _plain(settings: Mapping[str, Any]) -> dict[str, str]:
    """What decided the figures; not where files were put."""
    return {name: str(value) for name, value in settings.items() if name not in ("out", "cache")}
