"""Classes that a recipe, a model or a command names and that live in somebody's Python module.

They are code, not data: files keep their names and options, and to make one is to import its module. So nothing is
imported unless whoever opens a file says that it may be.

    >>> spec = Imported.parse("my_features:LongWords:limit=12,strict")
    >>> spec.module, spec.attribute, dict(spec.options)
    ('my_features', 'LongWords', {'limit': 12, 'strict': True})
    >>> str(spec)
    'my_features:LongWords:limit=12,strict=true'
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from dragoman.errors import InputError, MissingDependency, SettingError, UnknownName
from dragoman.files import checksum
from dragoman.settings import read_value, split_options

__all__ = ["Imported"]

Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Imported:
    """A class in a module, and the options it is made with."""

    module: str
    attribute: str
    options: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [*self.module.split("."), self.attribute, *self.options]
        if not all(isinstance(name, str) and name.isidentifier() for name in names):
            raise SettingError(f"feature {str(self)!r}", remedy="write it like my_module:MyFeature:option=value")

    def __str__(self) -> str:
        shown = (f"{name}={v if isinstance(v, str) else json.dumps(v)}" for name, v in self.options.items())
        return ":".join(filter(None, (self.module, self.attribute, ",".join(shown))))

    @classmethod
    def parse(cls, text: str) -> Self:
        """`module:Class`, or `module:Class:option=value,flag`; values are numbers, true, false or text."""
        module, _, rest = text.partition(":")
        attribute, _, given = rest.partition(":")
        options: dict[str, Value] = {}
        for option in split_options(given):
            name, _, value = option.partition("=")
            options[name] = read_value(value)
        return cls(module, attribute, options)

    def make(self, *kinds: type) -> Any:
        """Import the module and make one, which must be of one of these kinds."""
        try:
            found = import_module(self.module)
        except ModuleNotFoundError as error:
            raise MissingDependency(
                f"the feature {str(self)!r} needs the Python module {error.name!r}, which is not there",
                remedy="install it, or put its folder on PYTHONPATH",
            ) from None
        except Exception as error:
            raise InputError(
                f"the module cannot be imported: {type(error).__name__}: {error}",
                where=self.module,
                remedy="mend it, or use another version of it",
            ) from error
        kind = getattr(found, self.attribute, None)
        if kind is None:
            raise UnknownName(f"has no {self.attribute!r}", where=self.module, remedy="use another version of it")
        if not (isinstance(kind, type) and issubclass(kind, kinds)):
            wanted = " or ".join(each.__name__ for each in kinds)
            raise SettingError(f"{self.attribute} is no feature", where=self.module, remedy=f"derive it from {wanted}")
        try:
            return kind(**self.options)
        except Exception as error:
            raise SettingError(
                f"{self.attribute} cannot be made with these options: {error}",
                where=self.module,
                remedy="compare its constructor",
            ) from error

    def fingerprint(self) -> str:
        """A hash of the feature and of the file of its module, so that nothing made with other code is used again."""
        try:
            origin = getattr(find_spec(self.module), "origin", None)
        except (ImportError, ValueError):
            origin = None
        return f"{self} {checksum(Path(origin)) if origin and Path(origin).is_file() else ''}"
