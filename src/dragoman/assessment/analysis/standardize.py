"""Standardize: remove each assessor's own leniency and spread.

One person's 60 is another's 80. A score becomes its distance from the mean of all scores that the assessor gave in that
language pair and attribute, in standard deviations, controls included: they belong to the scale that the person used
(Graham et al. 2013). Standardizing also makes careless assessors agree better, so agreement of z-scores is no evidence
of quality by itself.

    >>> from dragoman.assessment.ratings import Rating
    >>> rows = [Rating("w", "t", at, str(at), "system", score) for at, score in enumerate([20, 40, 60, 80, 50])]
    >>> [round(z, 4) for z in standardize(rows).z]
    [-1.3416, -0.4472, 0.4472, 1.3416, 0.0]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dragoman.assessment.ratings import Rating

__all__ = ["Standardized", "standardize"]


@dataclass(frozen=True)
class Standardized:
    """Ratings with their z-scores, and the assessors left out because all their scores are equal."""

    ratings: list[Rating]
    z: list[float]
    dropped: list[tuple[str, str, str]]


def standardize(ratings: Sequence[Rating], *, exclude_references: bool = False) -> Standardized:
    """z-scores per assessor, language pair and attribute.

    `exclude_references` leaves reference items out of mean and spread (they still get a z-score), so that z-scores of
    systems are not pushed below zero by them.
    """
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for one in ratings:
        if not (exclude_references and one.kind == "reference"):
            groups[one.assessor_key].append(one.score)
    scale: dict[tuple[str, str, str], tuple[float, float]] = {}
    for key, scores in groups.items():
        values = np.array(scores, np.float64)
        if len(values) > 1 and np.ptp(values) > 0:
            scale[key] = float(values.mean()), float(values.std(ddof=1))
    kept = [one for one in ratings if one.assessor_key in scale]
    z = [(one.score - scale[one.assessor_key][0]) / scale[one.assessor_key][1] for one in kept]
    return Standardized(kept, z, sorted({one.assessor_key for one in ratings} - set(scale)))
