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
    from dragoman.grammar.extraction_features import ExtractionFeature
    from dragoman.grammar.limits import RuleLimits
    from dragoman.grammar.moses import import_moses
    from dragoman.grammar.orientation import ReorderingModel
    from dragoman.grammar.rule import Nonterminal, Rule
    from dragoman.grammar.scoring import Scoring
    from dragoman.grammar.table import RuleTable

__all__ = [
    "EXTRACTION_FEATURES",
    "LIMITS",
    "DynamicTable",
    "Nonterminal",
    "ReorderingModel",
    "Rule",
    "RuleTable",
    "Scoring",
    "import_moses",
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

EXTRACTION_FEATURES: Registry[ExtractionFeature] = Registry(
    "extraction feature",
    {
        "unaligned": "dragoman.grammar.extraction_features:Unaligned",
        "edge": "dragoman.grammar.extraction_features:SentenceEdge",
        "subtree": "dragoman.grammar.extraction_features:Subtree",
        "gap_size": "dragoman.grammar.extraction_features:GapSize",
        "content": "dragoman.grammar.extraction_features:Content",
        "general": "dragoman.grammar.extraction_features:General",
    },
)
"""Features of the places where rules occur in the bitext."""

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DynamicTable": "dragoman.grammar.dynamic",
        "Nonterminal": "dragoman.grammar.rule",
        "ReorderingModel": "dragoman.grammar.orientation",
        "Rule": "dragoman.grammar.rule",
        "RuleTable": "dragoman.grammar.table",
        "Scoring": "dragoman.grammar.scoring",
        "import_moses": "dragoman.grammar.moses",
    },
)
