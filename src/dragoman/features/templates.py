"""The sparse templates by name, and sets of them as the papers used them.

A specification says which template and with what options; what is made from text (classes, lists of words) may be
missing in it and is filled in later: such a half-made template is a `Sketch`.

>>> template("rule:min_count=51").prefix
'rule'
>>> template("shape:parts=source+target").parts
('source', 'target')
>>> [each.name for each in preset("sparse")]
['rule', 'link', 'delete', 'orient']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from dragoman.errors import SettingError
from dragoman.features.template import Classes, Domains, Template, Words
from dragoman.registry import Registry

__all__ = ["PRESETS", "TEMPLATES", "Sketch", "preset", "sketches", "split_specs", "template"]

_LEXICAL, _MEASURES, _CONTEXT = (f"dragoman.features.{module}" for module in ("lexical", "measures", "context"))

TEMPLATES = Registry[Template](
    "template",
    {
        "boundary": f"{_CONTEXT}:Boundaries",
        "class_ngram": f"{_CONTEXT}:ClassNgrams",
        "delete": f"{_LEXICAL}:Deletions",
        "delete_class": f"{_LEXICAL}:DeletionClasses",
        "delete_head": f"{_MEASURES}:HeadDeletions",
        "delete_pos": f"{_MEASURES}:TaggedDeletions",
        "domain": f"{_CONTEXT}:DomainRules",
        "domain_adjacent": f"{_CONTEXT}:AdjacentDomain",
        "function_words": f"{_MEASURES}:FunctionWords",
        "idf": f"{_MEASURES}:Idf",
        "insert": f"{_LEXICAL}:Insertions",
        "insert_class": f"{_LEXICAL}:InsertionClasses",
        "jump": f"{_CONTEXT}:Jumps",
        "link": f"{_LEXICAL}:Links",
        "link_class": f"{_LEXICAL}:LinkClasses",
        "orient": f"{_CONTEXT}:Orientations",
        "orient_class": f"{_CONTEXT}:OrientationClasses",
        "pos_order": f"{_CONTEXT}:TagOrder",
        "punctuation": f"{_MEASURES}:Punctuation",
        "rule": f"{_LEXICAL}:Rules",
        "rule_class": f"{_LEXICAL}:RuleClasses",
        "shape": f"{_MEASURES}:Shape",
        "target_class": f"{_LEXICAL}:TargetClasses",
        "target_ngram": f"{_CONTEXT}:TargetNgrams",
    },
)

_SETS = {
    "sparse": ("rule", "link", "delete", "orient"),
    "wmt13": ("rule", "link:unit=clique", "delete", "orient:classes=2"),
    "extended": (
        "rule_class", "target_class", "link_class", "delete_class", "punctuation", "function_words", "boundary",
        "shape", "orient_class", "jump",
    ),
    "filtered": ("rule", "link", "orient"),
    "domain": ("rule", "link", "orient", "domain", "domain_adjacent"),
}  # fmt: skip
_COUNTED = ("rule", "orient")  # what `filtered` and `domain` filter by count

PRESETS = tuple(_SETS)
"""Sets of templates: lexicalised without filters (2013), the same with two orientations (2013), over classes and
shapes, lexicalised for frequent rules, and lexicalised with domains (all 2014)."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A template by its name, with the options that are given so far."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = self._known
        if unknown := sorted(set(self.options) - set(known)):
            raise SettingError(f"`{self.name}` has no option {unknown[0]!r}", remedy=f"it has {', '.join(known)}")

    @staticmethod
    def parse(spec: str) -> Sketch:
        """`rule:min_count=51`; an option without a value is switched on."""
        name, _, rest = spec.partition(":")
        known, given = Sketch(name)._known, {}
        for item in filter(None, rest.split(",")):
            key, equals, text = item.partition("=")
            if key not in known:
                raise SettingError(f"`{name}` has no option {key!r}", remedy=f"it has {', '.join(known)}")
            given[key] = _value(name, key, text, known[key].default) if equals else True
        return Sketch(name, given)

    @property
    def _known(self) -> dict[str, Field[Any]]:
        return {option.name: option for option in fields(TEMPLATES.get(self.name))}

    @property
    def prefix(self) -> str:
        """How the names of its features begin."""
        return ".".join(filter(None, (self.name, self.options.get("label", ""))))

    @property
    def missing(self) -> tuple[str, ...]:
        """Options that it cannot do without."""
        known = self._known.items()
        return tuple(key for key, option in known if option.default is MISSING and key not in self.options)

    def filled(self, values: Mapping[str, Any]) -> Sketch:
        """With what it misses, if it is there."""
        return Sketch(self.name, {**self.options, **{key: values[key] for key in self.missing if key in values}})

    def make(self) -> Template:
        """The template."""
        if missing := self.missing:
            raise SettingError(f"`{self.prefix}` needs {', '.join(missing)}", remedy=f"give {missing[0]}=…")
        return TEMPLATES.get(self.name)(**self.options)


def template(spec: str, /, **options: Any) -> Template:
    """A template by its name, with options in the text (`rule:min_count=51`) or by keyword."""
    parsed = Sketch.parse(spec)
    return Sketch(parsed.name, {**parsed.options, **options}).make()


def _value(name: str, key: str, text: str, default: object) -> object:
    if key == "domains":
        return Domains.parse(text)
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise SettingError(f"`{name}`: {key}={text}", remedy="write true or false")
        return text.lower() == "true"
    if isinstance(default, int):
        if not text.lstrip("-").isdigit():
            raise SettingError(f"`{name}`: {key}={text}", remedy="write a whole number")
        return int(text)
    return tuple(text.split("+")) if isinstance(default, tuple) else text


_OPTION = re.compile(r"[^:,]*=")


def split_specs(text: str) -> list[str]:
    """Specifications in one text, with commas between them as between their options.

    >>> split_specs("extended, orient:sides=next,classes=2,rule")
    ['extended', 'orient:sides=next,classes=2', 'rule']
    """
    found: list[str] = []
    for item in filter(None, map(str.strip, text.split(","))):
        if found and _OPTION.match(item):
            found[-1] += f",{item}"
        else:
            found.append(item)
    return found


def sketches(specs: Iterable[str], *, min_count: int = 51, domains: Domains | None = None) -> list[Sketch]:
    """Templates of specifications and sets, which may be joined by `+`: `extended+filtered`, `orient:classes=2`.

    `min_count` is that of lexicalised rules and orientations in the sets `filtered` and `domain`; the authors took 51
    for bitexts of millions of sentences. Of two templates with one prefix the last one counts. A bare `domain` is the
    set, `domain:` the template.
    """
    found: dict[str, Sketch] = {}
    for spec in specs:
        names = spec.split("+")
        if ":" in spec or (spec in TEMPLATES and spec not in PRESETS):
            chosen = [Sketch.parse(spec).filled({"domains": domains} if domains else {})]
        elif unknown := [name for name in names if name not in PRESETS]:
            remedy = f"choose from {', '.join(PRESETS)}, or from `dragoman list templates`"
            raise SettingError(f"no set of templates is called {unknown[0]!r}", remedy=remedy)
        else:
            chosen = [sketch for name in names for sketch in _set(name, min_count, domains)]
        found |= {sketch.prefix: sketch for sketch in chosen}
    return list(found.values())


def _set(name: str, min_count: int, domains: Domains | None) -> list[Sketch]:
    if name == "domain" and domains is None:
        raise SettingError("the set `domain` needs domains", remedy="name them, the default first")
    chosen = [Sketch.parse(spec) for spec in _SETS[name]]
    more: dict[str, Any] = {"domains": domains} if name == "domain" else {}
    if name not in ("filtered", "domain"):
        return chosen
    return [Sketch(s.name, more | ({"min_count": min_count} if s.name in _COUNTED else {})) for s in chosen]


def preset(
    name: str,
    *,
    source_classes: Classes | None = None,
    target_classes: Classes | None = None,
    function_words: tuple[Words, Words] | None = None,
    min_count: int = 51,
    domains: Domains | None = None,
) -> list[Template]:
    """Templates of one or more sets, joined by `+`: `extended+filtered` (see `sketches`).

    Without `function_words`, `extended` is without the template of that name.
    """
    chosen = sketches([name], min_count=min_count, domains=domains)
    given: dict[str, Any] = {"source_classes": source_classes, "target_classes": target_classes}
    if function_words is not None:
        given |= {"source_words": function_words[0], "target_words": function_words[1]}
    else:
        chosen = [sketch for sketch in chosen if sketch.name != "function_words"]
    known = {key: value for key, value in given.items() if value is not None}
    return [sketch.filled(known).make() for sketch in chosen]
