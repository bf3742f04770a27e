"""What commands share: results go to standard output, notes, progress and errors to standard error."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from dragoman.progress import ProgressCallback

__all__ = [
    "DevSource",
    "DevTarget",
    "Force",
    "Json",
    "Limit",
    "Nbest",
    "NoVerify",
    "On",
    "OptionalSeed",
    "Seed",
    "TextLanguage",
    "Threads",
    "TrustFeatures",
    "TunerName",
    "bar",
    "language_of_files",
    "live",
    "note",
    "noted_warnings",
    "set_output",
    "show",
    "show_facts",
    "show_json",
    "show_json_lines",
    "stderr",
    "stdout",
    "whole_number",
]

DevSource = Annotated[Path, typer.Option("--dev-source", help="Source side of the dev set, one segment a line.")]
DevTarget = Annotated[list[Path], typer.Option("--dev-target", help="Its reference; repeat for several.")]
TextLanguage = Annotated[
    str,
    typer.Option(
        "--language", "-l", help="Of the references, for metrics that stem; else from the names of their files."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TunerName = Annotated[
    str,
    typer.Option("--tuner", help="auto is mira, or online for templates without weights; see `dragoman list tuners`."),
]


def whole_number(name: str, *, least: int, most: int) -> Callable[[int | None], int | None]:
    """A check for an option that is a whole number, in the words that settings use for theirs."""

    def check(value: int | None) -> int | None:
        from dragoman.settings import check_argument

        if value is not None:
            check_argument(name, value, int, least=least, most=most)
        return value

    return check


def language_of_files(files: list[str]) -> str:
    """The language that the names of all files end with, if it is one; `NAME=FILE` is a file, too."""
    from dragoman.text.languages import language_in_name

    found = {language_in_name(file.rpartition("=")[2]) for file in files}
    return found.pop() if len(found) == 1 else ""


def _no_verify(wanted: bool) -> None:
    if wanted:
        from dragoman.bundle import verify_when_opened

        verify_when_opened(False)


NoVerify = Annotated[
    bool,
    typer.Option(
        "--no-verify",
        callback=_no_verify,
        expose_value=False,
        help="Do not compare the files of the model with their checksums first.",
    ),
]
Nbest = Annotated[
    int,
    typer.Option(
        "--nbest",
        callback=whole_number("--nbest", least=0, most=2**20),
        help="So many different translations of each line.",
    ),
]
Limit = Annotated[
    int, typer.Option("--limit", callback=whole_number("--limit", least=0, most=2**31), help="Show so many; 0 for all.")
]
_seed = typer.Option(
    "--seed", callback=whole_number("--seed", least=0, most=2**63 - 1), help="Random choices follow from it."
)
Seed = Annotated[int, _seed]
OptionalSeed = Annotated[int | None, _seed]
TrustFeatures = Annotated[
    bool, typer.Option("--trust-features", help="Import the features in Python modules that the model names.")
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        "-j",
        callback=whole_number("--threads", least=0, most=4096),
        help="Threads; 0 uses all cores. Results do not change.",
    ),
]

On = Annotated[
    str,
    typer.Option(
        "--on", help="Where to work: local, processes, ray, or ray://HOST:PORT for a cluster. Results do not change."
    ),
]

_settings = {"debug": False, "quiet": False}


def set_output(**flags: bool) -> None:
    """Remember the global flags of this run of the program: `debug`, `quiet`."""
    _settings.update(flags)


@cache
def stdout() -> Console:
    """The console for results."""
    from rich.console import Console

    return Console(soft_wrap=not sys.stdout.isatty())


@cache
def stderr() -> Console:
    """The console for notes, progress and errors."""
    from rich.console import Console

    return Console(stderr=True)


def note(text: str) -> None:
    """A remark for the person watching."""
    if not _settings["quiet"]:
        stderr().print(text, style="dim", markup=False, highlight=False, soft_wrap=True)


def live() -> bool:
    """Whether progress is shown: standard error is a terminal, and `--quiet` was not given."""
    return not _settings["quiet"] and sys.stderr.isatty()


@contextlib.contextmanager
def noted_warnings() -> Iterator[None]:
    """Say what the library warns of as a note, not as a place in its code."""
    shown = warnings.showwarning

    def say(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, UserWarning):
            note(f"warning: {message}")
        else:
            shown(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        warnings.showwarning = say
        yield


def show(renderable: RenderableType) -> None:
    """Print a table or text to standard output."""
    stdout().print(renderable)


def show_facts(facts: Mapping[str, Any]) -> None:
    """Print what JSON would say as a page for people: a line for each fact, and for each part of one that has parts."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in facts.items():
        rows = [f"{part}: {_said(each)}" for part, each in value.items()] if isinstance(value, dict) else [_said(value)]
        for number, row in enumerate(rows or ["-"]):
            table.add_row("" if number else name.replace("_", " "), Text(row))
    show(table)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def show_json(result: Mapping[str, Any]) -> None:
    """Print the result of a command as one JSON object, as UTF-8 and without colours.

    Its names are words in small letters joined by `_`; what people have named (systems, words, features, files) stands
    under such a name, never beside it.
    """
    sys.stdout.write(json.dumps(_finite(result), ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def show_json_lines(results: Iterable[Mapping[str, Any]], file: IO[str] | None = None) -> None:
    """Print one JSON object a line, where text flows through a command, or into a file."""
    lines = (json.dumps(_finite(result), ensure_ascii=False, allow_nan=False) + "\n" for result in results)
    (file or sys.stdout).writelines(lines)


def _finite(value: Any) -> Any:
    """A value without what JSON cannot say: a number that is none, or is infinite, becomes null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


@contextlib.contextmanager
def bar(title: str) -> Iterator[ProgressCallback]:
    """Progress on standard error after two seconds: bars on a terminal, a line now and then in a log."""
    from dragoman.progress_view import Bars, LogLines, closing

    if _settings["quiet"]:
        yield lambda _: None
        return
    with closing(Bars(title, stderr()) if live() else LogLines(title, note)) as view:
        yield view
