"""Outputs of several systems, combined word by word."""

import enum
from collections.abc import Sequence

from numpy import float64, int32
from numpy.typing import NDArray

import dragoman._native.common
import dragoman._native.forest
import dragoman._native.lm

class Horizon(enum.Enum):
    LENGTH = 0

    ALIGNMENT = 1

class Outputs:
    """
    What several systems said about one sentence, and which words correspond.
    """

    def __init__(
        self, outputs: Sequence[Sequence[str]], punctuation: Sequence[Sequence[bool]], links: NDArray[int32]
    ) -> None:
        """
        Links are rows of system, word, system, word, stage (exact, stem, synonym, paraphrase).
        """

    @property
    def systems(self) -> int: ...

class MatchSet:
    """
    Kinds of links (bits: the four stages, self, boundary) and lengths of runs.
    """

    def __init__(self, *, kinds: int, per_system: int, collective: int) -> None: ...

class Combined:
    """The forest of all combinations that search kept."""

    @property
    def forest(self) -> dragoman._native.forest.Forest: ...
    @property
    def words(self) -> dragoman._native.common.Vocabulary: ...
    @property
    def seconds(self) -> float: ...
    @property
    def statistics(self) -> dict[str, int]: ...

class Combiner:
    def __init__(
        self,
        *,
        systems: int,
        matches: Sequence[MatchSet],
        horizon: Horizon,
        radius: int,
        stay_threshold: float,
        beam: int,
        language_model: dragoman._native.lm.Model | None,
    ) -> None: ...
    @property
    def features(self) -> int: ...
    def combine(self, sentences: Sequence[Outputs], weights: NDArray[float64], *, threads: int = 0) -> list[Combined]:
        """
        Weights by feature id, from 1: lm, length, oov, then per match set each system's lengths and the collective.
        """
