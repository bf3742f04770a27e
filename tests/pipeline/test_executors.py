"""Executors of this machine, and translation in blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import SettingError, UnknownName
from dragoman.executors import LocalExecutor
from dragoman.pipeline import batch_translation
from dragoman.pipeline.batch_translation import BatchWish, translate_batches
from dragoman.pipeline.executors import EXECUTORS, get_executor
from dragoman.pipeline.model import Model
from dragoman.progress import Progress
from dragoman.text.source_text import SourceText
from tests.conformance import check_executor
from tests.pipeline.conftest import Sides


@pytest.mark.parametrize(("name", "threads"), [("local", 1), ("local", 3), ("processes", 1)])
def test_executors_of_this_machine_keep_the_contract(name: str, threads: int, tmp_path: Path) -> None:
    with get_executor(name, threads=threads) as executor:
        check_executor(executor, tmp_path)


def test_places_to_work_are_written_in_one_way() -> None:
    assert list(EXECUTORS) == ["local", "processes", "ray"]
    made = LocalExecutor()
    assert get_executor(made) is made
    with pytest.raises(UnknownName, match=r"no executor is called 'moon'.*list executors"):
        get_executor("moon")
    for wrong in ("ray:", "ray://", "local:4", "ray:nowhere"):
        with pytest.raises(SettingError, match=r"HOST:PORT"):
            get_executor(wrong).__enter__()


def texts(lines: list[str]) -> list[SourceText]:
    return [SourceText(line) for line in lines]


def test_an_interrupted_translation_goes_on_where_it_was(
    model: Model, heldout: Sides, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_translation, "BLOCK", 4)
    lines = heldout.source
    output = tmp_path / "out"
    expected = [each.text for each in model.translate(lines)]

    def stop(progress: Progress) -> None:
        if progress.done >= 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        translate_batches(model.path, lambda _: texts(lines), output, on=LocalExecutor(), progress=stop)
    assert not output.exists()
    # What was written by halves when the machine stopped is not a block.
    kept = tmp_path / ".out.blocks"
    assert len([file for file in kept.iterdir() if file.name != ".lock"]) == 3
    (kept / ".0123.partial").write_text("[")
    made = translate_batches(model.path, lambda _: texts(lines), output, on=LocalExecutor())
    assert (made.lines, made.kept) == (len(lines), 12)
    assert output.read_text("utf-8").splitlines() == expected
    assert not kept.exists()
    # Other wishes are other blocks.
    for wish in (BatchWish(search={"beam": 1}), BatchWish(consensus=3)):
        translate_batches(model.path, lambda _: texts(lines[:4]), output, on=LocalExecutor(), cache=kept, wish=wish)
    assert len([file for file in kept.iterdir() if file.name != ".lock"]) == 2


def test_a_file_is_translated_from_the_command_line(model: Model, heldout: Sides, tmp_path: Path) -> None:
    text, output = tmp_path / "text", tmp_path / "out"
    text.write_text("\n".join(heldout.source) + "\n", "utf-8")
    command = ["translate", str(model.path), str(text)]
    plain = CliRunner().invoke(app, command, catch_exceptions=False)
    CliRunner().invoke(app, [*command, "--on", "processes", "-j", "1", "-o", str(output)], catch_exceptions=False)
    assert output.read_text("utf-8") == plain.stdout
    with pytest.raises(SettingError, match="name one with --output"):
        CliRunner().invoke(app, [*command, "--on", "processes"], catch_exceptions=False)
    with pytest.raises(SettingError, match="--output with --nbest, --json"):
        CliRunner().invoke(app, [*command, "-o", str(output), "--nbest", "2", "--json"], catch_exceptions=False)
