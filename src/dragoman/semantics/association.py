"""Association: how strongly a phrase and a context belong together, from how often they were seen together.

All measures look at one table of two by two: seen together (k11), the one without the other (k12, k21), neither (k22).
What is counted is a choice. With `counts="cooccurrence"` all four cells are sums of co-occurrence counts, and the table
is exact (Razmara et al. 2013). With `counts="tokens"` the margins are how often phrase and context occur in the text
(Marton 2009); as a token has several neighbours, a cell may then come out below zero, and counts as zero.

| measure | value |
|---|---|
| `count` | k11 |
| `cp` | k11 / (k11 + k12): conditional probability |
| `pmi`, `ppmi`, `pmi-ratio` | ln k11 N / (row column); the same, not below 0; without N and the logarithm |
| `llr` | `scale` times sum k ln k/E (Dunning 1993 has scale 2, which follows a chi-square distribution; Marton has 1) |
| `chi-square` | sum (k - E)^2 / E |
| `tf-idf` | k11 ln (phrases / phrases with this context) |

The log-likelihood ratio and chi-square are large for pairs that avoid each other too; `sign="drop"` makes these 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from dragoman.errors import InputError
from dragoman.semantics.cooccurrence import ContextCounts, ContextSpace
from dragoman.settings import Settings, setting

__all__ = ["ASSOCIATIONS", "Association", "associate", "log_likelihood_ratio"]

ASSOCIATIONS = ("count", "cp", "pmi", "ppmi", "pmi-ratio", "llr", "chi-square", "tf-idf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Association(Settings):
    """How counts become strengths."""

    label: ClassVar[str] = "association"

    measure: str = setting("llr", "What the strength of a context is.", choices=ASSOCIATIONS)
    counts: str = setting("cooccurrence", "What the margins count.", choices=("cooccurrence", "tokens"))
    scale: float = setting(2.0, "Factor of llr.", above=0)
    base: float = setting(math.e, "Base of the logarithm of pmi.", above=1)
    sign: str = setting("none", "Whether llr and chi-square drop what is rarer than chance.", choices=("none", "drop"))

    def apply(self, counts: ContextCounts) -> csr_matrix:
        """Strengths in the place of counts."""
        return self.weigh(counts.matrix, counts.space, counts.tokens)

    def weigh(
        self,
        matrix: csr_matrix,
        space: ContextSpace,
        tokens: NDArray[np.float64],
        *,
        margins: NDArray[np.float64] | None = None,
    ) -> csr_matrix:
        """The same for rows of a space that are not counts of phrases (senses, say).

        `tokens` is how often each occurs, `margins` the sum of its counts if that is not the sum of the row.
        """
        if self.counts == "tokens":
            return associate(matrix, tokens, space.context_tokens, float(space.index.tokens), self)
        rows = np.asarray(matrix.sum(1)).ravel() if margins is None else margins
        return associate(matrix, rows, space.context_totals, float(space.context_totals.sum()), self)


def associate(
    matrix: csr_matrix,
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    total: float,
    settings: Association,
) -> csr_matrix:
    """Strengths from counts seen together, margins of rows and columns, and the whole.

    >>> together = csr_matrix([[8.0]])
    >>> tokens = Association(measure="pmi", counts="tokens")
    >>> round(float(associate(together, np.array([20.0]), np.array([30.0]), 1000, tokens)[0, 0]), 4)
    2.5903
    """
    matrix = csr_matrix(matrix, dtype=np.float64)
    joint = matrix.data
    row = np.repeat(np.asarray(rows, np.float64), np.diff(matrix.indptr))
    column = np.asarray(columns, np.float64)[matrix.indices]
    if len(joint) and (row.max() > total or column.max() > total):
        raise InputError(
            f"a margin is greater than the whole ({total:g})", remedy="the counts are not those of this text"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        values = _values(matrix, joint, row, column, total, settings)
    if settings.sign == "drop" and settings.measure in ("llr", "chi-square"):
        values = np.where(joint * total < row * column, 0.0, values)
    values = np.where((joint > 0) & np.isfinite(values), values, 0.0)
    found = csr_matrix((values, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)
    found.eliminate_zeros()
    return found


def _values(
    matrix: csr_matrix,
    joint: NDArray[np.float64],
    row: NDArray[np.float64],
    column: NDArray[np.float64],
    total: float,
    settings: Association,
) -> NDArray[np.float64]:
    measure = settings.measure
    if measure == "count":
        return joint
    if measure == "cp":
        return joint / row
    if measure == "pmi-ratio":
        return joint / (row * column)
    if measure in ("pmi", "ppmi"):
        value: NDArray[np.float64] = np.log(joint * total / (row * column)) / math.log(settings.base)
        return np.maximum(value, 0) if measure == "ppmi" else value
    if measure == "llr":
        return settings.scale * log_likelihood_ratio(joint, row, column, total)
    if measure == "chi-square":
        difference = joint * total - row * column  # = k11 k22 - k12 k21
        return total * difference**2 / (row * column * (total - row) * (total - column))
    with_context = np.maximum(matrix.getnnz(0), 1)[matrix.indices]
    inverse: NDArray[np.float64] = np.log(matrix.shape[0] / with_context)
    return joint * inverse


def log_likelihood_ratio(joint: Any, row: Any, column: Any, total: float) -> NDArray[np.float64]:
    """Sum of k ln(k/E) over the four cells, without a factor; cells below zero count as zero.

    >>> round(float(log_likelihood_ratio(8.0, 20.0, 30.0, 1000)), 4)
    16.0075
    """
    joint, row, column = (np.asarray(part, np.float64) for part in (joint, row, column))
    others, rest = total - row, total - column
    cells = (
        (joint, row * column),
        (row - joint, row * rest),
        (column - joint, column * others),
        (total - row - column + joint, others * rest),
    )
    sums = np.zeros(np.broadcast(joint, row, column).shape)
    for cell, margins in cells:
        seen = (cell > 0) & (margins > 0)
        ratio = np.divide(cell * total, margins, out=np.ones_like(sums), where=seen)
        sums += np.where(seen, cell, 0.0) * np.log(ratio)
    return sums
