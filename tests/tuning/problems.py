"""Lists as a problem for a batch tuner, without a decoder."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.problem import Problem


def problem(
    pool: NBestPool,
    *,
    start: Mapping[str, float] | None = None,
    seed: int = 1,
    threads: int = 1,
    fixed: Collection[str] = (),
) -> Problem:
    """A problem that starts with equal weights, unless told otherwise."""
    names = pool.names[1:]
    vector = pool.vector(dict.fromkeys(names, 0.2) if start is None else start)
    return Problem(pool, vector, pool.fixed(fixed, len(vector)), seed=seed, threads=threads)
