"""Progress as values, not bars.

Library functions that may last take `progress`, a callable that receives `Progress` values now and then; what to do
with them (a bar, a log line, nothing) is the caller's business. What people call themselves (`dragoman.train`, `tune`,
`align`) shows it where somebody watches; see `dragoman.progress_view`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Progress", "ProgressCallback", "tracked"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come: `done` of `total` units (`total` is None when nobody knows) of the named stage.

    `note` says more: which part is at work, or what the last one gave.
    """

    stage: str
    done: float
    total: float | None = None
    note: str = ""


ProgressCallback = Callable[[Progress], None]


def tracked(
    items: Iterable[T], stage: str, report: ProgressCallback | None, *, total: int | None = None, every: int = 1000
) -> Iterator[T]:
    """Pass items through, reporting after each `every` of them and at the end."""
    if report is None:
        yield from items
        return
    done = 0
    for item in items:
        yield item
        done += 1
        if done % every == 0:
            report(Progress(stage, done, total))
    report(Progress(stage, done, total if total is not None else done))
