"""What two strings have in common, in order, by characters or by words.

The longest common subsequence is what `diff` keeps of two texts: insertions and deletions aside, they are equal there.
As a share of both lengths it is the string similarity by which the pairs of similarity tasks were sampled (Agirre et
al. 2012), and the ratio that finds comparable sentences (Agirre et al. 2014). The longest common stretch must be in one
piece. Both run natively, pairs at a time.

    >>> string_similarities(["a bike"], ["a bicycle"]).round(5).tolist()
    [0.66667]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman._native import text as native
from dragoman.errors import LengthMismatch
from dragoman.settings import check_argument

__all__ = ["UNITS", "common_stretches", "common_subsequences", "string_similarities"]

UNITS = ("character", "word")

Lengths = NDArray[np.int64]


def common_subsequences(
    first: Sequence[str], second: Sequence[str], *, unit: str = "character", threads: int = 0
) -> Lengths:
    """For each pair, three numbers: the longest common subsequence, and the lengths of both."""
    return _in_common(first, second, unit, stretch=False, threads=threads)


def common_stretches(
    first: Sequence[str], second: Sequence[str], *, unit: str = "character", threads: int = 0
) -> Lengths:
    """The same for the longest stretch in one piece."""
    return _in_common(first, second, unit, stretch=True, threads=threads)


def string_similarities(
    first: Sequence[str], second: Sequence[str], *, unit: str = "character", threads: int = 0
) -> NDArray[np.float64]:
    """Twice the longest common subsequence, over the lengths of both; 1 for two empty strings."""
    common, one, other = common_subsequences(first, second, unit=unit, threads=threads).T
    total = one + other
    found: NDArray[np.float64] = np.divide(2.0 * common, total, out=np.ones(len(total)), where=total > 0)
    return found


def _in_common(first: Sequence[str], second: Sequence[str], unit: str, *, stretch: bool, threads: int) -> Lengths:
    check_argument("unit", unit, choices=UNITS)
    if len(first) != len(second):
        raise LengthMismatch(f"{len(first)} strings against {len(second)}")
    return native.in_common(list(first), list(second), words=unit == "word", stretch=stretch, threads=threads)
