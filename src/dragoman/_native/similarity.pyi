"""Similarity of texts: the loops behind its scorers."""

from numpy import float64, int64
from numpy.typing import NDArray

def soft_cardinalities(
    first: list[str], second: list[str], *, power: float = 2.0, threads: int = 0
) -> NDArray[float64]:
    """
    Soft cardinality of the first text of each pair, of the second, and of both together.
    """

def near_duplicates(
    lines: list[str], *, least: float, threads: int = 0
) -> tuple[NDArray[int64], NDArray[int64], NDArray[float64]]:
    """
    Numbers of both lines of each pair whose words overlap enough, and how much they do.
    """
