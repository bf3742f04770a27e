"""Command-line options of search settings, made from their declarations."""

from __future__ import annotations

from collections.abc import Callable

from dragoman.cli.setting_options import with_options
from dragoman.search.settings import PhraseSettings
from dragoman.settings import declared

__all__ = ["search_options"]


def search_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each search setting; those that were used come to it as `changes`, by name."""
    return with_options(command, {"Search": declared(PhraseSettings)}, argument="changes")
