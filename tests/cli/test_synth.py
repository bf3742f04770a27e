"""`dragoman synth`: text to standard output, corpora to directories, one-line errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import SettingError, UnknownName
from dragoman.files import read_lines

RUN = CliRunner()


def test_pairs_as_columns() -> None:
    result = RUN.invoke(app, ["synth", "en-qsv", "-n", "3", "--references", "2"])
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert len(rows) == 3
    assert all(3 <= len(row) <= 4 for row in rows)
    assert all("-" in row[-1] for row in rows)


def test_json_lines_carry_annotations() -> None:
    result = RUN.invoke(app, ["synth", "-n", "2", "--json", "--annotated"])
    first = json.loads(result.stdout.splitlines()[0])
    assert first["source_annotations"]["lemmas"]
    assert len(result.stdout.splitlines()) == 2


def test_a_directory_of_parts(tmp_path: Path) -> None:
    arguments = ["synth", "en-de", "--split", "train=12,test=5", "-o", str(tmp_path / "c"), "--json"]
    result = RUN.invoke(app, arguments)
    assert json.loads(result.stdout)["sizes"] == {"train": 12, "test": 5}
    assert len(list(read_lines(tmp_path / "c" / "train.align"))) == 12
    assert not (tmp_path / "c" / "dev.en").exists()


def test_show_draws_a_grid() -> None:
    result = RUN.invoke(app, ["synth", "--show", "2"])
    assert result.exit_code == 0
    assert "■" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["synth", "en-xx"], UnknownName),
        (["synth", "--split", "train=1"], SettingError),
        (["synth", "--split", "trian=1", "-o", "x"], SettingError),
    ],
)
def test_mistakes_are_our_errors(
    arguments: list[str], error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(RUN.invoke(app, arguments).exception, error)
    assert not list(tmp_path.iterdir())
