"""Similarity of profiles: how alike two rows of contexts and strengths are.

| measure | value | |
|---|---|---|
| `cosine` | sum a b / (norm a, norm b) | similarity |
| `jaccard`, `dice` | sum min / sum max; 2 sum min / (sum a + sum b) | similarity, negative strengths count as 0 |
| `lin` | sum over shared contexts of a + b / (sum a + sum b), positive strengths only (Lin 1998) | similarity |
| `l1` | sum of differences | distance |
| `city-block` | the same after each row is made to sum to 1 | distance |
| `jensen-shannon` | KL(a, mean) + KL(b, mean), 0 to 2 ln 2; `half` gives the textbook's half | distance |
| `skew` | KL(a, alpha b + (1 - alpha) a), not symmetric (Lee 1999) | distance |

Jensen-Shannon and skew divergence are for probabilities: rows are cut off at 0 and made to sum to 1 first. Values of
different measures do not compare. An inverted index visits only what shares a context with the query, and the nearest
neighbours it gives are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from dragoman._native import semantics as native
from dragoman.errors import SettingError
from dragoman.semantics.cooccurrence import csr_arrays
from dragoman.settings import Settings, check_argument, setting

__all__ = ["CONVERSIONS", "SIMILARITIES", "NeighborLists", "Similarity"]

SIMILARITIES = ("cosine", "jaccard", "dice", "lin", "l1", "city-block", "jensen-shannon", "skew")

CONVERSIONS = ("inverse", "power")
"""How a distance becomes a weight: 1/(1+d), or (2 - d)^beta for L1 and 10^(-beta d) for divergences (Dagan et al.)."""


class NeighborLists(NamedTuple):
    """Neighbours of query q: rows `rows[starts[q]:starts[q + 1]]`, nearest first, and their values."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: NDArray[np.float64]

    def of(self, query: int) -> list[tuple[int, float]]:
        part = slice(int(self.starts[query]), int(self.starts[query + 1]))
        return list(zip(self.rows[part].tolist(), self.values[part].tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity(Settings):
    """A measure and its settings."""

    label: ClassVar[str] = "similarity"

    measure: str = setting("cosine", "How two profiles compare.", choices=SIMILARITIES)
    alpha: float = setting(0.99, "Share of the other profile in the skew divergence.", above=0, below=1)
    half: bool = setting(False, "The textbook's Jensen-Shannon divergence, half of the sum.")

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.half and self.measure != "jensen-shannon":
            raise SettingError("half is for jensen-shannon", remedy="leave it out")

    @property
    def is_distance(self) -> bool:
        """Whether smaller means more alike."""
        return self.measure in ("l1", "city-block", "jensen-shannon", "skew")

    def pairs(self, first: csr_matrix, second: csr_matrix) -> NDArray[np.float64]:
        """The measure of row i of the first with row i of the second.

        >>> round(float(Similarity().pairs(csr_matrix([[3.0, 4.0]]), csr_matrix([[4.0, 3.0]]))[0]), 2)
        0.96
        """
        found = native.pair_values(
            *csr_arrays(self._ready(first)),
            *csr_arrays(self._ready(second)),
            width=first.shape[1],
            measure=self._native,
            alpha=self.alpha,
        )
        return found * self._factor

    def nearest(
        self,
        queries: csr_matrix,
        candidates: csr_matrix,
        *,
        k: int,
        own: NDArray[np.int32] | None = None,
        threads: int = 0,
    ) -> NeighborLists:
        """The k candidates most like each query among those that share a context with it; equal ones in row order.

        `own` names the row of each query among the candidates (-1: none), which is no neighbour of itself.
        """
        check_argument("k", k, int, least=1)
        if own is None:
            own = np.full(queries.shape[0], -1, np.int32)
        starts, rows, values = native.nearest(
            *csr_arrays(self._ready(queries)),
            *csr_arrays(self._ready(candidates)),
            np.ascontiguousarray(own, np.int32),
            width=queries.shape[1],
            k=k,
            measure=self._native,
            alpha=self.alpha,
            threads=threads,
        )
        return NeighborLists(starts, rows, values * self._factor)

    def weights(
        self, values: NDArray[np.float64], *, conversion: str = "inverse", beta: float = 1.0
    ) -> NDArray[np.float64]:
        """Values as weights of edges, greater for more alike; similarities stay as they are."""
        check_argument("conversion", conversion, choices=CONVERSIONS)
        if not self.is_distance:
            return values
        if conversion == "inverse":
            return 1 / (1 + values)
        if self.measure in ("l1", "city-block"):
            return np.maximum(2 - values, 0) ** beta
        return np.power(10.0, -beta * values)

    @property
    def _native(self) -> str:
        return "city-block" if self.measure == "l1" else self.measure

    @property
    def _factor(self) -> float:
        return 0.5 if self.half else 1.0

    def _ready(self, rows: csr_matrix) -> csr_matrix:
        if self.measure != "city-block":
            return rows
        sums = np.asarray(abs(rows).sum(1)).ravel()
        return csr_matrix(diags(np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)) @ rows)
