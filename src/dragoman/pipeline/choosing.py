"""A translation that is not the one that scores best, but another one of all that search found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from dragoman._native.common import worker_count
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import check_argument

__all__ = ["Choose", "choice", "chosen"]

Choose = Callable[[SentenceTranslation], SentenceTranslation]
"""Takes another translation of a sentence out of its forest."""


def choice(consensus: int, scale: float) -> Choose | None:
    """What takes one that agrees with so many others; None if that is what scores best."""
    check_argument("consensus", consensus, int, least=0)
    check_argument("scale", scale, float, above=0)
    return partial(SentenceTranslation.by_consensus, size=consensus, scale=scale) if consensus else None


def chosen(
    choose: Choose, found: Sequence[SentenceTranslation], *, threads: int = 0, forests: bool = False
) -> list[SentenceTranslation]:
    """What is taken out of the forest of each sentence; `forests` are kept if they are wanted besides."""
    with ThreadPoolExecutor(worker_count(threads)) as pool:
        taken = list(pool.map(choose, found))
    return taken if forests else [each.without_forest() for each in taken]
