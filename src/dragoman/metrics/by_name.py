"""All metrics by name, and how one is made from a name with options."""

from __future__ import annotations

from dragoman.metrics.base import Metric
from dragoman.metrics.expression import parse
from dragoman.registry import Registry

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
        "entailment": "dragoman.entailment.adequacy:EntailmentAdequacy",
        "meteor": "dragoman.metrics.meteor:Meteor",
        "meteor-1.5": "dragoman.metrics.meteor:Meteor15",
        "meteor-rank": "dragoman.metrics.meteor:MeteorRank",
        "nist": "dragoman.metrics.nist:Nist",
        "per": "dragoman.metrics.wer:Per",
        "spede": "dragoman.similarity.edit_metric:Spede",
        "ter": "dragoman.metrics.ter:Ter",
        "terp": "dragoman.metrics.terp:Terp",
        "terpa": "dragoman.metrics.terp:Terpa",
        "tine": "dragoman.metrics.tine:Tine",
        "wer": "dragoman.metrics.wer:Wer",
    },
)
"""All metrics by name."""


def get_metric(spec: str | Metric, *, language: str = "", tokenize: str = "") -> Metric:
    """The metric that a name with options (`bleu:order=2`), or an expression (`bleu - 2*ter`), describes.

    `language` and `tokenize` hold for metrics that have such a setting, where the text does not say otherwise.
    """
    return parse(spec, METRICS, language=language, tokenize=tokenize) if isinstance(spec, str) else spec
