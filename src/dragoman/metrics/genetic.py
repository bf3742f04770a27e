"""A genetic algorithm over vectors of real numbers, for a handful of parameters and a fitness without a gradient.

As Rios, Aziz and Specia (2011, 2012) used it for the weights of TINE and for the parameters of a regression: a
population, roulette selection, blending of two parents, redrawing of genes, and the best one always lives on.

    >>> found = evolve(lambda x: -((x[0] - 0.3) ** 2), [(0, 1)], population=20, generations=30)
    >>> abs(found.best[0] - 0.3) < 0.02
    True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dragoman.errors import InputError
from dragoman.seeds import stream
from dragoman.settings import check_argument

__all__ = ["Evolution", "evolve"]


@dataclass(frozen=True)
class Evolution:
    """The fittest vector, its fitness, and the best fitness of each generation."""

    best: tuple[float, ...]
    fitness: float
    history: tuple[float, ...]


def evolve(
    fitness: Callable[[Sequence[float]], float],
    bounds: Sequence[tuple[float, float]],
    *,
    population: int = 80,
    generations: int = 100,
    crossover: float = 0.9,
    mutation: float = 0.01,
    seed: int = 1,
) -> Evolution:
    """The vector of greatest fitness that was found; the same for the same seed. Repeated vectors cost nothing."""
    check_argument("population", population, int, least=2)
    check_argument("generations", generations, int, least=0)
    if not bounds or any(low >= high for low, high in bounds):
        raise InputError(f"bounds {list(bounds)} leave nothing to choose")
    draws = stream(seed, "genetic")
    low, high = np.array(bounds, np.float64).T
    known: dict[tuple[float, ...], float] = {}

    def value(genes: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        key = tuple(genes.tolist())
        if key not in known:
            known[key] = float(fitness(key))
        return known[key]

    crowd = low + draws.random((population, len(bounds))) * (high - low)
    values = np.array([value(one) for one in crowd])
    history = [float(values.max())]
    for _ in range(generations):
        chances = values - values.min() + 1e-9
        parents = draws.choice(population, size=(population, 2), p=chances / chances.sum())
        share = draws.random(crowd.shape)
        children = np.where(
            draws.random((population, 1)) < crossover,
            share * crowd[parents[:, 0]] + (1 - share) * crowd[parents[:, 1]],
            crowd[parents[:, 0]],
        )
        fresh = low + draws.random(crowd.shape) * (high - low)
        children = np.where(draws.random(crowd.shape) < mutation, fresh, children)
        children[0] = crowd[int(values.argmax())]
        crowd = children
        values = np.array([value(one) for one in crowd])
        history.append(float(values.max()))
    best = int(values.argmax())
    return Evolution(tuple(crowd[best].tolist()), float(values[best]), tuple(history))
