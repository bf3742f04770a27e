from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.forest.store import read_forests, write_forests
from tests.forest.test_forest import chain
from tests.forest.test_store import example
from tests.test_cli import dragoman


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "dev.forests"
    write_forests(path, [example(), chain(3)])
    return path


def test_show(saved: Path, tmp_path: Path) -> None:
    picture, text = tmp_path / "forest.svg", tmp_path / "forest.dot"
    run = dragoman("forest", "show", str(saved), "-o", str(picture))
    assert run.returncode == 0, run.stderr
    assert "Haus → house  (-0.5)" in run.stdout
    assert picture.read_text().startswith("<svg")
    assert dragoman("forest", "show", str(saved), "-o", str(text)).returncode == 0
    assert text.read_text().startswith("digraph")
    found = json.loads(dragoman("forest", "show", str(saved), "--item", "1", "--json").stdout)
    assert (found["edges"], found["derivations"], found["best"]["target"]) == (7, 8, ["x", "x", "x"])


def test_kbest(saved: Path) -> None:
    assert dragoman("forest", "kbest", str(saved)).stdout == "-0.750000\tthe house\n-1.750000\tthe größeres Haus\n"
    found = json.loads(dragoman("forest", "kbest", str(saved), "--json", "-k", "1").stdout)["derivations"]
    assert found[0]["links"] == [[0, 0], [1, 1]]
    assert dragoman("forest", "kbest", "-", stdin="").returncode == 2


def test_prune_and_convert(saved: Path, tmp_path: Path) -> None:
    run = dragoman("forest", "prune", str(saved), "-o", str(tmp_path / "small.json"), "--margin", "0.5")
    assert (run.returncode, run.stderr) == (0, "9 of 10 edges kept\n")
    assert [forest.edges for forest in read_forests(tmp_path / "small.json")] == [2, 7]


def test_a_forest_that_is_not_there(saved: Path) -> None:
    run = dragoman("forest", "kbest", str(saved), "--item", "2")
    assert run.returncode == 2
    assert "there is no forest 2" in run.stderr
    assert "holds 2, counted from 0" in run.stderr
