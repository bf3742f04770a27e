"""`dragoman text`: what is done to text before training and after translation."""

from __future__ import annotations

import typer

__all__ = ["register", "text_app"]

text_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@text_app.callback()
def text() -> None:
    """Split, normalise, tokenise, truecase and protect text; the inverse of each is here too."""


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    app.add_typer(text_app, name="text")
