"""Options of the program itself, which may stand behind the name of a command as well as before it.

Nobody should have to remember that `dragoman -q train ...` is right and `dragoman train ... -q` is not. The options are
declared once, for the program; every group and every command gets its copies.
"""

from __future__ import annotations

import copy
from typing import Any

from dragoman.cli.output import set_output

__all__ = ["ANYWHERE", "accept_anywhere"]

ANYWHERE = ("--quiet", "-q", "--debug")


def accept_anywhere(program: Any) -> None:
    """Let all commands of a program take what the program takes."""
    shared = []
    for option in program.params:
        if option.opts[0] in ANYWHERE:
            given = copy.copy(option)
            given.callback, given.expose_value = _say, False
            shared.append(given)
    for each in program.commands.values():
        _add(each, shared)


def _add(command: Any, options: list[Any]) -> None:
    command.params = [*command.params, *options]
    for each in getattr(command, "commands", {}).values():
        _add(each, options)


def _say(context: Any, parameter: Any, value: bool) -> bool:
    if value:
        set_output(**{parameter.name: True})
    return value
