"""Command-line options made from declarations of settings."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from dragoman.settings import Declared

__all__ = ["with_options"]


def with_options(
    command: Callable[..., None], panels: Mapping[str, Mapping[str, Declared]], *, argument: str
) -> Callable[..., None]:
    """Give a command an option for each setting, in panels by title; those that were used come as `argument`, by name.

    A setting that is in several panels is shown in the first.
    """
    signature = inspect.signature(command, eval_str=True)
    known: dict[str, inspect.Parameter] = {}
    for panel, settings in panels.items():
        for name, each in settings.items():
            known.setdefault(name, _option(each, panel))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        used = {name: given.pop(name) for name in known}
        command(**given, **{argument: {name: value for name, value in used.items() if value is not None}})

    own = [each for each in signature.parameters.values() if each.name != argument]
    parameters = [*own, *known.values()]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _option(each: Declared, panel: str) -> inspect.Parameter:
    shown = "|".join(each.choices) if each.choices else None
    words = each.name.replace("_", "-")
    flag = f"--{words}/--no-{words}" if each.kind is bool else f"--{words}"
    option = typer.Option(flag, help=each.help, metavar=shown, rich_help_panel=panel)
    kind: Any = (each.kind if each.rules.parse is None else str) | None  # what is read in a way of its own is text here
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )
