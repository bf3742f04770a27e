"""Settings: what can be chosen about a thing, declared once.

A thing with settings is a dataclass derived from `Settings` whose fields are made by `setting`: a default, a sentence,
and what the value may be. All else follows from the declaration: checks when a value is made, text (`name=value`) and
plain values (TOML, JSON) read into the right types, command-line options, reference pages, and one form of error that
names the setting, the value and what it must be.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Beam(Settings):
    ...     size: int = setting(100, "Partial translations kept.", least=1)
    ...     search: str = setting("cube", "How they are extended.", choices=("cube", "stack"))
    >>> Beam.configured(["size=20"])
    Beam(size=20, search='cube')
    >>> Beam(size=0)
    Traceback (most recent call last):
    dragoman.errors.SettingError: beam: size is 0; it must be a whole number of at least 1
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin

from dragoman.errors import SettingError, UnknownName

__all__ = [
    "Declared",
    "Settings",
    "declared",
    "read_plain",
    "read_texts",
    "setting",
    "split_options",
    "unknown_setting",
]

_KEY = "setting"
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}

Choices = Collection[str] | Callable[[], Collection[str]]
"""Names to choose from; a callable is asked when they are needed."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a field was declared with."""

    help: str
    choices: Choices | None
    least: float | None
    most: float | None
    above: float | None
    below: float | None
    parse: Callable[[str], Any] | None


def setting(
    default: Any = MISSING,
    help: str = "",  # noqa: A002 - as people call it
    *,
    choices: Choices | None = None,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    parse: Callable[[str], Any] | None = None,
    factory: Callable[[], Any] | None = None,
) -> Any:
    """A field that is a setting: its default, what it means, and what it may be.

    Numbers, and the numbers of a list or table, lie between `least` and `most`, both allowed, or `above` and `below`,
    both not; infinite ones need `most=math.inf`. `parse` reads from text what is of a type unknown here.
    """
    rules = _Rules(help, choices, least, most, above, below, parse)
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata={_KEY: rules})
    return dataclasses.field(default=default, metadata={_KEY: rules})


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting as its class declares it."""

    name: str
    kind: type
    """bool, int, float, str, or another type, which only `parse` can read."""
    shape: Literal["one", "list", "table"]
    optional: bool
    default: Any
    rules: _Rules

    @property
    def help(self) -> str:
        """What it means."""
        return self.rules.help

    @property
    def choices(self) -> tuple[str, ...]:
        """What it may be, if that is a choice of names."""
        given = self.rules.choices
        return () if given is None else tuple(given() if callable(given) else given)

    @property
    def wanted(self) -> str:
        """What it must be, in words."""
        if names := self.choices:
            one = f"one of {', '.join(names)}"
        else:
            one = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}.get(
                self.kind, f"a {self.kind.__name__}"
            )
            one += self._range()
        if self.shape == "list":
            one = f"a list, each {one}"
        if self.shape == "table":
            one = f"a table of names, each {one}"
        return one + (", or none" if self.optional else "")

    def _range(self) -> str:
        rules = self.rules
        if rules.least is not None and rules.most is not None and rules.most < math.inf:
            return f" from {rules.least:g} to {rules.most:g}"
        bounds = (
            ("of at least", rules.least),
            ("above", rules.above),
            ("of at most", rules.most if rules.most is None or rules.most < math.inf else None),
            ("below", rules.below),
        )
        return " and".join(f" {word} {bound:g}" for word, bound in bounds if bound is not None)

    def allows(self, value: Any) -> bool:
        """Whether a value of the right type may be chosen."""
        if value is None:
            return self.optional
        if self.shape == "list":
            return isinstance(value, tuple) and all(map(self._allows_one, value))
        if self.shape == "table":
            return isinstance(value, Mapping) and all(map(self._allows_one, value.values()))
        return self._allows_one(value)

    def _allows_one(self, value: Any) -> bool:
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind in (bool, int, float, str) and type(value) is not self.kind:
            return False
        if self.choices:
            return value in self.choices
        if self.kind in (int, float):
            return self._within(value)
        return True

    def _within(self, value: float) -> bool:
        rules = self.rules
        if math.isnan(value) or (math.isinf(value) and rules.most != math.inf):
            return False
        return (
            (rules.least is None or value >= rules.least)
            and (rules.most is None or value <= rules.most)
            and (rules.above is None or value > rules.above)
            and (rules.below is None or value < rules.below)
        )

    def read(self, text: str, *, separator: str = ",") -> Any:
        """The value that a text says; raises ValueError if it says none."""
        text = text.strip()
        if self.rules.parse is not None:
            return self.rules.parse(text)
        if self.optional and text.lower() == "none":
            return None
        parts = [part.strip() for part in text.split(separator) if part.strip()]
        if self.shape == "list":
            return tuple(map(self._read_one, parts))
        if self.shape == "table":
            pairs = (part.rpartition("=") for part in parts)
            return {name: self._read_one(value) for name, _, value in pairs}
        return self._read_one(text)

    def _read_one(self, text: str) -> Any:
        if self.kind is bool:
            if text.lower() not in _TRUTH:
                raise ValueError(text)
            return _TRUTH[text.lower()]
        if self.kind is str:
            return text
        if self.kind in (int, float):
            return self.kind(text)
        raise ValueError(text)

    def plain(self, value: Any) -> Any:
        """A value as plain data has it, in the type that is declared: lists become tuples, `1` may be `1.0`."""
        if self.shape == "list" and isinstance(value, list):
            value = tuple(value)
        if self.kind is float and type(value) is int:
            return float(value)
        if self.kind is float and isinstance(value, tuple):
            return tuple(float(each) if type(each) is int else each for each in value)
        if self.kind is float and isinstance(value, Mapping):
            return {name: float(each) if type(each) is int else each for name, each in value.items()}
        return value

    def refuse(self, value: Any, *, label: str, where: str = "") -> SettingError:
        """The error for a value that it cannot have."""
        said = f"{self.name} is {value!r}"
        remedy = f"it must be {self.wanted}"
        if self.choices and isinstance(value, str) and (near := difflib.get_close_matches(value, self.choices, n=1)):
            remedy = f"did you mean {near[0]!r}? {remedy}"
        return SettingError(f"{label}: {said}" if label else said, where=where, remedy=remedy)


class Settings:
    """Base of what has settings; a value outside of its declaration is refused when it is made."""

    __slots__ = ()
    label: ClassVar[str] = ""
    """What errors call it; the `name` of the class or the class itself if empty."""

    def __post_init__(self) -> None:
        for each in declared(type(self)).values():
            value = each.plain(getattr(self, each.name))
            if not each.allows(value):
                raise each.refuse(getattr(self, each.name), label=_label(type(self)))
            if value is not getattr(self, each.name):
                object.__setattr__(self, each.name, value)

    @classmethod
    def configured(cls, texts: Iterable[str], **given: Any) -> Self:
        """Made from `name=value` texts, beside values given by name."""
        return cls(**read_texts(cls, texts, **given))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Self:
        """Made from plain values, as TOML and JSON have them; names that it does not have are refused."""
        try:
            return cls(**read_plain(cls, values, where=where))
        except SettingError as error:
            raise SettingError(error.what, where=error.where or where, remedy=error.remedy) from None

    @classmethod
    def elsewhere(cls, name: str) -> str | None:
        """Where a setting is that people look for here."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: _plain(getattr(self, name)) for name in declared(type(self))}

    def changed(self, texts: Iterable[str] = (), values: Mapping[str, Any] | None = None) -> Self:
        """With `name=value` texts and plain values in place of what it has."""
        given = {**read_texts(type(self), texts, base=self), **read_plain(type(self), values or {})}
        return dataclasses.replace(self, **given)  # type: ignore[type-var]

    def differences(self) -> dict[str, Any]:
        """The settings that are not as usual, as plain values."""
        return {
            name: _plain(getattr(self, name))
            for name, each in declared(type(self)).items()
            if getattr(self, name) != each.default
        }


def declared(cls: type[Any]) -> Mapping[str, Declared]:
    """The settings of a dataclass, in order."""
    if cls not in _DECLARED:
        _DECLARED[cls] = dict(_declare(cls))
    return _DECLARED[cls]


_DECLARED: dict[type[Any], Mapping[str, Declared]] = {}


def _declare(cls: type[Any]) -> Iterator[tuple[str, Declared]]:
    for field in dataclasses.fields(cls):
        if (rules := field.metadata.get(_KEY)) is not None:
            default = field.default_factory() if field.default_factory is not MISSING else field.default
            shape, kind, optional = _shape(_annotation(cls, field.name))
            yield field.name, Declared(field.name, kind, shape, optional, default, rules)


def read_plain(cls: type[Any], values: Mapping[str, Any], *, where: str = "") -> dict[str, Any]:
    """Plain values in the types that a class declares for them; names that it does not have are refused."""
    known = declared(cls)
    for name in values:
        if name not in known:
            raise unknown_setting(cls, name, where=where)
    return {name: known[name].plain(value) for name, value in values.items()}


def read_texts(
    cls: type[Any], texts: Iterable[str], *, base: object | None = None, separator: str = ",", **given: Any
) -> dict[str, Any]:
    """Values of `name=value` texts. Entries of a table can be set one by one: `name.key=value`."""
    known, found = declared(cls), dict(given)
    for text in texts:
        written, equals, value = text.partition("=")
        name, dot, key = written.strip().partition(".")
        if not equals:
            raise SettingError(f"{_label(cls)}: {text!r} sets nothing", remedy="write it like name=value")
        if name not in known:
            raise unknown_setting(cls, name)
        each = known[name]
        try:
            if dot and each.shape == "table":
                before = found.get(name, getattr(base, name) if base is not None else each.default)
                found[name] = {**before, key: each._read_one(value.strip())}
            elif dot:
                raise unknown_setting(cls, written.strip())
            else:
                found[name] = each.read(value, separator=separator)
        except ValueError:
            raise each.refuse(value, label=_label(cls)) from None
    return found


def unknown_setting(cls: type[Any], name: str, *, where: str = "") -> UnknownName:
    """The error for a setting that a class does not have."""
    names = list(declared(cls))
    near = cls.elsewhere(name) if issubclass(cls, Settings) else None
    near = near or next(iter(difflib.get_close_matches(name, names, n=1)), None)
    remedy = f"did you mean {near!r}?" if near else f"it has {', '.join(names) or 'none'}"
    return UnknownName(f"{_label(cls)} has no setting {name!r}", where=where, remedy=remedy)


def split_options(text: str) -> Iterator[str]:
    """The `name=value` texts of `name=value,flag`; a flag is switched on.

    >>> list(split_options("min_count=51,strict"))
    ['min_count=51', 'strict=true']
    """
    for item in filter(None, map(str.strip, text.split(","))):
        yield item if "=" in item else f"{item}=true"


def _label(cls: type[Any]) -> str:
    return str(getattr(cls, "label", "") or getattr(cls, "name", "") or cls.__name__.lower())


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def _annotation(cls: type[Any], name: str) -> Any:
    """The type of a field; only those of settings are looked at, as others may name what is not imported."""
    for base in cls.__mro__:
        if (written := inspect.get_annotations(base).get(name)) is not None:
            return eval(written, vars(sys.modules[base.__module__])) if isinstance(written, str) else written
    raise AssertionError(f"{cls.__name__}.{name} has no type")


def _shape(annotation: Any) -> tuple[Literal["one", "list", "table"], type, bool]:
    optional = False
    if get_origin(annotation) in (Union, UnionType):
        members = [each for each in get_args(annotation) if each is not NoneType]
        optional = len(members) < len(get_args(annotation))
        annotation = members[0]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (tuple, Sequence):
        return "list", arguments[0], optional
    if origin is Mapping:
        return "table", arguments[1], optional
    return "one", str if origin is Literal else annotation, optional
