"""`dragoman text clean` and `dragoman corpus` from the outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def dragoman(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dragoman", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bitext(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "x.de").write_text("ein Haus\nein Haus\ngleich\n")
    (tmp_path / "x.en").write_text("a house\na house\ngleich\n")
    return tmp_path / "x.de", tmp_path / "x.en"


def test_the_account_as_json(bitext: tuple[Path, Path], tmp_path: Path) -> None:
    run = dragoman("text", "clean", *bitext, "-o", tmp_path / "kept.jsonl", "--json", "--languages", "de-en")
    report = json.loads(run.stdout)
    assert (report["pairs"], report["kept"]) == (3, 1)
    assert report["removed"]["duplicate"]["examples"] == [{"line": 2, "source": "ein Haus", "target": "a house"}]
    assert json.loads((tmp_path / "kept.jsonl").read_text()) == {"source": "ein Haus", "target": "a house"}


def test_text_flows_through_pipes(bitext: tuple[Path, Path], tmp_path: Path) -> None:
    arguments = ["text", "clean", "-", "--format", "tsv", "-o", "-", "--check", "identical"]
    assert dragoman(*arguments, "--to", "tsv", stdin="a\tb\nx\tX\n").stdout == "a\tb\n"
    assert "two files" in dragoman(*arguments, stdin="a\tb\n").stderr  # `-` is no name that would tell a format
    run = dragoman("text", "clean", *bitext, "-o", "-", "-o", tmp_path / "kept.en", "--skip", "identical")
    assert run.stdout == "ein Haus\ngleich\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--languages", "deutsch"], "not a pair of languages"),
        (["--languages", "de-xyz"], "script of language 'xyz' is not known"),
        (["--check", "nonsense"], "no check is called 'nonsense'"),
        (["--max-ratio", "0"], "max_ratio is 0"),
        (["--fields", "1"], "--fields is '1'"),
        (["--markup", "maybe"], "--markup"),
        (["--format", "tmx"], "both sides in one file"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(
    bitext: tuple[Path, Path], tmp_path: Path, arguments: list[str], message: str
) -> None:
    run = dragoman("text", "clean", *bitext, "-o", tmp_path / "a", "-o", tmp_path / "b", *arguments)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / "a").exists()


def test_unequal_files_leave_nothing_behind(bitext: tuple[Path, Path], tmp_path: Path) -> None:
    bitext[1].write_text("a house\n")
    run = dragoman("text", "clean", *bitext, "-o", tmp_path / "a", "-o", tmp_path / "b")
    assert run.returncode == 2
    assert "has 3 lines" in run.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"x.de", "x.en"}


def test_the_catalogue() -> None:
    found = json.loads(dragoman("corpus", "list", "--json").stdout)["collections"]
    assert {"debian", "libreoffice-help"} <= set(found)
    assert all(entry["license"] and entry["what"] for entry in found.values())
    run = dragoman("corpus", "get", "debian", "en-de", "--from", "/nowhere")
    assert run.returncode == 2
    assert "no such folder" in run.stderr
