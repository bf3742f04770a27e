"""Lists that some system wrote: the known best weights are found, from Python and from the command line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import DragomanError, FileError, FormatError, InputError, SettingError, UnknownName
from dragoman.features.weights import Weights
from dragoman.tuning import TUNERS
from dragoman.tuning.given_lists import tune_lists
from dragoman.tuning.nbest import EmptyLists, NBestPool
from tests.tuning.lists import solvable_pool

RUN = CliRunner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pool, _ = solvable_pool(4)
    pool.save(tmp_path / "whole")
    (tmp_path / "ref").write_text("".join(f"{text}\n" for text in pool.dev.references[0]), "utf-8")
    lines = (tmp_path / "whole").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "odd").write_text("".join(lines[::2]), "utf-8")
    (tmp_path / "even.gz").write_bytes(gzip.compress("".join(lines[1::2]).encode()))
    return tmp_path


@pytest.mark.parametrize("tuner", ["expected", "mert", "mira", "pro"])
def test_the_known_best_is_found(tuner: str) -> None:
    pool, _ = solvable_pool(3)
    found = tune_lists(pool, tuner=tuner)
    assert found.before < found.after == pytest.approx(1.0)
    assert found.after == pool.score(found.weights)


@pytest.mark.parametrize("tuner", list(TUNERS))
def test_every_tuner_takes_lists_or_says_why_not(tuner: str) -> None:
    pool, _ = solvable_pool(3)
    if "online" in tuner or tuner == "forest-mira":
        with pytest.raises(SettingError, match="asks a decoder"):
            tune_lists(pool, tuner=tuner)
        return
    assert tune_lists(pool, tuner=tuner, fixed=iter(["f1"])).weights["f1"] == pytest.approx(1 / 3)


def test_bad_calls() -> None:
    pool, _ = solvable_pool(3)
    with pytest.raises(SettingError, match="asks a decoder"):
        tune_lists(pool, tuner=TUNERS.get("mert").configured(["lists=forest"]))
    with pytest.raises(UnknownName):
        tune_lists(pool, start={"f9": 1.0})
    with pytest.raises(UnknownName):
        tune_lists(pool, fixed=["f9"])


@pytest.mark.slow
def test_from_the_command_line(folder: Path) -> None:
    parts = [str(folder / "odd"), str(folder / "even.gz")]
    files = ["--ref", str(folder / "ref"), "-o", str(folder / "weights")]
    result = RUN.invoke(app, ["tune-lists", *parts, *files, "--set", "restarts=3", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["after"] == pytest.approx(1.0)
    assert Weights.load(folder / "weights") == found["weights"]
    again = RUN.invoke(app, ["tune-lists", str(folder / "whole"), *files, "--start", str(folder / "weights")])
    assert "100.00 before, 100.00 after" in again.stdout


def test_sentences_without_candidates_are_left_out_and_counted(folder: Path) -> None:
    lines = (folder / "whole").read_text("utf-8").splitlines(keepends=True)
    (folder / "some").write_text("".join(line for line in lines if not line.startswith(("0 ", "9 "))), "utf-8")
    references = (folder / "ref").read_text("utf-8").splitlines()
    with pytest.warns(EmptyLists, match="2 of 10 sentences"):
        pool = NBestPool.of_moses([folder / "some"], references)
    assert len(pool.dev) == 8
    for tuner in ("expected", "mert", "mira", "pro"):
        assert tune_lists(pool, tuner=tuner).after == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", InputError),
        ("10 ||| a ||| f0= 1 ||| 0\n", FormatError),
        ("0 ||| a ||| f0= nan ||| 0\n", FormatError),
        ("0 ||| a\n", FormatError),
    ],
)
def test_bad_lists_are_refused(folder: Path, text: str, error: type[DragomanError]) -> None:
    (folder / "bad").write_text(text)
    for where, wanted in ((folder / "weights", error), (folder, FileError)):
        command = ["tune-lists", str(folder / "bad"), "--ref", str(folder / "ref"), "-o", str(where)]
        assert isinstance(RUN.invoke(app, command).exception, wanted)
