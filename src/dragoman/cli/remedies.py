"""Remedies in the language of the command line: what Python calls `force=True` is `--force` here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

__all__ = ["in_options"]

_ARGUMENT = re.compile(r"`?\b([a-z][a-z_]*)=([\w.+/-]*\w)`?")


def in_options(remedy: str, app: typer.Typer, arguments: Sequence[str]) -> str:
    """A remedy with the options of the command that was run in the place of arguments of Python.

    What the command has no option for stays as it is: such settings are written `--set name=value` there.
    """
    known = _options(app, arguments)

    def option(match: re.Match[str]) -> str:
        name = "--" + match[1].replace("_", "-")
        if name not in known:
            return match[0]
        return name if match[2] == "True" else f"{name} {match[2]}"

    return _ARGUMENT.sub(option, remedy)


def _options(app: typer.Typer, arguments: Sequence[str]) -> set[str]:
    """The options of the command that the arguments name."""
    from typer.main import get_command

    command = get_command(app)
    for argument in arguments:
        found = getattr(command, "commands", {}).get(argument)
        if found is not None:
            command = found
    return {name for parameter in command.params for name in parameter.opts}
