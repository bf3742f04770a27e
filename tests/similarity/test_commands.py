"""`dragoman similarity` as people call it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.commands import Run

PAIRS = """5\tA black cat sleeps .\tA black cat sleeps .
4\tA man bought a car .\tA man bought a new car .
0\tThe city has a park .\tCats sleep .
2\tA dog chased a cat .\tA dog slept .
3\tChildren play football .\tChildren play in the park .
"""


@pytest.fixture
def compare(run: Run) -> Run:
    """Run `dragoman similarity`."""
    return partial(run, "similarity")


def test_scores_and_reasons(compare: Run) -> None:
    Path("a").write_text("a black cat\nof the\n\n")
    Path("b").write_text("a black dog\n\n\n")
    assert compare("score", "a", "b", "--with", "token-cosine").split() == ["3.3333", "0.0000", "5.0000"]
    assert compare("score", "a", "b", "--with", "token-cosine", "--scale", "1").split()[0] == "0.6667"
    printed = compare("score", "a", "b", "--with", "dls", "--set", "dependencies=false", "--explain", "--json")
    plain = [json.loads(line) for line in printed.splitlines()]
    assert plain[0]["alignment"][0]["reason"].startswith("same")
    assert plain[0]["score"] == pytest.approx(2.5)
    shown = compare("score", "a", "b", "--with", "dls", "--set", "dependencies=false", "--explain")
    assert "only in the first: cat" in shown
    compare("score", "a", "b", "--with", "token-cosine", "--report", "why.html", "--report", "why.json")
    assert "<svg" in Path("why.html").read_text("utf-8")
    assert len(json.loads(Path("why.json").read_text("utf-8"))) == 3


def test_errors_are_one_line(compare: Run) -> None:
    Path("a").write_text("a\nb\n")
    Path("b").write_text("a\n")
    assert "b: 1 lines, but a has 2" in compare("score", "a", "b", code=2)
    Path("b").write_text("a\nb\n")
    said = compare("score", "a", "b", "--with", "dls", code=2)
    assert "dependencies" in said
    assert said.count("\n") == 1
    assert "no scorer is called" in compare("score", "a", "b", "--with", "bert", code=2)
    assert "fitted first" in compare("score", "a", "b", "--with", "takelab", code=2)
    assert "nothing to measure" in compare("evaluate", "a", code=2)


def test_fit_evaluate(compare: Run) -> None:
    Path("train.tsv").write_text(PAIRS)
    Path("OnWN.test.tsv").write_text(PAIRS)
    facts = json.loads(compare("fit", "train.tsv", "--with", "ukp", "--set", "wordnet=false", "-o", "model", "--json"))
    assert facts["pairs"] == 5
    Path("runs").mkdir()
    Path("runs/STS.output.OnWN.txt").write_text("5\n4\n0\n2\n3\n")
    found = json.loads(
        compare(
            "evaluate", "OnWN.test.tsv", "--with", "model", "--with", "token-cosine", "--run", "gold=runs", "--json"
        )
    )
    assert found["runs"][0]["name"] == "gold"
    assert found["runs"][0]["mean"] == pytest.approx(1.0)
    assert {each["name"] for each in found["runs"]} == {"gold", "ukp", "token-cosine"}
    compare("evaluate", "OnWN.test.tsv", "--with", "token-cosine", "--report", "table.html")
    assert "OnWN (5)" in Path("table.html").read_text("utf-8")
    Path("runs/STS.output.OnWN.txt").write_text("5\n4\nnan\n2\n9\n")
    assert "line 3" in compare("evaluate", "OnWN.test.tsv", "--run", "x=runs", code=2)
    assert "outside" in compare("evaluate", "OnWN.test.tsv", "--run", "x=runs", "--nan", "0", "--strict", code=2)


def test_duplicates_sample_and_mine(compare: Run) -> None:
    Path("text").write_text("A black cat .\nA dog .\na black cat\nA black cats .\n")
    assert compare("duplicates", "text", "--least", "1").split("\t")[:3] == ["1.0000", "1", "3"]
    found = json.loads(compare("duplicates", "text", "--with", "soft-cardinality", "--least", "0.8", "--json"))["pairs"]
    assert [(each["first"], each["second"]) for each in found] == [(0, 2), (0, 3)]
    Path("candidates").write_text("".join(f"x\tabcdefghij\tabcdefg{n}{n}{n}\n" for n in range(9)))
    drawn = json.loads(compare("sample", "candidates", "-n", "5", "--bands", "0.7", "-o", "pairs.tsv", "--json"))
    assert drawn["pairs"] == 5
    assert len(Path("pairs.tsv").read_text().splitlines()) == 5
    first = "one two three four five six seven eight nine ten ."
    Path("articles").write_text(f"{first}\n{first.replace('ten', 'eleven')}\n")
    assert json.loads(compare("mine", "articles", "-o", "mined.tsv", "--json"))["pairs"] == 1
    compare("sample", "candidates", "-n", "2", "--bands", "0.7", "-o", "drawn.tsv", "--lines", "drawn.lines")
    assert Path("drawn.lines").read_text() == "x\t0.7000\n" * 2
    compare("mine", "articles", "-o", "mined.tsv", "--lines", "mined.lines")
    assert Path("mined.lines").read_text() == "0\t0.9000\tarticle 1\n"
    assert "fields" in compare("sample", "articles", "-o", "x", code=2)
