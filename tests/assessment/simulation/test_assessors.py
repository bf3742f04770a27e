"""The claims of the papers hold for simulated crowds: who is kept, what filtering and standardizing bring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dragoman.assessment.analysis.agreement import agreement, differences, score_pairs
from dragoman.assessment.analysis.assessor_quality import assess_quality
from dragoman.assessment.analysis.gains import human_gains
from dragoman.assessment.analysis.scores import system_scores
from dragoman.assessment.analysis.standardize import Standardized, standardize
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import Rating, join
from dragoman.assessment.simulation.assessors import Population, simulate
from dragoman.errors import SettingError
from tests.assessment.crowd import campaign, judged, outputs

PROTOCOL = get_protocol("adequacy")


def raw(ratings: list[Rating]) -> Standardized:
    return Standardized(ratings, [one.score for one in ratings], [])


def test_the_same_seed_makes_the_same_crowd() -> None:
    made = campaign()
    assert judged(made) == judged(made)
    assert judged(made, seed=9) != judged(made)
    for name in ("fluency", "likert-adequacy", "ranking", "esa", "source-adequacy"):
        one = campaign(name)
        found, _ = judged(one)
        assert len(found) == sum(len(task.items) for task in one.tasks)
        join(one, found)  # every answer fits its protocol


@pytest.mark.slow
def test_the_paired_test_keeps_the_careful_and_drops_the_careless() -> None:
    """Graham et al. (2014): over 95% of conscientious and under 12% of random or constant workers are kept."""
    kept: dict[str, list[bool]] = {}
    holds: list[bool] = []
    scores: dict[str, list[float]] = {"raw": [], "filtered": [], "z": [], "both": []}
    qualities = {f"S{at}": 60.0 - at for at in range(10)}
    tasks = build_tasks(outputs(10, 420), PROTOCOL, Design(tasks=60), seed=1)
    made = Campaign("claims", tuple(tasks), {"adequacy": PROTOCOL})
    for seed in range(5):
        found, kinds = simulate(made, qualities, seed=seed)
        ratings = join(made, found).ratings
        quality = assess_quality(ratings)
        for one in quality:
            kept.setdefault(kinds[one.assessor], []).append(one.kept)
            assert one.consistent is not None
            holds.append(one.consistent >= 0.05)
        keep = {one.assessor_key for one in quality if one.kept}
        good = [one for one in ratings if one.assessor_key in keep]
        for name, scored in (
            ("raw", raw(ratings)),
            ("filtered", raw(good)),
            ("z", standardize(ratings)),
            ("both", standardize(good)),
        ):
            found_scores = {one.system: one.z for one in system_scores(scored)}
            truth = [qualities[system] for system in qualities]
            scores[name].append(float(np.corrcoef(truth, [found_scores[system] for system in qualities])[0, 1]))
    shares = {kind: np.mean(values) for kind, values in kept.items()}
    assert shares["conscientious"] > 0.95
    assert shares["random"] < 0.12
    assert shares["constant"] < 0.2
    assert 0.9 < np.mean(holds) < 0.99
    means = {name: np.mean(values) for name, values in scores.items()}
    assert means["raw"] < means["filtered"] < means["both"]
    assert means["raw"] < means["both"]


@pytest.mark.slow
def test_filtering_and_standardizing_raise_agreement() -> None:
    """Graham et al. (2013): intra-annotator kappa by filtering, inter-annotator kappa by z-scores on top of it."""
    tasks = build_tasks(outputs(8, 70), PROTOCOL, Design(tasks=8, judgements=12), seed=3)
    made = Campaign("agreement", tuple(tasks), {"adequacy": PROTOCOL})
    found, _ = simulate(made, {f"S{at}": 60.0 - at for at in range(8)}, seed=6)
    ratings = join(made, found).ratings
    keep = {one.assessor_key for one in assess_quality(ratings) if one.kept}
    good = [one for one in ratings if one.assessor_key in keep]
    before, after = (
        agreement(score_pairs(ratings, kind="intra"), kind="intra"),
        agreement(score_pairs(good, kind="intra"), kind="intra"),
    )
    assert before is not None
    assert after is not None
    assert after.kappa > before.kappa + 0.05
    first, second = differences(score_pairs(ratings, kind="intra")), differences(score_pairs(good, kind="intra"))
    assert first is not None
    assert second is not None
    assert second.mean < first.mean
    scored = standardize(good)
    z = [replace(one, score=value) for one, value in zip(scored.ratings, scored.z, strict=True)]
    plain, standard = (
        agreement(score_pairs(good, kind="inter"), kind="inter", categories=4),
        agreement(score_pairs(z, kind="inter"), kind="inter", categories=4, shares=[one.score for one in z]),
    )
    assert plain is not None
    assert standard is not None
    assert standard.kappa > plain.kappa + 0.05
    unfiltered = {one.system: one.z for one in system_scores(raw(ratings))}
    filtered = {one.system: one.z for one in system_scores(raw(good))}
    names = sorted(filtered)
    a, b = [unfiltered[name] for name in names], [filtered[name] for name in names]
    assert np.corrcoef(a, b)[0, 1] > 0.9
    assert np.ptp(b) > np.ptp(a)


@pytest.mark.slow
def test_planted_gains_are_found() -> None:
    """Graham et al. (2014): the benchmark removes the planted difference in difficulty."""
    pool = [
        *(replace(one, system={"S0": "OLD", "S1": "NOW"}[one.system]) for one in outputs(2, 210, testset="2007")),
        *(replace(one, system={"S0": "NEW", "S1": "NOW"}[one.system]) for one in outputs(2, 210, testset="2012")),
    ]
    made = Campaign(
        "years", tuple(build_tasks(pool, PROTOCOL, Design(sampling="pool"), seed=2)), {"adequacy": PROTOCOL}
    )
    inside, naive = [], []
    for seed in range(10):
        found, _ = simulate(
            made,
            {"OLD": 50, "NEW": 60, "NOW": 65},
            difficulty={"2012": 8.0},
            seed=seed,
            population=Population({"conscientious": 1.0}, narrowness=(1.0, 1.0)),
        )
        scored = standardize(join(made, found).ratings)
        gain = human_gains(scored, old=("OLD", "2007"), new=("NEW", "2012"), benchmark="NOW", samples=300)[0].raw
        assert gain.interval is not None
        inside.append(gain.interval[0] <= 10 <= gain.interval[1])
        naive.append(gain.naive)
    assert sum(inside) >= 8
    assert np.mean(naive) == pytest.approx(2, abs=1.5)


def test_outputs_of_known_quality() -> None:
    """Where the quality of an output is known, it is not drawn; damage is taken off it."""
    made = campaign(pool=outputs(2, 70))
    known = {("news", f"S{system}", segment): 20.0 + 60 * system for system in range(2) for segment in range(70)}
    exact = Population({"conscientious": 1.0}, narrowness=(1.0, 1.0), leniency=0.0, noise=0.0)
    found, _ = simulate(made, {}, outputs=known, population=exact)
    scores = {(one.kind, one.system): one.score for one in join(made, found).ratings}
    assert scores["system", "S0"] == 20
    assert scores["repeat", "S1"] == 80
    assert {scores.get(("degraded", "S1"), 55.0), scores.get(("degraded", "S0"), 0.0)} == {55.0, 0.0}


def test_named_assessors_keep_their_names() -> None:
    made = campaign()
    named = replace(made, tasks=tuple(replace(task, assessors=("anna",)) for task in made.tasks))
    found, kinds = judged(named)
    assert {one.assessor for one in found} == {"anna"} == set(kinds)


def test_populations_are_checked() -> None:
    with pytest.raises(SettingError, match="sleepy"):
        Population({"sleepy": 1.0})
    with pytest.raises(SettingError, match="add up"):
        Population({"random": 0.5})
    with pytest.raises(SettingError, match="copies"):
        simulate(campaign(judgements=3), {f"S{at}": 50.0 for at in range(3)}, assessors=2)
