"""Similarity of texts: the loops behind its scorers."""

from numpy import float64, int64
from numpy.typing import NDArray

def edit_operations() -> list[str]:
    """Names of operations by number."""

class EditLattices:
    """All ways to edit one sentence of each pair into the other."""

    def __init__(
        self,
        lengths: NDArray[int64],
        matches: NDArray[int64],
        *,
        jump: int = 0,
        max_ahead: int = 0,
        jump_first: bool = True,
        jump_second: bool = True,
        threads: int = 0,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def edges(self) -> int: ...
    def values(self, weights: NDArray[float64], *, threads: int = 0) -> NDArray[float64]:
        """Logarithm of the summed weight of all ways, for each pair."""

    def expectations(self, weights: NDArray[float64], *, threads: int = 0) -> tuple[NDArray[float64], NDArray[float64]]:
        """
        The values, and how often each feature is expected to fire, for each pair.
        """

    def best(self, pair: int, weights: NDArray[float64]) -> list[tuple[int, int, int]]:
        """Operations of the heaviest way of a pair, and where each starts."""

    def feature_counts(self) -> NDArray[float64]:
        """In how many pairs each feature can fire."""

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
