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
    Beam(size=20)
    >>> Beam(size=0)
    Traceback (most recent call last):
    dragoman.errors.SettingError: beam: size is 0; it must be a whole number of at least 1
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass
from functools import cached_property
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin

from dragoman.errors import DragomanError, SettingError, UnknownName

__all__ = [
    "Declared",
    "Settings",
    "byte_count",
    "check_argument",
    "declared",
    "read_plain",
    "read_texts",
    "read_value",
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
    valid: Callable[[Any], bool] | None
    wanted: str
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
    valid: Callable[[Any], bool] | None = None,
    wanted: str = "",
    parse: Callable[[str], Any] | None = None,
    factory: Callable[[], Any] | None = None,
) -> Any:
    """A field that is a setting: its default, what it means, and what it may be.

    Numbers, and the numbers of a list or table, lie between `least` and `most`, both allowed, or `above` and `below`,
    both not; infinite ones need `most=math.inf`. Names to choose from are `choices`, or those of a `Literal` type. What
    else must hold of the whole value, `valid` says, and `wanted` says it in words. `parse` reads from text what is of a
    type unknown here. A subclass that gives a field another default, without `setting`, changes only that.
    """
    rules = _Rules(help, choices, least, most, above, below, valid, wanted, parse)
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata={_KEY: rules})
    return dataclasses.field(default=default, metadata={_KEY: rules})


@dataclass(frozen=True)
class Declared:
    """A setting as its class declares it."""

    name: str
    kinds: tuple[type, ...]
    """bool, int, float or str, or other types, which only `parse` can read."""
    shape: Literal["one", "list", "table"]
    optional: bool
    default: Any
    """MISSING if there is none."""
    rules: _Rules
    separator: str = ","
    """What stands between the values of a list or table in text."""

    @cached_property
    def kind(self) -> type:
        """The type of a value, or of each value of a list or table."""
        return self.kinds[0]

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
        return (self.rules.wanted or self._wanted()) + (", or none" if self.optional else "")

    def _wanted(self) -> str:
        if names := self.choices:
            one = f"one of {', '.join(names)}"
        else:
            one = _WORDS.get(self.kind, f"a {self.kind.__name__}") + self._range()
        if self.shape == "list":
            return f"a list, each {one}"
        return f"a table of names, each {one}" if self.shape == "table" else one

    def _range(self) -> str:
        rules = self.rules
        if rules.least is not None and rules.most is not None and rules.most < math.inf:
            return f" from {_bound(rules.least)} to {_bound(rules.most)}"
        if rules.above is not None and rules.below is not None:
            return f" between {_bound(rules.above)} and {_bound(rules.below)}"
        bounds = (
            ("of at least", rules.least),
            ("above", rules.above),
            ("of at most", rules.most if rules.most is None or rules.most < math.inf else None),
            ("below", rules.below),
        )
        return " and".join(f" {word} {_bound(bound)}" for word, bound in bounds if bound is not None)

    def allows(self, value: Any) -> bool:
        """Whether a value may be chosen."""
        if value is None:
            return self.optional
        if self.shape == "list":
            fine = isinstance(value, tuple) and all(map(self._allows_one, value))
        elif self.shape == "table":
            fine = isinstance(value, Mapping) and all(map(self._allows_one, value.values()))
        else:
            fine = self._allows_one(value)
        return fine and (self.rules.valid is None or self.rules.valid(value))

    def _allows_one(self, value: Any) -> bool:
        if self.kind in _WORDS and type(value) is not self.kind:
            return False
        if not isinstance(value, self.kinds):
            return False
        if names := self.choices:
            return value in names
        return not isinstance(value, Real) or self._within(value)

    def _within(self, value: Any) -> bool:
        rules = self.rules
        if value != value or (value in (math.inf, -math.inf) and rules.most != math.inf):
            return False
        return (
            (rules.least is None or value >= rules.least)
            and (rules.most is None or value <= rules.most)
            and (rules.above is None or value > rules.above)
            and (rules.below is None or value < rules.below)
        )

    def read(self, text: str) -> Any:
        """The value that a text says; raises ValueError if it says none."""
        text = text.strip()
        if self.optional and text.lower() == "none":
            return None
        if self.rules.parse is not None:
            return self.rules.parse(text)
        parts = [part.strip() for part in text.split(self.separator) if part.strip()]
        if self.shape == "list":
            return tuple(map(self.read_one, parts))
        if self.shape == "table":
            return {name: self.read_one(value) for name, value in map(_entry, parts)}
        return self.read_one(text)

    def read_one(self, text: str) -> Any:
        """A value, or one of those in a list or table, that a text says."""
        if self.kind is bool:
            if text.lower() not in _TRUTH:
                raise ValueError(text)
            return _TRUTH[text.lower()]
        if self.kind is str:
            return text
        if self.kind in (int, float):
            return self.kind(text)
        raise ValueError(text)

    def write(self, value: Any) -> str:
        """The text that says a value."""
        if isinstance(value, bool) or value is None:
            return str(value).lower()
        if self.shape == "list":
            return self.separator.join(map(str, value))
        if self.shape == "table":
            return self.separator.join(f"{name}={each}" for name, each in value.items())
        return str(value)

    def plain(self, value: Any) -> Any:
        """A value as plain data has it, in the type that is declared: lists become tuples, `1` may be `1.0`."""
        if self.shape == "one" and self.rules.parse is not None:
            if isinstance(value, str | int | float) and not isinstance(value, self.kinds):
                with suppress(ValueError, ArithmeticError):
                    return self.rules.parse(str(value))
            return value
        if self.shape == "list" and isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(map(self._plain_one, value))
        if self.shape == "table" and isinstance(value, Mapping):
            return {name: self._plain_one(each) for name, each in value.items()}
        return self._plain_one(value)

    def _plain_one(self, value: Any) -> Any:
        if self.kind is float and isinstance(value, Real) and not isinstance(value, bool):
            with suppress(OverflowError):
                return float(value)
        if self.kind is int and isinstance(value, Integral) and not isinstance(value, bool):
            return int(value)
        return value

    def dump(self, value: Any) -> Any:
        """A value as plain data, from which `plain` makes it again; what only `parse` can read is written as text."""
        if self.shape == "one" and self.rules.parse is not None and value is not None:
            return str(value)
        if isinstance(value, tuple):
            return list(value)
        return dict(value) if isinstance(value, Mapping) else value

    def describe(self) -> dict[str, str]:
        """Its default as text, unless one must be given, what it may be, and what it is."""
        default = {} if self.default is MISSING else {"default": self.write(self.default)}
        return {**default, "wanted": self.wanted, "what": self.help}

    def refuse(self, value: Any, *, label: str) -> SettingError:
        """The error for a value that it cannot have."""
        said = f"{self.name} is {value!r}"
        remedy = f"it must be {self.wanted}"
        if self.choices and isinstance(value, str) and (near := difflib.get_close_matches(value, self.choices, n=1)):
            remedy = f"did you mean {near[0]!r}? {remedy}"
        return SettingError(f"{label}: {said}" if label else said, remedy=remedy)


_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def byte_count(text: str) -> int:
    """Bytes from text such as `512M`; raises ValueError if it says no size."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise ValueError(text)
    return int(float(found[1]) * _UNITS[found[2].upper()])


_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def _bound(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:g}"


def _entry(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip():
        raise ValueError(text)
    return name.strip(), value.strip()


class Settings:
    """Base of what has settings; a value outside of its declaration is refused when it is made.

    Errors call it by its `name`, or by the words of its class's name.
    """

    __slots__ = ()
    separator: ClassVar[str] = ","
    """What stands between the values of a list or table in text."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in cls.__dict__:  # a dataclass would write all of its fields
            cls.__repr__ = Settings.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """What differs from the usual."""
        values = ((name, getattr(self, name), each.default) for name, each in declared(type(self)).items())
        said = ", ".join(f"{name}={value!r}" for name, value, usual in values if usual is MISSING or value != usual)
        return f"{type(self).__name__}({said})"

    def __post_init__(self) -> None:
        for each in declared(type(self)).values():
            given = getattr(self, each.name)
            if given is each.default:  # what is usual may be had: a test asks all classes
                continue
            value = each.plain(given)
            if not each.allows(value):
                raise each.refuse(given, label=_label(type(self)))
            if value is not given:
                object.__setattr__(self, each.name, value)

    @classmethod
    def configured(cls, texts: Iterable[str], **given: Any) -> Self:
        """Made from `name=value` texts, beside values given by name."""
        return cls(**read_texts(cls, texts, **given))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Self:
        """Made from plain values, as TOML and JSON have them; names that it does not have are refused."""
        try:
            return cls(**read_plain(cls, values))
        except DragomanError as error:
            raise type(error)(error.what, where=error.where or where, remedy=error.remedy) from None

    @classmethod
    def elsewhere(cls, name: str) -> str | None:
        """The full name of a setting of another class that people look for here; None if there is none."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: each.dump(getattr(self, name)) for name, each in declared(type(self)).items()}

    def changed(self, texts: Iterable[str] = (), values: Mapping[str, Any] | None = None) -> Self:
        """With `name=value` texts and plain values in place of what it has."""
        given = {**read_texts(type(self), texts, base=self), **read_plain(type(self), values or {})}
        return dataclasses.replace(self, **given)  # type: ignore[type-var]

    def differences(self) -> dict[str, Any]:
        """The settings that are not as usual, as plain values."""
        return {
            name: each.dump(getattr(self, name))
            for name, each in declared(type(self)).items()
            if getattr(self, name) != each.default
        }


def declared(cls: type[Any]) -> Mapping[str, Declared]:
    """The settings of a class, in order."""
    if cls not in _DECLARED:
        _DECLARED[cls] = dict(_declare(cls))
    return _DECLARED[cls]


_DECLARED: dict[type[Any], Mapping[str, Declared]] = {}


def _declare(cls: type[Any]) -> Iterator[tuple[str, Declared]]:
    fields: Mapping[str, Field[Any]] = getattr(cls, "__dataclass_fields__", {})
    for field in fields.values():
        if (rules := _rules(cls, field.name)) is not None:
            default = field.default_factory() if field.default_factory is not MISSING else field.default
            annotation = _annotation(cls, field.name)
            if rules.choices is None and (names := _literals(annotation)):
                rules = dataclasses.replace(rules, choices=names)
            shape, kinds, optional = _shape(annotation)
            separator = getattr(cls, "separator", ",")
            yield field.name, Declared(field.name, kinds, shape, optional, default, rules, separator)


def _rules(cls: type[Any], name: str) -> _Rules | None:
    """What the class, or the nearest of its bases that says so, declares of a field."""
    for base in cls.__mro__:
        field = vars(base).get("__dataclass_fields__", {}).get(name)
        if field is not None and (rules := field.metadata.get(_KEY)) is not None:
            return rules  # type: ignore[no-any-return]
    return None


def check_argument(
    name: str,
    value: object,
    kind: type = str,
    *,
    label: str = "",
    choices: Choices | None = None,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> None:
    """Refuse an argument of a function as a setting would be: by its name, its value and what it must be.

    >>> check_argument("samples", 3, int, least=10)
    Traceback (most recent call last):
    dragoman.errors.SettingError: samples is 3; it must be a whole number of at least 10
    """
    rules = _Rules("", choices, least, most, above, below, None, "", None)
    each = Declared(name, (kind,), "one", False, MISSING, rules)
    if not each.allows(each.plain(value)):
        raise each.refuse(value, label=label)


def read_plain(cls: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values in the types that a class declares for them; names that it does not have are refused."""
    known = declared(cls)
    for name in values:
        if name not in known:
            raise unknown_setting(cls, name)
    return {name: known[name].plain(value) for name, value in values.items()}


def read_texts(cls: type[Any], texts: Iterable[str], *, base: object | None = None, **given: Any) -> dict[str, Any]:
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
                found[name] = {**before, key: each.read_one(value.strip())}
            elif dot:
                raise unknown_setting(cls, written.strip())
            else:
                found[name] = each.read(value)
        except (ValueError, ArithmeticError):
            raise each.refuse(value, label=_label(cls)) from None
    return found


def unknown_setting(cls: type[Any], name: str) -> UnknownName:
    """The error for a setting that a class does not have."""
    names = list(declared(cls))
    near = cls.elsewhere(name) if issubclass(cls, Settings) else None
    near = near or next(iter(difflib.get_close_matches(name, names, n=1)), None)
    remedy = f"did you mean {near!r}?" if near else f"it has {', '.join(names) or 'none'}"
    return UnknownName(f"{_label(cls)} has no setting {name!r}", remedy=remedy)


def split_options(text: str) -> Iterator[str]:
    """The `name=value` texts of `name=value,flag`; a flag is switched on.

    >>> list(split_options("min_count=51,strict"))
    ['min_count=51', 'strict=true']
    """
    for item in filter(None, map(str.strip, text.split(","))):
        yield item if "=" in item else f"{item}=true"


def read_value(text: str) -> bool | int | float | str:
    """What a text says where nothing is declared: a number, true or false, or else itself.

    >>> [read_value(text) for text in ("12", "0.5", "true", "12a")]
    [12, 0.5, True, '12a']
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _label(cls: type[Any]) -> str:
    name = getattr(cls, "name", "")
    if isinstance(name, str) and name and "name" not in declared(cls):
        return name
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__).lower()


def _annotation(cls: type[Any], name: str) -> Any:
    """The type of a field; only those of settings are looked at, as others may name what is not imported."""
    for base in cls.__mro__:
        if (written := inspect.get_annotations(base).get(name)) is not None:
            return eval(written, vars(sys.modules[base.__module__])) if isinstance(written, str) else written
    raise AssertionError(f"{cls.__name__}.{name} has no type")


def _shape(annotation: Any) -> tuple[Literal["one", "list", "table"], tuple[type, ...], bool]:
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    optional = NoneType in members
    members = tuple(each for each in members if each is not NoneType)
    if len(members) > 1:
        return "one", tuple(get_origin(each) or each for each in members), optional
    (annotation,) = members
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (tuple, Sequence):
        return "list", (_one(arguments[0]),), optional
    if origin is Mapping:
        return "table", (_one(arguments[1]),), optional
    return "one", (_one(annotation),), optional


def _one(annotation: Any) -> Any:
    """The type of a single value; names to choose from are text."""
    if annotation is Any:
        return object
    return str if get_origin(annotation) is Literal else annotation


def _literals(annotation: Any) -> tuple[str, ...]:
    """The names that a type, or one within it, consists of."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next(filter(None, map(_literals, get_args(annotation))), ())
