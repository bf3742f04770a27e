"""Alignment models by enumeration of all alignments: slow, obvious, and right on tiny corpora."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

Path = tuple[int | None, ...]
Pairs = Sequence[tuple[Sequence[str], Sequence[str]]]
FLOOR = 1e-7


class Positions(Protocol):
    """The position model of one direction."""

    def weight(self, path: Path, given: int) -> float: ...
    def observe(self, path: Path, given: int, share: float) -> None: ...
    def maximize(self) -> None: ...


class ZeroOrder:
    """Positions that do not depend on each other."""

    def __init__(self, null: float) -> None:
        self.null = null

    def prior(self, i: int, j: int, given: int, generated: int) -> float:
        return 1 / given

    def weight(self, path: Path, given: int) -> float:
        return math.prod(
            self.null if i is None else (1 - self.null) * self.prior(i, j, given, len(path)) for j, i in enumerate(path)
        )

    def observe(self, path: Path, given: int, share: float) -> None:
        pass

    def maximize(self) -> None:
        pass


class Table(ZeroOrder):
    """IBM 2."""

    def __init__(self, null: float) -> None:
        super().__init__(null)
        self.table: dict[tuple[int, int, int], list[float]] = {}
        self.counts: dict[tuple[int, int, int], list[float]] = {}

    def prior(self, i: int, j: int, given: int, generated: int) -> float:
        found = self.table.get((j, given, generated))
        return 1 / given if found is None else found[i]

    def observe(self, path: Path, given: int, share: float) -> None:
        for j, i in enumerate(path):
            row = self.counts.setdefault((j, given, len(path)), [0.0] * given)
            if i is not None:
                row[i] += share

    def maximize(self) -> None:
        self.table = {key: [max(FLOOR, count / sum(row)) for count in row] for key, row in self.counts.items()}
        self.counts = {}


class Diagonal(ZeroOrder):
    """IBM 2 by the distance from the diagonal, with a tension that moves towards the likeliest one."""

    def __init__(self, null: float, tension: float, rate: float) -> None:
        super().__init__(null)
        self.tension, self.rate = tension, rate
        self.seen: list[tuple[int, int]] = []
        self.mass = self.distance = 0.0

    def prior(self, i: int, j: int, given: int, generated: int) -> float:
        return self.row(j, given, generated, self.tension)[i]

    @staticmethod
    def row(j: int, given: int, generated: int, tension: float) -> list[float]:
        values = [math.exp(-tension * abs((i + 1) / given - (j + 1) / generated)) for i in range(given)]
        return [value / sum(values) for value in values]

    def observe(self, path: Path, given: int, share: float) -> None:
        for j, i in enumerate(path):
            if i is not None:
                self.mass += share
                self.distance += share * abs((i + 1) / given - (j + 1) / len(path))

    def maximize(self) -> None:
        def expected(tension: float) -> float:
            found = [
                p * abs((i + 1) / given - (j + 1) / generated)
                for given, generated in self.seen
                for j in range(generated)
                for i, p in enumerate(self.row(j, given, generated, tension))
            ]
            return sum(found) / sum(generated for _, generated in self.seen)

        low, high = 0.1, 20.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (middle, high) if expected(middle) > self.distance / self.mass else (low, middle)
        self.tension *= (low / self.tension) ** self.rate
        self.mass = self.distance = 0.0


class Jumps:
    """The HMM."""

    def __init__(self, null: float, uniform: float = 0.2, max_jump: int = 10) -> None:
        self.null, self.uniform, self.width = null, uniform, 2 * max_jump + 2
        self.weights: dict[bool, defaultdict[int, float]] = {key: defaultdict(lambda: 1.0) for key in (False, True)}
        self.counts: dict[bool, defaultdict[int, float]] = {key: defaultdict(float) for key in (False, True)}

    def parts(self, before: int, i: int, given: int) -> tuple[float, float]:
        """By the jump, and by the uniform share."""
        weights = self.weights[before == -1]
        total = sum(weights[k - before] for k in range(given))
        jump = (1 - self.null) * (1 - self.uniform) * weights[i - before] / total
        return jump, (1 - self.null) * self.uniform / given

    def weight(self, path: Path, given: int) -> float:
        value, before = 1.0, -1
        for i in path:
            if i is None:
                value *= self.null
            else:
                value *= sum(self.parts(before, i, given))
                before = i
        return value

    def observe(self, path: Path, given: int, share: float) -> None:
        before = -1
        for i in path:
            if i is not None:
                jump, flat = self.parts(before, i, given)
                self.counts[before == -1][i - before] += share * jump / (jump + flat)
                before = i

    def maximize(self) -> None:
        least = 1e-3 / self.width
        for start, counts in self.counts.items():
            total = sum(counts.values())
            if total > 0:
                found = defaultdict(lambda: least, {d: count / total + least for d, count in counts.items()})
                self.weights[start] = found
        self.counts = {key: defaultdict(float) for key in (False, True)}


class Direction:
    """Lexicon and positions of one direction; a pair is (given words, generated words)."""

    def __init__(self, pairs: Pairs, alpha: float) -> None:
        self.pairs, self.alpha = pairs, alpha
        self.t: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
        self.null: dict[str, float] = defaultdict(lambda: 1.0)

    def paths(self, k: int, positions: Positions) -> dict[Path, float]:
        """All alignments of a pair, with their probabilities."""
        given, generated = self.pairs[k]
        weights = {
            path: positions.weight(path, len(given))
            * math.prod(
                self.null[f] if i is None else self.t[given[i], f] for f, i in zip(generated, path, strict=True)
            )
            for path in product((None, *range(len(given))), repeat=len(generated))
        }
        total = sum(weights.values())
        return {path: weight / total for path, weight in weights.items()}

    def posteriors(self, k: int, positions: Positions) -> NDArray[np.float64]:
        """Generated by given."""
        given, generated = self.pairs[k]
        found = np.zeros((len(generated), len(given)))
        for path, share in self.paths(k, positions).items():
            for j, i in enumerate(path):
                if i is not None:
                    found[j, i] += share
        return found

    def estimate(self, posteriors: Sequence[NDArray[np.float64]]) -> None:
        counts: dict[tuple[str, str], float] = defaultdict(float)
        null: dict[str, float] = defaultdict(float)
        for (given, generated), table in zip(self.pairs, posteriors, strict=True):
            for j, f in enumerate(generated):
                null[f] += max(0.0, 1 - table[j].sum())
                for i, e in enumerate(given):
                    counts[e, f] += table[j, i]
        totals: dict[str, float] = defaultdict(float)
        support: dict[str, int] = defaultdict(int)
        for (e, _), count in counts.items():
            totals[e] += count
            support[e] += 1
        for (e, f), count in counts.items():
            if self.alpha > 0:
                p = math.exp(digamma(count + self.alpha) - digamma(totals[e] + self.alpha * support[e]))
            else:
                p = count / totals[e]
            self.t[e, f] = max(FLOOR, p)
        everything = sum(null.values())
        for f, count in null.items():
            self.null[f] = max(FLOOR, count / everything) if everything > 0 else self.null[f]


def train(
    source: Sequence[str],
    target: Sequence[str],
    stages: Sequence[tuple[Callable[[], Positions], int]],
    *,
    alpha: float = 0.0,
    agreement: bool = False,
) -> list[list[NDArray[np.float64]]]:
    """Train both directions; posteriors of each, source by target, as the trained model sees the pairs."""
    pairs = [(one.split(), other.split()) for one, other in zip(source, target, strict=True)]
    directions = [Direction(pairs, alpha), Direction([(b, a) for a, b in pairs], alpha)]
    positions: list[Positions] = []
    for make, iterations in stages:
        positions = [make(), make()]
        for direction, model in zip(directions, positions, strict=True):
            if isinstance(model, Diagonal):
                model.seen = [(len(given), len(generated)) for given, generated in direction.pairs]
        for _ in range(iterations):
            found = []
            for direction, model in zip(directions, positions, strict=True):
                found.append([direction.posteriors(k, model) for k in range(len(pairs))])
                for k, (given, _) in enumerate(direction.pairs):
                    for path, share in direction.paths(k, model).items():
                        model.observe(path, len(given), share)
            if agreement:
                both = [one * other.T for one, other in zip(*found, strict=True)]
                found = [both, [each.T for each in both]]
            for direction, model, tables in zip(directions, positions, found, strict=True):
                model.maximize()
                direction.estimate(tables)
    forward = [directions[0].posteriors(k, positions[0]).T for k in range(len(pairs))]
    reverse = [directions[1].posteriors(k, positions[1]) for k in range(len(pairs))]
    return [forward, reverse]
