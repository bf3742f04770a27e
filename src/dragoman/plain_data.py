"""Plain data: TOML and JSON, read in one way.

Both come from people and from other programs, so that anything may be in them: what is no text, what is nested a
thousand deep, numbers of a thousand digits. All of that is a `FormatError` with its place, and nothing else is raised.

    >>> parse_json('{"a": [1, 2]}', where="example")
    {'a': [1, 2]}
    >>> parse_json("[" * 100_000, where="example")
    Traceback (most recent call last):
    dragoman.errors.FormatError: example: not JSON: it is nested too deeply
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from dragoman.errors import FileError, FormatError

__all__ = ["parse_json", "parse_toml", "read_toml"]


def read_toml(path: Path | str, *, remedy: str = "") -> dict[str, Any]:
    """The values of a TOML file; `remedy` is what to do about one that is none."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"cannot read: {reason}", where=str(path), remedy="check the spelling") from None
    return parse_toml(raw, where=str(path), remedy=remedy)


def parse_toml(text: str | bytes, *, where: str, remedy: str = "") -> dict[str, Any]:
    """The values of a TOML text."""
    try:
        return tomllib.loads(text if isinstance(text, str) else text.decode("utf-8"))
    except ValueError as error:  # of the syntax, of the encoding, of a date or number that cannot be
        raise FormatError(f"not TOML: {error}", where=where, remedy=remedy) from None
    except RecursionError:
        raise FormatError("not TOML: it is nested too deeply", where=where, remedy=remedy) from None


def parse_json(text: str | bytes, *, where: str, remedy: str = "", finite: bool = False) -> Any:
    """The value of a JSON text; with `finite`, the names that are no JSON (`NaN`, `Infinity`) are refused."""
    try:
        return json.loads(text, parse_constant=_refuse if finite else None)
    except json.JSONDecodeError as error:
        place = f"{error.msg} at column {error.colno}" + (f" of line {error.lineno}" if error.lineno > 1 else "")
        raise FormatError(f"not JSON: {place}", where=where, remedy=remedy) from None
    except ValueError as error:
        raise FormatError(f"not JSON: {error}", where=where, remedy=remedy) from None
    except RecursionError:
        raise FormatError("not JSON: it is nested too deeply", where=where, remedy=remedy) from None


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")
