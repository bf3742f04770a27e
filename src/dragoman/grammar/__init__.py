"""Grammar: rules learnt from word-aligned text, stored so that a decoder finds them at once.

A phrase pair is a rule without nonterminals; a discontinuous phrase is a rule with gaps; both, and the synchronous
rules of hierarchical systems, share one type (`rule`) and one file format (`table`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names
from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.grammar.dynamic import DynamicTable
    from dragoman.grammar.extraction_features import EXTRACTION_FEATURES, ExtractionFeature
    from dragoman.grammar.hiero import hiero_rules
    from dragoman.grammar.limits import HieroLimits, LeftToRightLimits, RuleLimits
    from dragoman.grammar.moses import import_moses
    from dragoman.grammar.orientation import ReorderingModel, orientations
    from dragoman.grammar.phrases import extract, gappy_spans, phrase_spans
    from dragoman.grammar.rule import Nonterminal, Rule
    from dragoman.grammar.scoring import Scoring
    from dragoman.grammar.table import RuleTable
    from dragoman.grammar.writing import write_table

__all__ = [
    "EXTRACTION_FEATURES",
    "LIMITS",
    "DynamicTable",
    "ExtractionFeature",
    "HieroLimits",
    "LeftToRightLimits",
    "Nonterminal",
    "ReorderingModel",
    "Rule",
    "RuleTable",
    "Scoring",
    "extract",
    "gappy_spans",
    "hiero_rules",
    "import_moses",
    "orientations",
    "phrase_spans",
    "write_table",
]

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "EXTRACTION_FEATURES": "dragoman.grammar.extraction_features",
        "DynamicTable": "dragoman.grammar.dynamic",
        "ExtractionFeature": "dragoman.grammar.extraction_features",
        "HieroLimits": "dragoman.grammar.limits",
        "LeftToRightLimits": "dragoman.grammar.limits",
        "Nonterminal": "dragoman.grammar.rule",
        "ReorderingModel": "dragoman.grammar.orientation",
        "Rule": "dragoman.grammar.rule",
        "RuleTable": "dragoman.grammar.table",
        "Scoring": "dragoman.grammar.scoring",
        "extract": "dragoman.grammar.phrases",
        "gappy_spans": "dragoman.grammar.phrases",
        "hiero_rules": "dragoman.grammar.hiero",
        "import_moses": "dragoman.grammar.moses",
        "orientations": "dragoman.grammar.orientation",
        "phrase_spans": "dragoman.grammar.phrases",
        "write_table": "dragoman.grammar.writing",
    },
)
