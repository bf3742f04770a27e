"""Command-line options of search settings, made from their declarations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from dragoman.search.settings import PhraseSettings
from dragoman.settings import Declared, declared

__all__ = ["search_options"]

_PANEL = "Search"


def search_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each search setting; those that were used come to it as `changes`, by name."""
    signature = inspect.signature(command, eval_str=True)
    own = [each for each in signature.parameters.values() if each.name != "changes"]
    known = declared(PhraseSettings)

    @functools.wraps(command)
    def run(**given: Any) -> None:
        changes = {name: given.pop(name) for name in known}
        command(**given, changes={name: value for name, value in changes.items() if value is not None})

    parameters = [*own, *(_option(each) for each in known.values())]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _option(each: Declared) -> inspect.Parameter:
    shown = "|".join(each.choices) if each.choices else None
    flag = f"--{each.name.replace('_', '-')}"
    option = typer.Option(flag, help=each.help, metavar=shown, rich_help_panel=_PANEL)
    kind: Any = each.kind | None
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )
