"""`dragoman vectors` and `dragoman substitute`, from text to answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Run

TINY = ("--set", "dimensions=6", "--set", "hidden=6", "--set", "window=3", "--set", "min_count=1", "--set", "passes=3")
ENGLISH = [f"the {noun} {verb}" for noun in ("dog", "cat", "cow") for verb in ("runs", "sleeps", "eats")] * 5
GERMAN = [f"der {noun} {verb}" for noun in ("hund", "kater", "ochse") for verb in ("läuft", "schläft", "frisst")] * 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en").write_text("\n".join(ENGLISH) + "\n", "utf-8")
    (tmp_path / "de").write_text("\n".join(GERMAN) + "\n", "utf-8")
    (tmp_path / "links").write_text("0-0 1-1 2-2\n" * len(ENGLISH), "utf-8")
    return tmp_path


def test_vectors_from_text_to_a_table(run: Run, folder: Path) -> None:
    assert json.loads(run("vectors", "train", "en", "-o", "en.vec", *TINY, "--json"))["words"] == 7
    run("vectors", "count", "de", "en", "links", "-o", "counts")
    given = ("--given", "en.vec", "--translations", "counts")
    made = json.loads(run("vectors", "train", "de", "-o", "de.bin", *given, *TINY, "--json"))
    assert len(made["passes"]) == 3
    near = json.loads(run("vectors", "nearest", "de.bin", "hund", "-k", "1", "--across", "en.vec", "--json"))
    assert near["words"]["hund"][0]["phrase"] == "dog"
    assert "hund" not in run("vectors", "nearest", "de.bin", "hund", "-k", "3").split("\n", 1)[1]
    (folder / "pairs").write_text("dog\tcat\t9\ndog\tthe\t2\ncat\truns\t1\n", "utf-8")
    assert json.loads(run("vectors", "evaluate", "en.vec", "pairs", "--json"))["files"]["pairs"]["known"] == 3
    assert "Kendall" in run("vectors", "evaluate", "en.vec", "pairs")
    scores = json.loads(run("vectors", "match", "de.bin", "en.vec", "de", "en", "--gold", "links", "--json"))
    assert scores["aer"] < 0.3
    assert len(run("vectors", "match", "de.bin", "en.vec", "de", "en").splitlines()) == len(ENGLISH)
    run("vectors", "join", "de.bin", "en.vec", "-o", "both")
    table = json.loads(run("extract", "de", "en", "links", "-o", "table", "--vectors", "both", "--json"))
    assert table["columns"][-3:] == ["vectors.cosine", "vectors.best", "vectors.unknown"]


def test_vectors_that_cannot_be(run: Run, folder: Path) -> None:
    (folder / "bad").write_text("2 2\na 1 2\nb 1\n", "utf-8")
    assert "line 3" in run("vectors", "nearest", "bad", "a", code=2)
    (folder / "good").write_text("1 2\na 1 2\n", "utf-8")
    assert "give both" in run("vectors", "train", "en", "-o", "x", "--given", "good", code=2)


def test_a_word_in_context(run: Run, folder: Path) -> None:
    counted = run("substitute", "count", "en", "de", "-o", "counts", "--function-words", "0", "--json")
    assert json.loads(counted)["sentences"] == len(ENGLISH)
    listed = json.loads(run("substitute", "list", "counts", "dog", "-k", "1", "--json"))
    assert listed["words"]["dog"][0]["phrase"] == "hund"
    (folder / "marked").write_text("dog.n\t1\tthe <head>dog</head> runs\ncat.n\t2\t1\tthe cat sleeps\n", "utf-8")
    (folder / "gold").write_text("dog.n.de 1 :: hund 3;\ncat.n.de 2 :: kater 2;katze 1;\n", "utf-8")
    run("substitute", "learn", "counts", "marked", "gold", "-o", "weights.toml")
    run("substitute", "answer", "counts", "marked", "--weights", "weights.toml", "-o", "best")
    assert (folder / "best").read_text("utf-8") == "dog.n 1 :: hund\ncat.n 2 :: kater\n"
    scores = json.loads(run("substitute", "score", "best", "gold", "--json"))
    assert scores["precision"] == pytest.approx((1 + 2 / 3) / 2)
    (folder / "dictionary").write_text("dog\tköter\ndog\thund\n", "utf-8")
    chosen = ("--candidates", "dictionary", "--dictionary", "dictionary", "--task", "oot")
    assert json.loads(run("substitute", "answer", "counts", "marked", *chosen, "--json"))["answers"] == [
        {"item": "dog.n", "id": "1", "answers": ["hund", "köter"]},
        {"item": "cat.n", "id": "2", "answers": []},
    ]
    run("extract", "en", "de", "links", "-o", "table")
    table = ("--candidates", "table", "--table", "table")
    assert run("substitute", "answer", "counts", "marked", *table).splitlines()[0] == "dog.n 1: hund"
    assert "give --dictionary" in run("substitute", "answer", "counts", "marked", "--candidates", "dictionary", code=2)
