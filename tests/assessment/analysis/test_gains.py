"""Gains over the years on human scores: estimates, intervals, and what narrow scales do to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dragoman.assessment.analysis.campaign_analysis import analyse
from dragoman.assessment.analysis.gains import LEAST_ASSESSORS, GainRow, human_gains
from dragoman.assessment.analysis.report import analysis_document
from dragoman.assessment.analysis.standardize import standardize
from dragoman.assessment.ratings import Rating, Ratings
from dragoman.errors import InputError

MEANS = {("BEST07", "2007"): 54.0, ("BEST12", "2012"): 56.0, ("CURR", "2007"): 65.0, ("CURR", "2012"): 57.0}
ENDS = {"old": ("BEST07", "2007"), "new": ("BEST12", "2012")}


def row(score: float, who: str, system: str, testset: str, segment: int, kind: str = "system") -> Rating:
    item = f"{kind}{system}{testset}{segment}{who}"
    return Rating(who, "t", 0, item, kind, score, testset=testset, system=system, segment=str(segment))  # type: ignore[arg-type]


def judged(
    people: int, count: int = 240, *, seed: int = 6, sizes: dict[tuple[str, str], int] | None = None
) -> list[Rating]:
    """Judgements of the four cells and of references, shared out among people."""
    rng = np.random.default_rng(seed)
    rows = [
        row(float(np.clip(rng.normal(mean, 15), 0, 100)), f"w{at % people}", *cell, at)
        for cell, mean in MEANS.items()
        for at in range((sizes or {}).get(cell, count))
    ]
    return rows + [
        row(float(rng.uniform(85, 100)), f"w{at % people}", "", testset, at, "reference")
        for testset in ("2007", "2012")
        for at in range(count // 4)
    ]


def gain(rows: list[Rating]) -> GainRow:
    return human_gains(standardize(rows), benchmark="CURR", **ENDS)[0]  # type: ignore[arg-type]


def width(found: GainRow) -> float:
    assert found.raw.interval is not None
    return found.raw.interval[1] - found.raw.interval[0]


def test_gain_over_time_on_judgements() -> None:
    rows = judged(12)
    found = gain(rows)
    cells = {cell: np.mean([one.score for one in rows if (one.system, one.testset) == cell]) for cell in MEANS}
    naive = cells["BEST12", "2012"] - cells["BEST07", "2007"]
    difficulty = cells["CURR", "2007"] - cells["CURR", "2012"]
    assert (found.raw.naive, found.raw.difficulty, found.raw.gain) == pytest.approx(
        (naive, difficulty, naive + difficulty)
    )
    assert found.raw.interval is not None
    assert found.raw.interval[0] < 10 < found.raw.interval[1]
    assert found.judgements == {"old": 240, "new": 240, "benchmark_on_old": 240, "benchmark_on_new": 240}
    assert (found.drawn, found.assessors) == ("assessors", 12)
    with pytest.raises(InputError, match="CURR9 on 2007"):
        human_gains(standardize(rows), benchmark="CURR9", **ENDS)  # type: ignore[arg-type]


@pytest.mark.parametrize("people", [1, 2, LEAST_ASSESSORS - 1])
def test_few_assessors_still_leave_doubt(people: int) -> None:
    """One person cannot be drawn from: the interval is then of their judgements, as wide as theory says."""
    found = gain(judged(people))
    assert found.drawn == "judgements"
    expected = 2 * 1.96 * np.sqrt(4 * 15**2 / 240)
    assert width(found) == pytest.approx(expected, rel=0.15)
    assert found.z.interval is not None
    assert found.z.interval[0] < found.z.gain < found.z.interval[1]


def test_unequal_cells_are_drawn_by_themselves() -> None:
    """The n-th judgement of one system has nothing to do with the n-th of another, whatever their numbers."""
    found = gain(judged(2, sizes={("CURR", "2007"): 100, ("BEST12", "2012"): 190}))
    assert found.judgements["benchmark_on_old"] == 100
    assert width(found) > 0
    same = [replace(one, score=float(30 + 7 * (int(one.segment) % 6))) for one in judged(2)]
    assert width(gain(same)) > 3  # drawn in pairs, equal scores of two systems would cancel to nothing


def test_somebody_who_judged_a_cell_alone() -> None:
    rows = [
        replace(one, assessor="w0") if (one.system, one.testset) == ("BEST07", "2007") else one for one in judged(6)
    ]
    found = gain(rows)
    assert found.drawn == "judgements"
    assert width(found) > 0


def test_a_single_judgement_has_no_interval() -> None:
    found = gain(judged(3, sizes={("BEST07", "2007"): 1}))
    assert (found.raw.interval, found.z.interval) == (None, None)
    assert found.share is not None
    assert found.share.interval is None


def test_narrow_scales_shrink_points_but_not_the_share() -> None:
    rows = judged(12)
    narrow = [replace(one, score=0.6 * one.score + 30) for one in rows]
    plain, shrunk = gain(rows), gain(narrow)
    assert plain.share is not None
    assert shrunk.share is not None
    assert shrunk.raw.gain == pytest.approx(0.6 * plain.raw.gain)
    assert shrunk.share.gain == pytest.approx(plain.share.gain)
    assert shrunk.share.interval == pytest.approx(plain.share.interval)
    means = {
        kind: np.mean([one.score for one in rows if one.kind == kind or one.system == kind])
        for kind in ("reference", "BEST07")
    }
    assert plain.share.gain == pytest.approx(plain.raw.gain / (means["reference"] - means["BEST07"]))


def test_no_share_without_references_above() -> None:
    rows = judged(6)
    assert gain([one for one in rows if one.kind != "reference"]).share is None
    assert gain([replace(one, score=one.score / 2) if one.kind == "reference" else one for one in rows]).share is None


def test_reports_say_what_intervals_hold_for() -> None:
    ends = (ENDS["old"], ENDS["new"], "CURR")
    few, many = (analyse(Ratings(judged(people)), test="none", gain=ends) for people in (2, 12))
    assert any("too few assessors (2)" in text for text in few.warnings)
    assert not any("too few" in text for text in many.warnings)
    page = analysis_document(many).markdown()
    assert "share of the distance from the old system to the references" in page
    assert many.to_dict()["gains"][0]["share"]["gain"] > 0
    assert (many.to_dict()["gains"][0]["drawn"], few.to_dict()["gains"][0]["assessors"]) == ("assessors", 2)


@pytest.mark.slow
def test_intervals_cover_with_five_assessors() -> None:
    """Whole assessors, each with a taste of their own for every cell, drawn from a population with a gain of 10."""
    covered = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        tastes = {(who, cell): rng.normal(0, 5) for who in range(5) for cell in MEANS}
        rows = [
            row(mean + tastes[at % 5, cell] + rng.normal(0, 15), f"w{at % 5}", *cell, at)
            for cell, mean in MEANS.items()
            for at in range(100)
        ]
        found = gain(rows).raw.interval
        assert found is not None
        covered += found[0] <= 10 <= found[1]
    assert covered >= 0.9 * 150  # 127 with plain percentiles
