"""Similarity by regression over metrics of translation: any of them, in both directions.

What says how near a translation is to its reference says how near two texts are. In 2012 a regression over TERp was
among the best systems (Agirre et al. 2012); here any metric by name can be a feature, each text once as the reference
of the other. A metric that has several settings names them with colons: `terp:stem=0.5:language=en`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dragoman.metrics.base import Metric
from dragoman.metrics.by_name import get_metric
from dragoman.settings import setting
from dragoman.similarity.base import Scores
from dragoman.similarity.learned import FeatureScorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.regression import REGRESSORS

__all__ = ["MetricFeatures"]


@dataclass(kw_only=True, eq=False)
class MetricFeatures(FeatureScorer):
    """A regression over metrics of translation, such as TERp, in both directions (Agirre et al. 2012)."""

    name: ClassVar[str] = "metrics"
    metrics: tuple[str, ...] = setting(
        ("bleu+1", "chrf", "ter", "terp"),
        "Metrics, with their settings as NAME:SETTING=VALUE.",
        valid=lambda names: len(names) > 0,
        wanted="one metric or more",
    )
    regressor: str = setting("svr", "Support vectors or ridge regression.", choices=REGRESSORS)
    cost: float = setting(1.0, "How much an error of a training pair costs (support vectors).", above=0)
    epsilon: float = setting(0.05, "Errors up to this cost nothing, on the scale from 0 to 1.", least=0, most=1)
    penalty: float = setting(1.0, "On the weights (ridge regression).", least=0)

    @cached_property
    def _metrics(self) -> dict[str, Metric]:
        return {spec: get_metric(":".join(_parts(spec))) for spec in self.metrics}

    def features(self, pair: TextPair) -> dict[str, float]:
        names, rows = self.matrix([pair])
        return dict(zip(names, rows[0].tolist(), strict=True))

    def matrix(self, pairs: list[TextPair]) -> tuple[tuple[str, ...], Scores]:
        """All pairs at once, because metrics work on many segments."""
        sides = [[pair.texts[side] for pair in pairs] for side in (0, 1)]
        found: dict[str, Scores] = {}
        for spec, metric in self._metrics.items():
            for name, (hypotheses, references) in (("first", sides), ("second", sides[::-1])):
                found[f"{spec} of the {name}"] = metric.sentence_scores(hypotheses, references, threads=1)
        return tuple(found), np.stack(list(found.values()), axis=1)

    def _regressor_settings(self) -> tuple[str, dict[str, Any]]:
        if self.regressor == "ridge":
            return "ridge", {"penalty": self.penalty}
        return "svr", {"cost": self.cost, "epsilon": self.epsilon}


def _parts(spec: str) -> Sequence[str]:
    name, *options = spec.split(":")
    return [name, ",".join(options)] if options else [name]
