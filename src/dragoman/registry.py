"""Registries: one table of names per kind of thing, each entry imported when it is asked for.

Decoders, metrics, tuners, aligners and features are looked up by name, from Python, the command line and recipes alike.
Adding one is one file and one line. Entries are `"module:attribute"` strings, so that listing the names costs nothing
and `import dragoman` stays fast.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

from dragoman.errors import UnknownName

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to classes; a module is imported when its name is asked for."""

    def __init__(self, kind: str, entries: Mapping[str, str]) -> None:
        self.kind, self._entries = kind, dict(entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, name: str) -> type[T]:
        if name not in self._entries:
            near = difflib.get_close_matches(name, self._entries, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"`dragoman list {self.kind}s` shows them all"
            raise UnknownName(f"no {self.kind} is called {name!r}", remedy=remedy)
        module, _, attribute = self._entries[name].partition(":")
        found: type[T] = getattr(import_module(module), attribute)
        return found

    def describe(self, name: str) -> str:
        """First line of the entry's docstring."""
        return (self.get(name).__doc__ or "").strip().partition("\n")[0]
