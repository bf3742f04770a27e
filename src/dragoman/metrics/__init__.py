"""Metrics: how good is a translation, given references?

Every metric is a vector of statistics per segment and a score of their sum, computed natively. `get_metric` makes one
from a name with options, or a blend from an expression.

    >>> from dragoman.metrics import get_metric
    >>> get_metric("bleu:tokenize=intl,lowercase=true").signature.rpartition("|")[0]
    'case:lc|eff:no|tok:intl|smooth:exp'
    >>> get_metric("bleu - 2*ter").higher_is_better
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.metrics.base import Metric
    from dragoman.metrics.blend import PositiveDiversity
    from dragoman.metrics.bleu import Bleu, BleuPlusOne
    from dragoman.metrics.by_name import METRICS, get_metric
    from dragoman.metrics.chrf import Chrf
    from dragoman.metrics.lr_score import LrScore, OrderedPair
    from dragoman.metrics.meteor import Meteor
    from dragoman.metrics.nist import Nist
    from dragoman.metrics.report import ScoreReport, score
    from dragoman.metrics.ter import Ter
    from dragoman.metrics.terp import Terp

__all__ = [
    "METRICS",
    "Bleu",
    "BleuPlusOne",
    "Chrf",
    "LrScore",
    "Meteor",
    "Metric",
    "Nist",
    "OrderedPair",
    "PositiveDiversity",
    "ScoreReport",
    "Ter",
    "Terp",
    "get_metric",
    "score",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Bleu": "dragoman.metrics.bleu",
        "BleuPlusOne": "dragoman.metrics.bleu",
        "Chrf": "dragoman.metrics.chrf",
        "LrScore": "dragoman.metrics.lr_score",
        "METRICS": "dragoman.metrics.by_name",
        "Meteor": "dragoman.metrics.meteor",
        "Metric": "dragoman.metrics.base",
        "Nist": "dragoman.metrics.nist",
        "OrderedPair": "dragoman.metrics.lr_score",
        "PositiveDiversity": "dragoman.metrics.blend",
        "ScoreReport": "dragoman.metrics.report",
        "Ter": "dragoman.metrics.ter",
        "Terp": "dragoman.metrics.terp",
        "get_metric": "dragoman.metrics.by_name",
        "score": "dragoman.metrics.report",
    },
)
