"""Grammar: rules learnt from word-aligned text, stored so that a decoder finds them at once.

A phrase pair is a rule without nonterminals; a discontinuous phrase is a rule with gaps; both, and the synchronous
rules of hierarchical systems, share one type (`rule`) and one file format (`table`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.grammar.limits import RuleLimits

__all__ = ["LIMITS"]

LIMITS: Registry[RuleLimits] = Registry(
    "kind of rule",
    {
        "phrase": "dragoman.grammar.limits:PhraseLimits",
        "hiero": "dragoman.grammar.limits:HieroLimits",
        "lr-hiero": "dragoman.grammar.limits:LeftToRightLimits",
    },
)
"""The limits of each kind of rule: what extraction can take from a bitext."""
