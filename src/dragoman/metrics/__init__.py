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

from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.metrics.base import Metric

__all__ = ["METRICS", "get_metric"]

METRICS: Registry[Metric] = Registry(
    "metric",
    {
        "bleu": "dragoman.metrics.bleu:Bleu",
        "bleu+1": "dragoman.metrics.bleu:BleuPlusOne",
        "bleu+1-all": "dragoman.metrics.bleu:BleuPlusOneAll",
        "bleu-nakov": "dragoman.metrics.bleu:BleuNakov",
        "cder": "dragoman.metrics.wer:Cder",
        "chrf": "dragoman.metrics.chrf:Chrf",
        "chrf++": "dragoman.metrics.chrf:ChrfPlusPlus",
        "meteor": "dragoman.metrics.meteor:Meteor",
        "meteor-1.5": "dragoman.metrics.meteor:Meteor15",
        "meteor-rank": "dragoman.metrics.meteor:MeteorRank",
        "nist": "dragoman.metrics.nist:Nist",
        "per": "dragoman.metrics.wer:Per",
        "ter": "dragoman.metrics.ter:Ter",
        "terp": "dragoman.metrics.terp:Terp",
        "terpa": "dragoman.metrics.terp:Terpa",
        "wer": "dragoman.metrics.wer:Wer",
    },
)
"""All metrics by name."""


def get_metric(spec: str | Metric, *, language: str = "", tokenize: str = "") -> Metric:
    """The metric that a name with options (`bleu:order=2`), or an expression (`bleu - 2*ter`), describes.

    `language` and `tokenize` hold for metrics that have such a setting, where the text does not say otherwise.
    """
    if not isinstance(spec, str):
        return spec
    from dragoman.metrics.expression import parse

    return parse(spec, METRICS, language=language, tokenize=tokenize)
