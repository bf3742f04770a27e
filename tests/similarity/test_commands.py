"""`dragoman similarity` as people call it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Protocol

import pytest

from dragoman.cli import main

PAIRS = """5\tA black cat sleeps .\tA black cat sleeps .
4\tA man bought a car .\tA man bought a new car .
0\tThe city has a park .\tCats sleep .
2\tA dog chased a cat .\tA dog slept .
3\tChildren play football .\tChildren play in the park .
"""


class Run(Protocol):
    def __call__(self, *arguments: str, code: int = 0) -> str: ...


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `dragoman similarity` in an empty folder; gives its output, or what it says when it fails."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["dragoman", "similarity", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out if code == 0 else said.err

    return call


def test_scores_and_reasons(run: Run) -> None:
    Path("a").write_text("a black cat\nof the\n\n")
    Path("b").write_text("a black dog\n\n\n")
    assert run("score", "a", "b", "--with", "token-cosine").split() == ["3.3333", "0.0000", "5.0000"]
    assert run("score", "a", "b", "--with", "token-cosine", "--scale", "1").split()[0] == "0.6667"
    printed = run("score", "a", "b", "--with", "dls", "--set", "dependencies=false", "--explain", "--json")
    plain = [json.loads(line) for line in printed.splitlines()]
    assert plain[0]["alignment"][0]["reason"].startswith("same")
    assert plain[0]["score"] == pytest.approx(2.5)
    shown = run("score", "a", "b", "--with", "dls", "--set", "dependencies=false", "--explain")
    assert "only in the first: cat" in shown
    run("score", "a", "b", "--with", "token-cosine", "--report", "why.html", "--report", "why.json")
    assert "<svg" in Path("why.html").read_text("utf-8")
    assert len(json.loads(Path("why.json").read_text("utf-8"))) == 3


def test_errors_are_one_line(run: Run) -> None:
    Path("a").write_text("a\nb\n")
    Path("b").write_text("a\n")
    assert "2" in run("score", "a", "b", code=2)
    Path("b").write_text("a\nb\n")
    said = run("score", "a", "b", "--with", "dls", code=2)
    assert "dependencies" in said
    assert said.count("\n") == 1
    assert "no scorer is called" in run("score", "a", "b", "--with", "bert", code=2)
    assert "fitted first" in run("score", "a", "b", "--with", "takelab", code=2)
    assert "nothing to measure" in run("evaluate", "a", code=2)


def test_fit_evaluate(run: Run) -> None:
    Path("train.tsv").write_text(PAIRS)
    Path("OnWN.test.tsv").write_text(PAIRS)
    facts = json.loads(run("fit", "train.tsv", "--with", "ukp", "--set", "wordnet=false", "-o", "model", "--json"))
    assert facts["pairs"] == 5
    Path("runs").mkdir()
    Path("runs/STS.output.OnWN.txt").write_text("5\n4\n0\n2\n3\n")
    found = json.loads(
        run("evaluate", "OnWN.test.tsv", "--with", "model", "--with", "token-cosine", "--run", "gold=runs", "--json")
    )
    assert found["runs"][0]["name"] == "gold"
    assert found["runs"][0]["mean"] == pytest.approx(1.0)
    assert {each["name"] for each in found["runs"]} == {"gold", "ukp", "token-cosine"}
    run("evaluate", "OnWN.test.tsv", "--with", "token-cosine", "--report", "table.html")
    assert "OnWN (5)" in Path("table.html").read_text("utf-8")
    Path("runs/STS.output.OnWN.txt").write_text("5\n4\nnan\n2\n9\n")
    assert "line 3" in run("evaluate", "OnWN.test.tsv", "--run", "x=runs", code=2)
    assert "outside" in run("evaluate", "OnWN.test.tsv", "--run", "x=runs", "--nan", "0", "--strict", code=2)


def test_duplicates_sample_and_mine(run: Run) -> None:
    Path("text").write_text("A black cat .\nA dog .\na black cat\nA black cats .\n")
    assert run("duplicates", "text", "--least", "1").split("\t")[:3] == ["1.0000", "1", "3"]
    found = json.loads(run("duplicates", "text", "--with", "soft-cardinality", "--least", "0.8", "--json"))["pairs"]
    assert [(each["first"], each["second"]) for each in found] == [(0, 2), (0, 3)]
    Path("candidates").write_text("".join(f"x\tabcdefghij\tabcdefg{n}{n}{n}\n" for n in range(9)))
    drawn = json.loads(run("sample", "candidates", "-n", "5", "--bands", "0.7", "-o", "pairs.tsv", "--json"))
    assert drawn["pairs"] == 5
    assert len(Path("pairs.tsv").read_text().splitlines()) == 5
    first = "one two three four five six seven eight nine ten ."
    Path("articles").write_text(f"{first}\n{first.replace('ten', 'eleven')}\n")
    assert json.loads(run("mine", "articles", "-o", "mined.tsv", "--json"))["pairs"] == 1
    assert "fields" in run("sample", "articles", "-o", "x", code=2)
