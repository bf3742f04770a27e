"""What people see of progress: bars on a terminal, one line of HTML in a notebook, lines in a log.

All three say nothing in the first two seconds, then what is at work, how far it has come, and when it may be done.
Stages that end are full. Lines in a log come seldom: when there is something new to say, with each iteration of a few,
at the end of a stage that lasted, and else every half minute.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from dragoman.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Bars", "LogLines", "Notebook", "ProgressView", "closing", "in_notebook", "said_time", "shows_progress"]

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 2.0
"""Seconds of work that nobody needs to be told about."""
FEW = 100
"""Units up to which each is an iteration worth a line."""
SELDOM = 30.0
"""Seconds between lines about a stage of many units."""


def said_time(seconds: float) -> str:
    """A time as people say it.

    >>> said_time(8), said_time(75), said_time(3720)
    ('8 s', '1 min 15 s', '1 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class ProgressView(ABC):
    """Shows progress; call it with each value, and `close` it in the end."""

    def __init__(self, title: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.title, self._clock = title, clock
        self._begun: dict[str, tuple[float, float]] = {}
        self._done: dict[str, float] = {}
        self._start = clock()

    def __call__(self, progress: Progress) -> None:
        now = self._clock()
        if progress.done < self._done.get(progress.stage, math.inf):  # for the first time, or for another text
            self._begun[progress.stage] = (now, progress.done)
            self.begin(progress)
        self._done[progress.stage] = progress.done
        if now - self._start >= PATIENCE:
            self.show(progress, now)

    def begin(self, progress: Progress) -> None:  # noqa: B027 (most have nothing to do)
        """A stage begins, maybe not for the first time."""

    @abstractmethod
    def show(self, progress: Progress, now: float) -> None:
        """Show one value."""

    def close(self, *, finished: bool) -> None:  # noqa: B027 (most have nothing to do)
        """The work has ended, well or badly."""

    def left(self, progress: Progress, now: float) -> float | None:
        """Seconds that a stage may still take, judged by those it took."""
        begun, before = self._begun[progress.stage]
        spent = now - begun
        if not progress.total or not before < progress.done < progress.total or spent <= 0:
            return None
        return spent * (progress.total - progress.done) / (progress.done - before)

    def said(self, progress: Progress, now: float) -> str:
        """One value in words."""
        parts = [f"{progress.stage or self.title}:"]
        if progress.total and progress.total > 1:
            parts.append(f"{progress.done:,.0f} of {progress.total:,.0f}")
        elif progress.total:
            parts.append(f"{progress.done / progress.total:.0%}")
        else:
            parts.append(f"{progress.done:,.0f}")
        if progress.note:
            parts.append(f"({progress.note})")
        left = self.left(progress, now)
        return " ".join(parts) + (f", about {said_time(left)} left" if left is not None else "")


class LogLines(ProgressView):
    """Lines for a log: what a person reads afterwards, or in CI."""

    def __init__(self, title: str, write: Callable[[str], None], **clock: Any) -> None:
        super().__init__(title, **clock)
        self._write = write
        self._said: dict[str, tuple[float, float, str]] = {}

    def begin(self, progress: Progress) -> None:
        self._said.pop(progress.stage, None)

    def show(self, progress: Progress, now: float) -> None:
        known = self._said.get(progress.stage)
        done, at, note = known or (-1.0, -SELDOM, "")
        lasting = now - self._begun[progress.stage][0] >= PATIENCE
        iteration = progress.total is not None and 1 < progress.total <= FEW and progress.done > done
        ended = progress.total is not None and progress.done >= progress.total > done
        if (
            (progress.note and progress.note != note)
            or (iteration and lasting and now - at >= 1)
            or (ended and (known or lasting))
            or (lasting and now - at >= SELDOM)
        ):
            self._said[progress.stage] = (progress.done, now, progress.note)
            self._write(self.said(progress, now))


class Bars(ProgressView):
    """Bars on a terminal, one for each stage; they are full in the end, and then make room for the result."""

    def __init__(self, title: str, console: Console, **clock: Any) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichBars

        super().__init__(title, **clock)
        self._bars = RichBars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, Any] = {}
        self._at_work = ""

    def begin(self, progress: Progress) -> None:
        if progress.stage in self._tasks:
            self._bars.reset(self._tasks[progress.stage], total=progress.total)

    def show(self, progress: Progress, now: float) -> None:
        if not self._tasks:
            self._bars.start()
        name = progress.stage or self.title
        if progress.stage not in self._tasks:
            self._tasks[progress.stage] = self._bars.add_task(name, total=progress.total)
        whole = progress.total == 1  # a share, not a count
        self._bars.update(
            self._tasks[progress.stage],
            description=f"{name} ({progress.note})" if progress.note else name,
            completed=round(100 * progress.done) if whole else progress.done,
            total=100 if whole else progress.total,
        )

    def close(self, *, finished: bool) -> None:
        if not self._tasks:
            return
        if finished:
            for task in self._bars.tasks:
                self._bars.update(task.id, total=task.total or task.completed, completed=task.total or task.completed)
        self._bars.stop()


class Notebook(ProgressView):
    """One line of a notebook, written anew."""

    def __init__(self, title: str, **clock: Any) -> None:
        super().__init__(title, **clock)
        self._handle: Any = None
        self._shown_at = 0.0

    def show(self, progress: Progress, now: float) -> None:
        if self._handle is not None and now - self._shown_at < 0.2 and progress.done != progress.total:
            return
        self._shown_at = now
        self._put(self.page(progress, now))

    def page(self, progress: Progress, now: float) -> str:
        """The line as HTML."""
        bar = f'<progress value="{progress.done:g}" max="{progress.total:g}"></progress> ' if progress.total else ""
        return f"<div>{bar}{escape(self.said(progress, now))}</div>"

    def close(self, *, finished: bool) -> None:
        if self._handle is not None:
            spent = said_time(self._clock() - self._start)
            self._put(f"<div>{escape(self.title)}: {'done in' if finished else 'stopped after'} {spent}</div>")

    def _put(self, page: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(page), display_id=True)
        else:
            self._handle.update(HTML(page))


def in_notebook() -> bool:
    """Whether this is a notebook, whose cells show HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def closing(view: ProgressView) -> Iterator[ProgressView]:
    """A view that is told how the work ended."""
    try:
        yield view
    except BaseException:
        view.close(finished=False)
        raise
    view.close(finished=True)


def chosen_view(wanted: bool | None, title: str) -> ProgressView | None:
    """A bar where somebody watches: on a terminal and in a notebook; lines elsewhere if they are wanted."""
    if wanted is False:
        return None
    if in_notebook():
        return Notebook(title)
    if sys.stderr.isatty():
        from rich.console import Console

        return Bars(title, Console(stderr=True))
    return LogLines(title, lambda line: print(line, file=sys.stderr, flush=True)) if wanted else None


def shows_progress(title: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For functions that people call themselves, with an argument `progress`.

    A callable is told the values. None shows them where somebody watches; True elsewhere too, as lines; False nowhere.
    The function itself gets a callable or None.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            wanted = kwargs.get("progress")
            view = None if callable(wanted) else chosen_view(wanted if isinstance(wanted, bool) else None, title)
            if view is None:
                if not callable(wanted):
                    kwargs["progress"] = None
                return function(*args, **kwargs)
            kwargs["progress"] = view
            with closing(view):
                return function(*args, **kwargs)

        return run

    return wrap
