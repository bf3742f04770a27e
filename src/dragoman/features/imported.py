"""Features that a model names and that live in somebody's Python module.

A model can be tuned with features of its owner's own (`dragoman.features.base`). They are code, not data: the bundle
keeps their names and options, and opening it imports the module. So nothing is imported unless whoever opens the model
says that it may be.

    >>> spec = ImportedFeature.parse("my_features:LongWords:limit=12,strict")
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

from dragoman.errors import InputError, MissingDependency, SettingError, UnknownName
from dragoman.features.base import RuleFeature, StateFeature
from dragoman.files import checksum
from dragoman.settings import read_value, split_options

__all__ = ["ImportedFeature"]

Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class ImportedFeature:
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

    @staticmethod
    def parse(text: str) -> ImportedFeature:
        """`module:Class`, or `module:Class:option=value,flag`; values are numbers, true, false or text."""
        module, _, rest = text.partition(":")
        attribute, _, given = rest.partition(":")
        options: dict[str, Value] = {}
        for option in split_options(given):
            name, _, value = option.partition("=")
            options[name] = read_value(value)
        return ImportedFeature(module, attribute, options)

    def load(self) -> RuleFeature | StateFeature:
        """Import the module and make the feature."""
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
        if not (isinstance(kind, type) and issubclass(kind, RuleFeature | StateFeature)):
            raise SettingError(
                f"{self.attribute} is no feature",
                where=self.module,
                remedy="derive it from RuleFeature or StateFeature",
            )
        try:
            made: RuleFeature | StateFeature = kind(**self.options)
        except Exception as error:
            raise SettingError(
                f"{self.attribute} cannot be made with these options: {error}",
                where=self.module,
                remedy="compare its constructor",
            ) from error
        return made

    def fingerprint(self) -> str:
        """A hash of the feature and of the file of its module, so that nothing made with other code is used again."""
        try:
            origin = getattr(find_spec(self.module), "origin", None)
        except (ImportError, ValueError):
            origin = None
        return f"{self} {checksum(Path(origin)) if origin and Path(origin).is_file() else ''}"
