"""Arguments in the wrong order: text, or a word to look up, where the model should be and the model behind it.

Commands that use a model, or a part of one, take it first. Whoever has it the other way round is told the command as it
should be, instead of what is wrong with a text that was read as a model.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dragoman.errors import BundleError, DragomanError, SettingError
from dragoman.files import is_file

if TYPE_CHECKING:
    import typer

__all__ = ["model_first"]

_FIRST = (["model"], ["models"], ["table"])
"""Arguments of commands that name a model or a part of one."""


def model_first(error: DragomanError, app: typer.Typer, arguments: Sequence[str]) -> DragomanError:
    """The error, or a better one if what it is about stands where a model should."""
    from dragoman.pipeline.parts import is_model

    words, command, given = _parsed(app, arguments)
    takes = [str(each.name) for each in command.params if not each.opts[0].startswith("-")]
    if not given or takes[:1] not in _FIRST or not f"{error.where}:".startswith(f"{given[0]}:"):
        return error
    wrong, *others = given
    if is_model(wrong):
        return error
    kind = "a file" if is_file(wrong) else "text"
    right = next((each for each in others if is_model(each)), "")
    if right and takes[1:]:
        others.remove(right)
        remedy = f"the model comes first: {_command(words, right, [wrong, *others], takes)}"
    elif kind == "a file" and isinstance(error, BundleError):
        remedy = "name the folder of a model"
    else:
        return error
    return SettingError(f"{kind}, not a model", where=wrong, remedy=remedy)


def _command(words: Sequence[str], model: str, others: Sequence[str], takes: Sequence[str]) -> str:
    """What should have been typed; text that is meant for standard input goes there."""
    command = ["dragoman", *words, model]
    if takes[1] == "file" and not any(map(is_file, others)):
        return f"echo {shlex.join(others)} | {shlex.join(command)}"
    return shlex.join([*command, *others])


def _parsed(app: typer.Typer, arguments: Sequence[str]) -> tuple[list[str], Any, list[str]]:
    """The words that name a command, the command, and what stands behind them without an option."""
    from typer.main import get_command

    command, words, given = get_command(app), [], []
    waiting = iter(arguments)
    for word in waiting:
        below = getattr(command, "commands", {})
        if word in below:
            command = below[word]
            words.append(word)
        elif word.startswith("-") and word != "-":
            option = next((each for each in command.params if word in each.opts), None)
            if option is not None and not getattr(option, "is_flag", False):
                next(waiting, None)
        else:
            given.append(word)
    return words, command, given
