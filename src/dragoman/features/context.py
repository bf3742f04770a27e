"""Templates that look back: at the rule before, or at the target words before. Each says what its state is.

Orientations, jumps and tags share one state with each other, class bigrams and n-grams another; a state holds no more
than the templates that are on need, so that as much as possible is recombined and all scores stay exact. (Green, Wang,
Cer and Manning 2013; Green, Cer et al. 2013; Green, Cer and Manning 2014.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dragoman.errors import InputError
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
    "AdjacentDomain",
    "Boundaries",
    "ClassNgrams",
    "DomainRules",
    "Jumps",
    "OrientationClasses",
    "Orientations",
    "TagOrder",
    "TargetNgrams",
]

_SIDES = ("previous", "next")


def _sides_option() -> Any:
    return setting(
        _SIDES,
        "The rule being added with the one before, and the rule before with its successor.",
        choices=_SIDES,
        valid=bool,
        wanted="previous, next or both",
    )


def _classes_option() -> Any:
    return setting(
        4,
        "4 fires monotone, swap, discontinuous, and nonmonotone for either of the last two; 2 the first and the last.",
        valid=lambda classes: classes in (2, 4),
        wanted="2 or 4",
    )


def _order_option() -> Any:
    return setting(2, "Words of an n-gram.", least=1, most=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orientations(Template):
    """Orientation and rule taken together; with-next is credited to the rule before.

    Of monotone, swap, discontinuous and nonmonotone all that hold fire; `classes=2` leaves only the first and the last.
    """

    classes: int = _classes_option()
    sides: tuple[str, ...] = _sides_option()
    min_count: int = min_count_option()
    domains: Domains | None = domains_option()
    name: ClassVar[str] = "orient"
    fires: ClassVar[str] = "`orient:previous.swap:das_haus>the_house`, `orient:next.…` for the rule before"
    state: ClassVar[str] = "last source span; with next: words of the last rule"

    @property
    def declared_domains(self) -> Domains | None:
        return self.domains

    def add_to(self, builder: TemplateBuilder) -> None:
        if self.min_count:
            builder.require_counts(self)
        builder.native.add_orientation(
            self.prefix,
            source_classes=None,
            target_classes=None,
            min_count=self.min_count,
            coarse=self.classes == 2,
            previous="previous" in self.sides,
            next="next" in self.sides,
            per_domain=self.domains is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OrientationClasses(Template):
    """Orientation and the classes of the rule taken together."""

    source_classes: Classes = classes_option("source")
    target_classes: Classes = classes_option("target")
    classes: int = _classes_option()
    sides: tuple[str, ...] = _sides_option()
    min_count: int = min_count_option()
    name: ClassVar[str] = "orient_class"
    fires: ClassVar[str] = "`orient_class:previous.swap:4_17>9_2`, `orient_class:next.…` for the rule before"
    state: ClassVar[str] = "last source span; with next: classes of the last rule"

    def add_to(self, builder: TemplateBuilder) -> None:
        if self.min_count:
            builder.require_counts(self)
        builder.native.add_orientation(
            self.prefix,
            source_classes=builder.classes(self.source_classes),
            target_classes=builder.classes(self.target_classes),
            min_count=self.min_count,
            coarse=self.classes == 2,
            previous="previous" in self.sides,
            next="next" in self.sides,
            per_domain=False,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Jumps(Template):
    """Signed distortion: from the end of the rule before back to the start of this one; a jump ahead is negative.

    The first rule has its start for a jump, with positive sign, as the authors define it.
    """

    name: ClassVar[str] = "jump"
    fires: ClassVar[str] = "`jump:-2` and `jump:negative`, or `jump:3` and `jump:positive`, or `jump:0`"
    state: ClassVar[str] = "last source position"
    single: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_jump(self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagOrder(Template):
    """Source tags of the rule and of its neighbour taken together, with marks at the ends of the sentence."""

    sides: tuple[str, ...] = _sides_option()
    name: ClassVar[str] = "pos_order"
    fires: ClassVar[str] = "`pos_order:previous.DT_NN>VB`, `pos_order:next.…`"
    state: ClassVar[str] = "last source span"
    needs_tags: ClassVar[bool] = True
    single: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_tag_order(self.prefix, previous="previous" in self.sides, next="next" in self.sides)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries(Template):
    """Classes of the two target words that meet where rules meet, and of those at the ends of the sentence."""

    target_classes: Classes = classes_option("target")
    name: ClassVar[str] = "boundary"
    fires: ClassVar[str] = "`boundary:9_4`, `boundary:<s>_9`, `boundary:4_</s>`"
    state: ClassVar[str] = "class of the last target word"
    looks_at_target: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_target_ngrams(
            self.prefix, classes=builder.classes(self.target_classes), order=2, boundary_only=True
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetNgrams(Template):
    """Target word n-grams of one order; the authors tried it without gain."""

    order: int = _order_option()
    name: ClassVar[str] = "target_ngram"
    fires: ClassVar[str] = "`target_ngram:<s>_the` for each n-gram; words beyond the table are `<unk>`"
    state: ClassVar[str] = "last n - 1 target words"
    looks_at_target: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_target_ngrams(self.prefix, classes=None, order=self.order, boundary_only=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassNgrams(Template):
    """Target class n-grams of one order; the authors tried it without gain."""

    target_classes: Classes = classes_option("target")
    order: int = _order_option()
    name: ClassVar[str] = "class_ngram"
    fires: ClassVar[str] = "`class_ngram:<s>_9` for each n-gram"
    state: ClassVar[str] = "classes of the last n - 1 target words"
    looks_at_target: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_target_ngrams(
            self.prefix, classes=builder.classes(self.target_classes), order=self.order, boundary_only=False
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfDomains(Template):
    """What looks at the marks that rules have for domains."""

    domains: Domains = setting(help="The domains that are told apart.", parse=Domains.parse, wanted="names of domains")
    single: ClassVar[bool] = True

    @property
    def declared_domains(self) -> Domains | None:
        return self.domains


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRules(_OfDomains):
    """Rules that were learned from text selected for the domain of the sentence."""

    name: ClassVar[str] = "domain"
    fires: ClassVar[str] = "`domain:rule` and `domain:rule@web` for each rule marked for the sentence's domain"

    def add_to(self, builder: TemplateBuilder) -> None:
        _require_marks(builder, self, self.domains)
        builder.native.add_domain(self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjacentDomain(_OfDomains):
    """This rule and the one before were both learned from text selected for the domain of the sentence."""

    name: ClassVar[str] = "domain_adjacent"
    fires: ClassVar[str] = "`domain_adjacent:rules` and `domain_adjacent:rules@web`"
    state: ClassVar[str] = "whether the last rule is marked for the domain"

    def add_to(self, builder: TemplateBuilder) -> None:
        _require_marks(builder, self, self.domains)
        builder.native.add_adjacent_domain(self.prefix)


def _require_marks(builder: TemplateBuilder, template: Template, domains: Domains) -> None:
    if not any(f"domain.{name}" in builder.table.columns for name in domains.names):
        raise InputError(
            f"`{template.prefix}` needs rules marked by domain",
            where=str(builder.table.path),
            remedy="extract the table with the lines of each domain",
        )
