"""The shape that all JSON of the command line has, held wherever a test lets a command print some."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from dragoman.cli import output
from dragoman.cli.listing import REGISTRIES

__all__ = ["require_shape", "watch_json"]

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
NAMED_BY_PEOPLE = {
    "between",
    "collections",
    "columns",
    "counts",
    "details",
    "differences",
    "discounts",
    "domains",
    "expected_features",
    "families",
    "features",
    "files",
    "following",
    "kinds",
    "languages",
    "metadata",
    "metrics",
    "names",
    "nodes",
    "p",
    "perplexity",
    "phrases",
    "provenance",
    "ranks",
    "removed",
    "runs",
    "scores",
    "seconds",
    "sets",
    "settings",
    "sizes",
    "stages",
    "systems",
    "templates",
    "values",
    "versions",
    "weights",
    "williams",
    "wins",
    "words",
    *(plural.replace("-", "_") for plural in REGISTRIES),
}
"""Under these stand objects whose names are things: systems, words, features, files, stages."""
GRIDS = {"between", "p", "systems"}
"""Under these, things by things: metrics by metrics, metrics by systems."""


def require_shape(result: Any) -> None:
    """One object; its names, and those below, are words in small letters joined by `_`, or things under such a name."""
    assert isinstance(result, dict), "the result of a command is one object"
    for path, name in _names(result, ("",)):
        assert isinstance(name, str)
        assert path[-1] in NAMED_BY_PEOPLE or _NAME.fullmatch(name), f"{'.'.join(path)[1:]}: {name!r}"


def _names(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield path, name
            below = name if path[-1] not in NAMED_BY_PEOPLE else "words" if path[-1] in GRIDS else "*"
            yield from _names(each, (*path, below))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _names(each, (*path, "[]"))


def watch_json(patch: pytest.MonkeyPatch) -> None:
    """Look at everything that commands print from now on."""

    def dumps(value: Any, **options: Any) -> str:
        require_shape(value)
        return json.dumps(value, **options)

    patch.setattr(output, "json", SimpleNamespace(dumps=dumps))
