"""Resampling of statistics."""

from numpy import float64
from numpy.typing import NDArray

def bootstrap_sums(statistics: NDArray[float64], *, samples: int, seed: int, threads: int = 1) -> NDArray[float64]:
    """
    Sums of rows drawn with replacement: a row per sample, whose draws follow from (seed, sample) alone.
    """

def shuffled_sums(
    first: NDArray[float64], second: NDArray[float64], *, samples: int, seed: int, threads: int = 1
) -> NDArray[float64]:
    """
    Sums of the first system's rows after trading places at random with the second's: a row per sample.
    """
