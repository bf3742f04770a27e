"""What restricts the translation of one sentence: options of a user, a prefix, walls and zones, and two promises.

A value of this kind is given with a sentence, and the decoder heeds it or refuses it; nothing else of the search
changes. Positions are those of the sentence's tokens. The policies of options are those of Moses' XML input (Koehn,
Axelrod, Birch Mayne et al. 2005; Moses manual): an `inclusive` option is one more; with `constraint` only rules compete
that have all of its words and its translation inside; with `exclusive` no rule may touch its words.

    >>> Constraints(options=(ExtraOption(0, 1, "house", policy="exclusive"),), walls=(3,)).kinds
    ('options', 'walls')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = ["POLICIES", "Constraints", "ExtraOption"]

POLICIES = {
    "inclusive": "it competes with all rules of the table",
    "constraint": "it competes with rules that have its words and its translation inside",
    "exclusive": "its words are translated in no other way",
}
"""How an option of a user stands to the rules of the table."""

NativeConstraints = tuple[list[str], list[int], list[tuple[int, int]], bool, bool]
"""Prefix (a list of one or none), walls, zones, monotone, no_drop: as native code takes them."""


@dataclass(frozen=True, slots=True)
class ExtraOption:
    """A translation for a span of one sentence that is in no table."""

    start: int
    end: int
    target: str
    features: Mapping[str, float] = field(default_factory=dict)
    policy: str = "inclusive"

    def __post_init__(self) -> None:
        check_argument("policy", self.policy, choices=POLICIES)
        if self.policy != "inclusive" and not self.target.split():
            raise InputError(
                f"words {self.start} to {self.end} may only become nothing",
                remedy="give a translation, or let the option be inclusive",
            )


@dataclass(frozen=True, slots=True)
class Constraints:
    """What restricts a sentence; the default restricts nothing."""

    options: tuple[ExtraOption, ...] = ()
    prefix: tuple[str, ...] = ()
    """Target tokens that the translation begins with."""
    walls: tuple[int, ...] = ()
    """Positions: all words in front of one are translated before those behind it, and no phrase crosses it."""
    zones: tuple[tuple[int, int], ...] = ()
    """Spans whose words are translated one after the other; a wall inside one holds for its words only."""
    monotone: bool = False
    """Phrases stay in the order of the source."""
    no_drop: bool = False
    """Every source word is linked to a target word, by rules that say so."""

    def __post_init__(self) -> None:
        strict = sorted((option for option in self.options if option.policy != "inclusive"), key=lambda o: o.start)
        for first, second in pairwise(strict):
            if second.start < first.end and (first.start, first.end) != (second.start, second.end):
                raise InputError(
                    f"options that allow no others overlap: words {first.start} to {first.end} ({first.target!r}) and "
                    f"{second.start} to {second.end} ({second.target!r})",
                    remedy="choose one of them",
                )

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of what is restricted."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name))

    def with_options(self, options: tuple[ExtraOption, ...]) -> Constraints:
        """The same with further options."""
        return replace(self, options=self.options + options) if options else self

    def native(self) -> NativeConstraints | None:
        """All but the options, for native code; None if there is nothing."""
        if not (self.prefix or self.walls or self.zones or self.monotone or self.no_drop):
            return None
        prefix = [" ".join(self.prefix)] if self.prefix else []
        return prefix, list(self.walls), list(self.zones), self.monotone, self.no_drop
