"""Limits: which rules of a word-aligned sentence pair are taken.

Each kind of rule has its own: phrase pairs, with gaps on request (Koehn, Och and Marcu 2003; Galley and Manning 2010),
hierarchical rules (Chiang 2007), and hierarchical rules for decoding from left to right (Siahbani, Sankaran and Sarkar
2013). `LIMITS` names them by kind. This module imports no native code, so that the command line can show its options
without loading any.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dragoman.annotations.shallow_trees import LEVELS
from dragoman.annotations.span_labels import TREES
from dragoman.errors import SettingError
from dragoman.settings import Settings, setting

if TYPE_CHECKING:
    from dragoman._native import grammar as native

__all__ = ["LABEL", "PHRASES", "SYSTEMS", "HieroLimits", "LeftToRightLimits", "PhraseLimits", "RuleLimits"]

LABEL = "X"
"""The usual label of nonterminals."""


def _system(side: str, **more: str) -> Mapping[str, str]:
    return {"dependencies": side, "counting": "one", **more}


PHRASES = "pb"
"""The system that has phrases in place of hierarchical rules."""

SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "hpb-orig": {"counting": "one"},
    "hpb-sl-re": _system("source", constraint="none"),
    "hpb-tl-re": _system("target", constraint="none"),
    "hpb-sl-are": _system("source", constraint="none", crossing="reorder-all"),
    "hpb-tl-are": _system("target", constraint="none", crossing="reorder-all"),
    "dc-sl-npr": _system("source"),
    "dc-tl-npr": _system("target"),
    "dc-sl-pr": _system("source", crossing="lift"),
    "dc-tl-pr": _system("target", crossing="lift"),
    PHRASES: {},
    "hier": {},
    "pos": {"labels": "source", "tree": "pos"},
    "chunk": {"labels": "source", "tree": "chunk"},
    "srl": {"labels": "source", "tree": "srl"},
    "srl-nonlex": {"labels": "source", "tree": "srl-nonlex"},
}
"""Systems by name. Those of Graham (2013): all rules; rules of text put into the order of its trees, but for
those of words only (`re`) or all (`are`); rules that a dependency tree constrains, with trees whose crossing arcs put
words into another order (`npr`) or are lifted (`pr`; the paper has a parser that knows no others). `sl` and `tl` name
the side that has trees. Those of Aziz, Rios and Specia (2011): phrases (`pb`), all rules (`hier`), and rules labelled
by shallow trees of the source, of chunks or of chunks and semantic roles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLimits(Settings, ABC):
    """Which rules are taken from a sentence pair."""

    kind: ClassVar[str]
    """Of the table: the decoder that it is for."""
    bytes_per_instance: ClassVar[int]
    """What an extracted instance costs while a run is made: record, phrases, dictionary slots; measured, rounded up."""
    usual_labels: ClassVar[tuple[str, ...]] = ()
    """Of nonterminals; the first is the left-hand side of every rule that says no other."""
    takes_reordering: ClassVar[bool] = False
    """Whether models of reordering say anything about such rules."""
    usual_reordering: ClassVar[str] = ""
    """The model of reordering that is usual for them."""
    systems: ClassVar[tuple[str, ...]] = ()
    """Those of `SYSTEMS` that have such rules."""

    @classmethod
    @abstractmethod
    def lengths(cls, words: int) -> dict[str, int]:
        """Settings that take phrases of up to so many words."""

    @abstractmethod
    def native(self) -> native.ExtractionSettings:
        """The same limits for the native side."""

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """What a table says about them."""

    @property
    @abstractmethod
    def relative_size(self) -> float:
        """About how large a table becomes, where one of phrases of seven words has size 1."""

    @property
    def search(self) -> Mapping[str, Any]:
        """Settings that follow for searches with such rules; what a table says itself is not among them."""
        return {}

    @property
    def arity(self) -> int:
        """Nonterminals that a rule may have."""
        return 0

    @property
    def has_gaps(self) -> bool:
        """Whether phrases may have gaps that others fill in any order."""
        return False

    @property
    def filters_after_scoring(self) -> bool:
        """Whether rules are dropped that scores must know of."""
        return False

    @property
    def annotated_sides(self) -> tuple[str, ...]:
        """The sides of the text whose trees they look at."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseLimits(RuleLimits):
    """Which phrases are taken; with `gaps`, discontinuous ones too."""

    kind: ClassVar[str] = "phrase"
    bytes_per_instance: ClassVar[int] = 120
    takes_reordering: ClassVar[bool] = True
    usual_reordering: ClassVar[str] = "hier-mslr-bidirectional-fe"
    systems: ClassVar[tuple[str, ...]] = (PHRASES,)

    max_source: int = setting(7, "Words of the longest source phrases.", least=1, most=100)
    max_target: int = setting(7, "Words of the longest target phrases.", least=1, most=100)
    max_ratio: float = setting(
        0.0,
        "How many times as long one side may be as the other; 0: no bound.",
        valid=lambda ratio: ratio == 0 or ratio >= 1,
        wanted="a number of at least 1, or 0 for no bound",
    )
    only_tight: bool = setting(False, "Take no phrases with unaligned words at their edges.")
    gaps: bool = setting(False, "Take phrases with gaps (ne X pas) too.")
    gap_words: int = setting(5, "Words of a side of a phrase with gaps.", least=2, most=20)
    gap_source_span: int = setting(12, "Source words from its first to its last one.", least=2, most=40)
    gap_target_span: int = setting(12, "Target words from its first to its last one.", least=2, most=40)
    gaps_both_sides: bool = setting(False, "Take phrases with gaps on both sides at once.")
    unaligned_gaps: bool = setting(False, "Take gaps that hold unaligned words only.")

    def native(self) -> native.ExtractionSettings:
        from dragoman._native import grammar as native

        settings = native.ExtractionSettings()
        settings.max_source, settings.max_target = self.max_source, self.max_target
        settings.max_ratio, settings.only_tight = self.max_ratio, self.only_tight
        settings.gappy, settings.gap_words = self.gaps, self.gap_words
        settings.gap_source_span, settings.gap_target_span = self.gap_source_span, self.gap_target_span
        settings.gaps_both_sides, settings.unaligned_gaps = self.gaps_both_sides, self.unaligned_gaps
        return settings

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"max_source": self.max_source, "max_target": self.max_target, "gaps": str(self.gaps).lower()}

    @classmethod
    def lengths(cls, words: int) -> dict[str, int]:
        return {"max_source": words, "max_target": words}

    @property
    def relative_size(self) -> float:
        return self.max_source / 7

    @property
    def search(self) -> Mapping[str, Any]:
        return {"max_phrase_length": self.max_source}

    @property
    def has_gaps(self) -> bool:
        return self.gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class GappyLimits(PhraseLimits):
    """Which phrases are taken for a decoder that knows gaps."""

    kind: ClassVar[str] = "gappy"
    usual_reordering: ClassVar[str] = ""

    gaps: bool = setting(True, "Take phrases with gaps (ne X pas) too.")

    @property
    def search(self) -> Mapping[str, Any]:
        return {
            "max_phrase_length": self.max_source,
            "max_source_span": self.gap_source_span,
            "max_target_span": self.gap_target_span,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class HieroLimits(RuleLimits):
    """Which hierarchical rules are taken.

    An initial phrase pair is a rule; taking smaller initial pairs out of it, and leaving nonterminals in their places,
    makes further rules. `counting` says whether all rules of one initial pair share a count of one, or have it each.
    Rules with a `prefix_lexicalised` target side, words first and then nonterminals, are all that a decoder can use
    which builds translations from left to right; they are singled out `before` counts are shared, so that they have
    them for themselves, or `after` all rules were scored, which gives a subset of all rules with the same scores.
    """

    kind: ClassVar[str] = "hiero"
    bytes_per_instance: ClassVar[int] = 220
    usual_labels: ClassVar[tuple[str, ...]] = (LABEL,)
    systems: ClassVar[tuple[str, ...]] = tuple(name for name in SYSTEMS if name != PHRASES)

    max_phrase: int = setting(10, "Words of the longest initial phrases, on each side.", least=1, most=100)
    max_symbols: int = setting(5, "Words and nonterminals of a source side.", least=1, most=100)
    max_nonterminals: int = setting(2, "Nonterminals of a rule.", least=0, most=20)
    adjacent: bool = setting(False, "Nonterminals may be neighbours on the source side.")
    linked_words: bool = setting(True, "A rule must have at least one pair of linked words.")
    tight: bool = setting(True, "Initial phrases have no unaligned words at their edges.")
    min_hole: int = setting(1, "Source words that a nonterminal stands for, at least.", least=1, most=100)
    counting: str = setting(
        "fractional", "Rules of an initial pair share one count, or have one each.", choices=("fractional", "one")
    )
    prefix_lexicalised: str = setting(
        "no",
        "Keep only rules whose target side is words, then nonterminals: before counts are shared, or after scoring.",
        choices=("no", "before", "after"),
    )
    loose_terminals: bool = setting(
        False, "Phrase pairs with unaligned words at their edges are rules too, without nonterminals."
    )
    dependencies: str = setting(
        "none",
        "The side whose dependency trees rules with nonterminals must fit.",
        choices=("none", "source", "target"),
    )
    constraint: str = setting(
        "ghkm",
        "How they must fit: as rules of the tree (`ghkm`); or each nonterminal is the subtree of a word whose head is "
        "a word of the rule (`filter`); or not at all, but trees still put words into another order (`none`).",
        choices=("ghkm", "filter", "none"),
    )
    crossing: str = setting(
        "reorder",
        "What becomes of trees with crossing arcs: their words are put into another order, for rules with "
        "nonterminals or for all (`reorder-all`); the arcs are lifted; or all stays, and broken subtrees fit nothing.",
        choices=("reorder", "reorder-all", "lift", "keep"),
    )
    max_depth: int = setting(3, "Levels of opened subtrees of a composed `ghkm` rule.", least=1, most=100)
    max_size: int = setting(3, "Opened subtrees of a composed `ghkm` rule, single words aside.", least=1, most=100)
    max_nodes: int = setting(15, "Subtrees, opened or not, of a composed `ghkm` rule.", least=1, most=100)
    max_scope: int = setting(
        3,
        "Nonterminals at the edges and neighbours of each other on the source side of a `ghkm` rule.",
        least=0,
        most=100,
    )
    labels: str = setting(
        "none",
        "The side whose syntax labels nonterminals and rules; phrases must then be nodes of its trees.",
        choices=("none", "source", "target", "both"),
    )
    tree: str = setting(
        "chunk",
        "What such a tree is made of: tags (`pos`), chunks, chunks and roles (`srl`, or `srl-nonlex` without lemmas), "
        "constituents, dependencies, or `nodes` that came with the text.",
        choices=TREES,
    )
    relax: int = setting(
        2,
        "How far trees are relaxed, as SAMT has it: 0, 1, 2 or 4.",
        valid=lambda level: level in LEVELS,
        wanted="0, 1, 2 or 4",
    )
    binarize: str = setting(
        "none", "Beginnings or ends of long phrases are nodes, too.", choices=("none", "left", "right")
    )
    label_pick: str = setting(
        "outermost",
        "Which of several nodes over the same words new labels are made of.",
        choices=("outermost", "innermost"),
    )
    fall_back: bool = setting(False, "Phrases that are no nodes are taken, too, with the label X, which fits anything.")

    def __post_init__(self) -> None:
        super(HieroLimits, self).__post_init__()
        if self.labels != "none" and self.dependencies != "none":
            raise SettingError(
                f"rules with labels of the {self.labels} side that must fit dependency trees as well",
                remedy="choose one of labels and dependencies",
            )

    def native(self) -> native.ExtractionSettings:
        from dragoman._native import grammar as native

        settings = native.ExtractionSettings()
        limits = native.HieroLimits()
        limits.max_phrase, limits.max_symbols = self.max_phrase, self.max_symbols
        limits.max_nonterminals, limits.min_hole = self.max_nonterminals, self.min_hole
        limits.tight, limits.adjacent, limits.linked_words = self.tight, self.adjacent, self.linked_words
        limits.fractional, limits.loose_terminals = self.counting == "fractional", self.loose_terminals
        limits.prefix_lexicalised = self.prefix_lexicalised
        limits.constraint = self.constraint if self.dependencies != "none" else "none"
        limits.tree_is_source = self.dependencies != "target"
        limits.max_depth, limits.max_size = self.max_depth, self.max_size
        limits.max_nodes, limits.max_scope = self.max_nodes, self.max_scope
        limits.labels, limits.fall_back = self.labels, self.fall_back
        settings.hierarchical, settings.hiero_limits = True, limits
        return settings

    @property
    def facts(self) -> Mapping[str, Any]:
        # Rules of a tree are as long as its subtrees.
        longest = 0 if self.from_tree else self.max_phrase
        return {"max_span": longest, **{name: str(value).lower() for name, value in self.to_dict().items()}}

    @property
    def annotated_sides(self) -> tuple[str, ...]:
        """The sides of the training text that must be annotated."""
        sides = {self.dependencies, *(("source", "target") if self.labels == "both" else (self.labels,))}
        return tuple(side for side in ("source", "target") if side in sides)

    @property
    def from_tree(self) -> bool:
        """Whether rules with nonterminals are those of a tree."""
        return self.dependencies != "none" and self.constraint == "ghkm"

    @classmethod
    def lengths(cls, words: int) -> dict[str, int]:
        return {"max_phrase": words}

    @property
    def relative_size(self) -> float:
        plain = self.prefix_lexicalised == "no" and self.dependencies == "none" and self.labels == "none"
        return 8.0 if plain else 1.5

    @property
    def arity(self) -> int:
        return max(self.max_nonterminals, self.max_nodes if self.from_tree else 0)

    @property
    def has_gaps(self) -> bool:
        """Whether phrases may have gaps that others fill in any order."""
        return False

    @property
    def filters_after_scoring(self) -> bool:
        return self.prefix_lexicalised == "after"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftToRightLimits(HieroLimits):
    """Which hierarchical rules are taken for decoding from left to right."""

    kind: ClassVar[str] = "lr-hiero"

    prefix_lexicalised: str = setting(
        "before",
        "When others than rules of words, then nonterminals go: before counts are shared, or after scoring.",
        choices=("before", "after"),
    )
    loose_terminals: bool = True

    def __post_init__(self) -> None:
        super(LeftToRightLimits, self).__post_init__()
        if self.labels != "none":
            raise SettingError(
                "rules with labels for decoding from left to right, which knows none", remedy="use the kind hiero"
            )
