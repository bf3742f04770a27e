"""Soft syntactic constraints: how the source span of a rule lies in a tree of the sentence, weighed by kind of phrase.

A hierarchical rule knows nothing of phrases. A span that is exactly a noun phrase, or cuts one in two, is reason to
trust a rule more, or less; how much is for tuning to say, label by label, since what holds for verb phrases need not
hold for noun phrases (Chiang 2005; Marton and Resnik 2008; Chiang, Marton and Resnik 2008). Crossing is not the same as
not matching: a span within a phrase, or around one, does neither. Only what is translated needs a tree, not the
training text.

A specification names labels, each with its kind: `=` fires where the span matches a phrase of that label, `+` where it
crosses one, `_` gives match less cross to one weight, `2` means both `=` and `+`. A kind goes for all labels since the
one before: `NP.VP=.QP+` are `NP=`, `VP=` and `QP+`; a blank parts them as a dot does. `XP` is any of the usual phrases,
`all-labels` any phrase at all. Whole sets have names: `chiang-05` is `all-labels=`, `coarse` is `XP2`, and `fine` has a
match and a crossing for each of eleven labels.

    >>> [str(term) for term in parse_constraints("NP.VP=.IP2")]
    ['NP=', 'VP=', 'IP=', 'IP+']
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from dragoman.annotations.phrase_spans import SPAN_LAYERS
from dragoman.errors import SettingError
from dragoman.features.template import Template, TemplateBuilder
from dragoman.settings import setting

__all__ = ["SoftSyntax", "SyntaxTerm", "parse_constraints"]

STANDARD = ("CP", "IP", "NP", "VP", "PP", "ADJP", "ADVP", "QP", "LCP", "DNP")
"""The phrases that `XP` stands for; FRAG, PRN, UCP and the like are none of them."""

FINE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "WHNP", "PRT", "ADVP", "PRN", "QP")
"""The labels of `fine`: what Chiang, Marton and Resnik (2008) had a match and a crossing feature of."""

_ALSO = {"CP": ("SBAR",), "IP": ("S",), "NP": ("DP",), "AP": ("ADJP",)}
"""Treebanks have several names for a phrase; no treebank has two of these with different meanings."""
_USUAL = frozenset({*STANDARD, *FINE, *(name for names in _ALSO.values() for name in names)})
_SPELLINGS = {"advp": "ADVP", "adjp": "ADJP", "xp": "XP", "all-labels": "all-labels"}
_SETS = {"chiang-05": "all-labels=", "coarse": "XP2", "fine": ".".join(FINE) + "2"}
_WHOLE = _SETS | {"chiang05": _SETS["chiang-05"], "fine22": _SETS["fine"]}
_PART = re.compile(r"(?P<label>[A-Za-z$*][A-Za-z$*-]*)(?P<kind>[=+_2]?)(?:[.+]|\s+)?")
_KINDS = {"=": ("match", 1.0, 0.0), "+": ("cross", 0.0, 1.0), "_": ("both", 1.0, -1.0)}


@dataclass(frozen=True, slots=True)
class SyntaxTerm:
    """One feature: a label, or `XP` or `all-labels`, and its kind: `=`, `+` or `_`."""

    label: str
    kind: str

    def __str__(self) -> str:
        return f"{self.label}{self.kind}"

    @property
    def labels(self) -> tuple[str, ...]:
        """What trees may call it; empty for anything."""
        if self.label == "all-labels":
            return ()
        each = STANDARD if self.label == "XP" else (self.label,)
        return tuple(dict.fromkeys(name for label in each for name in (label, *_ALSO.get(label, ()))))

    @property
    def name(self) -> str:
        """As part of the name of its feature."""
        return f"{self.label}.{_KINDS[self.kind][0]}"

    @property
    def values(self) -> tuple[float, float]:
        """What a match and a crossing count."""
        return _KINDS[self.kind][1:]


def parse_constraints(text: str) -> tuple[SyntaxTerm, ...]:
    """The features of a specification, each once, in its order."""
    found: dict[SyntaxTerm, None] = {}
    waiting: list[str] = []
    rest = _WHOLE.get(text.lower(), text.strip())
    while rest:
        part = _PART.match(rest)
        if part is None:
            raise SettingError(f"{rest!r} in the soft constraints {text!r}", remedy=_REMEDY)
        label = _SPELLINGS.get(part["label"].lower(), part["label"])
        waiting.append(label)
        if part["kind"]:
            kinds = ("=", "+") if part["kind"] == "2" else (part["kind"],)
            found |= dict.fromkeys(SyntaxTerm(each, kind) for each in waiting for kind in kinds)
            waiting = []
        rest = rest[part.end() :]
    if waiting or not found:
        said = f"{waiting[0]!r} without a kind" if waiting else "no labels"
        raise SettingError(f"{said} in the soft constraints {text!r}", remedy=_REMEDY)
    return tuple(found)


_REMEDY = "write labels with =, +, _ or 2 behind them: NP.VP=.QP+, XP2, all-labels=, chiang-05, coarse, fine"


def _is_readable(text: str) -> bool:
    parse_constraints(text)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftSyntax(Template):
    """Whether the source span of a rule matches, or crosses, a phrase of the sentence."""

    constraints: str = setting("XP2", "Labels and kinds, such as NP.VP=.QP+ or XP2.", valid=_is_readable)
    spans: str = setting(
        "auto",
        "The layer that phrases are read off: constituents, subtrees of dependencies named after their heads, or "
        "chunks; `auto` is the first of these that a sentence has.",
        choices=("auto", *SPAN_LAYERS),
    )
    glue: bool = setting(False, "Fire for glue, too, which joins what other rules made.")
    name: ClassVar[str] = "syntax"
    fires: ClassVar[str] = "`syntax:NP.match`, `syntax:NP.cross` where the span is, or cuts, such a phrase"
    needs_sentence: ClassVar[bool] = True
    needs_phrases: ClassVar[bool] = True
    single: ClassVar[bool] = True

    @property
    def phrase_layer(self) -> str:
        return "" if self.spans == "auto" else self.spans

    @property
    def terms(self) -> tuple[SyntaxTerm, ...]:
        """Its features."""
        return parse_constraints(self.constraints)

    def check_labels(self, seen: Collection[str]) -> None:
        """Refuse a label that no paper has and no phrase of some text, of which these labels were seen."""
        known = {*_USUAL, *seen}
        for term in self.terms:
            if seen and term.labels and not known & set(term.labels):
                raise SettingError(
                    f"no phrase is called {term.label!r}, as the soft constraints {self.constraints!r} have it",
                    remedy=f"the text has {', '.join(sorted(seen))}",
                )

    def add_to(self, builder: TemplateBuilder) -> None:
        builder.native.add_syntax(
            [(f"{self.prefix}:{each.name}", list(each.labels), *each.values) for each in self.terms],
            with_glue=self.glue,
        )
