"""Annotating over processes: batches of lines by any executor, in order, with the cache asked first.

A chain is opened once for each worker, from the parts that people wrote; models travel as files. What comes out is what
one process would have made. It pays where annotators spend their time in Python: roles, chunks, packages of others.

    >>> from dragoman.executors import LocalExecutor
    >>> from dragoman.annotations.corpus import as_json
    >>> [line] = spread_lines("command:cat", [""], as_json, form="json", executor=LocalExecutor())
    >>> "no tokens" in line
    True
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dragoman.annotations import annotator_chain
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.corpus import annotate_batch, batches
from dragoman.annotations.sentence import Sentence
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared
from dragoman.progress import Progress, ProgressCallback

__all__ = ["spread_lines"]

BATCH = 500
"""Lines of a shard; results do not depend on it."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be done, as plain data: a chain by its parts, how to write a sentence, whether lines have tokens."""

    parts: tuple[str, ...]
    render: Callable[[Sentence], str]
    tokenized: bool

    def save(self, folder: Path) -> None:
        """Copies of the models, by the number of their part."""
        for number, part in enumerate(self.parts):
            if Path(part).is_dir():
                shutil.copytree(part, folder / str(number))


def spread_lines(
    chain: str,
    lines: Iterable[str],
    render: Callable[[Sentence], str],
    *,
    form: str,
    executor: Executor,
    tokenized: bool = False,
    cache: AnnotationCache | None = None,
    progress: ProgressCallback | None = None,
) -> Iterator[str]:
    """What `render`, a function of a module, makes of each annotated line; see `corpus.render_lines`."""
    work = _Work(tuple(annotator_chain.parts_of(chain)), render, tokenized)
    links: Annotator = annotator_chain.of_parts(work.parts)
    identity = f"{links.identity}|{form}|{tokenized}"
    waiting: deque[tuple[list[str], list[str | None]]] = deque()

    def shards() -> Iterator[Shard[list[str]]]:
        for batch in batches(lines, BATCH):
            found: list[str | None] = [None] * len(batch)
            if cache is not None:
                found = cache.get(identity, batch)
            waiting.append((batch, found))
            yield Shard([line for line, text in zip(batch, found, strict=True) if text is None])

    shared = Shared((links, work), work, work.save, _load)
    done = 0
    for fresh in executor.run(_RENDER, shards(), shared=shared):
        batch, found = waiting.popleft()
        missing = [at for at, text in enumerate(found) if text is None]
        if cache is not None and missing:
            cache.put(identity, [batch[at] for at in missing], fresh)
        for at, text in zip(missing, fresh, strict=True):
            found[at] = text
        yield from (text for text in found if text is not None)
        done += len(batch)
        if progress is not None:
            progress(Progress("sentences", done))


def _load(work: _Work, folder: Path) -> tuple[Annotator, _Work]:
    places = ((folder / str(number), part) for number, part in enumerate(work.parts))
    return annotator_chain.of_parts(str(place) if place.is_dir() else part for place, part in places), work


def _rendered(shard: Shard[list[str]], shared: tuple[Annotator, _Work], place: ShardPlace) -> list[str]:
    links, work = shared
    return [work.render(each) for each in annotate_batch(links, shard.value, work.tokenized, place.threads)]


_RENDER: ShardStep[list[str], tuple[Annotator, _Work], list[str]] = ShardStep("annotating", _rendered)
