"""Remedies in the language of the command line: what Python calls `force=True` is `--force` here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

__all__ = ["flags_in_options", "in_options"]

_ARGUMENT = re.compile(r"`?\b([a-z][a-z_]*)=([\w.+/-]*\w)`?")
_FLAG = re.compile(r"`?\b([a-z][a-z_]*)=(True)`?")


def in_options(text: str, app: typer.Typer, arguments: Sequence[str]) -> str:
    """A sentence with the options of the command that was run in the place of arguments of Python.

    What the command has no option for is written `--set name=value` where it takes settings, and else stays as it is.
    """
    return _said(_ARGUMENT, text, _options(app, arguments))


def flags_in_options(text: str, app: typer.Typer, arguments: Sequence[str]) -> str:
    """The same of nothing but flags, for sentences that may quote what somebody has typed."""
    return _said(_FLAG, text, _options(app, arguments) - {"--set"})


def _said(argument: re.Pattern[str], text: str, known: set[str]) -> str:
    def option(match: re.Match[str]) -> str:
        name = "--" + match[1].replace("_", "-")
        if name not in known:
            value = match[2].lower() if match[2] in ("True", "False") else match[2]
            told = match.string[: match.start()].endswith("--set ")
            return f"--set {match[1]}={value}" if "--set" in known and not told else match[0]
        return name if match[2] == "True" else f"{name} {match[2]}"

    return argument.sub(option, text)


def _options(app: typer.Typer, arguments: Sequence[str]) -> set[str]:
    """The options of the command that the arguments name."""
    from typer.main import get_command

    command = get_command(app)
    for argument in arguments:
        found = getattr(command, "commands", {}).get(argument)
        if found is not None:
            command = found
    return {name for parameter in command.params for name in parameter.opts}
