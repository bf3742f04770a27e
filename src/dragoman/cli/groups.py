"""Groups of commands that do the obvious when no command is named."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from dragoman.cli.anywhere import ANYWHERE

__all__ = ["DefaultGroup"]


class DefaultGroup(TyperGroup):
    """A group whose first word, when it names no command, belongs to the command `run`."""

    default = "run"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = next((word for word in args if word not in ANYWHERE), "")
        if args and first not in {*self.commands, "-h", "--help"}:
            args = [self.default, *args]
        return list(super().parse_args(ctx, args))
