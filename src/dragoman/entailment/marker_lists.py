"""Lists of words that turn, weaken or bound a statement: shipped, and open to change.

The shipped lists are for English (`markers/en.toml`). A file of one's own has the same sections; what it lacks is
empty, what it adds beyond them is an error, since a misspelt section would be ignored for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from dragoman.errors import FormatError
from dragoman.plain_data import parse_toml, read_toml

__all__ = ["SIGNATURES", "Markers", "Operator"]

SIGNATURES = ("+/+", "+/-", "-/+", "+/o", "-/o", "o/-", "o/+", "-/-", "o/o")
"""What becomes of a complement when its verb is affirmed / denied: true, false or open."""
_MARKS = {"+": 1, "-": -1, "o": 0}
_SECTIONS = {
    "polarity": (
        "negations", "downward_adverbs", "restricting_prepositions", "conditionals", "open_complementizers",
        "comparisons",
    ),
    "adjuncts": ("labels", "empty", "comments"),
    "modality": ("possible", "necessary", "not_possible", "not_necessary"),
    "factivity": (*SIGNATURES, "reports"),
    "quantifiers": ("no", "some", "many", "most", "all", "largest_small_cardinal"),
    "complements": ("downward",),
    "modifiers": ("not_subsective",),
    "arguments": ("symmetric",),
    "numbers": ("at_least", "at_most", "about", "date_modifiers"),
    "people": ("masculine", "feminine"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operator:
    """What a determiner does to its noun (restrictor) and to the rest of the clause (body): +1, -1 or 0."""

    restrictor: int
    body: int


@dataclass(frozen=True)
class Markers:
    """All lists of a language, by section."""

    language: str
    lists: Mapping[str, Mapping[str, frozenset[str]]] = field(repr=False)
    operators: Mapping[str, Operator] = field(repr=False)
    signatures: Mapping[str, str] = field(repr=False)
    """The signature of each word that takes a complement."""
    largest_small_cardinal: int = 10

    @classmethod
    def load(cls, path: Path | str | None = None) -> Markers:
        """The lists of a file, or the shipped English ones."""
        return _shipped() if path is None else cls.of(read_toml(path), where=str(path))

    @classmethod
    def of(cls, plain: Mapping[str, Any], *, where: str) -> Markers:
        """The lists from plain values; anything that is not a known list is a `FormatError`."""
        remedy = "copy the shipped file and change that"
        for section in plain.keys() - {"language", "operators"}:
            if section not in _SECTIONS:
                raise FormatError(f"no section is called {section!r}", where=where, remedy=remedy)
            for name in plain[section]:
                if name not in _SECTIONS[section]:
                    raise FormatError(f"section {section!r} has no list {name!r}", where=where, remedy=remedy)
        try:
            lists = {
                section: {name: _words(plain.get(section, {}).get(name, ())) for name in names if name != _CARDINAL}
                for section, names in _SECTIONS.items()
            }
            operators = {
                word: Operator(_MARKS[each["restrictor"]], _MARKS[each["body"]])
                for each in plain.get("operators", ())
                for word in each["words"]
            }
            cardinal = int(plain.get("quantifiers", {}).get(_CARDINAL, 10))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"not lists of markers ({error})", where=where, remedy=remedy) from None
        signatures = {word: name for name in reversed(SIGNATURES) for word in lists["factivity"][name]}
        return cls(str(plain.get("language", "")), lists, operators, signatures, cardinal)

    def trusting_reports(self) -> Markers:
        """The same where what is reported is so: *said* makes its complement true, as *showed* does."""
        told = dict.fromkeys(self.lists["factivity"]["reports"], "+/o")
        return replace(self, signatures={**self.signatures, **told})

    def has(self, section: str, name: str, *words: str) -> bool:
        """Whether one of the words is in a list."""
        return not self.lists[section][name].isdisjoint(words)


_CARDINAL = "largest_small_cardinal"


def _words(values: Any) -> frozenset[str]:
    if isinstance(values, str) or not all(isinstance(each, str) for each in values):
        raise TypeError("a list of words is expected")
    return frozenset(values)


@cache
def _shipped() -> Markers:
    file = resources.files("dragoman.entailment") / "markers" / "en.toml"
    return Markers.of(parse_toml(file.read_text("utf-8"), where=file.name), where=file.name)
