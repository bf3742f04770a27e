"""Values to JSON objects and back: only known fields, each of its kind, and no field that has its default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any

from dragoman.errors import FormatError

__all__ = ["checked", "sparse", "tuple_of"]

_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "bool": (bool,),
    "float": (int, float),
    "tuple": (list, tuple),
    "Mapping": (Mapping,),
}


def sparse(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, as JSON values."""
    plain = asdict(value)
    return {f.name: plain[f.name] for f in fields(value) if f.default is MISSING or getattr(value, f.name) != f.default}


def checked(cls: type, values: Any, *, where: str) -> dict[str, Any]:
    """A copy of a JSON object that has only fields of the dataclass, each of the right kind as far as JSON can tell."""
    if not isinstance(values, Mapping):
        raise FormatError(f"expected an object, found {type(values).__name__}", where=where)
    known = {f.name: f for f in fields(cls)}
    what = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__).lower()
    for name, value in values.items():
        if name not in known:
            raise FormatError(f"a {what} has no field {name!r}", where=where)
        declared = str(known[name].type)
        wanted = declared.partition(" ")[0].partition("[")[0]
        if value is None and declared.endswith("None"):
            continue
        kinds = _KINDS.get(wanted, (str,))
        if not isinstance(value, kinds) or (isinstance(value, bool) and wanted != "bool"):
            raise FormatError(f"field {name!r} of a {what} is {value!r}", where=where, remedy=f"it must be a {wanted}")
    for name, f in known.items():
        if f.default is MISSING and f.default_factory is MISSING and name not in values:
            raise FormatError(f"field {name!r} of a {what} is missing", where=where)
    return dict(values)


def tuple_of(kind: type | tuple[type, ...], values: Any, *, where: str) -> tuple[Any, ...]:
    """A JSON list as a tuple, all of one kind."""
    found = tuple(values)
    for value in found:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise FormatError(f"{value!r} stands where another kind of value is needed", where=where)
    return found
