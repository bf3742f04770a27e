"""Grammar: rules learnt from word-aligned text, stored so that a decoder finds them at once.

A phrase pair is a rule without nonterminals; a discontinuous phrase is a rule with gaps; both, and the synchronous
rules of hierarchical systems, share one type (`rule`) and one file format (`table`).
"""

from __future__ import annotations

from dragoman.grammar.rule import Nonterminal, Rule
from dragoman.grammar.table import RuleTable

__all__ = ["Nonterminal", "Rule", "RuleTable"]
