"""Groups of commands that do the obvious when no command is named."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["DefaultGroup"]


class DefaultGroup(TyperGroup):
    """A group whose first word, when it names no command, belongs to the command `run`."""

    default = "run"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names = {*self.commands, "-h", "--help"}
        if args and not any(word in names for word in args[:1]):
            args = [self.default, *args]
        return list(super().parse_args(ctx, args))
