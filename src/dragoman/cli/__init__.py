"""The `dragoman` command: it parses, calls the library, and shows.

A start of the program imports the module of the command that was called, and all of them only for help. Command modules
import nothing heavy at the top; the library is imported inside the command that needs it (tests hold both).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from dragoman.cli.anywhere import accept_anywhere
from dragoman.cli.argument_order import model_first
from dragoman.cli.output import noted_warnings, set_output, stderr
from dragoman.cli.overview import Overview, tell_in_whole
from dragoman.cli.remedies import flags_in_options, in_options
from dragoman.cli.value_names import name_values
from dragoman.errors import DragomanError, FileError
from dragoman.version import __version__

__all__ = ["app", "main", "program"]

COMMANDS: dict[str, tuple[str, ...]] = {
    "demo": ("demo",),
    "train": ("train",),
    "tune": ("tune",),
    "tune_lists": ("tune-lists",),
    "rescore": ("rescore",),
    "translate": ("translate", "explain"),
    "translate_file": ("translate-file",),
    "confidence": ("confidence",),
    "serve": ("serve",),
    "learn": ("learn", "compact", "rules"),
    "interactive": ("simulate-interactive",),
    "synth": ("synth",),
    "corpus": ("corpus",),
    "text": ("text",),
    "lm": ("lm",),
    "align": ("align",),
    "joint": ("joint",),
    "annotate": ("annotate",),
    "functions": ("functions",),
    "extract": ("extract",),
    "table": ("table",),
    "decode": ("decode", "export-moses"),
    "combine": ("combine",),
    "forest": ("forest",),
    "profiles": ("profiles",),
    "paraphrase": ("paraphrase",),
    "oov": ("oov",),
    "vectors": ("vectors",),
    "substitute": ("substitute",),
    "similarity": ("similarity",),
    "entail": ("entail",),
    "evaluate": ("score",),
    "assess": ("assess",),
    "compare": ("compare", "gains"),
    "correlate": ("correlate",),
    "search_errors": ("search-errors", "verify-certificate"),
    "listing": ("list", "info"),
}
"""Modules and the commands that each of them registers, in the order of the reference."""

PARTS = {
    "text": ("clean", "select", "pieces", "agreement"),
    "lm": ("lm_deep",),
    "assess": ("assess_links", "assess_serve"),
}
"""Modules whose commands belong to the group of another one."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars and notes.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Statistical machine translation that trains on a laptop, explains itself and can be measured honestly."""
    set_output(debug=debug, quiet=quiet)


@cache
def _module(name: str) -> Any:
    """A module of commands, with those that other modules add to its group."""
    module = import_module(f"dragoman.cli.{name}")
    for part in PARTS.get(name, ()):
        import_module(f"dragoman.cli.{part}").register(getattr(module, f"{name}_app"))
    return module


@cache
def _app(modules: tuple[str, ...]) -> typer.Typer:
    made = typer.Typer(
        name="dragoman",
        cls=Overview,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(options)
    for name in modules:
        _module(name).register(made)
    return made


def _app_for(arguments: Sequence[str]) -> typer.Typer:
    """As much of the program as a command line needs."""
    command = next((word for word in arguments if not word.startswith("-")), "")
    return _app(tuple(name for name, commands in COMMANDS.items() if command in commands) or tuple(COMMANDS))


def __getattr__(name: str) -> Any:
    if name == "app":
        return _app(tuple(COMMANDS))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def program(arguments: Sequence[str] = ()) -> Any:
    """The command itself, as it is run and described; with arguments, only as much of it as they need."""
    command = typer.main.get_command(_app_for(arguments))
    accept_anywhere(command)
    name_values(command)
    tell_in_whole(command)
    return command


def main() -> None:
    """Run the command line; an error of the user's, or of the disk, is one line and exit code 2."""
    try:
        with noted_warnings():
            try:
                program(sys.argv[1:])()
            except SystemExit as leaving:
                if isinstance(leaving.__context__, BrokenPipeError):
                    raise leaving.__context__ from None
                stopped = getattr(leaving.__context__, "__cause__", None)
                if isinstance(stopped, KeyboardInterrupt):  # which knows what to say
                    raise stopped from None
                sys.stdout.flush()  # a full disk shows itself here, if not before
                raise
    except BrokenPipeError:  # the reader of our output (`head`, say) has gone; that is not an error
        _forget_output()
        raise SystemExit(0) from None
    except (DragomanError, OSError) as error:
        if "--debug" in sys.argv:
            raise
        if isinstance(error, OSError):
            _forget_output()
            error = FileError(error.strerror or str(error), where=str(error.filename or "standard output"))
        called = _app_for(sys.argv[1:])
        error = model_first(error, called, sys.argv[1:])
        remedy = in_options(error.remedy, called, sys.argv[1:])
        what = flags_in_options(error.what, called, sys.argv[1:])
        said = DragomanError(what, where=error.where, remedy=remedy)
        stderr().print(f"dragoman: {said}", style="red", markup=False, highlight=False, soft_wrap=True)
        raise SystemExit(2) from None
    except KeyboardInterrupt as stop:
        stderr().print(
            f"dragoman: {str(stop) or 'interrupted'}", style="red", markup=False, highlight=False, soft_wrap=True
        )
        raise SystemExit(130) from None


def _forget_output() -> None:
    """Let what could not be written go nowhere, instead of being tried again when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
