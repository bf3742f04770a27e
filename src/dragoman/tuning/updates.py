"""Sparse updates: a step per coordinate, then shrinkage, and nothing at all for what did not change.

AdaGrad gives each weight a rate of its own, large while it is rarely seen and smaller with every gradient (Duchi, Hazan
and Singer 2011). Forward-backward splitting then shrinks: L1 by a fixed amount down to exactly 0, which selects
features, and L2 by a factor (Duchi and Singer 2009). Between two gradients a weight shrinks by the same rule at each
step, so its debt is paid when it is next looked at, in closed form; that equals paying at every step, because the debt
is settled before the next gradient is taken and not together with it. (Green, Wang, Cer and Manning 2013.)

    >>> import numpy as np
    >>> updates = Updates(rate=0.02, l1=lambda ids: np.full(len(ids), 0.1), epsilon=0.0)
    >>> for gradient in (-0.5, -0.5, 0.0, 0.0, 0.3):
    ...     updates.apply(np.array([1]), np.array([gradient]))
    >>> round(float(updates.values(2)[1]), 7)
    0.0112417
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import FormatError

__all__ = ["RULES", "Updates", "shrunk"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

RULES = ("adagrad", "arow", "sgd")
"""How rates fall: with the root of the summed squared gradients, with their sum, or not at all."""


def shrunk(values: Floats, amount: Floats, factor: Floats, times: Floats) -> Floats:
    """Values after `times` steps, each of which takes `amount` off their size and then divides by `factor`."""
    size = np.abs(values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = factor**-times
        steady = np.where(factor > 1, (1 - scaled) / (factor - 1), times)
    return np.sign(values) * np.maximum(size * scaled - amount * steady, 0.0)


class Updates:
    """Weights by feature id with their history of gradients; ids are small whole numbers, arrays grow as they come.

    `l1` gives the strength of L1 for ids that are new, once for each.
    """

    def __init__(
        self,
        *,
        rate: float,
        l1: Callable[[Ids], Floats] | None = None,
        l2: float = 0.0,
        epsilon: float = 1e-3,
        rule: str = "adagrad",
    ) -> None:
        self.rate, self.l2, self.epsilon, self.rule = rate, l2, epsilon, rule
        self.time = 0
        self._strength = l1 or (lambda ids: np.zeros(len(ids)))
        self._weights, self._squares, self._l1 = np.zeros(0), np.zeros(0), np.zeros(0)
        self._last = np.zeros(0, dtype=np.int64)  # time of the last gradient; -1: there was none, nothing shrinks

    def __len__(self) -> int:
        return len(self._weights)

    def grow(self, size: int) -> None:
        """Make room for ids below `size`."""
        more = size - len(self)
        if more <= 0:
            return
        more = max(more, len(self) // 2)  # rarely, not at each new name
        self._weights, self._squares, self._l1 = (
            np.append(array, np.zeros(more)) for array in (self._weights, self._squares, self._l1)
        )
        self._last = np.append(self._last, np.full(more, -1, dtype=np.int64))

    def set(self, ids: Ids, values: Floats) -> None:
        """Start from these values."""
        if len(ids):
            self.grow(int(ids.max()) + 1)
        self._weights[ids] = values

    def _rates(self, squares: Floats) -> Floats:
        if self.rule == "sgd":
            return np.full(len(squares), self.rate)
        if self.rule == "arow":
            return self.rate / (1.0 + squares)
        with np.errstate(divide="ignore"):
            return self.rate / (np.sqrt(squares) + self.epsilon)

    def _caught_up(self, at: Ids | slice) -> Floats:
        """Values with all that they owe."""
        idle = np.where(self._last[at] >= 0, self.time - self._last[at], 0)
        rates = np.where(idle > 0, self._rates(self._squares[at]), 0.0)
        return shrunk(self._weights[at], rates * self._l1[at], 1 + rates * self.l2, idle.astype(np.float64))

    def apply(self, ids: Ids, gradient: Floats) -> None:
        """One step of time: descend along a gradient whose ids are all different, and shrink."""
        seen = gradient != 0
        ids, gradient = ids[seen], gradient[seen]
        if len(ids):
            self.grow(int(ids.max()) + 1)
            values = self._caught_up(ids)
        self.time += 1
        if not len(ids):
            return
        fresh = ids[self._last[ids] < 0]
        if len(fresh):
            self._l1[fresh] = self._strength(fresh)
        self._squares[ids] += gradient**2
        rates = self._rates(self._squares[ids])
        stepped = values - rates * gradient
        self._weights[ids] = shrunk(stepped, rates * self._l1[ids], 1 + rates * self.l2, np.ones(len(ids)))
        self._last[ids] = self.time

    def values(self, size: int) -> Floats:
        """The first `size` weights as they are now."""
        self.grow(size)
        return self._caught_up(slice(0, size))

    @property
    def touched(self) -> NDArray[np.bool_]:
        """Which ids have had a gradient."""
        return self._last >= 0

    def sweep(self) -> None:
        """Pay all debts, so that what is stored is what holds."""
        self._weights = self._caught_up(slice(None))
        self._last[self._last >= 0] = self.time

    def state(self, size: int) -> dict[str, Any]:
        """All that is needed to go on later, for ids below `size`."""
        self.grow(size)
        return {
            "time": np.int64(self.time),
            "weights": self._weights[:size],
            "squares": self._squares[:size],
            "last": self._last[:size],
            "l1": self._l1[:size],
        }

    def restore(self, state: Mapping[str, Any], ids: Ids) -> None:
        """Go on from a state whose places are these ids now."""
        if len(ids):
            self.grow(int(ids.max()) + 1)
        try:
            self.time = int(state["time"])
            self._weights[ids], self._squares[ids] = state["weights"], state["squares"]
            self._last[ids], self._l1[ids] = state["last"], state["l1"]
        except (KeyError, ValueError) as error:
            raise FormatError(f"not the state of an online tuner: {error}") from None
