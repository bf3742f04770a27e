"""Ways up a surface whose lines are known exactly: which directions to search, and when to stop.

Koehn's coordinate descent takes the best axis each round. Powell's method follows the axes one after another and then
the direction in which they led together. Random directions are drawn from a Gaussian, since axes are rarely the
directions in which weights should change together (Cer, Jurafsky and Manning 2008). The simplex of Nelder and Mead asks
for no lines at all; it is here to compare with.

Each climb keeps the best point it has seen. Points of different lines are compared by their height, which is the gain
itself: windows of plateaus choose within a line, but depend on its direction. `ClimbLimits(compare="smoothed")` takes
what the window says all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.metrics.base import Floats
from dragoman.tuning.surface import LinePoint, Surface

__all__ = [
    "CLIMBS",
    "Climb",
    "ClimbLimits",
    "coordinate_descent",
    "normalized",
    "powell",
    "random_directions",
    "simplex",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClimbLimits:
    """When to give up."""

    objective: float = 1e-5
    """A round that improves less is the last one."""
    patience: int = 30
    """Random directions in a row that may fail."""
    lines: int = 2000
    """Line searches in all."""
    compare: str = "raw"
    """What points of different lines are compared by: their gain, `raw`, or that of their window, `smoothed`."""


@dataclass(frozen=True, slots=True)
class Climb:
    """Where a climb ended: the highest point, its gain, and how many lines were searched."""

    weights: Floats
    gain: float
    height: float
    lines: int


Axes = NDArray[np.intp]
"""Indices of the weights that may change."""


def normalized(weights: Floats) -> Floats:
    """The same direction with absolute values that sum to 1: the surface does not change, and steps stay comparable."""
    total = np.abs(weights).sum()
    return weights / total if total > 0 else weights


class _Walk:
    """A climb under way: counts lines, keeps the best point, and scales weights where that changes nothing."""

    def __init__(self, surface: Surface, start: Floats, free: Axes, limits: ClimbLimits, rescale: bool) -> None:
        self.surface, self.free, self.limits, self.rescale = surface, free, limits, rescale
        self.here = self.scaled(start)
        gain = surface.gain(self.here)
        self.height = gain
        self.best = LinePoint(self.here, gain, gain)
        self.lines = 0

    def scaled(self, weights: Floats) -> Floats:
        return normalized(weights) if self.rescale else weights

    @property
    def spent(self) -> bool:
        return self.lines >= self.limits.lines

    def search(self, direction: Floats) -> LinePoint:
        self.lines += 1
        found = self.surface.line(self.here, direction)
        return LinePoint(self.scaled(found.weights), found.gain, found.smoothed)

    def height_of(self, point: LinePoint) -> float:
        return point.gain if self.limits.compare == "raw" else point.smoothed

    def go(self, point: LinePoint) -> None:
        self.here, self.height = point.weights, self.height_of(point)
        if self.height > self.height_of(self.best):
            self.best = point

    def axis(self, index: int) -> Floats:
        direction = np.zeros(len(self.here))
        direction[index] = 1.0
        return direction

    def end(self) -> Climb:
        return Climb(self.best.weights, self.best.gain, self.height_of(self.best), self.lines)


def coordinate_descent(
    surface: Surface, start: Floats, *, free: Axes, rng: np.random.Generator, limits: ClimbLimits, rescale: bool = True
) -> Climb:
    """Search every axis, move along the best one, and again (the search of Koehn's tuner)."""
    walk = _Walk(surface, start, free, limits, rescale)
    while not walk.spent:
        found = max((walk.search(walk.axis(index)) for index in walk.free), key=walk.height_of)
        gained = walk.height_of(found) - walk.height
        walk.go(found)
        if gained < limits.objective:
            break
    return walk.end()


def powell(
    surface: Surface,
    start: Floats,
    *,
    free: Axes,
    rng: np.random.Generator,
    limits: ClimbLimits,
    rescale: bool = True,
    basic: bool = False,
) -> Climb:
    """Search a set of directions in turn, then the direction of the whole move, which may join the set (Powell 1964).

    Unless `basic`, the move replaces the direction of the largest gain, and only where that keeps the set from
    collapsing (Press et al. 1992); with `basic` the oldest direction is dropped each time, and the set begins anew when
    all have been.
    """
    walk = _Walk(surface, start, free, limits, rescale)
    axes = [walk.axis(index) for index in free]
    directions = list(axes)
    rounds = 0
    while not walk.spent:
        first, first_loss = walk.here, -walk.height
        largest, where = 0.0, 0
        for place, direction in enumerate(directions):
            before = walk.height
            walk.go(walk.search(direction))
            if walk.height - before > largest:
                largest, where = walk.height - before, place
        loss = -walk.height
        rounds += 1
        move = walk.here - first
        if first_loss - loss < limits.objective or not np.any(move):
            break
        if basic:
            walk.go(walk.search(move))
            directions = list(axes) if rounds % len(axes) == 0 else [*directions[1:], move]
            continue
        beyond = -walk.surface.gain(2 * walk.here - first)
        curve = 2 * (first_loss - 2 * loss + beyond) * (first_loss - loss - largest) ** 2
        if beyond < first_loss and curve < largest * (first_loss - beyond) ** 2:
            walk.go(walk.search(move))
            directions[where] = directions[-1]
            directions[-1] = move
    return walk.end()


def basic_powell(
    surface: Surface, start: Floats, *, free: Axes, rng: np.random.Generator, limits: ClimbLimits, rescale: bool = True
) -> Climb:
    """Powell's method in its first form: the oldest direction always goes."""
    return powell(surface, start, free=free, rng=rng, limits=limits, rescale=rescale, basic=True)


def random_directions(
    surface: Surface, start: Floats, *, free: Axes, rng: np.random.Generator, limits: ClimbLimits, rescale: bool = True
) -> Climb:
    """Search Gaussian directions until many in a row have failed; moves on the level are allowed."""
    walk = _Walk(surface, start, free, limits, rescale)
    failed = 0
    while failed < limits.patience and not walk.spent:
        direction = np.zeros(len(walk.here))
        direction[free] = rng.standard_normal(len(free))
        found = walk.search(direction)
        higher = walk.height_of(found) - walk.height_of(walk.best)
        failed = 0 if higher > 1e-9 else failed + 1
        if higher > 1e-9 or higher == 0:
            walk.go(found)
    return walk.end()


def simplex(
    surface: Surface, start: Floats, *, free: Axes, rng: np.random.Generator, limits: ClimbLimits, rescale: bool = True
) -> Climb:
    """The downhill simplex of Nelder and Mead (1965), which only asks for the gain of points."""
    from scipy.optimize import minimize

    walk = _Walk(surface, start, free, limits, rescale)

    def loss(point: Floats) -> float:
        weights = walk.here.copy()
        weights[free] = point
        return -surface.gain(weights)

    corners = walk.here[free] + np.vstack([np.zeros(len(free)), 0.1 * np.eye(len(free))])
    options = {"initial_simplex": corners, "maxfev": limits.lines, "fatol": limits.objective, "xatol": 1e-6}
    found = minimize(loss, walk.here[free], method="Nelder-Mead", options=options)
    weights = walk.here.copy()
    weights[free] = found.x
    walk.go(LinePoint(walk.scaled(weights), -float(found.fun), -float(found.fun)))
    walk.lines = int(found.nfev)
    return walk.end()


CLIMBS: dict[str, Callable[..., Climb]] = {
    "random": random_directions,
    "kcd": coordinate_descent,
    "powell": powell,
    "powell-basic": basic_powell,
    "simplex": simplex,
}
"""All climbs by name."""
