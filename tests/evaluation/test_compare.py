from __future__ import annotations

import io
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import dragoman
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.compare import Comparison, compare
from dragoman.evaluation.correction import adjusted
from dragoman.evaluation.measures import measure_scores
from dragoman.progress import Progress
from tests.peers import peer

REF = [f"the cat number {n} sat on the mat near the {n % 7} doors ." for n in range(150)]
GOOD = [line.replace("near", "by") for line in REF]
FAIR = [line if n % 2 else line.replace("sat", "lay") for n, line in enumerate(GOOD)]
TWIN = [line.replace("sat", "lay") if n % 2 else line for n, line in enumerate(GOOD)]
POOR = [line.replace("cat", "dog").replace("mat", "rug") for line in FAIR]


@pytest.fixture(scope="module")
def four() -> Comparison:
    return dragoman.compare(
        {"poor": POOR, "fair": FAIR, "twin": TWIN, "good": GOOD}, REF, ["bleu", "ter", "bleu - ter"], samples=1000
    )


def test_clusters_ranks_and_scores(four: Comparison) -> None:
    for metric in four:
        assert metric.order[0] == "good"
        assert metric.order[-1] == "poor"
        assert [sorted(group) for group in metric.clusters] == [["good"], ["fair", "twin"], ["poor"]]
        assert metric.ranks["fair"] == metric.ranks["twin"] == (2, 3)
    scored = dragoman.score({"fair": FAIR}, REF, "bleu", samples=1000)["fair", "bleu"]
    assert four["bleu"].scores["fair"] == pytest.approx(scored.value)
    # one computation of intervals: the same samples and seed give the same bounds
    assert four["bleu"].intervals["fair"] == pytest.approx((scored.low, scored.high))
    assert four["bleu"].signature == dragoman.score(FAIR, REF, "bleu", confidence=None).signatures["bleu"]


def test_differences_are_oriented(four: Comparison) -> None:
    for metric in four:
        difference = metric.differences["good", "poor"]
        assert difference.delta > 0
        assert difference.interval[0] > 0
        assert difference.p < 0.01
        assert metric.p["good"]["poor"] < 0.01
        assert "good" not in metric.p["poor"]
        assert metric.difference("poor", "good") is difference
        assert metric.pair_p("poor", "good") == metric.p["good"]["poor"]
    assert four["ter"].scores["good"] < four["ter"].scores["poor"]


def test_corrections_and_warnings(four: Comparison) -> None:
    assert any("6 pairs were tested without correction" in line for line in four.warnings)
    systems = {"poor": POOR, "fair": FAIR, "twin": TWIN, "good": GOOD}
    holm = dragoman.compare(systems, REF, "bleu", samples=1000, correction="holm")
    assert not holm.warnings
    raw = [found.p for found in holm["bleu"].differences.values()]
    assert raw == [found.p for found in four["bleu"].differences.values()]
    corrected = [holm["bleu"].pair_p(x, y) for x, y in holm["bleu"].differences]
    assert corrected == adjusted(raw, "holm")


def test_identical_outputs() -> None:
    found = dragoman.compare({"A": GOOD, "B": GOOD}, REF, "bleu", samples=100)
    assert found["bleu"].pair_p("A", "B") == 1
    assert found["bleu"].clusters == (("A", "B"),)
    assert any("B and A are the same texts" in line for line in found.warnings)
    assert "No significant difference between A and B (p = 1.0000)" in str(found)


def test_baseline() -> None:
    found = dragoman.compare({"poor": POOR, "fair": FAIR, "good": GOOD}, REF, "bleu", baseline="fair", samples=500)
    assert set(found["bleu"].differences) == {("good", "fair"), ("poor", "fair")}
    assert found["bleu"].clusters == ()
    assert "good is significantly better than fair" in str(found)
    assert "fair is significantly better than poor" in str(found)
    one = dragoman.compare({"poor": POOR, "fair": FAIR}, REF, "bleu", baseline="fair", sided=1, samples=500)
    assert one["bleu"].pair_p("poor", "fair") > 0.9
    assert "poor was not shown to be better than fair" in str(one)


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "paired-bootstrap", "riezler-maxwell"])
def test_every_test(test: str) -> None:
    found = dragoman.compare({"A": GOOD, "B": POOR}, REF, "chrf", test=test, samples=300)
    assert found["chrf"].pair_p("A", "B") < 0.05
    few = dragoman.compare({"A": GOOD[:6], "B": POOR[:6]}, REF[:6], "ter", test=test)
    assert few["ter"].differences["A", "B"].seed is None  # enumerated
    assert "exact" in few.test.describe(6)


def test_scores_from_elsewhere() -> None:
    random = np.random.default_rng(1)
    base = random.normal(size=150)
    comet = {"A": base + 0.5, "B": base + random.normal(0, 0.1, size=150)}
    errors = {name: -values for name, values in comet.items()}
    found = compare(
        {"A": GOOD, "B": FAIR},
        REF,
        "bleu",
        scores={"comet": comet, "errors": errors},
        higher_is_better={"errors": False},
        samples=1000,
    )
    assert list(found.metrics) == ["bleu", "comet", "errors"]
    assert found["comet"].pair_p("A", "B") == found["errors"].pair_p("A", "B") < 0.01
    assert found["comet"].order == found["errors"].order == ("A", "B")
    assert any("comet: A has negative scores" in line for line in found.warnings)
    assert not any("errors:" in line for line in found.warnings)
    alone = compare(scores={"comet": comet}, samples=1000)
    assert alone["comet"].differences == found["comet"].differences
    assert alone["comet"].differences["A", "B"].delta == pytest.approx(float((comet["A"] - comet["B"]).mean()))


def test_refusals() -> None:
    both = {"A": GOOD, "B": FAIR}
    with pytest.raises(LengthMismatch, match="B: 2 hypotheses, but 150 references"):
        compare({"A": GOOD, "B": FAIR[:2]}, REF)
    with pytest.raises(InputError, match="1 system; a comparison needs at least two"):
        compare({"A": GOOD}, REF, "bleu")
    with pytest.raises(SettingError, match="no references"):
        compare(both)
    with pytest.raises(SettingError, match="nothing to compare by"):
        compare()
    with pytest.raises(SettingError, match="baseline is 'C'; it must be one of A, B"):
        compare(both, REF, "bleu", baseline="C")
    with pytest.raises(SettingError, match=r"100 samples cannot decide at level 0.001; take at least 2000"):
        compare(both, REF, "bleu", samples=100, alpha=0.001)
    with pytest.raises(SettingError, match="alpha is 2"):
        compare(both, REF, "bleu", alpha=2)
    with pytest.raises(SettingError, match="correction is"):
        compare(both, REF, "bleu", correction="bonferroni")
    with pytest.raises(SettingError, match="name is"):
        compare(both, REF, "bleu", test="t")
    with pytest.raises(InputError, match="write \\[segment\\]"):
        compare({"A": "a b", "B": "c"}, ["a b"])
    with pytest.raises(LengthMismatch, match="comet: 2 segments, but 150 by bleu"):
        compare(both, REF, "bleu", scores={"comet": {"A": [1, 2], "B": [2, 3]}})
    with pytest.raises(InputError, match="bleu has scores of 'B', comet has none"):
        compare(both, REF, "bleu", scores={"comet": {"A": [1.0] * 150}})
    with pytest.raises(SettingError, match="two metrics are called 'bleu'"):
        compare(both, REF, "bleu", scores={"bleu": {"A": [1.0] * 150, "B": [1.0] * 150}})
    with pytest.raises(SettingError, match="a direction for 'comet'"):
        compare(both, REF, "bleu", higher_is_better={"comet": False})
    with pytest.raises(LengthMismatch, match="m, B: 3 scores, but 2 of A"):
        compare(scores={"m": {"A": [1, 2], "B": [1, 2, 3]}})
    with pytest.raises(InputError, match="m, B: the score of segment 2 is nan"):
        compare(scores={"m": {"A": [1, 2], "B": [1, float("nan")]}})
    with pytest.raises(InputError, match="flat list"):
        compare(scores={"m": {"A": [[1, 2]], "B": [1, 2]}})
    with pytest.raises(SettingError, match="no system has scores"):
        compare(scores={"m": {}})
    assert "all 3 scores of A are 1" in measure_scores("m", {"A": [1, 1, 1]}).warnings[0]


def test_reports(four: Comparison, tmp_path: Path) -> None:
    text = io.StringIO()
    Console(file=text, width=150).print(four)
    assert "good > {fair, twin} > poor" in text.getvalue() or "good > {twin, fair} > poor" in text.getvalue()
    assert "randomization, two-sided, 1,000 samples, seed 1" in text.getvalue()
    for suffix in (".md", ".html", ".tex", ".json"):
        files = four.write(tmp_path / f"report{suffix}")
        assert len(files) == (7 if suffix in (".md", ".json") else 1)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("<svg") == 6
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert (tmp_path / "report.tex").read_text("utf-8").count(r"\begin{tikzpicture}") == 6
    loaded = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert loaded["pictures"][0] == "report.differences-1.svg"
    assert loaded["metrics"]["bleu"]["clusters"][0] == ["good"]
    assert json.loads(four.to_json()) == {key: value for key, value in loaded.items() if key != "pictures"}
    markdown = (tmp_path / "report.md").read_text("utf-8")
    assert "(report.significance-3.svg)" in markdown
    assert (tmp_path / "report.significance-3.svg").exists()
    with pytest.raises(SettingError, match=r"ending is '.doc'"):
        four.write(tmp_path / "report.doc")


def test_names_are_escaped_everywhere(tmp_path: Path) -> None:
    name = "[<b>x_1</b>] | & %"
    found = dragoman.compare({name: GOOD, "other": FAIR}, REF, "bleu", samples=100)
    page = found.to_html()
    assert "<b>x_1" not in page
    assert "&lt;b&gt;x_1&lt;/b&gt;" in page
    assert r"\[\<b\>x\_1\</b\>\] \| & %" in found.to_markdown()
    latex = found.to_latex()
    assert r"{}[\textless{}b\textgreater{}x\_1" in latex
    assert r"\& \%" in latex
    text = io.StringIO()
    Console(file=text, width=150).print(found)
    assert name in text.getvalue()
    assert "&lt;b&gt;" in found._repr_html_()


def test_threads_and_progress() -> None:
    seen: list[Progress] = []
    systems = {"A": GOOD, "B": FAIR, "C": POOR}
    first = compare(systems, REF, ["bleu", "chrf"], samples=200, progress=seen.append)
    second = compare(systems, REF, ["bleu", "chrf"], samples=200, threads=4)
    assert first.to_dict() == second.to_dict()
    assert [(step.done, step.total) for step in seen if step.stage == "testing"] == [(k, 6) for k in range(1, 7)]
    assert len([step for step in seen if step.stage == "scoring"]) == 6


def test_many_systems_are_drawn_against_the_best() -> None:
    random = np.random.default_rng(3)
    scores = {f"S{k}": random.normal(0.05 * k, 1, size=80) for k in range(8)}
    found = compare(scores={"m": scores}, samples=200)
    drawn = found.document().pictures()[0].drawing.svg()
    assert drawn.count("<circle") == 7
    assert found.document().pictures()[1].drawing.svg().count("<rect") == 65


def test_conclusions_are_those_of_sacrebleu() -> None:
    """Different samples, same question: the same p-values but for the noise of sampling."""
    sacrebleu = peer("sacrebleu")
    random = np.random.default_rng(2)
    noisy = [" ".join(word for word in line.split() if random.random() > 0.08) for line in REF]
    other = [" ".join(word for word in line.split() if random.random() > 0.10) for line in REF]
    metrics = {"BLEU": sacrebleu.BLEU(force=True), "chrF": sacrebleu.CHRF()}
    paired = import_module("sacrebleu.significance").PairedTest
    theirs = paired([("A", noisy), ("B", other)], metrics, [REF], test_type="ar", n_samples=2000)()[1]
    ours = compare({"A": noisy, "B": other}, REF, ["bleu", "chrf"])
    for label, key in (("bleu", "BLEU"), ("chrf", "chrF2")):
        assert ours[label].pair_p("A", "B") == pytest.approx(theirs[key][1].p_value, abs=0.04)
        assert ours[label].scores["B"] == pytest.approx(theirs[key][1].score, abs=1e-6)
