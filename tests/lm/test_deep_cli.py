"""`dragoman lm deep`: from a treebank to scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.annotations import conllu
from dragoman.cli import program
from dragoman.errors import DragomanError
from dragoman.text import synthetic


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("deep") / "trees.conllu"
    conllu.write((item.source.annotated for item in synthetic.pair("en-de").generate(80, seed=1)), path)
    return path


COMMAND = program()


def run(*words: str | Path) -> None:
    COMMAND.main(["lm", "deep", *map(str, words)], standalone_mode=False)


def test_from_trees_to_scores(treebank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("count", treebank, "--order", "2", "-o", tmp_path / "counts")
    counts = dict(line.split("\t") for line in (tmp_path / "counts").read_text("utf-8").splitlines())
    assert all(1 <= len(ngram.split()) <= 2 for ngram in counts)
    for smoothing in ("kneser-ney", "katz"):
        run("estimate", treebank, "--order", "3", "--smoothing", smoothing, "-o", tmp_path / "deep.arpa", "--json")
    run("estimate", treebank, "--no-ends", "--events", "sides", "-o", tmp_path / "sides.lm")
    capsys.readouterr()
    run("score", tmp_path / "deep.arpa", treebank)
    assert len(capsys.readouterr().out.splitlines()) == 80
    run("score", tmp_path / "sides.lm", treebank, "--tokens")
    assert "</s>" not in capsys.readouterr().out
    run("perplexity", tmp_path / "deep.arpa", treebank, "--json")
    assert json.loads(capsys.readouterr().out)["perplexity"] > 1
    run("coverage", tmp_path / "deep.arpa", treebank, "--json")
    shares = [each["share"] for each in json.loads(capsys.readouterr().out)["orders"]]
    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
    run("coverage", tmp_path / "deep.arpa", treebank)
    run("frequent", tmp_path / "deep.arpa", treebank, "--limit", "3")
    run("draw", treebank)
    run("draw", treebank, "-o", tmp_path / "tree.svg")
    assert "</svg>" in (tmp_path / "tree.svg").read_text("utf-8")


def test_errors_say_where(treebank: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\ta\ta\tX\t_\t_\t2\tdep\t_\t_\n2\tb\tb\tX\t_\t_\t1\tdep\t_\t_\n\n", "utf-8")
    with pytest.raises(DragomanError, match="line 1"):
        run("count", bad)
    with pytest.raises(DragomanError, match="no sentence 900"):
        run("draw", treebank, "--line", "900")
    with pytest.raises(DragomanError, match="form"):
        run("count", treebank, "--form", "trees")
