"""z-scores, system and segment scores, rankings and preferences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dragoman.assessment.analysis.preferences import expected_wins, preference_agreement, sign_tests
from dragoman.assessment.analysis.scores import combined_order, rank_systems, segment_scores, system_scores
from dragoman.assessment.analysis.standardize import Standardized, standardize
from dragoman.assessment.ratings import Preference, Rating
from dragoman.errors import InputError


def row(score: float, *, who: str = "w", system: str = "A", segment: int = 0, **more: object) -> Rating:
    values = {"kind": "system", "protocol": "adequacy", "testset": "t", **more}
    return Rating(who, "t", 0, f"{system}{segment}", score=score, system=system, segment=str(segment), **values)  # type: ignore[arg-type]


def test_z_worked_example() -> None:
    """Worked example for Graham et al. (2013)."""
    found = standardize([row(score) for score in (20, 40, 60, 80, 50)])
    assert found.z == pytest.approx([-1.3416, -0.4472, 0.4472, 1.3416, 0], abs=1e-4)


@pytest.mark.slow
@given(st.lists(st.integers(0, 100), min_size=3, max_size=20).filter(lambda xs: len(set(xs)) > 1))
def test_z_is_free_of_scale(scores: list[int]) -> None:
    rows = [row(score) for score in scores]
    z = standardize(rows).z
    assert (float(np.mean(z)), float(np.std(z, ddof=1))) == pytest.approx((0, 1), abs=1e-9)
    assert standardize([replace(one, score=0.5 * one.score + 20) for one in rows]).z == pytest.approx(z)


def test_z_per_assessor_attribute_and_pair() -> None:
    rows = [
        row(10),
        row(20),
        row(80, who="x"),
        row(90, who="x"),
        row(1, protocol="fluency"),
        row(5, protocol="fluency"),
    ]
    assert standardize(rows).z == pytest.approx([-0.7071, 0.7071] * 3, abs=1e-4)
    flat = standardize([*rows, row(50, who="y"), row(50, who="y")])
    assert flat.dropped == [("y", "adequacy", "")]
    assert len(flat.ratings) == 6
    with_references = [row(10), row(20), row(100, kind="reference")]
    assert standardize(with_references).z[1] < 0
    assert standardize(with_references, exclude_references=True).z[:2] == pytest.approx([-0.7071, 0.7071], abs=1e-4)


def test_system_scores_leave_controls_out() -> None:
    rows = [row(60), row(70, segment=1), row(66, kind="repeat"), row(5, kind="degraded"), row(100, kind="reference")]
    found = system_scores(standardize(rows))[0]
    assert found.raw == pytest.approx(np.mean([60, 70, 66]))
    assert (found.judgements, found.segments, found.assessors) == (3, 2, 1)


def test_intervals_grow_when_assessors_differ() -> None:
    rng = np.random.default_rng(1)
    rows, together = [], []
    for who in range(6):
        for at in range(20):
            noise = rng.normal(0, 10)
            rows.append(row(50 + noise, who=f"w{who}", segment=at))
            together.append((50 + noise + 15 * (who % 2), f"w{who}", at))
    same = Standardized(rows, [(one.score - 50) / 10 for one in rows], [])
    apart = Standardized(
        [row(score, who=who, segment=at) for score, who, at in together], [(s - 50) / 10 for s, _, _ in together], []
    )
    low, high = system_scores(same)[0].interval
    wide_low, wide_high = system_scores(apart)[0].interval
    assert wide_high - wide_low > 2 * (high - low)


def test_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(200):
        shifts = rng.normal(0, 0.5, 8)
        rows = [row(0, who=f"w{who}", segment=at) for who in range(8) for at in range(10)]
        z = [float(shifts[int(one.assessor[1:])] + rng.normal()) for one in rows]
        low, high = system_scores(Standardized(rows, z, []))[0].interval
        hits += low <= 0 <= high
    assert 0.88 <= hits / 200 <= 0.99


def test_ranking_uses_the_rank_sum_test() -> None:
    rng = np.random.default_rng(3)
    rows = [
        row(float(np.clip(rng.normal(mean, 20), 0, 100)), system=name, segment=at, who=f"w{at % 4}")
        for name, mean in (("A", 70), ("B", 50), ("C", 49))
        for at in range(80)
    ]
    scored = standardize(rows)
    ranking = rank_systems(scored)[0]
    assert ranking.systems[0].system == "A"
    assert ranking.clusters[0] == ("A",)
    assert set(ranking.clusters[1]) == {"B", "C"}
    values = {name: [z for one, z in zip(rows, scored.z, strict=True) if one.system == name] for name in "ABC"}
    expected = stats.mannwhitneyu(values["A"], values["B"], alternative="greater", method="asymptotic").pvalue
    assert ranking.p["A"]["B"] == pytest.approx(expected)
    raw = rank_systems(scored, on="raw")[0]
    assert raw.systems[0].raw >= raw.systems[1].raw >= raw.systems[2].raw


def test_segment_scores_need_enough_judgements() -> None:
    rows = [row(50 + at, who=f"w{at}", segment=segment) for segment in (0, 1) for at in range(3)]
    rows += [row(20, who=f"w{at}", segment=2) for at in range(3)] + [row(90, who="w0", segment=3)]
    found = segment_scores(standardize(rows), least=3)
    assert [one.segment for one in found] == ["0", "1", "2"]
    assert {one.judgements for one in found} == {3}
    assert len(segment_scores(standardize(rows))) == 4
    with pytest.raises(InputError):
        segment_scores(standardize(rows), least=0)


def test_fluency_decides_where_adequacy_does_not() -> None:
    rng = np.random.default_rng(5)
    means = {"adequacy": {"A": 70, "B": 50, "C": 50}, "fluency": {"A": 40, "B": 70, "C": 50}}
    rows = [
        row(rng.normal(mean, 12), system=name, segment=at, protocol=attribute)
        for attribute, systems in means.items()
        for name, mean in systems.items()
        for at in range(60)
    ]
    fluency_adequacy = {one.protocol: one for one in rank_systems(standardize(rows))}
    found = combined_order(fluency_adequacy["adequacy"], fluency_adequacy["fluency"])
    assert found["A"]["B"][0] == "adequacy"
    assert found["B"]["C"][0] == "fluency"
    assert "A" not in found["B"]
    assert "B" not in found["C"]


def prefer(a: str, b: str, margin: int, *, who: str = "w", segment: str = "0", screen: str = "") -> Preference:
    return Preference(who, "cs-en", "t", segment, a, b, margin, screen)


def test_expected_wins() -> None:
    rows = [prefer("A", "B", 1)] * 6 + [prefer("B", "A", 2)] * 2 + [prefer("A", "B", 0)] * 5
    rows += [prefer("A", "C", 1)] * 3 + [prefer("B", "C", 1)] * 9 + [prefer("B", "C", -1)]
    assert expected_wins(rows) == pytest.approx({"A": (6 / 8 + 1) / 2, "B": (2 / 8 + 9 / 10) / 2, "C": 0.1 / 2})
    p = sign_tests(rows)
    assert p["A"]["B"] == pytest.approx(stats.binomtest(6, 8, alternative="greater").pvalue)
    assert p["B"]["A"] is None
    with pytest.raises(InputError):
        expected_wins([prefer("A", "B", 0)])


def test_preference_agreement_by_hand() -> None:
    rows = [
        prefer("A", "B", 1, who="x", screen="1"),
        prefer("B", "A", -2, who="x", screen="2"),
        prefer("A", "B", 0, who="y", screen="3"),
        prefer("A", "B", 1, who="z", screen="4", segment="9"),
    ]
    intra = preference_agreement(rows, same=True)
    inter = preference_agreement(rows, same=False)
    assert intra is not None
    assert inter is not None
    chance = 0.25**2 + 2 * 0.375**2
    assert (intra.agreement, intra.pairs, intra.chance) == pytest.approx((1.0, 1, chance))
    assert (inter.agreement, inter.pairs) == (0.0, 2)
    assert inter.kappa == pytest.approx(-chance / (1 - chance))
    assert preference_agreement(rows[:1], same=True) is None


@pytest.mark.slow
def test_wmt16_rankings_are_recovered(data: Path) -> None:
    """Real rankings of WMT16: expected wins order the systems as published, up to neighbours within one cluster."""
    import csv
    import gzip

    for name in ("deu", "ron"):
        folder = data / "wmt" / "official-rankings"
        published: list[list[str]] = [[]]
        for line in (folder / f"wmt16.{name}-eng.txt").read_text("utf-8").splitlines():
            if line.startswith("+"):
                published.append([])
            elif line.strip():
                published[-1].append(line.split()[0])
        rows = []
        with gzip.open(folder / f"wmt16.collapsed.{name}-eng.csv.gz", "rt", encoding="utf-8") as file:
            for one in csv.DictReader(file):
                margin = int(one["system2rank"]) - int(one["system1rank"])
                rows += [
                    Preference(one["judgeID"], name, "", one["segmentId"], a, b, margin, one["rankingID"])
                    for a in one["system1Id"].split("+")
                    for b in one["system2Id"].split("+")
                ]
        order = list(expected_wins(rows))
        for group in published:
            assert sorted(order[: len(group)]) == sorted(group)
            order = order[len(group) :]
        inter = preference_agreement(rows, same=False)
        intra = preference_agreement(rows, same=True)
        assert inter is not None
        assert intra is not None
        assert 0.3 < inter.kappa < 0.5 < intra.kappa < 0.8
