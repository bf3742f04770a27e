from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Protocol

import pytest
from typer.testing import CliRunner

from dragoman.cli import app, main
from dragoman.errors import DragomanError
from dragoman.lm import NgramModel

TEXT = "the cat sat on the mat\nthe dog sat on the cat\na cat saw the dog\n"


class Run(Protocol):
    def __call__(self, *arguments: str, code: int = 0, text: str | None = None) -> str: ...


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `dragoman lm` in an empty folder; gives its output, or what it says when it fails."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0, text: str | None = None) -> str:
        monkeypatch.setattr(sys, "argv", ["dragoman", "lm", *arguments])
        if text is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.out if code == 0 else said.err

    return call


def test_from_text_to_scores(tmp_path: Path, run: Run) -> None:
    (tmp_path / "text").write_text(TEXT)
    table = run("estimate", "text", "-o", "m.arpa.gz", "--order", "3")
    assert "(fixed)" in table
    report = json.loads(run("estimate", "text", "-o", "m.lm", "--order", "3", "--json", "--memory", "1M"))
    assert report["sentences"] == 3
    run("convert", "m.arpa.gz", "-o", "c.lm", "--layout", "compact", "--bits", "32")
    run("convert", "c.lm", "-o", "again.arpa")
    assert run("info", "-", text=(tmp_path / "again.arpa").read_text()) == run("info", "again.arpa")
    assert "not an ARPA file" in run("info", "-", text="no model\n", code=2)
    scores = [run("score", name, "text") for name in ("m.arpa.gz", "m.lm", "c.lm", "again.arpa")]
    assert len(set(scores)) == 1
    assert len(scores[0].splitlines()) == 3
    assert json.loads(run("score", "m.lm", "-", "--json", text="the cat\n"))["logprob"] == pytest.approx(
        NgramModel.open(tmp_path / "m.lm").score(["the cat"])[0]
    )
    lines = run("score", "m.lm", "text", "--tokens", "--json").splitlines()
    assert [token["token"] for token in json.loads(lines[2])["tokens"]] == ["a", "cat", "saw", "the", "dog", "</s>"]
    assert "cat=" in run("score", "m.lm", "text", "--tokens")
    perplexity = json.loads(run("perplexity", "m.lm", "text", "--json"))
    assert perplexity["events"] == 20
    assert perplexity["perplexity"] == pytest.approx(math.exp(-perplexity["logprob"] / 20))
    assert "perplexity with unknown" in run("perplexity", "m.lm", "text")
    info = json.loads(run("info", "c.lm", "--json"))
    assert (info["order"], info["layout"], info["bits"]) == (3, "compact", 32)
    assert "hashed" in run("info", "m.lm")


def test_mixing_bounding_clustering(tmp_path: Path, run: Run) -> None:
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "other").write_text("a bird saw a bird\n")
    for name in ("text", "other"):
        run("estimate", name, "-o", f"{name}.arpa", "--order", "2", "-j", "1")
    models = ("text.arpa", "other.arpa")
    mixed = json.loads(run("interpolate", *models, "--dev", "other", "-o", "x.lm", "--json"))
    assert mixed["weights"][1] > 0.9
    run("interpolate", *models, "--weight", "0.5", "--weight", "0.5", "-o", "y.arpa")
    run("convert", "y.arpa", "-o", "y.lm", "--layout", "compact", "--bits", "4")
    assert json.loads(run("bounds", "y.lm", "--lm", "y.lm", "-o", "y.bounds", "--json"))["bytes"] > 0
    run("classes", "text", "-o", "text.classes", "--classes", "3", "--min-count", "1")
    run("estimate", "text", "-o", "c.lm", "--classes", "text.classes", "--order", "2")
    assert json.loads(run("info", "c.lm", "--json"))["words"] == 6
    (tmp_path / "counts").write_text("<s> a\t2\na </s>\t2\n")
    run("estimate", "counts", "--counts", "-o", "n.lm", "--order", "2")


def test_errors_are_one_line(tmp_path: Path, run: Run) -> None:
    (tmp_path / "text").write_text(TEXT + "a <s> b\n")
    said = run("estimate", "text", "-o", "m.lm", code=2)
    assert said.count("\n") == 1
    assert "text, line 4" in said
    assert not (tmp_path / "m.lm").exists()
    run("estimate", "text", "-o", "m.lm", "--skip-special")
    run("convert", "m.lm", "-o", "m.arpa")
    assert "it must be one of hashed, compact" in run("convert", "m.arpa", "-o", "x", "--layout", "y", code=2)
    assert "use --dev" in run("interpolate", "m.lm", "-o", "x", code=2)
    assert "not an ARPA file" in run("score", "text", "text", code=2)


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    arpa = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n\n\\end\\\n"
    command = ["lm", "convert", "-", "--output", str(tmp_path / "made.bin")]
    assert CliRunner().invoke(app, command, input=arpa).exit_code == 0
    refused = CliRunner().invoke(app, command, input="")
    assert isinstance(refused.exception, DragomanError)
