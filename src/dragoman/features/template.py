"""The contract of sparse templates: a name, options, what they need, and how they are switched on.

A template stands for very many features, one for each thing that it may see: a rule, a pair of linked words, a pair of
classes. Templates run natively: names are spelt once per thing and are numbers from then on. Options are fields, so
that a template can be written as `name:option=value,flag` in a recipe or on the command line. All names of a template
begin with its own, `rule:` say, and regularisation by family goes by that beginning; a `label` tells two of a kind
apart (`link_class.coarse:`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from dragoman._native import features as room
from dragoman.errors import InputError, SettingError
from dragoman.files import read_lines
from dragoman.grammar.table import RuleTable
from dragoman.lm.classes import ClassMap
from dragoman.settings import Settings, check_argument, setting

__all__ = [
    "Classes",
    "Domains",
    "Template",
    "TemplateBuilder",
    "Words",
    "add_templates",
    "classes_option",
    "domains_option",
    "gathered",
    "min_count_option",
    "words_option",
]

Classes = ClassMap | Path | str
"""A class map, or the file of one."""

Words = Sequence[str] | Path | str
"""Words, or the file that holds one a line."""

_LOOKED_AT = 1000  # rules of a table that are looked at before it is said to have no links, or no counts


def _are_domains(names: tuple[str, ...]) -> bool:
    return bool(names) and all(name and not any(c.isspace() or c in "+@" for c in name) for name in names)


@dataclass(frozen=True, slots=True)
class Domains(Settings):
    """The domains that sentences may be of; those that name none are of the default, which is the first unless said."""

    names: tuple[str, ...] = setting(
        help="What they are called.", valid=_are_domains, wanted="one name or more, without blanks, + or @ in them"
    )
    default: str | None = setting(
        None, "The domain of sentences that name none: the first if it is none, and no domain if it is empty."
    )

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.default:
            check_argument("default", self.default, label="domains", choices=self.names)

    @staticmethod
    def parse(text: str) -> Domains:
        """`news+web`: two domains, the first of them the default."""
        return Domains(tuple(text.split("+")))


@dataclass(slots=True)
class TemplateBuilder:
    """What templates are added to: the native set, the table it serves, and class maps that were converted before."""

    native: room.Templates
    table: RuleTable
    _classes: dict[object, room.WordClasses] = field(default_factory=dict)
    _kept: list[object] = field(default_factory=list)

    def classes(self, given: Classes) -> room.WordClasses:
        """The native form of a class map, made once."""
        key: object = id(given) if isinstance(given, ClassMap) else str(given)
        if key not in self._classes:
            found = given if isinstance(given, ClassMap) else ClassMap.read(given)
            self._kept.append(given)  # ids stay unique while this lives
            self._classes[key] = room.WordClasses(list(found.classes.items()))
        return self._classes[key]

    def require_links(self, template: Template) -> None:
        """Refuse a table without word links."""
        rules = range(min(_LOOKED_AT, len(self.table)))
        if rules and not any(len(self.table.native.links(rule)) for rule in rules):
            raise InputError(
                f"`{template.prefix}` needs word links",
                where=str(self.table.path),
                remedy="extract the table with alignments, or leave the template out",
            )

    def require_counts(self, template: Template) -> None:
        """Refuse a table without counts of rules."""
        rules = range(min(_LOOKED_AT, len(self.table)))
        if rules and not any(self.table.native.counts(rule)[2] for rule in rules):
            raise InputError(
                f"`{template.prefix}` filters by count",
                where=str(self.table.path),
                remedy="use a table that keeps counts, or min_count=0",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Template(Settings, ABC):
    """A family of sparse features, with its options."""

    label: str = setting(
        "",
        "Tells two templates of a kind apart.",
        valid=lambda label: not any(c.isspace() or c in ":=#" for c in label),
        wanted="text without blanks, colons, = or #",
    )

    name: ClassVar[str]
    separator: ClassVar[str] = "+"
    fires: ClassVar[str]
    """What fires, in a few words; for the list of templates."""
    state: ClassVar[str] = "none"
    """What must be equal for two partial translations to be recombined."""
    looks_at_target: ClassVar[bool] = False
    """Whether all that it looks at beyond the rule are target words beside it."""
    needs_tags: ClassVar[bool] = False
    needs_phrases: ClassVar[bool] = False
    """Whether it looks at phrases of the source, those of its `phrase_layer`."""
    adds_options: ClassVar[bool] = False
    """Whether it makes rules for a sentence, by its method `options`."""
    needs_gaps: ClassVar[bool] = False
    """Whether it looks at gaps that other rules fill: it is for hierarchical rules only."""
    needs_sentence: ClassVar[bool] = False
    """Whether its values depend on the sentence as a whole."""
    single: ClassVar[bool] = False
    """Whether a model can have one of this kind only."""

    def __str__(self) -> str:
        return self.prefix

    @property
    def prefix(self) -> str:
        """How all of its feature names begin, up to the colon."""
        return f"{self.name}.{self.label}" if self.label else self.name

    @property
    def phrase_layer(self) -> str:
        """The layer of an annotation that gives the phrases it looks at; empty for the first that there is."""
        return ""

    def check_labels(self, seen: Collection[str]) -> None:
        """Refuse to look for phrases that a text does not have, of which these labels were seen."""
        return

    @property
    def looks_at_rules_only(self) -> bool:
        """Whether its values follow from the rule and the domain alone."""
        return self.state == "none" and not self.needs_tags and not self.needs_sentence

    @property
    def declared_domains(self) -> Domains | None:
        """The domains it tells apart."""
        return None

    @abstractmethod
    def add_to(self, builder: TemplateBuilder) -> None:
        """Switch it on."""

    def options(self, words: Sequence[str], tags: Sequence[str]) -> list[tuple[int, int, str, str]]:
        """Rules for a sentence: where each begins and ends, what it becomes, and the feature that counts it."""
        return []


def classes_option(side: str) -> Any:
    """The option that holds the word classes of a side."""
    return setting(help=f"Classes of {side} words.", parse=Path, wanted="a class map, or the file of one")


def words_option(help: str) -> Any:  # noqa: A002 - as in `setting`
    """An option that holds words."""
    return setting(help=help, parse=Path, wanted="words, or the file that holds one a line")


def min_count_option() -> Any:
    """The option that leaves out rare rules."""
    return setting(0, "How often the bitext must have a rule, at least.", least=0)


def domains_option() -> Any:
    """The option that gives features a copy for each domain (Daume 2007)."""
    return setting(None, "Domains for which every feature has a copy.", parse=Domains.parse, wanted="names of domains")


def read_words(given: Words) -> list[str]:
    """Words as they are, or from a file."""
    if isinstance(given, (str, Path)):
        return [word for line in read_lines(given) for word in line.split()]
    return list(given)


class TakesTemplates(Protocol):
    """A native model under construction that makes sets of templates for itself, and takes them when they are full."""

    def make_templates(self, *, domains: Sequence[str], default_domain: str) -> room.Templates: ...
    def add_templates(self, templates: room.Templates) -> None: ...


def add_templates(model: TakesTemplates, table: RuleTable, templates: Sequence[Template]) -> None:
    """Switch templates on in a model under construction."""
    if templates:
        model.add_templates(gathered(model, table, templates))


def gathered(model: TakesTemplates, table: RuleTable, templates: Sequence[Template]) -> room.Templates:
    """Templates as a native set, which the model need not take."""
    seen: dict[str, Template] = {}
    for template in templates:
        key = template.name if template.single else template.prefix
        if key in seen:
            raise SettingError(f"two templates `{key}`", remedy="leave one out, or give one a label of its own")
        seen[key] = template
    declared = {t.declared_domains for t in templates if t.declared_domains is not None}
    if len(declared) > 1:
        raise SettingError("templates with different domains", remedy="declare the same domains for all of them")
    domains = next(iter(declared), None)
    names = list(domains.names) if domains else []
    default = "" if domains is None else (domains.names[0] if domains.default is None else domains.default)
    builder = TemplateBuilder(model.make_templates(domains=names, default_domain=default), table)
    for template in templates:
        template.add_to(builder)
    return builder.native
