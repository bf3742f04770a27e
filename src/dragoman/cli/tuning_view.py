"""What people see of tuning, and what is kept of it: the live view, the log, the learning curve."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import live, note, stderr

if TYPE_CHECKING:
    from dragoman.progress import Progress, ProgressCallback
    from dragoman.tuning.result import Iteration, TuningResult

__all__ = ["LogFile", "Plot", "Resume", "draw_curve", "tuning_view"]

LogFile = Annotated[Path | None, typer.Option("--log", help="Keep a line of JSON for each iteration in this file.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the log.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw the learning curve (SVG).")]


def draw_curve(path: Path | None, result: TuningResult) -> None:
    """Draw the learning curve, if a file is named for it."""
    if path is None:
        return
    from dragoman.drawing import save_svg
    from dragoman.tuning.picture import learning_curve

    save_svg(path, learning_curve(result).svg())


@contextlib.contextmanager
def tuning_view(metric: str) -> Iterator[tuple[Callable[[Iteration], None], ProgressCallback]]:
    """Each iteration as it ends and how far the current one is: a table with a bar on a terminal, else lines."""
    from dragoman.metrics import get_metric
    from dragoman.tuning.log import pick
    from dragoman.tuning.result import history_table

    measure = get_metric(metric)
    seen: list[Iteration] = []

    def best() -> int:
        return pick(seen, higher_is_better=measure.higher_is_better)

    def warn(iteration: Iteration) -> None:
        for warning in iteration.warnings:
            note(f"warning: iteration {iteration.number}: {warning}")

    if not live():

        def line(iteration: Iteration) -> None:
            seen.append(iteration)
            said = [f"iteration {iteration.number}: {measure.name} {measure.scale * iteration.score:.2f}"]
            if iteration.heldout is not None:
                said.append(f"held out {measure.scale * iteration.heldout:.2f}")
            if iteration.objective is not None:
                factor = measure.scale if iteration.objective_is_metric else 1.0
                said.append(f"on the lists {factor * iteration.objective:.4g}")
            said.append(f"best so far in iteration {best()}")
            said.append(f"{iteration.decode_seconds + iteration.learn_seconds:.1f} s")
            note(", ".join(said))
            warn(iteration)

        yield line, lambda _: None
        return
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    bars = Bars(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=stderr())
    stage = bars.add_task("starting", total=None)
    with Live(bars, console=stderr(), transient=True) as view:

        def row(iteration: Iteration) -> None:
            seen.append(iteration)
            table = history_table(seen, metric=measure.name, scale=measure.scale, best=best())
            view.update(Group(table, bars), refresh=True)
            warn(iteration)

        def report(progress: Progress) -> None:
            bars.update(stage, description=progress.stage, completed=progress.done, total=progress.total)

        yield row, report
