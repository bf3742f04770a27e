"""Scores: what the counts of a rule say about it.

Relative frequencies both ways and lexical weights both ways are always there, in the order that Moses uses; further
columns are asked for. A column holds the natural logarithm of a probability, or the value of an indicator, so that a
model score is always weights times columns. Smoothing discounts what was seen once or twice. (Koehn, Och and Marcu
2003; Foster, Kuhn and Johnson 2006.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dragoman._native import grammar as native
from dragoman.errors import SettingError
from dragoman.grammar.limits import RuleLimits
from dragoman.grammar.orientation import ReorderingModel
from dragoman.settings import Settings, setting

__all__ = ["BASIC_COLUMNS", "DIRECT", "INVERSE", "SMOOTHING", "Scoring", "reordering_for"]

INVERSE, DIRECT = "phrase.st", "phrase.ts"
"""Columns of p(source | target) and p(target | source)."""

BASIC_COLUMNS = (INVERSE, "lex.st", DIRECT, "lex.ts")
"""The four columns of every extracted table, in the order of a Moses phrase table."""

SMOOTHING = ("none", "good-turing", "kneser-ney")


def reordering_for(name: str, limits: type[RuleLimits]) -> ReorderingModel | None:
    """The reordering model of a name for rules of a kind: `auto` is the usual one."""
    if name == "auto":
        name = limits.usual_reordering
    return ReorderingModel.parse(name) if name not in ("", "none") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring(Settings):
    """How counts become columns."""

    smoothing: str = setting("kneser-ney", "What is discounted of counts.", choices=SMOOTHING)
    lexical: str = setting(
        "links", "Lexical weights: the mean over linked words, or the best of all words.", choices=("links", "best")
    )
    min_probability: float = setting(1e-4, "Rules whose p(target | source) is smaller are dropped.", least=0, below=1)
    min_count: int = setting(1, "Rules seen less often are dropped, however little each sight counts.", least=1)
    penalty: bool = setting(False, "Add a constant 1: the fifth score of Moses, 2.718.")
    count: bool = setting(False, "Add ln count.")
    unique: bool = setting(False, "Add an indicator, -1, of rules seen once.")
    count_bins: tuple[int, ...] = setting(
        (),
        "Add an indicator for each bin of the joint count, given by the upper edges.",
        valid=lambda bins: all(low < high for low, high in pairwise((0, *bins))),
        wanted="ascending numbers, such as 1,2,4",
    )
    rule_classes: bool = setting(False, "Add indicators of phrases and of rules by their number of nonterminals.")
    reordering: ReorderingModel | None = setting(
        None, "Add the columns of a reordering model.", parse=ReorderingModel.parse
    )

    def native(self, limits: RuleLimits, domains: Sequence[str] = ()) -> native.ScoringSettings:
        """The same settings for the native side, and for rules of a kind."""
        if self.reordering is not None and not limits.takes_reordering:
            raise SettingError(
                f"a reordering model of rules of the kind {limits.kind}",
                remedy="leave it out: it belongs to phrases, and such rules say themselves what is reordered",
            )
        if self.reordering is not None and self.reordering.containment and not limits.has_gaps:
            raise SettingError(
                f"the reordering model {self.reordering} of rules of the kind {limits.kind}",
                remedy="without gaps no phrase is contained in another: name one without `c`, or take the kind gappy",
            )
        settings = native.ScoringSettings()
        settings.only_prefix_lexicalised = limits.filters_after_scoring
        settings.rule_classes = limits.arity if self.rule_classes else -1
        settings.smoothing = getattr(native.Smoothing, self.smoothing.upper().replace("-", "_"))
        settings.lexical = getattr(native.LexicalWeight, self.lexical.upper())
        settings.min_probability = self.min_probability
        settings.min_count = self.min_count
        settings.penalty = self.penalty
        settings.count = self.count
        settings.unique = self.unique
        settings.count_bins = list(self.count_bins)
        settings.domains = list(domains)
        if self.reordering is not None:
            settings.classes = self.reordering.native_classes
            settings.previous = "previous" in self.reordering.sides
            settings.next = "next" in self.reordering.sides
            settings.by_source_only = self.reordering.condition == "f"
            settings.orientation_smoothing = self.reordering.smoothing
        return settings

    def columns(self, limits: RuleLimits, domains: Sequence[str] = ()) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(native.column_names(self.native(limits, domains)))
