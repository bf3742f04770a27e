"""`dragoman combine` from files to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.lm import estimate
from dragoman.metrics import get_metric
from dragoman.tuning.combination import CombinationDecoder

REFERENCE = ["the cat sat on the mat", "a dog ran home", "we saw the old house"]
OUTPUTS = [
    ["the cat sat on a mat", "a dog ran house", "we saw the old house"],
    ["a cat sits on the mat", "a dog ran home", "we see an old house"],
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCE), ("a", OUTPUTS[0]), ("b", OUTPUTS[1])):
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    estimate(REFERENCE, order=2).build().save("lm")
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["--quiet", "combine", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_tuned_combination_beats_its_systems(files: Path) -> None:
    options = ("--ref", "ref", "--lm", "lm", "--stages", "exact", "--iterations", "3", "--nbest", "50", "--json")
    report = json.loads(run("tune", "a", "b", *options, "-o", "made"))
    bleu = get_metric("bleu:tokenize=none")
    assert max(report["scores"]) > 100 * max(bleu.corpus_score(output, REFERENCE) for output in OUTPUTS)
    combined = run("decode", "made", "a", "b").splitlines()
    assert 100 * bleu.corpus_score(combined, REFERENCE) == pytest.approx(max(report["scores"]))
    run("match", "a", "b", "--stages", "exact", "-o", "links")
    assert run("decode", "made", "a", "b", "--matched", "links").splitlines() == combined
    explained = json.loads(run("decode", "made", "a", "b", "--json"))
    assert [entry["text"] for entry in explained] == combined
    assert "cat" in run("decode", "made", "a", "b", "--explain")
    assert CombinationDecoder.load("made").systems == 2


def test_choosing_and_voting(files: Path) -> None:
    assert set(run("select", "a", "a", "b").splitlines()) == set(OUTPUTS[0])
    run("vote", "a", "b", "-w", "1", "-w", "0", "-o", "out")
    assert Path("out").read_text().splitlines() == OUTPUTS[0]
    found = json.loads(run("diversity", "a", "a", "b", "--json"))
    assert found["useful"] == 1
    assert found["pairwise"][0][1] == pytest.approx(0)
    assert "percent" in run("diversity", "a", "b")


def test_unequal_outputs_are_refused(files: Path) -> None:
    Path("short").write_text("one line\n")
    result = CliRunner().invoke(app, ["combine", "match", "a", "short", "-o", "x"])
    assert result.exit_code != 0
