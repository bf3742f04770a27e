"""Rules: the unit of translation.

One type serves for a phrase pair (no nonterminals), a discontinuous phrase (with gaps) and a synchronous rule (with
paired nonterminals). Words are strings and nonterminals are `Nonterminal`, so that a word that looks like one cannot be
mistaken for one.

    >>> Rule(("ne", Nonterminal(), "pas"), ("not",), links=((0, 0), (2, 0)))
    Rule('ne X pas ||| not')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dragoman.errors import InputError

__all__ = ["GAP_TEXT", "Counts", "Nonterminal", "Rule", "Symbol", "spell"]

GAP_TEXT = "X"
"""How a gap is written in text."""


@dataclass(frozen=True, slots=True)
class Nonterminal:
    """A slot in a rule. The index pairs it with the other side; without a label it is a gap, paired with nothing."""

    label: str = ""
    index: int = 0

    @property
    def is_gap(self) -> bool:
        return not self.label

    def __str__(self) -> str:
        return GAP_TEXT if self.is_gap else f"[{self.label},{self.index + 1}]"


Symbol = str | Nonterminal


@dataclass(frozen=True, slots=True)
class Counts:
    """How often the target, the source, and both together were extracted."""

    target: float = 0.0
    source: float = 0.0
    joint: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """Source and target symbols, word links between them, and values by column name (natural logarithms)."""

    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    values: Mapping[str, float] = field(default_factory=dict)
    links: tuple[tuple[int, int], ...] = ()
    counts: Counts = Counts()
    label: str = ""
    sparse: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.source or not self.target:
            raise InputError(
                "a rule needs symbols on both sides", where=f"{spell(self.source)!r} ||| {spell(self.target)!r}"
            )
        for source, target in self.links:
            if not (0 <= source < len(self.source) and 0 <= target < len(self.target)):
                raise InputError(f"link {source}-{target} points outside the rule", where=self._text())

    @property
    def arity(self) -> int:
        """Paired nonterminals on the source side."""
        return sum(isinstance(symbol, Nonterminal) and not symbol.is_gap for symbol in self.source)

    @property
    def source_text(self) -> str:
        return spell(self.source)

    @property
    def target_text(self) -> str:
        return spell(self.target)

    def _text(self) -> str:
        return f"{spell(self.source)} ||| {spell(self.target)}"

    def __repr__(self) -> str:
        return f"Rule({self._text()!r})"


def spell(symbols: Sequence[Symbol]) -> str:
    """The symbols as text, blanks between them."""
    return " ".join(map(str, symbols))
