"""Hierarchical rules of one sentence pair, to look at what extraction takes from it.

Every initial phrase pair is a rule, and smaller initial pairs inside it may be taken out, which leaves nonterminals in
their places, numbered by their order on the source side (Chiang 2007). Whole corpora go through `phrases.extract`.

    >>> [rule for rule, _ in hiero_rules("a b", "y x", [(0, 1), (1, 0)])]
    [Rule('b ||| y'), Rule('a b ||| y x'), Rule('a [X,1] ||| [X,1] x'), Rule('[X,1] b ||| y [X,1]'), Rule('a ||| x')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dragoman._native import common
from dragoman._native import grammar as native
from dragoman.annotations import Dependencies
from dragoman.annotations.phrase_spans import PhraseSpan
from dragoman.grammar.limits import LABEL, HieroLimits
from dragoman.grammar.rule import Nonterminal, Rule, Symbol

__all__ = ["hiero_rules"]

_NONTERMINAL = 0x80000000


def hiero_rules(
    source: str,
    target: str,
    links: Iterable[tuple[int, int]],
    *,
    limits: HieroLimits | None = None,
    tree: Dependencies | None = None,
    nodes: Sequence[PhraseSpan] = (),
    target_nodes: Sequence[PhraseSpan] = (),
    part: str = "all",
) -> list[tuple[Rule, float]]:
    """The rules of an aligned pair with the count of each, one entry for each initial phrase pair that gives them.

    A tree is one of the side that the limits name; `nodes` are labelled spans of the source, the outermost first, for
    limits that ask for labels of that side. `part` is `all`, or `words` or `gaps` for rules without or with
    nonterminals.
    """
    words, labels = common.Vocabulary(), common.Vocabulary()
    labels.intern(LABEL)

    def label(symbol: int) -> str:
        return labels.word((symbol & ~_NONTERMINAL) >> 8)

    def spell(symbols: Sequence[int]) -> tuple[Symbol, ...]:
        return tuple(Nonterminal(label(i), i & 0xFF) if i & _NONTERMINAL else words.word(i) for i in symbols)

    left, right = ([words.intern(word) for word in side.split()] for side in (source, target))
    settings = (limits or HieroLimits()).native().hiero_limits
    settings.part = part
    heads = list(tree.heads) if tree is not None else []
    found = native.hiero_rules(left, right, sorted(links), settings, heads, list(nodes), list(target_nodes), labels)
    rules = []
    for ours, theirs, inside, shares in found:
        labelled = settings.labels != "none"
        source_side, derived = (ours[:-1], label(ours[-1])) if labelled else (ours, LABEL)
        rules.append((Rule(spell(source_side), spell(theirs), links=tuple(inside), label=derived), 1 / shares))
    return rules
