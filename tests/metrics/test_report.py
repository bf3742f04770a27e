from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from rich.console import Console

import dragoman
from dragoman._native import metrics as native
from dragoman.errors import EncodingError, InputError, LengthMismatch, SettingError
from dragoman.metrics import get_metric
from dragoman.metrics.bootstrap import bootstrap_scores, interval
from tests.peers import peer

REF = [f"the cat number {n} sat on the mat near the {n % 7} doors." for n in range(120)]
GOOD = [line.replace("near", "by") for line in REF]
BAD = [line.replace("cat", "dog").replace("mat", "rug") for line in REF]


def test_scores_in_points_with_intervals() -> None:
    report = dragoman.score({"good": GOOD, "bad": BAD}, REF, ["bleu", "ter", "bleu:lowercase=true"])
    cell = report["good", "bleu"]
    assert cell.value == pytest.approx(100 * get_metric("bleu").corpus_score(GOOD, REF))
    assert cell.low is not None
    assert cell.high is not None
    assert cell.low <= cell.value <= cell.high
    assert report.best("bleu") == report.best("ter") == "good"
    assert report.signatures["bleu"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert [score.system for score in report][:2] == ["good", "bad"]
    assert report.warnings == ()


def test_one_system_one_metric_no_interval() -> None:
    report = dragoman.score(GOOD, [REF, BAD], "ter", confidence=None, sentence_level=True)
    cell = report["system", "ter"]
    assert cell.low is None
    assert cell.sentences is not None
    assert len(cell.sentences) == len(REF)
    assert report.signatures["ter"].startswith("nrefs:2|")
    assert str(cell) == f"{cell.value:.2f}"


def test_varying_references() -> None:
    report = dragoman.score(GOOD, [REF, [None, *BAD[1:]]], "bleu", confidence=None)
    assert report.signatures["bleu"].startswith("nrefs:var|")


def test_renderings_escape_what_they_show() -> None:
    name = "a_b & <c> [bold]"
    report = dragoman.score({name: GOOD, "other": BAD}, REF, ["bleu", "bleu"])
    text = io.StringIO()
    Console(file=text, width=120).print(report)
    assert name in text.getvalue()
    assert "±" in text.getvalue()
    assert "1000 bootstrap samples of 120 segments" in text.getvalue()
    page = report._repr_html_()
    assert "&lt;c&gt;" in page
    assert "<c>" not in page
    assert "<b>" in page
    latex = report.to_latex()
    assert r"a\_b \& \textless{}c\textgreater{}" in latex
    assert r"\textbf" in latex
    assert json.loads(report.to_json())["systems"][name]["bleu'"]["score"] == report[name, "bleu"].value
    assert name in str(report)


def test_many_metrics_go_down_the_page() -> None:
    names = ["bleu", "chrf", "ter", "wer", "per", "cder", "nist"]
    text = io.StringIO()
    Console(file=text, width=80).print(dragoman.score(GOOD, REF, names))
    lines = text.getvalue().splitlines()
    assert [line.split()[0] for line in lines[1:8]] == names


def test_bootstrap_is_deterministic_and_shared() -> None:
    rows = get_metric("chrf").statistics(GOOD, REF)
    sums = native.bootstrap_sums(rows, samples=50, seed=3, threads=1)
    assert_array_equal(native.bootstrap_sums(rows, samples=50, seed=3, threads=5), sums)
    assert_array_equal(native.bootstrap_sums(rows, samples=20, seed=3), sums[:20])
    assert (native.bootstrap_sums(rows, samples=50, seed=4) != sums).any()
    # columns of another matrix see the same draws
    ones = np.ones((len(rows), 1))
    both = native.bootstrap_sums(np.ascontiguousarray(np.hstack([ones, rows])), samples=50, seed=3)
    assert_array_equal(both[:, 0], len(rows))
    assert_array_equal(both[:, 1:], sums)
    assert native.bootstrap_sums(np.zeros((0, 3)), samples=4, seed=1).tolist() == [[0.0] * 3] * 4


def test_bootstrap_draws_every_segment_alike() -> None:
    """Counts of a segment over samples of n draws have mean 1 and variance 1 - 1/n."""
    counts = native.bootstrap_sums(np.eye(97), samples=4000, seed=11)
    assert_array_equal(counts.sum(axis=1), 97)
    assert abs(counts.mean(axis=0) - 1).max() < 0.08
    assert counts.var() == pytest.approx(1 - 1 / 97, abs=0.01)


def test_intervals_agree_with_sacrebleu() -> None:
    other = peer("sacrebleu").BLEU(force=True)
    hypotheses = [good if n % 3 else bad for n, (good, bad) in enumerate(zip(GOOD, BAD, strict=True))]
    theirs = other.corpus_score(hypotheses, [REF], n_bootstrap=2000)
    report = dragoman.score(hypotheses, REF, "bleu", samples=2000)
    cell = report["system", "bleu"]
    assert cell.low is not None
    assert cell.high is not None
    assert (cell.high - cell.low) / 2 == pytest.approx(theirs._ci, rel=0.1)
    bleu = get_metric("bleu")
    drawn = 100 * bootstrap_scores(bleu.scores, bleu.statistics(hypotheses, REF), samples=2000)
    assert drawn.mean() == pytest.approx(theirs._mean, abs=0.1)


def test_interval_leaves_out_both_ends_alike() -> None:
    assert interval(np.arange(1000.0), 0.95) == (25, 974)
    assert interval(np.arange(100.0)[::-1], 0.9) == (5, 94)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="reference 1, segment 2: an empty reference"):
        dragoman.score(["a", "b"], ["a", " "])
    assert dragoman.score(["a", "b"], ["a", ""], "ter", allow_empty_references=True)["system", "ter"].value == 100
    with pytest.raises(InputError, match="all hypotheses are empty"):
        dragoman.score(["", " "], ["a", "b"])
    with pytest.raises(EncodingError, match="system, segment 2: a NUL"):
        dragoman.score(["a", "b\x00"], ["a", "b"])
    with pytest.raises(EncodingError, match="reference 1, segment 1: a NUL"):
        dragoman.score(["a", "b"], ["a\x00", "b"])
    with pytest.raises(LengthMismatch, match="other: 1 hypotheses, but 2 references"):
        dragoman.score({"one": ["a", "b"], "other": ["a"]}, ["a", "b"])
    with pytest.raises(SettingError, match="confidence"):
        dragoman.score(["a"], ["a"], confidence=1.5)
    with pytest.raises(SettingError, match="samples"):
        dragoman.score(["a"], ["a"], samples=1)
    with pytest.raises(SettingError, match="no metric"):
        dragoman.score(["a"], ["a"], [])
    with pytest.raises(SettingError, match="no system"):
        dragoman.score({}, ["a"])
    with pytest.raises(InputError, match="write \\[segment\\]"):
        dragoman.score("a b", ["a b"])
    with pytest.raises(InputError, match="write \\[segment\\]"):
        dragoman.score(["a b"], "a b")
    with pytest.raises(InputError, match="system: hypothesis 1 is of type int"):
        dragoman.score([1], ["a"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="reference 1: segment 1 is of type int"):
        dragoman.score(["a"], [[1]])  # type: ignore[list-item]
    with pytest.raises(InputError, match="no segments"):
        dragoman.score([], [])


def test_warnings() -> None:
    few = dragoman.score(GOOD[:20], REF[:20], "bleu", confidence=None)
    assert "only 20 segments" in few.warnings[0]
    tokenized = [line.replace(".", " .") for line in GOOD]
    assert "looks tokenized" in dragoman.score(tokenized, REF, "bleu", confidence=None).warnings[0]
    assert dragoman.score(tokenized, [line.replace(".", " .") for line in REF], "bleu", confidence=None).warnings == ()


@pytest.mark.slow
def test_importing_the_package_is_cheap() -> None:
    import subprocess
    import sys

    script = "import sys, dragoman; print('numpy' in sys.modules); dragoman.score; print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="no attribute 'sore'"):
        dragoman.sore  # noqa: B018


def test_published_order_of_systems(data: Path) -> None:
    """newstest2016 cs-en: BLEU and chrF put the systems near the order of the human ranking."""
    from dragoman.files import read_lines

    folder = data / "wmt" / "newstest2016-cs-en"
    names = ["uedin-nmt", "online-B", "cu-mergedtrees"]
    references = list(read_lines(next(folder.glob("ref*"))))
    report = dragoman.score(
        {n: list(read_lines(next(folder.glob(f"{n}*")))) for n in names}, references, ["bleu", "chrf"]
    )
    for metric in ("bleu", "chrf"):
        values = [report[name, metric].value for name in names]
        assert values == sorted(values, reverse=True)
