"""Scores by reference: values by hand, the command, and what several references can and cannot do."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import InputError
from dragoman.metrics.bleu import BleuPlusOne
from dragoman.metrics.reference_spread import reference_spread

HYPOTHESES = ["the cat sat", "a b"]
REFERENCES: list[list[str | None]] = [["the cat sat down", "a b"], ["the cat sat", "a c"], ["a dog ran", None]]


def test_two_segments_by_hand() -> None:
    """`the cat sat` lacks a word of four: exp(1 - 4/3). `a b` against `a c`: precisions 1/2, (0+1)/(1+1), 1, 1."""
    found = reference_spread(HYPOTHESES, REFERENCES, "bleu+1:tokenize=none")
    short, half = 100 * math.exp(-1 / 3), 100 * 0.25**0.25
    assert_allclose(found.each, [[short, 100, 0], [100, half, np.nan]], atol=1e-9)
    assert_allclose(found.together, [100, 100])
    assert_allclose(found.spreads, [100, 100 - half])
    assert (found.mean, found.sd) == pytest.approx(((200 - half) / 2, 50))  # half / sqrt(2) = 50
    assert [found.mean_of(which) for which in ("all", "best", "worst")] == pytest.approx([100, 100, half / 2])
    assert found.signature.startswith("nrefs:var|")


def test_for_errors_the_best_is_the_lowest() -> None:
    found = reference_spread(["a b", "a b"], [["a b", "a c"], ["x y", "a b"]], "wer:tokenize=none")
    assert_allclose(found.each, [[0, 100], [50, 0]])
    assert [found.mean_of(which) for which in ("best", "worst")] == [0, 75]
    assert (found.mean, found.sd) == pytest.approx((75, 25 * math.sqrt(2)))


TEXT = st.lists(st.sampled_from("abc"), min_size=3, max_size=3).map(" ".join)


@pytest.mark.slow
@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=5))
def test_with_the_same_length_more_references_never_score_less(rows: list[tuple[str, str, str]]) -> None:
    hypotheses, first, second = (list(side) for side in zip(*rows, strict=True))
    found = reference_spread(hypotheses, [first, second], BleuPlusOne(tokenize="none"))
    assert (found.together >= found.each.max(axis=1) - 1e-9).all()
    assert (found.spreads >= 0).all()


def test_segments_with_one_reference_have_no_spread() -> None:
    found = reference_spread(["a", "b"], [["a", "b"], [" ", "c"]], "bleu+1:tokenize=none")
    assert (len(found.spreads), found.sd) == (1, 0.0)
    with pytest.raises(InputError, match="no segment has two references"):
        reference_spread(["a", "b"], ["a", "b"])


@pytest.mark.slow
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"h": "the cat sat|a b", "r1": "the cat sat down|a b", "r2": "the cat sat|a c"}.items():
        Path(name).write_text(lines.replace("|", "\n") + "\n")

    def run(*arguments: str) -> str:
        asked = ["score", "A=h", "-r", "r1", "-r", "r2", "--by-reference", *arguments]
        return CliRunner().invoke(app, asked, catch_exceptions=False).stdout

    rows = [line.split() for line in run().splitlines()]
    assert rows[:2] == [
        ["system", "metric", "all", "best", "worst", "spread", "sd", "segments"],
        ["A", "bleu+1", "100.00", "100.00", "71.18", "28.82", "0.67", "2"],
    ]
    told = json.loads(run("--json", "--sentence-level", "-m", "ter", "-m", "bleu+1"))["systems"]["A"]
    assert told["ter"]["sentences"] == {"each": [[25.0, 0.0], [0.0, 50.0]], "all": [pytest.approx(0), 0.0]}
    assert told["bleu+1"]["spread"] == pytest.approx({"mean": 28.8181, "sd": 0.6664}, abs=1e-4)
    table = run("--sentence-level").splitlines()
    assert table[0].split("\t") == ["system", "metric", "segment", "reference 1", "reference 2", "all"]
    assert table[2].split("\t") == ["A", "bleu+1", "2", "100.0000", "70.7107", "100.0000"]


def test_four_translators_differ(data: Path) -> None:
    """Real references of one text: the first as the output, the others as references, one of them missing at times."""
    folder = data / "indian" / "ur-en"
    streams = [(folder / f"test.en.{number}").read_text("utf-8").split("\n")[:-1] for number in range(4)]
    found = reference_spread(streams[0], streams[1:], "bleu+1:tokenize=none")
    assert 0 < found.mean < 100
    assert found.mean_of("worst") < found.mean_of("best") <= found.mean_of("all") + 5
    assert len(found.spreads) <= len(streams[0])
