"""Lists of candidates and the loops that tune weights on them."""

from collections.abc import Callable

from numpy import float64, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.common
import dragoman._native.forest
import dragoman._native.metrics

def kbest_lists(
    forests: list[dragoman._native.forest.Forest],
    words: list[dragoman._native.common.Vocabulary],
    *,
    nbest: int,
    distinct: bool,
    threads: int,
) -> tuple[NDArray[int64], NDArray[int64], NDArray[int64], NDArray[float64], NDArray[float64], list[str]]:
    """
    The best derivations of each forest: where lists and rows start, feature ids and values, scores, texts.
    """

class Gain:
    """What a tuner maximises: a score of rows of statistics."""

    def scores(self, rows: NDArray[float64]) -> NDArray[float64]: ...

class BleuGain(Gain):
    """BLEU, natively."""

    def __init__(self, options: dragoman._native.metrics.BleuOptions) -> None: ...

class CallbackGain(Gain):
    """Any function of a matrix of statistics."""

    def __init__(self, function: Callable[[NDArray[float64]], NDArray[float64]], width: int) -> None: ...

class Pool:
    """n-best lists of a dev set, merged."""

    def __init__(self, sentences: int, width: int) -> None: ...
    def __len__(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def candidates(self) -> int: ...
    @property
    def features(self) -> int:
        """One more than the features, since id 0 stands for an unknown one."""

    def name(self, id: int) -> str: ...
    def intern(self, name: str) -> int: ...
    def id(self, name: str) -> int:
        """The id of a feature, 0 if no candidate has it."""

    def size(self, sentence: int) -> int: ...
    def strings(self, sentence: int) -> list[str]:
        """The different texts of a sentence."""

    def add_forests(
        self,
        sentences: list[int],
        forests: list[dragoman._native.forest.Forest],
        words: list[dragoman._native.common.Vocabulary],
        features: dragoman._native.common.Vocabulary,
        *,
        nbest: int,
        distinct: bool,
        threads: int,
    ) -> int:
        """Adds the best derivations; returns how many were new."""

    def add(self, sentence: int, text: str, ids: NDArray[uint32], values: NDArray[float64]) -> bool:
        """False if it was there before."""

    def pending(self) -> tuple[NDArray[int64], list[str]]:
        """Sentences and texts that have no statistics yet."""

    def set_statistics(self, rows: NDArray[float64]) -> None:
        """Statistics of the pending texts, in their order."""

    def arrays(self) -> dict[str, NDArray]:
        """
        Everything as flat arrays: where lists, rows and texts start; features; the text of each candidate; statistics of texts.
        """

    def best_statistics(self, weights: NDArray[float64], *, threads: int = 1) -> NDArray[float64]:
        """Sum of the statistics of the best candidates under these weights."""

def batch_mira(
    pool: Pool,
    gain: Gain,
    start: NDArray[float64],
    words: NDArray[float64],
    fixed: NDArray[uint8],
    *,
    step: float,
    decay: float,
    passes: int,
    length_column: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[float64], float, int, NDArray[float64]]:
    """
    The best average of the weights, its gain, the pass after which it was taken, and the gain after each pass.
    """
