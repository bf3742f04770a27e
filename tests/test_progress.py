"""What people see of long work: bars, lines in a log, a line in a notebook; and what an interrupted training says."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from dragoman.pipeline.train import TrainingStopped, train
from dragoman.progress import Progress
from dragoman.progress_view import Bars, LogLines, Notebook, ProgressView, closing, shows_progress
from dragoman.text import synthetic


class Clock:
    """A clock that tests set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_log_says_what_is_new_and_when_it_may_end() -> None:
    clock, lines = Clock(), list[str]()
    view = LogLines("training", lines.append, clock=clock)
    view(Progress("training", 0, 4, "prepare"))
    assert not lines, "nothing in the first two seconds"
    clock.now = 10.0
    view(Progress("training", 1, 4, "alignment"))
    for sentence in range(1000):
        clock.now += 0.001
        view(Progress("reading", sentence, 100_000))
    for iteration in range(1, 4):
        clock.now += 20
        view(Progress("tuning", iteration, 3, f"bleu {iteration}"))
    clock.now += 40
    view(Progress("training", 4, 4))
    assert lines == [
        "training: 1 of 4 (alignment), about 30 s left",
        "tuning: 1 of 3 (bleu 1)",
        "tuning: 2 of 3 (bleu 2), about 20 s left",
        "tuning: 3 of 3 (bleu 3)",
        "training: 4 of 4",
    ]


def test_a_stage_that_comes_again_is_judged_by_itself() -> None:
    """Language models are estimated several times in a training; the second may not last as long as all before it."""
    clock, lines = Clock(), list[str]()
    view = LogLines("training", lines.append, clock=clock)
    for begin in (0.0, 1000.0):
        for done in range(4):
            clock.now = begin + 5 * done
            view(Progress("estimating", done, 3))
    said = ["estimating: 1 of 3, about 10 s left", "estimating: 2 of 3, about 5 s left", "estimating: 3 of 3"]
    assert lines == 2 * said
    bars = Bars("training", Console(file=io.StringIO(), force_terminal=True, width=80), clock=clock)
    clock.now += 10
    for done in (90, 100, 0, 1):
        bars(Progress("estimating", done, 100))
    (task,) = bars._bars.tasks
    assert (task.completed, task.total, task.finished) == (1, 100, False)
    bars.close(finished=True)


def test_bars_end_full() -> None:
    clock = Clock()
    view = Bars("work", Console(file=io.StringIO(), force_terminal=True, width=80), clock=clock)
    clock.now = 3
    with closing(view):
        view(Progress("reading", 40, 100))
        view(Progress("", 0.5, 1))
        view(Progress("counting", 7))
    assert [(task.completed, task.total) for task in view._bars.tasks] == [(100, 100), (100, 100), (7, 7)]


def test_work_that_fails_leaves_its_bar_where_it_was() -> None:
    clock = Clock()
    view = Bars("work", Console(file=io.StringIO(), force_terminal=True, width=80), clock=clock)
    clock.now = 3
    with pytest.raises(ValueError, match="stop"), closing(view):
        view(Progress("reading", 40, 100))
        raise ValueError("stop")
    assert view._bars.tasks[0].completed == 40


def test_a_notebook_has_one_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            pages.append(page)

    def display(page: str, display_id: bool) -> Handle:
        pages.append(page)
        return Handle()

    shell = ModuleType("IPython.display")
    shell.HTML, shell.display = str, display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", shell)
    clock = Clock()
    view = Notebook("training", clock=clock)
    clock.now = 4
    with closing(view):
        view(Progress("tuning", 2, 4, "<bleu>"))
    assert pages[0] == '<div><progress value="2" max="4"></progress> tuning: 2 of 4 (&lt;bleu&gt;)</div>'
    assert pages[-1] == "<div>training: done in 4 s</div>"


def test_functions_that_people_call_show_it_where_somebody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []

    @shows_progress("work")
    def work(*, progress: Any = None) -> None:
        seen.append(progress)

    work()
    work(progress=False)
    work(progress=True)
    work(progress=print)
    assert seen[:2] == [None, None], "nobody watches a test"
    assert isinstance(seen[2], ProgressView)
    assert seen[3] is print


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody presses Ctrl-C while words are aligned."""

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dragoman.align.base.Aligner.train", stop)


@pytest.mark.slow
@pytest.mark.usefixtures("interrupted")
def test_an_interrupted_training_says_what_is_kept(tmp_path: Path) -> None:
    items = list(synthetic.pair("en-de").generate(150, seed=3))
    sides = [item.source.text for item in items], [item.target.text for item in items]
    with pytest.raises(TrainingStopped) as stop:
        train(*sides, output=tmp_path / "m", languages="en-de", recipe={"aligner": "ibm1"}, progress=False)
    assert stop.value.stage == "alignment"
    assert stop.value.kept == ("prepare", "language model")
    assert str(stop.value) == (
        f"stopped in the stage 'alignment'; finished stages are kept in {tmp_path / '.m.stages'} (prepare, language "
        "model); the same call or command goes on from there"
    )
    assert isinstance(stop.value, KeyboardInterrupt)
