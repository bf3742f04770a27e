"""Executors by name: this process, processes of this machine, or a Ray cluster.

What they promise is said in `dragoman.executors`. `local` and `processes` need nothing; `ray` needs the extra of that
name. A place to work is written as people write it on the command line:

| written | means |
|---|---|
| `local` | this process |
| `processes` | processes of this machine |
| `ray` | the cluster that `RAY_ADDRESS` names or that runs on this machine; if there is none, one is started |
| `ray:HOST:PORT` | the cluster whose head node listens there; one of its nodes is this machine |
| `ray://HOST:PORT` | the cluster whose Ray Client server listens there, from anywhere |

    >>> get_executor("local", threads=2).name
    'local'
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dragoman.errors import SettingError
from dragoman.executors import Executor
from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.executors import LocalExecutor

__all__ = ["EXECUTORS", "get_executor", "working_on"]

EXECUTORS: Registry[Executor] = Registry(
    "executor",
    {
        "local": "dragoman.executors:LocalExecutor",
        "processes": "dragoman.executors:ProcessExecutor",
        "ray": "dragoman.pipeline.ray_executor:RayExecutor",
    },
)


def get_executor(on: str | Executor = "local", *, threads: int = 0) -> Executor:
    """The executor of this name, or at this address; one that is made stays as it is.

    `threads` is how many shards are worked on at once, at most; 0 is as many as there are processors, on this machine
    or in the cluster.
    """
    if isinstance(on, Executor):
        return on
    name, colon, rest = on.partition(":")
    if name == "ray":
        from dragoman.pipeline.ray_executor import RayExecutor

        if colon and not rest.removeprefix("//"):
            raise SettingError(f"an executor {on!r} without an address", remedy="write ray://HOST:PORT, or ray")
        return RayExecutor(on if rest.startswith("//") else rest, threads=threads)
    if colon:
        raise SettingError(f"an executor {name!r} with an address", remedy="only ray has one: ray://HOST:PORT")
    kind: type[LocalExecutor] = EXECUTORS.get(on)  # type: ignore[assignment]
    return kind(threads=threads)


@contextmanager
def working_on(on: str | Executor, *, threads: int = 0) -> Iterator[Executor]:
    """An executor ready to work: one that is made here is closed at the end, one that is given stays its owner's."""
    if isinstance(on, Executor):
        yield on
        return
    with get_executor(on, threads=threads) as made:
        yield made
