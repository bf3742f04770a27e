"""
Co-occurrence counts, nearest neighbours of sparse rows, and labels that spread over a graph.
"""

from numpy import float64, int32, int64, uint8, uint32
from numpy.typing import NDArray

import dragoman._native.text

def context_columns(index: dragoman._native.text.CorpusIndex, *, window: int, positional: bool) -> int:
    """How many columns count_contexts gives."""

def count_contexts(
    index: dragoman._native.text.CorpusIndex,
    words: NDArray[uint32],
    ends: NDArray[int64],
    keep: NDArray[uint8],
    claims: NDArray[uint8],
    *,
    window: int,
    positional: bool,
    at_most: int,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    Counts of what stands beside each phrase, as the arrays of a CSR matrix.
    """

def context_totals(index: dragoman._native.text.CorpusIndex, *, window: int, positional: bool) -> NDArray[float64]:
    """Sum of each column over all tokens of the corpus."""

def neighbor_types(
    index: dragoman._native.text.CorpusIndex, *, window: int, least: float, threshold: int, threads: int = 0
) -> NDArray[int64]:
    """
    How many different words stand beside each word; 0 for words too rare to exceed the threshold.
    """

def count_by_concept(
    index: dragoman._native.text.CorpusIndex,
    words: NDArray[uint32],
    ends: NDArray[int64],
    concept_starts: NDArray[int64],
    concepts: NDArray[int32],
    strengths: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    keep: NDArray[uint8],
    claims: NDArray[uint8],
    *,
    window: int,
    positional: bool,
    at_most: int,
    drop_ties: bool,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    Counts for each pair of term and concept, over the occurrences that suit the concept best.
    """

def pair_values(
    starts: NDArray[int64],
    columns: NDArray[int32],
    values: NDArray[float64],
    other_starts: NDArray[int64],
    other_columns: NDArray[int32],
    other_values: NDArray[float64],
    *,
    width: int,
    measure: str,
    alpha: float,
) -> NDArray[float64]:
    """Measure of row i of the first with row i of the second."""

def nearest(
    starts: NDArray[int64],
    columns: NDArray[int32],
    values: NDArray[float64],
    other_starts: NDArray[int64],
    other_columns: NDArray[int32],
    other_values: NDArray[float64],
    own: NDArray[int32],
    *,
    width: int,
    k: int,
    measure: str,
    alpha: float,
    threads: int = 0,
) -> tuple[NDArray[int64], NDArray[int32], NDArray[float64]]:
    """
    The k nearest of the other rows for each row that share a column with it: starts, rows, values.
    """

def propagate(
    coupling: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    given: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    start: tuple[NDArray[int64], NDArray[int32], NDArray[float64]],
    divisors: NDArray[float64],
    *,
    labels: int,
    rounds: int,
    tolerance: float,
    keep_top: int,
    threads: int = 0,
) -> tuple[tuple[NDArray[int64], NDArray[int32], NDArray[float64]], int, float]:
    """
    Labels of all nodes, the rounds it took and the last mean squared change.
    """
