"""What learning on lists is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.metrics.base import Floats
from dragoman.tuning.nbest import NBestPool

__all__ = ["Optimum", "Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Lists to optimise on, the point to start from, and the directions that are closed."""

    pool: NBestPool
    start: Floats = field(repr=False)
    """Weights by feature id."""
    fixed: NDArray[np.uint8] = field(repr=False)
    """1 for features that keep their weight."""
    number: int = 0
    """Of the iteration; random choices follow from it and from `seed`."""
    seed: int = 1
    threads: int = 0
    history: tuple[Floats, ...] = ()
    """Where earlier iterations started, by feature id."""
    report: Callable[[str, float, float], None] = field(default=lambda *_: None, repr=False)
    """Told how far a stage has come, of how much."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """Weights by feature id, and what they reach on the lists."""

    vector: Floats
    objective: float
    objective_is_metric: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)
