"""Names that a package offers without importing what they need.

`import dragoman`, and with it every start of the command line, stays quick: a name is looked up in its module when it
is first used. `dir()` shows what is offered, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: names by the module they are from, or `module:name` there.

    A name may also be a module of the package itself.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = names[name].partition(":")
        found = import_module(module)
        return found if module == f"{package}.{name}" else getattr(found, attribute or name)

    def offered() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return get, offered
