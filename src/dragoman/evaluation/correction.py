"""Many comparisons at once: p-values adjusted so that the chance of a false alarm stays what it was meant to be.

Holm's step-down keeps the chance of *any* false alarm below the level; Benjamini and Hochberg keep the expected *share*
of false alarms below it, and find more. (Holm 1979; Benjamini and Hochberg 1995.)

    >>> adjusted([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    >>> adjusted([0.01, 0.04, 0.03], "bh")
    [0.03, 0.04, 0.04]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = ["CORRECTIONS", "adjusted"]

CORRECTIONS = ("none", "holm", "bh")


def adjusted(p: Sequence[float], correction: str) -> list[float]:
    """Adjusted p-values, in the order given."""
    check_argument("correction", correction, choices=CORRECTIONS)
    if any(not 0 <= value <= 1 for value in p):
        bad = next(value for value in p if not 0 <= value <= 1 or math.isnan(value))
        raise InputError(f"{bad} is not a p-value")
    if correction == "none":
        return list(p)
    order = sorted(range(len(p)), key=lambda index: p[index])
    found = [0.0] * len(p)
    if correction == "holm":
        running = 0.0
        for rank, index in enumerate(order):
            running = max(running, min(1.0, (len(p) - rank) * p[index]))
            found[index] = running
    else:
        running = 1.0
        for rank, index in reversed(list(enumerate(order, 1))):
            running = min(running, p[index] * len(p) / rank)
            found[index] = running
    return found
