"""Systems in clusters and ranges of ranks, from tests of all pairs.

Two neighbours in a ranking may be indistinguishable although a score separates them. As the WMT evaluations do, systems
are ordered by score, and a line is drawn between two places only where every system above it is significantly better
than every system below. The rank range of a system counts who is certainly better and who is certainly worse.

    >>> p = {"A": {"B": 0.01, "C": 0.01}, "B": {"C": 0.3}}
    >>> clusters(["A", "B", "C"], p)
    (('A',), ('B', 'C'))
    >>> rank_ranges(["A", "B", "C"], p)
    {'A': (1, 1), 'B': (2, 3), 'C': (2, 3)}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = ["PairwiseP", "clusters", "rank_ranges", "show_ranks"]

PairwiseP = Mapping[str, Mapping[str, float | None]]
"""`p[a][b]` says how likely so clear a lead of a over b is by luck; None or absent where a does not lead."""


def clusters(order: Sequence[str], p: PairwiseP, *, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
    """Groups of systems, best first, such that every system of one is significantly better than all of the next.

    `order` is best first; a significant lead of a lower system over a higher one (scores and test may disagree) keeps
    the two in one cluster.
    """
    _check(order, p, alpha)
    found: list[list[str]] = []
    for place, system in enumerate(order):
        apart = all(_leads(p, above, below, alpha) for above in order[:place] for below in order[place:])
        if place == 0 or apart:
            found.append([])
        found[-1].append(system)
    return tuple(tuple(group) for group in found)


def rank_ranges(order: Sequence[str], p: PairwiseP, *, alpha: float = 0.05) -> dict[str, tuple[int, int]]:
    """Best and worst rank of each system: only those significantly better stand above, only those worse below."""
    _check(order, p, alpha)
    return {
        system: (
            1 + sum(_leads(p, other, system, alpha) for other in order if other != system),
            len(order) - sum(_leads(p, system, other, alpha) for other in order if other != system),
        )
        for system in order
    }


def _leads(p: PairwiseP, a: str, b: str, alpha: float) -> bool:
    value = p.get(a, {}).get(b)
    return value is not None and value <= alpha


def _check(order: Sequence[str], p: PairwiseP, alpha: float) -> None:
    check_argument("alpha", alpha, float, above=0, below=1)
    if len(set(order)) != len(order):
        raise InputError("a system stands twice in the order")
    unknown = [name for a, row in p.items() for name in (a, *row) if name not in order]
    if unknown:
        raise InputError(f"system {unknown[0]!r} has p-values but no place in the order")
    for a, row in p.items():
        for b, value in row.items():
            if value is not None and (math.isnan(value) or not 0 <= value <= 1):
                raise InputError(f"{value} is not a p-value", where=f"{a} against {b}")


def show_ranks(ranks: tuple[int, int]) -> str:
    """A range of ranks as reports write it: `2`, or `2-4`."""
    best, worst = ranks
    return str(best) if best == worst else f"{best}-{worst}"
