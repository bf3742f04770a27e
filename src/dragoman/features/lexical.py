"""Templates over the words of a rule or over their classes: rules, links, deletions, insertions, target words.

Lexicalised templates come from Green, Wang, Cer and Manning (2013), those over classes from Green, Cer and Manning
(2014), which are shared by more rules and so learned from fewer sentences. Lexicalised ones fire for rules of the table
only; those over classes fire for unknown words too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dragoman.features.template import (
    Classes,
    Domains,
    Template,
    TemplateBuilder,
    classes_option,
    domains_option,
    min_count_option,
)
from dragoman.settings import setting

__all__ = [
    "DeletionClasses",
    "Deletions",
    "InsertionClasses",
    "Insertions",
    "LinkClasses",
    "Links",
    "RuleClasses",
    "Rules",
    "TargetClasses",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lexicalized(Template):
    """A template over words, which may have copies for each domain (Daume 2007)."""

    domains: Domains | None = domains_option()

    @property
    def declared_domains(self) -> Domains | None:
        return self.domains


def _unit_option() -> Any:
    return setting(
        "component",
        "What is taken together: all that hangs together by links, or a source word's targets and all that is linked "
        "to one of these.",
        choices=("component", "clique"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(_Lexicalized):
    """The words of the rule, if the bitext has it at least `min_count` times."""

    min_count: int = min_count_option()
    name: ClassVar[str] = "rule"
    fires: ClassVar[str] = "`rule:das_haus>the_house` for each rule"

    def add_to(self, builder: TemplateBuilder) -> None:
        if self.min_count:
            builder.require_counts(self)
        builder.native.add_rule(
            self.prefix,
            source_classes=None,
            target_classes=None,
            min_count=self.min_count,
            per_domain=self.domains is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleClasses(Template):
    """The classes of the rule's words."""

    source_classes: Classes = classes_option("source")
    target_classes: Classes = classes_option("target")
    min_count: int = min_count_option()
    name: ClassVar[str] = "rule_class"
    fires: ClassVar[str] = "`rule_class:4_17>9_2` for each rule"

    def add_to(self, builder: TemplateBuilder) -> None:
        if self.min_count:
            builder.require_counts(self)
        builder.native.add_rule(
            self.prefix,
            source_classes=builder.classes(self.source_classes),
            target_classes=builder.classes(self.target_classes),
            min_count=self.min_count,
            per_domain=False,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Links(_Lexicalized):
    """Linked words of the rule, taken together by component, or by clique (Green, Cer et al. 2013)."""

    unit: str = _unit_option()
    min_count: int = min_count_option()
    name: ClassVar[str] = "link"
    fires: ClassVar[str] = "`link:haus>house` for each group of linked words, sorted on each side"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        if self.min_count:
            builder.require_counts(self)
        builder.native.add_links(
            self.prefix,
            source_classes=None,
            target_classes=None,
            min_count=self.min_count,
            cliques=self.unit == "clique",
            per_domain=self.domains is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkClasses(Template):
    """Classes of linked words of the rule."""

    source_classes: Classes = classes_option("source")
    target_classes: Classes = classes_option("target")
    unit: str = _unit_option()
    min_count: int = min_count_option()
    name: ClassVar[str] = "link_class"
    fires: ClassVar[str] = "`link_class:17>2` for each group of linked words"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        if self.min_count:
            builder.require_counts(self)
        builder.native.add_links(
            self.prefix,
            source_classes=builder.classes(self.source_classes),
            target_classes=builder.classes(self.target_classes),
            min_count=self.min_count,
            cliques=self.unit == "clique",
            per_domain=False,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletions(_Lexicalized):
    """Source words that the rule leaves unaligned."""

    name: ClassVar[str] = "delete"
    fires: ClassVar[str] = "`delete:doch` for each source word without a link"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        builder.native.add_unaligned(self.prefix, target_side=False, classes=None, per_domain=self.domains is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionClasses(Template):
    """Classes of source words that the rule leaves unaligned."""

    source_classes: Classes = classes_option("source")
    name: ClassVar[str] = "delete_class"
    fires: ClassVar[str] = "`delete_class:31` for each source word without a link"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        classes = builder.classes(self.source_classes)
        builder.native.add_unaligned(self.prefix, target_side=False, classes=classes, per_domain=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertions(_Lexicalized):
    """Target words that the rule puts in unaligned; the authors tried it without gain."""

    name: ClassVar[str] = "insert"
    fires: ClassVar[str] = "`insert:the` for each target word without a link"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        builder.native.add_unaligned(self.prefix, target_side=True, classes=None, per_domain=self.domains is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertionClasses(Template):
    """Classes of target words that the rule puts in unaligned."""

    target_classes: Classes = classes_option("target")
    name: ClassVar[str] = "insert_class"
    fires: ClassVar[str] = "`insert_class:8` for each target word without a link"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.require_links(self)
        classes = builder.classes(self.target_classes)
        builder.native.add_unaligned(self.prefix, target_side=True, classes=classes, per_domain=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetClasses(Template):
    """Classes of target words."""

    target_classes: Classes = classes_option("target")
    name: ClassVar[str] = "target_class"
    fires: ClassVar[str] = "`target_class:9` for each target word"

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_target_words(self.prefix, classes=builder.classes(self.target_classes))
