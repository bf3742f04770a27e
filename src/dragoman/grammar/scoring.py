"""Scores: what the counts of a rule say about it.

Relative frequencies both ways and lexical weights both ways are always there, in the order that Moses uses; further
columns are asked for. A column holds the natural logarithm of a probability, or the value of an indicator, so that a
model score is always weights times columns. Smoothing discounts what was seen once or twice. (Koehn, Och and Marcu
2003; Foster, Kuhn and Johnson 2006.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman._native import grammar as native
from dragoman.errors import SettingError
from dragoman.grammar.orientation import ReorderingModel

__all__ = ["BASIC_COLUMNS", "DIRECT", "INVERSE", "SMOOTHING", "Scoring"]

INVERSE, DIRECT = "phrase.st", "phrase.ts"
"""Columns of p(source | target) and p(target | source)."""

BASIC_COLUMNS = (INVERSE, "lex.st", DIRECT, "lex.ts")
"""The four columns of every extracted table, in the order of a Moses phrase table."""

SMOOTHING = ("none", "good-turing", "kneser-ney")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How counts become columns.

    `min_probability` drops rules whose p(target | source) is smaller, `min_count` those seen less often. `penalty` adds
    a constant 1 (Moses' fifth score, 2.718), `count` ln count, `unique` an indicator (-1) of rules seen once,
    `count_bins` an indicator per bin of the joint count, given by the upper edges. `lexical` is `links` (mean over
    linked words) or `best` (the best of all words).
    """

    smoothing: str = "none"
    lexical: str = "links"
    min_probability: float = 1e-4
    min_count: int = 1
    penalty: bool = False
    count: bool = False
    unique: bool = False
    count_bins: Sequence[int] = ()
    reordering: ReorderingModel | None = None

    def __post_init__(self) -> None:
        if self.smoothing not in SMOOTHING:
            raise SettingError(
                f"no smoothing is called {self.smoothing!r}", remedy=f"choose from {', '.join(SMOOTHING)}"
            )
        if self.lexical not in ("links", "best"):
            raise SettingError(f"no lexical weight is called {self.lexical!r}", remedy="choose from links, best")
        if not 0 <= self.min_probability < 1:
            raise SettingError(f"min_probability is {self.min_probability}", remedy="choose from 0 to below 1")
        if self.min_count < 1:
            raise SettingError(f"min_count is {self.min_count}", remedy="a rule is seen at least once")
        if any(low >= high for low, high in zip((0, *self.count_bins), self.count_bins, strict=False)):
            raise SettingError(
                f"count bins {list(self.count_bins)}", remedy="give ascending upper edges, such as 1 2 4"
            )

    def native(self, domains: Sequence[str] = ()) -> native.ScoringSettings:
        """The same settings for the native side."""
        settings = native.ScoringSettings()
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

    def columns(self, domains: Sequence[str] = ()) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(native.column_names(self.native(domains)))
