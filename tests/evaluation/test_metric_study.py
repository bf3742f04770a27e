from __future__ import annotations

import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.evaluation.correlation import wmt_kendall
from dragoman.evaluation.hybrids import hybrid_scores, study_hybrids
from dragoman.evaluation.measures import Measure, measure_scores, measure_texts
from dragoman.evaluation.metric_study import StudySettings, preferences_from_scores, studies, study_metrics
from dragoman.evaluation.score_files import ScoreRow, read_metrics_task

HUMAN = {"A": 61.0, "B": 58.5, "C": 55.0, "D": 49.0, "E": 47.5, "F": 46.0}
GOOD = {"A": 31.0, "B": 29.0, "C": 28.5, "D": 25.0, "E": 24.5, "F": 23.0}
ERRORS = {"A": 50.0, "B": 55.0, "C": 52.0, "D": 61.0, "E": 58.0, "F": 60.0}


def williams_example(data: Path, folder: str) -> tuple[list[ScoreRow], list[ScoreRow]]:
    place = data / "wmt" / "williams" / folder
    return (
        read_metrics_task(place / "mt-systems-scored-by-humans"),
        read_metrics_task(place / "mt-systems-scored-by-metrics"),
    )


def test_published_williams_example(data: Path) -> None:
    """The example of Graham and Baldwin (2014), to the last digit; it was computed with n - 2 degrees of freedom."""
    human, metrics = williams_example(data, "example-data")
    (study,) = studies(human, metrics, StudySettings(df="n-2"))
    output = data / "wmt" / "williams" / "example-output"
    for line in (output / "orig.pearson-corr.es-en").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            metric, r = line.split()
            assert study[metric].pearson.r == pytest.approx(float(r), abs=1e-14)
    assert study.matrix is not None
    lines = (output / "orig.williams-results.es-en").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    for name, *cells in rows[1:]:
        for other, cell in zip(rows[0][1:], cells, strict=True):
            p = study.matrix.p[name].get(other)
            if cell.strip() == "-":
                assert p is None
            else:
                assert p == pytest.approx(float(cell), abs=1e-15)


def test_published_figures_of_twelve_metrics(data: Path) -> None:
    """Spanish-English 2012: order, correlations, and the share of significant pairs."""
    human, metrics = williams_example(data, "example-data-multi")
    (study,) = studies(human, metrics, pair="es-en")
    assert [found.metric for found in study.agreements[:3]] == ["TerrorCat", "Meteor", "SAGAN_STS"]
    expected = {"TerrorCat": 0.9708, "AMBER": 0.8807, "SIMPBLEU": 0.7875, "TER": 0.7472}
    assert {name: round(study[name].pearson.r, 4) for name in expected} == expected
    assert study["TerrorCat"].spearman.r == pytest.approx(0.965, abs=5e-4)
    assert not study["TER"].higher_is_better
    assert study.matrix is not None
    assert len(study.matrix.significant(0.05)) == 36
    (published,) = studies(human, metrics, StudySettings(df="n-2"), pair="es-en")
    assert published.matrix is not None
    assert len(published.matrix.significant(0.05)) == 38
    both = studies(human, metrics)
    assert [one.pair for one in both] == ["es-en", "en-fr"]


def test_directions_and_contrasts() -> None:
    study = study_metrics(HUMAN, {"good": GOOD, "errors": ERRORS}, StudySettings(higher_is_better={"errors": False}))
    assert [found.metric for found in study.agreements] == ["good", "errors"]
    assert study["errors"].pearson.r > 0
    (contrast,) = study.contrasts
    assert study.matrix is not None
    assert contrast.p == study.matrix.p["good"]["errors"]
    assert contrast.p_fisher is not None
    assert contrast.p_steiger is not None
    assert contrast.p_fisher > contrast.p
    low, high = contrast.interval
    assert low < study["good"].pearson.r - study["errors"].pearson.r < high
    assert study.significant_share in (0.0, 1.0)
    assert study["good"].fitted_rmse < study["errors"].fitted_rmse
    with pytest.raises(KeyError):
        study["other"]
    wrong = study_metrics(HUMAN, {"good": GOOD, "errors": ERRORS}, StudySettings(higher_is_better={"errors": True}))
    assert any("wrong direction" in line for line in wrong.warnings)


def test_one_metric_three_systems_and_kendall() -> None:
    alone = study_metrics(HUMAN, {"good": GOOD})
    assert alone.matrix is None
    assert alone.contrasts == ()
    three = {name: {key: scores[key] for key in "ABC"} for name, scores in (("h", HUMAN), ("g", GOOD), ("e", ERRORS))}
    study = study_metrics(three["h"], {"g": three["g"], "e": three["e"]})
    assert study.matrix is None
    assert study["g"].interval is None
    assert any("needs 4" in line for line in study.warnings)
    ranked = study_metrics(HUMAN, {"good": GOOD, "errors": ERRORS}, StudySettings(coefficient="kendall"))
    assert any("Kendall" in line for line in ranked.warnings)


def test_segments_and_preferences() -> None:
    human = {("A", "1"): 80.0, ("B", "1"): 40.0, ("C", "1"): 40.0, ("A", "2"): 10.0, ("B", "2"): 30.0}
    metric = {("A", "1"): 0.5, ("B", "1"): 0.2, ("C", "1"): 0.5, ("A", "2"): 0.1, ("B", "2"): 0.0}
    pairs = preferences_from_scores(human, metric)
    assert len(pairs) == 3  # A-B, A-C of segment 1; A-B of segment 2
    study = study_metrics(human, {"m": metric}, level="segment")
    assert study["m"].preference_kendall == pytest.approx(wmt_kendall(pairs, "wmt14")) == pytest.approx(0)
    far = study_metrics(human, {"m": metric}, StudySettings(gap=25, variant="wmt13"), level="segment")
    assert far["m"].preference_kendall == 1  # only segment 1 is left; the tie with C does not count


def test_intersection_and_refusals() -> None:
    fewer = {name: score for name, score in GOOD.items() if name != "C"}
    with pytest.raises(InputError, match="es-en, news: good has no score of C"):
        study_metrics(HUMAN, {"good": fewer}, pair="es-en", test_set="news")
    study = study_metrics(HUMAN, {"good": fewer}, StudySettings(intersect=True))
    assert study.n == 5
    assert "1 of 6 systems were dropped" in study.warnings[0]
    with pytest.raises(InputError, match="HUMAN has no score of Z"):
        study_metrics(HUMAN, {"good": {**GOOD, "Z": 1.0}})
    with pytest.raises(InputError, match="good: all scores are equal"):
        study_metrics(HUMAN, {"good": dict.fromkeys(HUMAN, 1.0)})
    with pytest.raises(InputError, match="HUMAN: the score of A is nan"):
        study_metrics({**HUMAN, "A": math.nan}, {"good": GOOD})
    with pytest.raises(InputError, match="2 systems; a correlation needs at least 3"):
        study_metrics({"A": 1.0, "B": 2.0}, {"m": {"A": 1.0, "B": 2.0}})
    with pytest.raises(SettingError, match="no metric"):
        study_metrics(HUMAN, {})
    for settings in (
        {"coefficient": "r"},
        {"df": "n"},
        {"variant": "wmt99"},
        {"correction": "x"},
        {"alpha": 0.0},
        {"gap": -1},
    ):
        with pytest.raises(SettingError, match=f"{next(iter(settings))} is"):
            StudySettings(**settings)


def test_rows_are_grouped_and_checked() -> None:
    def rows(metric: str, scores: dict[str, float], pair: str = "x-y") -> list[ScoreRow]:
        return [ScoreRow(metric, pair, "t", name, None, score, k + 2) for k, (name, score) in enumerate(scores.items())]

    human = rows("HUMAN", HUMAN)
    (study,) = studies(human, rows("good", GOOD) + rows("good", GOOD, pair="y-x"))
    assert study.pair == "x-y"
    with pytest.raises(InputError, match="line 2: good scores A of x-y, t twice"):
        studies(human, rows("good", GOOD) + rows("good", GOOD))
    with pytest.raises(InputError, match="nothing of z-z, any test set; only x-y t"):
        studies(human, rows("good", GOOD), pair="z-z")
    with pytest.raises(InputError, match="x-y, t: more than one human score: HUMAN, HUMAN2"):
        studies(human + rows("HUMAN2", HUMAN), rows("good", GOOD))
    with pytest.raises(InputError, match="x-y, t: no metric scored"):
        studies(human, rows("good", GOOD, pair="y-x"))


def test_reports_escape_and_draw(tmp_path: Path) -> None:
    name = "a_b & <c> |[d]"
    study = study_metrics(HUMAN, {name: GOOD, "errors": ERRORS})
    text = io.StringIO()
    Console(file=text, width=150).print(study)
    assert name in text.getvalue()
    assert "1 of 1 pairs" in text.getvalue() or "0 of 1 pairs" in text.getvalue()
    page = study._repr_html_()
    assert "<c>" not in page
    assert page.count("<svg") == 4
    for suffix in (".md", ".html", ".tex", ".json"):
        files = study.write(tmp_path / f"report{suffix}")
        assert all(file.exists() for file in files)
        assert len(files) == (5 if suffix in (".md", ".json") else 1)
    assert r"\&" in (tmp_path / "report.tex").read_text("utf-8")
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["order"][0] in (name, "errors")
    assert "\\|" in (tmp_path / "report.md").read_text("utf-8")


@pytest.fixture(scope="module")
def judged() -> tuple[list[Measure], dict[str, list[float]]]:
    """Six systems of rising quality: a metric that sees it well, one that sees it badly, and people."""
    random = np.random.default_rng(7)
    quality = {f"S{k}": 0.1 * k for k in range(6)}
    truth = {name: q + random.normal(0, 1, size=200) for name, q in quality.items()}
    sharp = {name: values + random.normal(0, 0.5, size=200) for name, values in truth.items()}
    blunt = {name: values + random.normal(0, 4, size=200) for name, values in truth.items()}
    human = {name: values + random.normal(0, 0.3, size=200) for name, values in truth.items()}
    for values in human.values():
        values[random.random(200) < 0.4] = np.nan
    measures = [
        measure_scores("sharp", sharp, higher_is_better=True),
        measure_scores("blunt", blunt, higher_is_better=True),
    ]
    return measures, {name: values.tolist() for name, values in human.items()}


def test_hybrids_tell_metrics_apart(judged: tuple[list[Measure], dict[str, list[float]]]) -> None:
    measures, human = judged
    study = study_hybrids(measures, human, hybrids=2000)
    assert study.n == 2000
    assert study.level == "hybrid"
    assert study.matrix is not None
    p = study.matrix.p["sharp"]["blunt"]
    assert p is not None
    assert p < 1e-6
    means = {name: float(np.nanmean(values)) for name, values in human.items()}
    few = study_metrics(means, {one.label: one.corpus_scores() for one in measures})
    assert few.n == 6
    again, _ = hybrid_scores(measures, human, hybrids=50, threads=3)
    np.testing.assert_array_equal(again, hybrid_scores(measures, human, hybrids=50)[0])


def test_a_hybrid_is_scored_as_its_text_would_be() -> None:
    """Sums of statistics give the score of the hybrid's text; each hybrid lies among what its parts allow."""
    references = [f"the cat number {n} sat on the mat near {n % 7} doors" for n in range(30)]
    systems = {
        "A": [line.replace("near", "by") for line in references],
        "B": [line.replace("cat", "dog").replace("mat", "rug") for line in references],
    }
    measures, _ = measure_texts(systems, references, ["bleu", "ter"])
    human = {"A": [1.0] * 30, "B": [0.0] * 30}
    people, scores = hybrid_scores(measures, human, hybrids=300)
    assert 0.3 < people.mean() < 0.7
    whole = measures[0].corpus_scores()
    assert whole["B"] < scores["bleu"].min() < scores["bleu"].max() < whole["A"]
    assert np.corrcoef(people, scores["bleu"])[0, 1] > 0.95
    assert np.corrcoef(people, scores["ter"])[0, 1] < -0.95


def test_hybrid_refusals(judged: tuple[list[Measure], dict[str, list[float]]]) -> None:
    measures, human = judged
    with pytest.raises(InputError, match="people did not score S0"):
        hybrid_scores(measures, {name: values for name, values in human.items() if name != "S0"})
    with pytest.raises(LengthMismatch, match="S0: 3 human scores of 200"):
        hybrid_scores(measures, {**human, "S0": [1, 2, 3]})
    with pytest.raises(InputError, match="too few segments"):
        hybrid_scores(measures, {name: [math.nan] * 200 for name in human}, hybrids=10)
    lonely = {name: [1.0 if k % 6 == at else math.nan for k in range(200)] for at, name in enumerate(human)}
    with pytest.raises(InputError, match="too few segments"):
        hybrid_scores(measures, lonely, hybrids=10)
    with pytest.raises(InputError, match="S0: a human score is infinite"):
        hybrid_scores(measures, {**human, "S0": [math.inf] * 200})
    with pytest.raises(SettingError, match="hybrids is 1"):
        hybrid_scores(measures, human, hybrids=1)
    with pytest.raises(SettingError, match="no metric"):
        hybrid_scores([], human)
    with pytest.raises(InputError, match="two systems"):
        hybrid_scores([measure_scores("m", {"A": [1, 2]})], {"A": [1, 2]})
    with pytest.raises(LengthMismatch, match="other: metrics saw different"):
        hybrid_scores([measures[0], measure_scores("other", {"A": [1.0]})], human)
