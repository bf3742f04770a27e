"""The stage contract: a step of training says, beside its function, what it reads.

A stage is a function from files to files. Its result is kept under a key of its inputs, of the settings that it
declares to read, of its version and of the code that it runs (`dragoman.cache`), so nothing stale is ever used. What it
does not declare it cannot see: the recipe that it is handed refuses.

    @stage("alignment", reads=("aligner", "symmetrize"), rooms=("align",))
    def align(work: Work, out: Path, prepared: Path) -> Facts:
        "Links of the training pairs."
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType
from typing import Any, cast

from dragoman.executors import Executor, LocalExecutor
from dragoman.pipeline.recipe import Recipe
from dragoman.progress import ProgressCallback
from dragoman.settings import declared

__all__ = ["Facts", "Stage", "Work", "stage"]

Facts = dict[str, Any]
"""What a stage says about what it did; it ends in the report of the training."""


@dataclass(frozen=True, slots=True)
class Work:
    """What every stage is told: the recipe, how many threads, whom to tell of progress, and who works on shards.

    `memory` is what a stage may use, in bytes, beside what it holds in any case; 0 if nobody said.
    """

    recipe: Recipe
    languages: tuple[str, str]
    threads: int
    progress: ProgressCallback | None
    executor: Executor = field(default_factory=LocalExecutor)
    memory: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of training; calling it does the work."""

    name: str
    function: Callable[..., Facts]
    reads: frozenset[str]
    """Settings of the recipe."""
    rooms: tuple[str, ...]
    """Whose code it runs; when that changes, old results no longer count."""
    version: int

    def __call__(self, work: Work, *args: Any, **kwargs: Any) -> Facts:
        """Do the work, with the settings in view that it declares."""
        view = cast(Recipe, _View(self.name, work.recipe, self.reads))
        return self.function(replace(work, recipe=view), *args, **kwargs)

    def settings(self, recipe: Recipe) -> dict[str, Any]:
        """The values of what it reads."""
        return recipe.only(*self.reads)


def stage(
    name: str, *, reads: Collection[str] = (), rooms: Collection[str] = (), version: int = 1
) -> Callable[[Callable[..., Facts]], Stage]:
    """Declare a function to be a stage."""
    if unknown := set(reads) - set(declared(Recipe)):
        raise AssertionError(f"a recipe has no {', '.join(sorted(unknown))}")
    return lambda function: Stage(name, function, frozenset(reads), tuple(rooms), version)


class _View:
    """A recipe of which only some settings can be seen, also by what it computes from them."""

    def __init__(self, name: str, recipe: Recipe, reads: frozenset[str]) -> None:
        self._name, self._recipe, self._reads = name, recipe, reads

    def __getattr__(self, name: str) -> Any:
        if name in declared(Recipe):
            if name not in self._reads:
                raise AssertionError(f"the stage {self._name!r} reads {name!r}, which it does not declare")
            return getattr(self._recipe, name)
        found = getattr(Recipe, name)
        if isinstance(found, cached_property):
            return found.func(self)
        if isinstance(found, property):
            assert found.fget is not None
            return found.fget(self)
        return found.__get__(self) if isinstance(found, FunctionType) else found
