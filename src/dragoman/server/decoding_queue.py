"""The queue of texts to be translated: bounded, fair, and worked off by as many threads as there are decoders.

A request of many texts is cut into small batches, so that all decoders work on it; requests of one text that wait for
the same thing are put together. Requests take turns: who sends a thousand sentences does not keep the next one waiting
until all are done. A request whose time is over is taken out of the queue; what is being decoded at that moment is
finished and thrown away.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

from dragoman._native.common import worker_count
from dragoman.errors import DragomanError

__all__ = ["Busy", "Closing", "DecodingQueue", "Task"]

Wanted = TypeVar("Wanted")
"""What texts must have in common to be decoded together; equal ones are."""

BATCH = 16
"""Texts decoded in one call, at most."""


class Busy(DragomanError):
    """Too much is waiting already."""


class Closing(DragomanError):
    """The server is about to stop."""


class Task(NamedTuple):
    """A text, and what its translation shall begin with."""

    text: str
    prefix: str = ""


Decode = Callable[[Wanted, list[Task]], list[Any]]
"""Translates tasks that have a wish in common."""


class _Job(Generic[Wanted]):
    """The texts of one request."""

    def __init__(self, wish: Wanted, tasks: Sequence[Task], finish: Callable[[Any], Any]) -> None:
        self.wish, self.tasks, self.finish = wish, tasks, finish
        self.taken = 0
        self.results: list[Any] = [None] * len(tasks)
        self.left = len(tasks)
        self.future: Future[list[Any]] = Future()

    @property
    def waiting(self) -> int:
        return len(self.tasks) - self.taken


class DecodingQueue(Generic[Wanted]):
    """Threads that translate what is put in."""

    def __init__(self, decode: Decode[Wanted], *, most: int, threads: int = 0) -> None:
        self._decode, self._most = decode, most
        self._jobs: deque[_Job[Wanted]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self.workers = worker_count(threads)
        self._threads = [
            threading.Thread(target=self._work, name=f"decoder-{number}", daemon=True) for number in range(self.workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """Texts that no decoder has begun with."""
        with self._changed:
            return self._waiting()

    def _waiting(self) -> int:
        return sum(job.waiting for job in self._jobs)

    def put(
        self, wish: Wanted, tasks: Sequence[Task], finish: Callable[[Any], Any] = lambda found: found
    ) -> Future[list[Any]]:
        """Translate texts; `finish` makes of each translation what is wanted, in the thread that decoded it.

        To cancel the future takes what is left of the request out of the queue.
        """
        job = _Job(wish, tasks, finish)
        with self._changed:
            if self._closed:
                raise Closing("the server is about to stop", remedy="send it again in a minute")
            if self._waiting() + len(tasks) > self._most:
                raise Busy("too many texts are waiting to be translated", remedy="send it again in a few seconds")
            if tasks:
                self._jobs.append(job)
                self._changed.notify_all()
        if not tasks:
            job.future.set_result([])
        return job.future

    def close(self) -> None:
        """Take no more, and finish what is there."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while batch := self._take():
            self._run(batch)

    def _take(self) -> list[tuple[_Job[Wanted], int]]:
        """Texts of the request whose turn it is, with others that fit; empty when all is done and nothing will come."""
        with self._changed:
            while True:
                self._jobs = deque(job for job in self._jobs if not job.future.cancelled())
                if self._jobs:
                    break
                if self._closed:
                    return []
                self._changed.wait()
            wish = self._jobs[0].wish
            fitting = [job for job in self._jobs if job.wish == wish]
            room = min(BATCH, max(1, math.ceil(sum(job.waiting for job in fitting) / self.workers)))
            batch: list[tuple[_Job[Wanted], int]] = []
            for job in fitting:
                while job.waiting and len(batch) < room:
                    batch.append((job, job.taken))
                    job.taken += 1
            self._jobs.rotate(-1)
            self._jobs = deque(job for job in self._jobs if job.waiting)
            return batch

    def _run(self, batch: list[tuple[_Job[Wanted], int]]) -> None:
        tasks = [job.tasks[at] for job, at in batch]
        try:
            found = self._decode(batch[0][0].wish, tasks)
        except Exception as error:
            if len(batch) == 1:
                self._fail(batch[0][0], error)
                return
            for each in batch:  # a text that cannot be translated is no concern of the others
                self._run([each])
            return
        for (job, at), translation in zip(batch, found, strict=True):
            if job.future.cancelled():
                continue
            try:
                made = job.finish(translation)
            except Exception as error:
                self._fail(job, error)
                continue
            with self._changed:
                job.results[at] = made
                job.left -= 1
                done = not job.left
            if done:
                with suppress(InvalidStateError):
                    job.future.set_result(job.results)

    def _fail(self, job: _Job[Wanted], error: Exception) -> None:
        with self._changed:
            job.taken = len(job.tasks)
            self._jobs = deque(each for each in self._jobs if each is not job)
        with suppress(InvalidStateError):
            job.future.set_exception(error)
