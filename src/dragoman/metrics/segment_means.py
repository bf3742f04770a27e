"""Metrics whose score is the mean of what segments score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dragoman.metrics.base import Floats, Metric

__all__ = ["SegmentMeans"]


@dataclass(frozen=True, kw_only=True)
class SegmentMeans(Metric):
    """Statistics are sums over segments: of the score first, of two parts of it next, and their number last."""

    columns: ClassVar[tuple[str, ...]]

    @property
    def width(self) -> int:
        return len(self.columns)

    def scores(self, statistics: Floats) -> Floats:
        segments = statistics[:, -1]
        return np.divide(statistics[:, 0], segments, out=np.zeros(len(segments)), where=segments > 0)

    def details(self, total: Floats) -> dict[str, float]:
        segments = max(1.0, float(total[-1]))
        return {name: float(total[at]) / segments for at, name in enumerate(self.columns[1:3], 1)}
