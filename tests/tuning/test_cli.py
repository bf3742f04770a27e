"""`dragoman tune` on a small bundle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.cli import app
from dragoman.errors import DragomanError, SettingError, UnknownName
from dragoman.features.weights import Weights
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic

RUN = CliRunner()
SMALL = Recipe(order=3, aligner="fast", tuner="none", dev_size=20, pop_limit=30, beam=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tune")
    pair = synthetic.pair("en-de")
    train = list(pair.generate(300, seed=4))
    texts = [[item.source.text for item in train], [item.target.text for item in train]]
    dragoman.train(*texts, output=path / "model", languages=("en", "de"), recipe=SMALL)
    dev = list(pair.generate(25, seed=4, start=5000))
    for side in ("source", "target"):
        (path / f"dev.{side}").write_text("".join(f"{getattr(item, side).text}\n" for item in dev), "utf-8")
    return path


@pytest.fixture
def model(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder / "model", tmp_path / "model"))


def arguments(folder: Path, model: Path, *more: str) -> list[str]:
    base = ["tune", str(model), str(folder / "dev.source"), str(folder / "dev.target")]
    return [*base, "--iterations", "2", "--nbest", "20", "--threads", "1", *more]


def test_weights_go_into_the_bundle(folder: Path, model: Path, tmp_path: Path) -> None:
    before = dragoman.load(model).weights
    log, plot = tmp_path / "tune.jsonl", tmp_path / "curve.svg"
    result = RUN.invoke(app, arguments(folder, model, "--log", str(log), "--plot", str(plot)))
    assert result.exit_code == 0, result.output
    assert "before" in result.stdout
    after = dragoman.load(model)
    assert after.weights != before
    after.bundle.verify()
    assert after.translate("the house").text
    assert plot.read_text("utf-8").startswith("<svg")
    assert len(log.read_text("utf-8").splitlines()) >= 3
    again = RUN.invoke(
        app, [*arguments(folder, folder / "model", "--log", str(log), "--resume"), "-o", str(tmp_path / "w")]
    )
    assert again.exit_code == 0, again.output
    assert Weights.load(tmp_path / "w") == after.weights


def test_json_and_weights_to_a_file(folder: Path, model: Path, tmp_path: Path) -> None:
    output = tmp_path / "weights.txt"
    result = RUN.invoke(
        app,
        [
            *arguments(folder, model, "--method", "mert", "--set", "restarts=1", "--set", "patience=3", "--json"),
            "--metric", "bleu - ter", "--fixed", "lm", "--output", str(output),
            "--heldout-source", str(folder / "dev.source"), "--heldout-target", str(folder / "dev.target"),
        ],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["method"], found["metric"]) == ("mert", "bleu - ter")
    assert Weights.load(output) == found["weights"]
    before = dragoman.load(model).weights
    assert found["weights"]["lm"] == before["lm"]
    assert before == dragoman.load(folder / "model").weights


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (["--method", "magic"], UnknownName),
        (["--set", "colour=red"], SettingError),
        (["--resume"], SettingError),
        (["--fixed", "nonsense"], UnknownName),
        (["--heldout-source", "x"], SettingError),
        (["--metric", "blue"], UnknownName),
    ],
)
def test_mistakes(folder: Path, model: Path, more: list[str], error: type[DragomanError]) -> None:
    result = RUN.invoke(app, arguments(folder, model, *more))
    assert isinstance(result.exception, error)
