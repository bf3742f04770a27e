"""Grammar: rules learnt from word-aligned text, stored so that a decoder finds them at once.

A phrase pair is a rule without nonterminals; a discontinuous phrase is a rule with gaps; both, and the synchronous
rules of hierarchical systems, share one type (`rule`) and one file format (`table`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.grammar.limits import RuleLimits
    from dragoman.grammar.rule import Nonterminal, Rule
    from dragoman.grammar.table import RuleTable

__all__ = ["LIMITS", "Nonterminal", "Rule", "RuleTable"]

LIMITS: Registry[RuleLimits] = Registry(
    "kind of rule",
    {
        "phrase": "dragoman.grammar.limits:PhraseLimits",
        "gappy": "dragoman.grammar.limits:GappyLimits",
        "hiero": "dragoman.grammar.limits:HieroLimits",
        "lr-hiero": "dragoman.grammar.limits:LeftToRightLimits",
    },
)
"""The limits of each kind of rule: what extraction can take from a bitext."""

_LAZY = {
    "Nonterminal": "dragoman.grammar.rule",
    "Rule": "dragoman.grammar.rule",
    "RuleTable": "dragoman.grammar.table",
}
"""What needs native code, which the command line does without as long as it can."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'dragoman.grammar' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
