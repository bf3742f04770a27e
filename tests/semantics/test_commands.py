from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Protocol

import pytest

from dragoman.cli import main
from dragoman.grammar.phrases import extract
from tests.semantics.test_oov import LINKS, MONO, SOURCE, TARGET

BANKS = "money bank loan\nloan money\nboat bank shore\nshore boat\nThe 42 bank !\n"


class Run(Protocol):
    def __call__(self, *arguments: str, code: int = 0) -> str: ...


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `dragoman` in an empty folder; gives its output, or what it says when it fails."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["dragoman", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out if code == 0 else said.err

    return call


def test_profiles(run: Run) -> None:
    Path("text").write_text(BANKS)
    facts = json.loads(run("profiles", "build", "text", "-o", "p", "--min-count", "1", "--json"))
    assert (facts["words"], facts["tokens"]) == (6, 12)
    (found,) = json.loads(run("profiles", "nearest", "p", "loan", "-k", "1", "--contexts", "--json"))
    assert found["nearest"][0]["contexts"]
    assert "bank" in run("profiles", "nearest", "p", "loan")
    assert "does not occur" in run("profiles", "nearest", "p", "42", code=2)
    Path("pairs").write_text("bank\tloan\t3\nboat\tshore\t4\nmoney\tboat\t1\nx\ty\t2\n")
    report = json.loads(run("profiles", "evaluate", "p", "pairs", "--unknown", "skip", "--json"))["pairs"]
    assert (report["known"], report["total"]) == (3, 4)
    assert "Spearman" in run("profiles", "evaluate", "p", "pairs")
    assert "association" in run("profiles", "build", "text", "-o", "q", "--association", "x", code=2)


def test_paraphrases(run: Run) -> None:
    Path("text").write_text("she declined to give details\nhe declined to provide details\n")
    found = json.loads(run("paraphrase", "text", "text", "to give", "--min-score", "0", "--json"))
    assert found["to give"][0]["phrase"] == "to provide"
    run("paraphrase", "text", "text", "to give", "-o", "out", "--min-score", "0")
    assert Path("out").read_text().startswith("to give ||| to provide ||| ")
    assert "to provide" in run("paraphrase", "text", "text", "to give", "--min-score", "0")
    assert "no phrase" in run("paraphrase", "text", "text", code=2)
    assert "no pivot language" in run("paraphrase", "pivot", "a", code=2)
    assert "LANGUAGE=TABLE" in run("paraphrase", "pivot", "a", "--pivot", "x", code=2)
    extract(["a b", "c b"], ["x y", "x y"], ["0-0 1-1"] * 2, "t.table")
    pivots = json.loads(run("paraphrase", "pivot", "a", "--pivot", "p=t.table", "--json"))
    assert pivots["a"]["paraphrases"][0]["phrase"] == "c"
    assert "paraphrases" in run("paraphrase", "pivot", "--pivot", "p=t.table", "-o", "table.txt")
    assert "a |||  ||| c ||| 0.5 ||| p:x=0.5" in Path("table.txt").read_text().splitlines()


def test_unknown_words(run: Run) -> None:
    extract(SOURCE, TARGET, LINKS, "t.table")
    Path("mono").write_text("\n".join(MONO) + "\n")
    Path("test").write_text("ein gebäude\n")
    assert run("oov", "find", "t.table", "test") == "gebäude\n"
    found = json.loads(run("oov", "translate", "t.table", "mono", "test", "--min-count", "1", "--json"))
    assert found["gebäude"][0]["target"] == "house"
    assert found["gebäude"][0]["because"][0]["neighbor"]
    run("oov", "translate", "t.table", "mono", "test", "--min-count", "1", "-o", "oov.tsv")
    made = json.loads(run("oov", "augment", "t.table", "oov.tsv", "-o", "new.table", "--json"))
    assert made["rules"] == made["before"] + made["new"]
    Path("target").write_text("a house\n")
    Path("links").write_text("0-0 1-1\n")
    report = json.loads(run("oov", "evaluate", "oov.tsv", "test", "target", "links", "--json"))
    assert report == {"mrr": 1.0, "recall": 1.0, "words": 1, "covered": 1}
    assert "already" in run("oov", "augment", "new.table", "oov.tsv", "-o", "x.table", code=2)
