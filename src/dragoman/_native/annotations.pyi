"""
Learners that annotate: a tagger, a dependency parser and a classifier, all averaged perceptrons.
"""

from collections.abc import Callable

from numpy import float32, int32, int64, uint16, uint32, uint64
from numpy.typing import NDArray

class Tagger:
    """One label for each token, from left to right."""

    def __init__(
        self,
        keys: NDArray[uint64],
        ends: NDArray[uint32],
        labels: NDArray[uint16],
        values: NDArray[float32],
        count: int,
    ) -> None: ...
    @staticmethod
    def train(
        words: list[str],
        lowered: list[str],
        given: list[list[str]],
        ends: NDArray[int64],
        gold: NDArray[uint16],
        count: int,
        *,
        epochs: int,
        seed: int,
        least: float,
        told: Callable[[int, int], None] | None = None,
    ) -> Tagger: ...
    def tag(
        self, words: list[str], lowered: list[str], given: list[list[str]], ends: NDArray[int64], *, threads: int = 0
    ) -> NDArray[uint16]: ...
    def arrays(self) -> tuple[NDArray[uint64], NDArray[uint32], NDArray[uint16], NDArray[float32]]: ...

class Parser:
    """Dependency trees by shift, arcs and swap, searched with a beam."""

    def __init__(
        self,
        keys: NDArray[uint64],
        ends: NDArray[uint32],
        labels: NDArray[uint16],
        values: NDArray[float32],
        count: int,
        beam: int,
    ) -> None: ...
    @staticmethod
    def train(
        words: list[str],
        lowered: list[str],
        given: list[list[str]],
        ends: NDArray[int64],
        heads: NDArray[int32],
        labels: NDArray[uint16],
        count: int,
        *,
        beam: int,
        epochs: int,
        seed: int,
        least: float,
        threads: int = 0,
        told: Callable[[int, int], None] | None = None,
    ) -> Parser: ...
    def parse(
        self, words: list[str], lowered: list[str], given: list[list[str]], ends: NDArray[int64], *, threads: int = 0
    ) -> tuple[NDArray[int32], NDArray[uint16]]:
        """Heads within each sentence (-1 for the root), and labels."""

    def arrays(self) -> tuple[NDArray[uint64], NDArray[uint32], NDArray[uint16], NDArray[float32]]: ...

class Classifier:
    """A label for each bag of features."""

    def __init__(
        self,
        keys: NDArray[uint64],
        ends: NDArray[uint32],
        labels: NDArray[uint16],
        values: NDArray[float32],
        count: int,
    ) -> None: ...
    @staticmethod
    def train(
        features: list[str],
        ends: NDArray[int64],
        gold: NDArray[uint16],
        count: int,
        *,
        epochs: int,
        seed: int,
        least: float,
        told: Callable[[int, int], None] | None = None,
    ) -> Classifier: ...
    def scores(self, features: list[str], ends: NDArray[int64], *, threads: int = 0) -> NDArray[float32]: ...
    def arrays(self) -> tuple[NDArray[uint64], NDArray[uint32], NDArray[uint16], NDArray[float32]]: ...
