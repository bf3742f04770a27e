"""What experiments share: a grid of cells, claims decided before the run, and a record of what came out.

A claim is data, its verdict is computed, and "no" is a good answer. Results go into a folder of the docs: `plot.svg`,
`result.json` (date, commit, digest of the code, machine, versions, settings, processor time, verdicts, every row) and
the page. Words that people wrote into a page are kept, and what stands between its marks is written anew: what was run,
in the words of the script, and what came out. So a table never comes from another run than the verdicts below it, and
no page describes a run that was not the one it shows.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import inspect
import itertools
import json
import math
import os
import platform
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from dragoman.cache import StageCache
from dragoman.charts import forest_plot
from dragoman.drawing import Drawing

__all__ = [
    "TRAINING_ROOMS",
    "Claim",
    "Row",
    "Table",
    "arguments",
    "dot_plot",
    "grid",
    "publish",
    "record",
    "remembered",
    "settings_line",
    "smallest_p",
    "sources_digest",
    "spent_before",
]

Row = dict[str, Any]

TRAINING_ROOMS = (
    "annotations", "text", "lm", "align", "grammar", "semantics", "neural", "forest", "features", "search", "metrics",
    "tuning", "pipeline",
)  # fmt: skip
"""Rooms whose code decides what training, tuning and translating give: all are part of the key of what is kept."""


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
    if math.isnan(value):
        return ""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


@dataclass(frozen=True)
class Claim:
    """A sentence that the table makes true or false."""

    text: str
    holds: Callable[..., bool]
    """Asked with the table alone; what else it takes has its value already, as in `lambda table, name=name: ...`."""


def arguments(doc: str | None, *, out: str, seeds: int = 1, **defaults: Any) -> argparse.Namespace:
    """The flags of an experiment: `--out`, `--seeds`, and one for each default.

    Experiments begin with this; so the code that runs is looked at here, before anybody changes it.
    """
    _code()
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(out))
    parser.add_argument("--seeds", type=int, default=seeds)
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


class _Saved:
    """Processor time that this run did not spend because an earlier one had."""

    seconds = 0.0
    counted: ClassVar[set[Path]] = set()
    """Pieces of work whose time is known, spent by this run or added."""

    @classmethod
    def spent(cls) -> float:
        """Seconds of processors for all that this run shows, whoever spent them."""
        return sum(os.times()[:4]) + cls.seconds


def spent_before(seconds: float) -> None:
    """Count processor time that an earlier run spent on something this one shows."""
    _Saved.seconds += seconds


def remembered(
    kept: StageCache, what: str, settings: Mapping[str, Any], work: Callable[[], Any], *, rooms: Sequence[str]
) -> Any:
    """What a piece of work gave, now or in an earlier run with the same settings, and the same code of these rooms and
    of the work itself."""
    fresh = False
    keyed = {**settings, "work": hashlib.sha256(inspect.getsource(work).encode()).hexdigest()[:16]}

    def write(folder: Path) -> None:
        nonlocal fresh
        fresh, before = True, _Saved.spent()
        (folder / "found.json").write_text(json.dumps(work(), ensure_ascii=False), "utf-8")
        (folder / "seconds.json").write_text(json.dumps(_Saved.spent() - before), "utf-8")

    stage = kept.run(what, work=write, settings=keyed, rooms=rooms)
    cost = stage.file("seconds.json")
    if not fresh and stage.path not in _Saved.counted and cost.exists():
        spent_before(json.loads(cost.read_text("utf-8")))
    _Saved.counted.add(stage.path)
    return json.loads(stage.file("found.json").read_text("utf-8"))


def smallest_p(rows: Sequence[Row], figure: str = "p") -> float:
    """The smallest p-value of some rows, corrected for how many there are (Holm's first step).

    Below 0.05 at least one of the rows is significant; otherwise none is.
    """
    known = [row[figure] for row in rows if not math.isnan(row[figure])]
    return min(1.0, min(known) * len(known)) if known else 1.0


def dot_plot(table: Table, *, label: Callable[[Row], str], figure: str) -> Drawing:
    """One line per row with a dot at its figure."""
    rows = [(label(row), *[row[figure]] * 3) for row in table.rows]
    return forest_plot(rows, title=figure, sure=[True] * len(rows), zero=False, figure=".3f")


MARKS = ("<!-- result -->", "<!-- /result -->")
"""What stands between these in a page comes from the last run."""

TOLD = ("<!-- about -->", "<!-- /about -->")
"""What stands between these is what the script of that run says of itself."""


def record(table: Table, claims: Sequence[Claim], *, plot: Drawing, out: Path, settings: Mapping[str, Any]) -> None:
    """Write one table with its claims and a plot."""
    _write({"": (table, claims)}, {"plot": plot}, out=out, settings=settings)


def publish(
    title: str,
    doc: str | None,
    tables: Mapping[str, tuple[Table, Sequence[Claim]]],
    *,
    pictures: Mapping[str, Drawing],
    out: Path,
    settings: Mapping[str, Any],
    not_run: Sequence[str] = (),
) -> None:
    """Write several tables, each with the claims about it, and pictures, below what the `doc` says of the run.

    A page without marks for that, which people wrote, keeps its own words. `not_run` are parts of which the `doc` tells
    and this run knows nothing.
    """
    about = f"{TOLD[0]}\n\n{(doc or '').strip()}\n\n{TOLD[1]}"
    _write(tables, pictures, out=out, settings=settings, head=f"# {title}\n\n{about}\n\n", not_run=not_run)


def _write(
    tables: Mapping[str, tuple[Table, Sequence[Claim]]],
    pictures: Mapping[str, Drawing],
    *,
    out: Path,
    settings: Mapping[str, Any],
    head: str = "",
    not_run: Sequence[str] = (),
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    today = datetime.now(UTC).date().isoformat()
    verdicts: dict[str, bool] = {}
    block: list[str] = []
    for name, (table, claims) in tables.items():
        held = {claim.text: bool(claim.holds(table)) for claim in claims}
        verdicts |= held
        block += [f"## {name}", ""] if name else []
        block += [table.markdown()]
        block += [*(f"- {_verdict(holds)}: {claim}" for claim, holds in held.items()), ""] if held else []
    for name, drawing in pictures.items():
        (out / f"{name}.svg").write_text(drawing.svg(), "utf-8")
        block += [f"![{name.replace('-', ' ')}]({name}.svg)", ""]
    result = {
        "experiment": Path(sys.argv[0]).resolve().parent.name,
        "date": today,
        **_code(),
        "machine": f"{platform.machine()}, {processor_name()}, {os.cpu_count()} cores",
        "versions": {"python": platform.python_version(), **_versions()},
        "seconds": round(_Saved.spent()),
        "settings": _plain(settings),
        **({"not run": list(not_run)} if not_run else {}),
        "verdicts": verdicts,
        "tables": {name: [_known(row) for row in table.rows] for name, (table, _) in tables.items()},
    }
    code = f"at commit `{result['commit']}`, code `{result['code']}`"
    run = f"Run on {today} by `{_command()}` {code}, {result['seconds']:,} s of processor time"
    headline = [f"**Of {len(verdicts)} claims {sum(verdicts.values())} hold**, below the tables that decide them.", ""]
    missing = (
        [f"**Parts that were not run: {', '.join(not_run)}.** Nothing below is about them.", ""] if not_run else []
    )
    block = [MARKS[0], "", *(headline if len(verdicts) > 1 else []), *missing, *block]
    block += [settings_line(_plain(settings)), ""] if settings else []
    block += [f"{run} ({result['machine']}); all figures are in [result.json](result.json).", "", MARKS[1]]
    (out / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    page = out / "index.md"
    before, after = head, "\n"
    if page.exists():
        words = page.read_text("utf-8")
        before, after = words[: words.index(MARKS[0])], words[words.index(MARKS[1]) + len(MARKS[1]) :]
        if TOLD[0] in head and TOLD[0] in before:
            before = (
                before[: before.index(TOLD[0])] + _between(head, TOLD) + before[before.index(TOLD[1]) + len(TOLD[1]) :]
            )
    page.write_text(before + "\n".join(block) + after, "utf-8")
    print(*(f"{_verdict(holds)}: {text}" for text, holds in verdicts.items()), sep="\n")


def _between(page: str, marks: tuple[str, str]) -> str:
    """A part of a page with its marks."""
    return page[page.index(marks[0]) : page.index(marks[1]) + len(marks[1])]


def settings_line(settings: Mapping[str, str]) -> str:
    """The settings of a run as its page shows them, without switches that are off and lists that are left open: a
    reader need not open the script to know its defaults."""
    shown = (f"{name} `{value}`" for name, value in settings.items() if value not in ("", "False"))
    return "Settings: " + ", ".join(shown) + "."


@cache
def _code() -> dict[str, str]:
    """Commit and digest of the code, when this was first asked."""
    return {"commit": _commit(), "code": sources_digest()}


def _commit() -> str:
    """The commit of the code that ran, with a plus sign if it had been changed since."""
    home = Path(__file__).parent.parent

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", str(home), *words], capture_output=True, text=True, check=False)

    changed = git("diff", "--quiet", "HEAD", "--", "src", "native", "experiments").returncode == 1
    return (git("rev-parse", "--short=10", "HEAD").stdout.strip() or "unknown") + ("+" if changed else "")


def sources_digest(home: Path = Path(__file__).parent.parent) -> str:
    """Of all that ran: Python and C++ of the program and of the experiments. A commit can be changed and rebased; what
    has the same digest is the same code."""
    digest = hashlib.sha256()
    for folder, endings in (("src", (".py",)), ("native", (".cpp", ".hpp")), ("experiments", (".py",))):
        for file in sorted((home / folder).rglob("*")):
            if file.suffix in endings:
                digest.update(f"{file.relative_to(home).as_posix()}\0".encode())
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def processor_name() -> str:
    """Of the machine, as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _versions() -> dict[str, str]:
    """Of this package and of those that others compare it with, as far as a run has imported them."""
    names = ("dragoman", "numpy", "scipy", "scikit-learn", "sacrebleu", "nltk", "gensim", "spacy", "ufal.udpipe")
    found = {}
    for name in names:
        if {"scikit-learn": "sklearn"}.get(name, name.partition(".")[0]) in sys.modules:
            with contextlib.suppress(PackageNotFoundError):
                found[name] = version(name)
    return found


def _known(row: Row) -> Row:
    """JSON has no number for what is not known."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def _verdict(holds: bool) -> str:
    return "**holds**" if holds else "**does not hold**"


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
