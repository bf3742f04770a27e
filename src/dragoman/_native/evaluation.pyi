"""Shuffled and mixed statistics."""

from numpy import float64, int64
from numpy.typing import NDArray

def masked_sums(statistics: NDArray[float64], *, samples: int, seed: int, threads: int = 0) -> NDArray[float64]:
    """
    Sums of rows taken or left by the toss of a coin: a row per sample, whose tosses follow from (seed, sample).
    """

def hybrid_sums(
    statistics: NDArray[float64], ends: NDArray[int64], *, hybrids: int, seed: int, threads: int = 0
) -> NDArray[float64]:
    """
    Sums over segments of a row drawn for each; those of segment s end before row `ends[s]`.
    """
