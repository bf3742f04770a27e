"""`dragoman compare`, `correlate` and `gains` from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import DragomanError, InputError, LengthMismatch, SettingError
from dragoman.metrics import get_metric

REF = [f"the cat number {n} sat on the mat near {n % 7} doors." for n in range(120)]
GOOD = [line.replace("near", "by") for line in REF]
FAIR = [line if n % 2 else line.replace("sat", "lay") for n, line in enumerate(GOOD)]
POOR = [line.replace("cat", "dog").replace("mat", "rug") for line in FAIR]
BAD = [line.replace("number", "of size") for line in POOR]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def loaded(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REF, "good": GOOD, "fair": FAIR, "poor": POOR, "bad": BAD}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    random = np.random.default_rng(1)
    with (tmp_path / "human.tsv").open("w") as table:
        table.write("METRIC\tLP\tTESTSET\tSYSTEM\tSEGMENT\tSCORE\n")
        for name, mean in (("good", 80), ("fair", 70), ("poor", 50), ("bad", 40)):
            for segment in range(1, 121):
                if random.random() < 0.7:
                    table.write(f"HUMAN\txx-en\tt\t{name}\t{segment}\t{mean + random.normal(0, 10):.3f}\n")
    return tmp_path


SYSTEMS = ("good", "fair", "poor", "bad")


def test_compare_shows_clusters_and_writes_reports() -> None:
    text = run(
        "compare", *SYSTEMS, "-r", "ref", "-m", "bleu", "--samples", "500", "--report", "r.html", "--report", "r.md"
    )
    assert "Clusters, best first: good > fair > poor > bad." in text
    assert "randomization, two-sided, 500 samples, seed 1" in text
    assert "<svg" in Path("r.html").read_text("utf-8")
    assert Path("r.differences-1.svg").exists()
    found = loaded(
        "compare",
        *SYSTEMS,
        "-r",
        "ref",
        "-m",
        "ter",
        "--baseline",
        "fair",
        "--one-sided",
        "--correction",
        "holm",
        "--test",
        "bootstrap",
        "--samples",
        "500",
    )
    assert found["test"]["name"] == "bootstrap"
    assert found["test"]["sided"] == 1
    assert [pair["second"] for pair in found["metrics"]["ter"]["pairs"]] == ["fair"] * 3


def test_compare_reads_scores_from_elsewhere(files: Path) -> None:
    lines = [
        f"{name}\tSegment {k}\tscore: {0.5 + (k % 9) / 100 + lead}\n"
        for name, lead in (("good", 0.1), ("fair", 0))
        for k in range(120)
    ]
    (files / "comet.txt").write_text("".join(lines), "utf-8")
    (files / "a.txt").write_text("".join(f"{k % 7}\n" for k in range(120)), "utf-8")
    (files / "b.txt").write_text("".join(f"{k % 8}\n" for k in range(120)), "utf-8")
    found = loaded(
        "compare",
        "A=good",
        "B=fair",
        "-r",
        "ref",
        "-m",
        "bleu",
        "-s",
        "comet=comet.txt",
        "-s",
        "errors:A=a.txt",
        "-s",
        "errors:B=b.txt",
        "--lower-is-better",
        "errors",
        "--samples",
        "200",
    )
    assert list(found["metrics"]) == ["bleu", "comet", "errors"]
    assert found["metrics"]["comet"]["order"] == ["A", "B"]
    assert found["metrics"]["errors"]["order"] == ["A", "B"]
    alone = loaded("compare", "-s", "comet=comet.txt", "--samples", "200")
    assert alone["metrics"]["comet"]["order"] == ["good", "fair"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["good", "fair"], SettingError, "no references"),
        (["good", "-r", "ref"], InputError, "1 system"),
        ([], SettingError, "nothing to compare by"),
        (["good", "fair", "-r", "ref", "-s", "comet"], SettingError, "METRIC=TABLE"),
        (["good", "fair", "-r", "ref", "-s", "x:good=ref"], DragomanError, "line 1"),
        (["good", "fair", "-r", "ref", "--report", "x.pdf", "--samples", "100"], SettingError, "ending is '.pdf'"),
        (["good", "fair", "-r", "ref", "--exact"], SettingError, "too many to enumerate"),
        (["good", "short", "-r", "ref"], LengthMismatch, "different numbers of segments"),
    ],
)
def test_compare_refuses(files: Path, arguments: list[str], error: type[Exception], message: str) -> None:
    (files / "short").write_text("one line\n", "utf-8")
    with pytest.raises(error, match=message):
        CliRunner().invoke(app, ["compare", *arguments], catch_exceptions=False)


def test_two_files_of_scores_of_one_system(files: Path) -> None:
    (files / "s").write_text("1\n2\n", "utf-8")
    with pytest.raises(InputError, match="m has two sets of scores of A"):
        CliRunner().invoke(app, ["compare", "-s", "m:A=s", "-s", "m:A=s"], catch_exceptions=False)


def test_correlate_texts_at_all_levels() -> None:
    common = ["correlate", *SYSTEMS, "-r", "ref", "-m", "bleu", "-m", "ter", "--human", "human.tsv"]
    (system,) = loaded(*common, "--level", "system")["studies"]
    assert (system["n"], system["level"], system["pair"]) == (4, "system", "xx-en")
    assert system["metrics"]["ter"]["higher_is_better"] is False
    assert system["metrics"]["bleu"]["pearson"] > 0.9
    (segment,) = loaded(*common)["studies"]
    assert segment["level"] == "segment"
    assert 280 < segment["n"] < 380
    assert segment["metrics"]["bleu"]["preference_kendall"] > 0.5
    (hybrid,) = loaded(*common, "--level", "hybrid", "--hybrids", "500")["studies"]
    assert (hybrid["n"], hybrid["level"]) == (500, "hybrid")
    assert hybrid["metrics"]["bleu"]["pearson"] > 0.5
    text = run(*common, "--level", "system", "--report", "study.tex")
    assert "Williams' test, one-sided" in text
    assert r"\begin{tikzpicture}" in Path("study.tex").read_text("utf-8")


def test_correlate_files(files: Path) -> None:
    rows = ["METRIC\tLP\tTESTSET\tSYSTEM\tSEGMENT\tSCORE"]
    for metric in ("bleu+1", "ter"):
        scorer = get_metric(metric)
        for name, lines in {"good": GOOD, "fair": FAIR, "poor": POOR, "bad": BAD}.items():
            rows += [
                f"{metric}\txx-en\tt\t{name}\t{k}\t{score!r}"
                for k, score in enumerate(scorer.sentence_scores(lines, REF).tolist(), 1)
            ]
    (files / "metrics.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    common = ["correlate", "--human", "human.tsv", "--scores", "metrics.tsv"]
    with pytest.raises(InputError, match="has no score of"):
        CliRunner().invoke(app, common, catch_exceptions=False)
    (segment,) = loaded(*common, "--intersect", "--lower-is-better", "ter")["studies"]
    assert segment["level"] == "segment"
    (system,) = loaded(*common, "--level", "system", "--two-sided", "--coefficient", "spearman", "--correction", "bh")[
        "studies"
    ]
    assert (system["n"], system["alternative"], system["coefficient"]) == (4, "two-sided", "spearman")
    (hybrid,) = loaded(*common, "--level", "hybrid", "--hybrids", "200", "--lower-is-better", "ter")["studies"]
    assert hybrid["n"] == 200
    assert hybrid["metrics"]["ter"]["higher_is_better"] is False


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ([], SettingError, "nothing to correlate"),
        (["good", "fair"], SettingError, "no references"),
        (["good", "-r", "ref", "--level", "document"], SettingError, "level is"),
        (["good", "-r", "ref", "--languages", "yy-en"], InputError, "there are: none"),
        (["good", "fair", "-r", "ref", "--level", "hybrid", "--first-segment", "5"], InputError, "does not exist"),
        (["good", "fair", "-r", "ref", "--coefficient", "covariance"], SettingError, "coefficient is"),
    ],
)
def test_correlate_refuses(arguments: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CliRunner().invoke(app, ["correlate", "--human", "human.tsv", *arguments], catch_exceptions=False)


def test_correlate_with_preferences(files: Path) -> None:
    lines = ["segment\tsystem1\trank1\tsystem2\trank2"]
    lines += [f"{k}\tgood\t1\tpoor\t{2 if k % 5 else 1}" for k in range(1, 121)]
    (files / "pairs.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    common = ["correlate", "good", "poor", "-r", "ref", "-m", "bleu+1", "-m", "ter", "--human", "pairs.tsv"]
    found = loaded(*common)
    assert (found["level"], found["pairs"], found["ties"]) == ("preference", 120, 24)
    assert found["metrics"]["ter"]["wmt14"]["tau"] == 1
    assert "120 preferences, 120 segments" in run(*common, "--report", "taus.md")
    assert Path("taus.preferences.svg").exists()


def test_gains(files: Path) -> None:
    rows = ["SYSTEM\tTESTSET\tSCORE", "a\t07\t40", "now\t07\t60", "b\t12\t41", "now\t12\t52"]
    (files / "years.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    found = loaded("gains", "years.tsv", "--old", "07", "--new", "12", "--benchmark", "now")
    assert found["gains"][0]["gain"] == pytest.approx(9)
    text = run("gains", "years.tsv", "--old", "07:a", "--new", "12:b", "--benchmark", "now")
    assert "+9.00" in text
