"""Lists of candidates and the loops that tune weights on them."""

from numpy import float64, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.common
import dragoman._native.forest
import dragoman._native.metrics

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

    def add_lists(
        self,
        sentences: list[int],
        lists: NDArray[int64],
        rows: NDArray[int64],
        ids: NDArray[int64],
        values: NDArray[float64],
        text_of: NDArray[int64],
        texts: list[str],
        *,
        features: dragoman._native.common.Vocabulary,
        threads: int,
    ) -> int:
        """
        Adds a list to each of these sentences; returns how many candidates were new.
        """

    def add(self, sentence: int, text: str, ids: NDArray[uint32], values: NDArray[float64]) -> bool:
        """False if it was there before."""

    def pending(self) -> tuple[NDArray[int64], list[str]]:
        """Sentences and texts that have no statistics yet."""

    def set_statistics(self, rows: NDArray[float64]) -> None:
        """Statistics of the pending texts, in their order."""

    def used(self) -> NDArray[uint8]:
        """A flag per feature: 1 for those that some candidate has."""

    def arrays(
        self,
    ) -> tuple[
        NDArray[int64],
        NDArray[int64],
        NDArray[uint32],
        NDArray[float64],
        NDArray[int64],
        NDArray[int64],
        NDArray[float64],
    ]:
        """
        Everything as flat arrays: where lists, rows and texts start; features; the text of each candidate; statistics of texts.
        """

    def best_statistics(self, weights: NDArray[float64], *, threads: int = 0) -> NDArray[float64]:
        """Sum of the statistics of the best candidates under these weights."""

def upper_envelope(slopes: NDArray[float64], heights: NDArray[float64]) -> tuple[NDArray[float64], NDArray[uint32]]:
    """Which line is highest, and from where on."""

class LineSearch:
    """Exact line search on n-best lists, for one thread at a time."""

    def __init__(self, pool: Pool, gain: dragoman._native.metrics.Gain) -> None: ...
    def plateaus(
        self,
        weights: NDArray[float64],
        direction: NDArray[float64],
        *,
        smoothing: str = "none",
        window: int = 1,
        threads: int = 0,
    ) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]]:
        """
        Where each plateau begins, its gain, and its gain as its neighbours see it.
        """

    def search(
        self,
        weights: NDArray[float64],
        direction: NDArray[float64],
        *,
        smoothing: str = "none",
        window: int = 1,
        threads: int = 0,
    ) -> tuple[float, float, float]:
        """
        The best point x of weights + x * direction, its gain, and what it was chosen by.
        """

def forest_envelopes(
    forests: list[dragoman._native.forest.Forest],
    words: list[dragoman._native.common.Vocabulary],
    weights: NDArray[float64],
    direction: NDArray[float64],
    *,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[float64], NDArray[float64], NDArray[float64], list[str]]:
    """
    The derivations that are best somewhere on a line: where those of each forest end, from where on each is best, its slope and height, and its text.
    """

def best_point(
    ends: NDArray[int64],
    from_: NDArray[float64],
    rows: NDArray[float64],
    gain: dragoman._native.metrics.Gain,
    *,
    smoothing: str = "none",
    window: int = 1,
) -> tuple[float, float, float]:
    """
    The best point on a line, given the envelopes of the sentences and the statistics of their segments.
    """

def smoothed(gains: NDArray[float64], smoothing: str, window: int) -> NDArray[float64]:
    """Each plateau as its neighbours see it."""

def batch_mira(
    pool: Pool,
    gain: dragoman._native.metrics.Gain,
    start: NDArray[float64],
    words: NDArray[float64],
    fixed: NDArray[uint8],
    *,
    rule: str,
    step: float,
    pull: float,
    decay: float,
    passes: int,
    length_column: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[float64], float, int, NDArray[float64]]:
    """
    The best average of the weights, its gain, the pass after which it was taken, and the gain after each pass.
    """
