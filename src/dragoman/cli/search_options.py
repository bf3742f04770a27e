"""Command-line options of search settings, made from their declarations."""

from __future__ import annotations

from collections.abc import Callable

from dragoman.cli.setting_options import with_options
from dragoman.search.settings import SETTINGS
from dragoman.settings import declared

__all__ = ["search_options"]


def search_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each search setting; those that were used come to it as `changes`, by name.

    What several kinds of search know under one name is one option; a search refuses what it does not know.
    """
    panels = {"Search" if name == "phrase" else f"Search ({name})": declared(kind) for name, kind in SETTINGS.items()}
    return with_options(command, panels, argument="changes")
