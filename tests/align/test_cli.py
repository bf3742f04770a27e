"""`dragoman align` as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import InputError, LengthMismatch, SettingError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "de").write_text("das Haus\ndas Buch\nein Buch\nein Haus\n" * 5)
    (tmp_path / "en").write_text("the house\nthe book\na book\na house\n" * 5)
    (tmp_path / "gold").write_text("0-0 1-1\n" * 20)
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["align", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_train_save_load_score_show(folder: Path) -> None:
    report = json.loads(run("de", "en", "-o", "links", "--save", "model", "--languages", "de-en", "--json"))
    assert (report["pairs"], report["used"]) == (20, 20)
    run("de", "en", "-o", "again", "--load", "model")
    assert (folder / "again").read_text() == (folder / "links").read_text() == "0-0 1-1\n" * 20
    assert json.loads(run("score", "links", "gold", "--json"))["aer"] == 0
    assert "■" in run("show", "de", "en", "links", "-n", "2")
    run("de", "en", "-o", "p", "--load", "model", "--posteriors")
    assert (folder / "p").read_text().startswith("0-0:")
    run("de", "en", "--model", "hmm", "--symmetrize", "none", "-o", "both", "--a3", "giza")
    run("symmetrize", "both.forward", "both.reverse", "-o", "sym", "--heuristic", "intersection")
    assert (folder / "sym").read_text() == "0-0 1-1\n" * 20
    assert (folder / "giza.forward.A3").exists()
    (folder / "anchors").write_text("1|||das Haus|||the house|||1|||1\n")
    run("de", "en", "--model", "ibm1", "--anchors", "anchors", "-o", "anchored")
    assert (folder / "anchored").read_text().splitlines()[0] == "0-0 0-1 1-0 1-1"


def test_refuses(folder: Path) -> None:
    (folder / "short").write_text("the house\n")
    with pytest.raises(LengthMismatch, match="20 lines, short has 1"):
        run("de", "short", "-o", "x")
    run("de", "en", "-o", "links", "--save", "model", "--model", "ibm1")
    with pytest.raises(InputError, match="knows 0% of the source words"):
        run("en", "de", "-o", "x", "--load", "model")
    with pytest.raises(SettingError, match="--update needs --load"):
        run("de", "en", "-o", "x", "--update")
