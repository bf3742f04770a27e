from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from dragoman import __version__
from dragoman.bundle import writing_bundle
from dragoman.cli.listing import REGISTRIES


def dragoman(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dragoman", *arguments], input=stdin, capture_output=True, text=True, check=False
    )


def test_version() -> None:
    assert dragoman("--version").stdout == f"dragoman {__version__}\n"


def test_list_shows_every_registry() -> None:
    found = json.loads(dragoman("list", "--json").stdout)
    assert set(found) == {name.replace("-", "_") for name in REGISTRIES}
    assert all(line for entries in found.values() for line in entries.values())


def test_list_shows_settings() -> None:
    found = json.loads(dragoman("list", "templates", "orient", "--json").stdout)
    assert found["templates"]["orient"]["settings"]["sides"] == {
        "default": "previous+next",
        "wanted": "previous, next or both",
        "what": "The rule being added with the one before, and the rule before with its successor.",
    }
    shown = dragoman("list", "aligners", "--settings").stdout
    assert "tension" in shown
    assert "a number from 0.1 to 20" in shown
    every = json.loads(dragoman("list", "--settings", "--json").stdout)
    assert set(every) == {name.replace("-", "_") for name in REGISTRIES}
    assert dragoman("list", "tuners", "mirra").stderr.startswith("dragoman: no tuner is called 'mirra'; did you mean")


def test_an_unknown_kind_is_one_line_and_exit_code_2() -> None:
    run = dragoman("list", "nonsense")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("dragoman: nothing is called 'nonsense'")
    assert run.stderr.count("\n") == 1


def test_debug_shows_the_traceback() -> None:
    assert "Traceback" in dragoman("--debug", "list", "nonsense").stderr


def test_info_describes_and_verifies_a_bundle(tmp_path: Path) -> None:
    with writing_bundle(tmp_path / "model", kind="example", settings={"order": 3}) as files:
        (files / "table").write_text("x")
    found = json.loads(dragoman("info", str(tmp_path / "model"), "--verify", "--json").stdout)
    assert (found["what"], found["settings"], found["verified"]) == ("bundle of kind 'example'", {"order": 3}, True)
    (tmp_path / "model" / "table").write_text("y")
    run = dragoman("info", str(tmp_path / "model"), "--verify")
    assert run.returncode == 2
    assert "checksum" in run.stderr


def test_info_tells_kinds_of_files_apart(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ein Haus\nzwei\n")
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 20)
    assert json.loads(dragoman("info", str(tmp_path / "text"), "--json").stdout)["lines"] == 2
    assert "not text" in dragoman("info", str(tmp_path / "noise")).stdout
    missing = dragoman("info", str(tmp_path / "missing"))
    assert missing.returncode == 2
    assert "no such file" in missing.stderr


def test_the_demonstration_runs_and_reports(tmp_path: Path) -> None:
    report = json.loads(dragoman("demo", "-o", str(tmp_path), "--size", "400", "--json").stdout)
    assert report["restored"]["lines"] == report["restored"]["exactly"] == 800
    assert report["cleaning"]["kept"] == 400
    assert report["alignment"]["aer"] < 0.4
    assert report["phrase_pairs"] > 1000
    assert report["translation"]["systems"]
