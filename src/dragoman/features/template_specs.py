"""Specifications of sparse templates: which template, and with what options.

One is written as `name:option=value,flag`; several values of an option are joined by `+`. What is made from text
(classes, lists of words) may be missing in a specification and is filled in later.

>>> template("rule:min_count=51").prefix
'rule'
>>> template("shape:parts=source+target").parts
('source', 'target')
>>> TemplateSpec.parse("boundary").missing
('target_classes',)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any

from dragoman.errors import SettingError
from dragoman.features.template import Template
from dragoman.registry import Registry
from dragoman.settings import Declared, declared, read_texts, split_options, unknown_setting

__all__ = ["TEMPLATES", "TemplateSpec", "split_specs", "template"]

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
        "extra": "dragoman.features.extra_rules:ExtraRules",
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
        "structure": "dragoman.features.structural_distortion:StructuralDistortion",
        "structure_probability": "dragoman.features.structural_distortion:StructuralProbability",
        "syntax": "dragoman.features.soft_syntax:SoftSyntax",
        "target_class": f"{_LEXICAL}:TargetClasses",
        "target_ngram": f"{_CONTEXT}:TargetNgrams",
    },
)

"""All sparse templates by name."""


@dataclass(frozen=True, slots=True)
class TemplateSpec:
    """A template by its name, with the options that are given so far."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option in self.options:
            if option not in self._known:
                raise unknown_setting(TEMPLATES.get(self.name), option)

    @staticmethod
    def parse(text: str) -> TemplateSpec:
        """`rule:min_count=51`; an option without a value is switched on."""
        name, _, options = text.partition(":")
        return TemplateSpec(name, read_texts(TEMPLATES.get(name), split_options(options)))

    @property
    def _known(self) -> Mapping[str, Declared]:
        return declared(TEMPLATES.get(self.name))

    @property
    def prefix(self) -> str:
        """How the names of its features begin."""
        return ".".join(filter(None, (self.name, self.options.get("label", ""))))

    @property
    def missing(self) -> tuple[str, ...]:
        """Options that it cannot do without."""
        known = self._known.items()
        return tuple(name for name, each in known if each.default is MISSING and name not in self.options)

    def filled(self, values: Mapping[str, Any]) -> TemplateSpec:
        """A copy with missing options taken from `values`, as far as they are there."""
        return TemplateSpec(self.name, {**self.options, **{key: values[key] for key in self.missing if key in values}})

    def make(self) -> Template:
        """The template."""
        if missing := self.missing:
            raise SettingError(f"`{self.prefix}` needs {', '.join(missing)}", remedy=f"give {missing[0]}=…")
        return TEMPLATES.get(self.name)(**self.options)


def template(spec: str, /, **options: Any) -> Template:
    """A template by its name, with options in the text (`rule:min_count=51`) or by keyword."""
    parsed = TemplateSpec.parse(spec)
    return TemplateSpec(parsed.name, {**parsed.options, **options}).make()


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
