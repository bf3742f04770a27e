"""Does machine translation get better over time, and how would one know? (Graham, Baldwin, Moffat and Zobel 2014)

    python experiments/p29_over_time/run.py --out docs/experiments/p29

Crowd workers rate systems of two years on one absolute scale, and a present-day system that translated both test sets
shows how much of the difference is the test sets'.

The published tables are recomputed in full. The judgements of the study are not public, so what the method does is
shown on simulated crowds. All of them see an output's quality with a noise of 12 points (standard deviation), outputs
of a system spread by 18 around its quality, a damaged copy loses 25. They differ in who takes part:

- *mixed*: 60% conscientious, 15% half-attentive (every other judgement is a random click), 20% random, 5% constant;
  personal levels with a standard deviation of 15, personal ranges of 0.5 to 1.1 of the line. "Who is kept", "Order of
  systems" and the pictures are of this crowd: ten systems one point apart, 60 tasks, one person each.
- *narrow*: the same levels and ranges, all conscientious.
- *whole line*: all conscientious, all ranges 1, levels with a standard deviation of 8.

Planted gains: 24 tasks of 100 items from systems OLD (quality 50), NEW (50 plus the gain) and NOW (62), one person per
task, filtered by the paired test; every run of every row has a seed of its own. `points` is the share of runs whose 95%
interval holds the planted gain in points, `share` of those whose interval holds the planted share of the distance from
OLD to the references (quality 97), each with the p-value of a one-sided binomial test against 0.95. "Few assessors"
is 12 tasks shared by so many people of the *whole line* crowd. p-values of "Order of systems" are of signed-rank tests
over runs, each row against the one named; those of "Planning" of two-sided binomial tests against the formula, which
is asked for as many judgements as were planned, a tenth of which are repeats, and for those of different outputs.

Two generations of this toolkit on two test sets (`generations.py`) stand in for the systems of two years: all of them
translate both test sets, so the gain on each is known. In "Two generations, judged" a *mixed* crowd rates their
outputs, for whom the quality of an output is its chrF. Two genuine tasks by the authors of the study show how the
design looks in life.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np
from scipy import stats

from dragoman.assessment.analysis.assessor_quality import Quality, assess_quality
from dragoman.assessment.analysis.gains import GainRow, human_gains
from dragoman.assessment.analysis.pictures import pace_picture, ranking_picture
from dragoman.assessment.analysis.scores import rank_systems, system_scores
from dragoman.assessment.analysis.standardize import Standardized, standardize
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.sample_size import GENUINE, power
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.exchange.importing import read_results
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import Rating, join
from dragoman.assessment.simulation.assessors import Population, simulate
from dragoman.assessment.simulation.power import simulated_power
from dragoman.evaluation.longitudinal import harmonic_mean, longitudinal_gain
from dragoman.evaluation.ranks import proportion_interval
from dragoman.seeds import stream
from experiments.common import Claim, Table, arguments, grid, publish, smallest_p
from experiments.p29_over_time.generations import METRICS, Generations, judged_by_crowd, measured, options

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "wmt"
ADEQUACY = get_protocol("adequacy")

CELLS = {
    "de-en": {"fluency": (65.3, 57.9, 52.8, 55.0, 9.6), "adequacy": (63.8, 52.8, 46.5, 49.8, 14.3),
              "BLEU": (38.3, 26.5, 21.1, 23.8, 14.5), "METEOR": (40.3, 32.7, 33.4, 31.7, 5.9)},
    "fr-en": {"fluency": (65.9, 58.0, 57.8, 60.2, 10.3), "adequacy": (61.0, 52.3, 52.7, 51.5, 7.5),
              "BLEU": (39.4, 32.0, 28.6, 31.5, 10.3), "METEOR": (39.8, 34.6, 35.9, 34.3, 3.6)},
    "es-en": {"fluency": (68.4, 59.2, 56.7, 56.7, 9.2), "adequacy": (68.0, 56.9, 59.0, 55.7, 7.8),
              "BLEU": (51.2, 38.3, 35.1, 33.5, 11.3), "METEOR": (45.4, 37.0, 39.9, 36.0, 4.5)},
    "cs-en": {"fluency": (62.3, 49.9, 40.8, 50.5, 22.1), "adequacy": (62.4, 47.5, 41.7, 47.4, 20.6),
              "BLEU": (52.3, 25.0, 25.1, 22.4, 24.6), "METEOR": (44.7, 31.6, 34.3, 30.8, 9.6)},
    "en-es": {"fluency": (77.2, 73.4, 63.3, 71.9, 12.4), "adequacy": (75.2, 68.1, 62.5, 67.2, 11.8),
              "BLEU": (48.2, 38.7, 29.1, 35.3, 15.7), "METEOR": (69.9, 59.6, 57.0, 58.1, 11.4)},
    "en-fr": {"fluency": (57.1, 55.2, 49.5, 56.4, 8.8), "adequacy": (64.2, 61.9, 57.2, 62.3, 7.4),
              "BLEU": (37.2, 30.8, 25.3, 29.9, 11.0), "METEOR": (59.4, 52.9, 50.4, 52.0, 8.1)},
    "en-de": {"fluency": (52.3, 54.1, 53.7, 55.5, 0.0), "adequacy": (60.3, 57.4, 58.3, 58.3, 2.9),
              "BLEU": (23.6, 18.7, 14.6, 17.2, 7.5), "METEOR": (44.7, 39.1, 36.7, 38.0, 6.9)},
}  # fmt: skip
"""Present-day system on 2007 and 2012, best systems of 2007 and 2012, published gain."""
MEANS = {"fluency": (5.9, 10.4), "adequacy": (8.3, 10.3), "BLEU": (11.4, 13.5), "METEOR": (8.1, 7.1)}
"""Published difficulty and gain over all pairs."""


def gain_of(now07: float, now12: float, best07: float, best12: float) -> tuple[float, float]:
    cells = {("now", "07"): now07, ("now", "12"): now12, ("best07", "07"): best07, ("best12", "12"): best12}
    found = longitudinal_gain(cells, old=("best07", "07"), new=("best12", "12"))
    return found.difficulty, found.gain


def published(pair: str, measure: str) -> Mapping[str, Any]:
    """A gain of Tables 4 and 5 from its four cells."""
    *cells, gain = CELLS[pair][measure]
    difficulty, ours = gain_of(*cells)
    return {"naive": cells[3] - cells[2], "difficulty": difficulty, "gain": ours, "published": gain}


def over_pairs(measure: str) -> Mapping[str, Any]:
    """The figures of Table 3: plain means over language pairs."""
    found = [gain_of(*CELLS[pair][measure][:4]) for pair in CELLS]
    difficulty, gain = MEANS[measure]
    return {
        "difficulty": statistics.fmean(one[0] for one in found),
        "published difficulty": difficulty,
        "gain": statistics.fmean(one[1] for one in found),
        "published gain": gain,
    }


def both(pair: str) -> Mapping[str, Any]:
    """Fluency and adequacy in one figure: the gain of their harmonic mean."""
    cells = zip(CELLS[pair]["fluency"][:4], CELLS[pair]["adequacy"][:4], strict=True)
    difficulty, gain = gain_of(*(harmonic_mean(f, a) for f, a in cells))
    return {"difficulty": difficulty, "gain": gain}


def pool(systems: Mapping[str, tuple[str, ...]], count: int) -> list[SystemOutput]:
    """Outputs of systems on their test sets."""
    return [
        SystemOutput(
            name,
            f"output {segment} of {name} with some more words",
            "",
            f"reference {segment}",
            "",
            "en",
            testset,
            segment,
        )
        for name, testsets in systems.items()
        for testset in testsets
        for segment in range(count)
    ]


@cache
def campaign(tasks: int) -> Campaign:
    names = {f"S{at}": ("t",) for at in range(10)}
    built = build_tasks(pool(names, 7 * tasks), ADEQUACY, Design(tasks=tasks), seed=1)
    return Campaign("p29", tuple(built), {"adequacy": ADEQUACY})


@cache
def judged(run: int, tasks: int) -> tuple[list[Rating], list[Quality], dict[str, str]]:
    """Ten systems one point apart, judged by a crowd."""
    made = campaign(tasks)
    judgements, kinds = simulate(made, {f"S{at}": 60.0 - at for at in range(10)}, seed=run)
    ratings = join(made, judgements).ratings
    return ratings, assess_quality(ratings), kinds


def kept(worker: str, runs: int, tasks: int) -> Mapping[str, Any]:
    """How many workers of a kind pass, and how many score repeats alike, with 95% intervals."""
    passed, alike = [], []
    for run in range(runs):
        _, quality, kinds = judged(run, tasks)
        for one in quality:
            if kinds[one.assessor] == worker:
                passed.append(one.kept)
                alike.append(one.consistent is not None and one.consistent >= 0.05)
    found: dict[str, Any] = {"workers": len(passed)}
    for name, values in (("kept", passed), ("repeats alike", alike)):
        low, high = proportion_interval(sum(values), len(values))
        found |= {name: float(np.mean(values)), f"{name}, low": low, f"{name}, high": high}
    return found


ORDERS = (("raw", False, ""), ("z", False, "raw"), ("raw, kept", True, "raw"), ("z, kept", True, "raw, kept"))
"""Scores that systems are ordered by, and what each is tested against."""


@cache
def correlations(scores: str, filtered: bool, runs: int, tasks: int) -> tuple[float, ...]:
    """Of system scores with the planted qualities, in each run."""
    found = []
    for run in range(runs):
        ratings, quality, _ = judged(run, tasks)
        keep = {one.assessor_key for one in quality if one.kept}
        rows = [one for one in ratings if one.assessor_key in keep] if filtered else ratings
        scored = standardize(rows) if scores.startswith("z") else Standardized(rows, [one.score for one in rows], [])
        values = {one.system: one.z for one in system_scores(scored)}
        found.append(float(np.corrcoef([values[f"S{at}"] for at in range(10)], [60 - at for at in range(10)])[0, 1]))
    return tuple(found)


def order(scores: str, runs: int, tasks: int) -> Mapping[str, Any]:
    """Correlation with the truth, and whether it is higher than that of other scores in the same runs."""
    filtered, other = next((filtered, other) for name, filtered, other in ORDERS if name == scores)
    ours = correlations(scores, filtered, runs, tasks)
    p = float("nan")
    if other:
        theirs = correlations(other, next(each for name, each, _ in ORDERS if name == other), runs, tasks)
        p = float(stats.wilcoxon(ours, theirs, alternative="greater").pvalue)
    return {"r with truth": float(np.mean(ours)), "lowest": min(ours), "better than": other, "p": p}


CROWDS = {
    "whole line": Population({"conscientious": 1.0}, narrowness=(1.0, 1.0), leniency=8.0),
    "narrow": Population({"conscientious": 1.0}),
    "mixed": Population(),
}
QUALITY, REFERENCES = 50.0, 97.0


@cache
def years(tasks: int) -> Campaign:
    names = {"OLD": ("2007",), "NEW": ("2012",), "NOW": ("2007", "2012")}
    built = build_tasks(pool(names, max(70, 70 * tasks // 4)), ADEQUACY, Design(tasks=tasks, sampling="pool"), seed=1)
    return Campaign("years", tuple(built), {"adequacy": ADEQUACY})


def estimated(crowd: str, difficulty: float, gain: float, tasks: int, people: int, seed: int) -> GainRow:
    """The gain that one simulated study finds."""
    made = years(tasks)
    qualities = {"OLD": QUALITY, "NEW": QUALITY + gain, "NOW": 62.0}
    judgements, _ = simulate(
        made, qualities, difficulty={"2012": difficulty}, population=CROWDS[crowd], assessors=people, seed=seed
    )
    rows = join(made, judgements).ratings
    keep = {one.assessor_key for one in assess_quality(rows) if one.kept}
    scored = standardize([one for one in rows if one.assessor_key in keep])
    return human_gains(scored, old=("OLD", "2007"), new=("NEW", "2012"), benchmark="NOW", samples=500)[0]


def held(inside: Sequence[bool]) -> tuple[float, float]:
    """The share of intervals that hold the truth, and the p-value that it is below 0.95."""
    count = sum(inside)
    return count / len(inside), float(stats.binomtest(count, len(inside), 0.95, alternative="less").pvalue)


def planted(crowd: str, difficulty: float, gain: float, runs: int) -> Mapping[str, Any]:
    """A planted gain between two years with test sets of different difficulty, judged in the same tasks."""
    first = int(stream(29, crowd, str(difficulty), str(gain)).integers(1 << 40))
    found = [estimated(crowd, difficulty, gain, 24, 0, first + run) for run in range(runs)]
    share = gain / (REFERENCES - QUALITY)
    bounds = [(one.raw.interval, one.share.interval if one.share else None) for one in found]
    points, p_points = held([raw is not None and raw[0] <= gain <= raw[1] for raw, _ in bounds])
    shares, p_shares = held([each is not None and each[0] <= share <= each[1] for _, each in bounds])
    return {
        "estimate": float(np.mean([one.raw.gain for one in found])),
        "naive": float(np.mean([one.raw.naive for one in found])),
        "points": points,
        "p, points": p_points,
        "planted share": share,
        "estimated share": float(np.mean([one.share.gain for one in found if one.share])),
        "share": shares,
        "p, share": p_shares,
    }


def few(people: int, runs: int) -> Mapping[str, Any]:
    """How wide intervals are, and how many hold a planted gain of 10, where few people do all the work."""
    first = int(stream(29, "few", people).integers(1 << 40))
    found = [estimated("whole line", 8.0, 10.0, 12, people, first + run) for run in range(runs)]
    bounds = [one.raw.interval for one in found if one.raw.interval]
    points, p = held([low <= 10 <= high for low, high in bounds])
    return {
        "drawn": " or ".join(sorted({one.drawn for one in found})),
        "narrowest": min(high - low for low, high in bounds),
        "mean width": float(np.mean([high - low for low, high in bounds])),
        "points": points,
        "p, points": p,
    }


def planning(judgements: int, runs: int) -> Mapping[str, Any]:
    """The chance to find a difference of five points, by formula and by simulated crowds."""
    careful = Population({"conscientious": 1.0}, narrowness=(1.0, 1.0), leniency=0.0)
    tasks = max(1, round(2 * judgements / (100 * GENUINE)))
    different = 70 * tasks // 2
    found = simulated_power(5.0, judgements, runs=runs, population=careful)
    row: dict[str, Any] = {"careful crowd": found, "mixed crowd": simulated_power(5.0, judgements, runs=runs)}
    for name, count in (("planned", judgements), ("different", different)):
        formula = power(5.0, count, sd=float(np.hypot(18, 12)))
        p = float(stats.binomtest(round(found * runs), runs, formula).pvalue)
        row |= {f"{name} judgements": count, f"formula, {name}": formula, f"p, {name}": p}
    return row


def genuine(task: str) -> Mapping[str, Any]:
    """Two genuine tasks: where the controls stand, and what became of their workers."""
    rows = [one for one in read_results(DATA / "crowd-batch" / "ratings.tsv").ratings if one.task == task]
    places = {one.item: one.position for one in rows}
    apart = [abs(places[one.partner] - one.position) - 1 for one in rows if one.partner]
    quality = assess_quality(rows)[0]
    return {
        "items": len(rows),
        "nearest pair": min(apart),
        "farthest pair": max(apart),
        "seconds": quality.seconds,
        "p paired": quality.p_paired,
        "verdict": "kept" if quality.kept else "dropped",
    }


def cell(table: Table, figure: str, **chosen: Any) -> float:
    return float(table.mean(figure, **chosen))


def main() -> None:
    args = arguments(
        __doc__,
        out="docs/experiments/p29",
        runs=100,
        train=16_000,
        dev=500,
        test=1000,
        iterations=4,
        cache="",
        small=False,
    )
    if not args.small and not DATA.is_dir():
        sys.exit(f"no folder {DATA}: name the one of real data in DRAGOMAN_DATA, or run with --small")
    runs, tasks, crowds = (2, 10, 2) if args.small else (args.runs, 60, 30)
    tables: dict[str, tuple[Table, list[Claim]]] = {
        "Published gains, recomputed": (
            grid(published, pair=list(CELLS), measure=list(MEANS)),
            [
                Claim(
                    "all 28 gains of Tables 4 and 5 follow from their cells, within rounding",
                    lambda t: all(abs(row["gain"] - row["published"]) < 0.15 for row in t.rows),
                )
            ],
        ),
        "Means over language pairs": (
            grid(over_pairs, measure=list(MEANS)),
            [
                Claim(
                    "Table 3 is the plain mean over pairs, within 0.1",
                    lambda t: all(abs(r["gain"] - r["published gain"]) < 0.11 for r in t.rows),
                )
            ],
        ),
        "Both attributes in one figure": (
            grid(both, pair=list(CELLS)),
            [
                Claim(
                    "the published gains are positive in every pair (nothing is published that could test them)",
                    lambda t: all(row["gain"] > 0 for row in t.rows),
                )
            ],
        ),
        "Who is kept": (
            grid(kept, worker=["conscientious", "half-attentive", "random", "constant"], runs=[crowds], tasks=[tasks]),
            [
                Claim(
                    "the paired test keeps over 95% of conscientious workers (lower end of the interval)",
                    lambda t: cell(t, "kept, low", worker="conscientious") > 0.95,
                ),
                Claim(
                    "and under 12% of random and of constant ones (upper ends)",
                    lambda t: max(cell(t, "kept, high", worker=name) for name in ("random", "constant")) < 0.12,
                ),
                Claim(
                    "no kind scores repeats alike in significantly less than 93% or more than 97% of the cases, so"
                    " consistency is no filter",
                    lambda t: all(
                        row["repeats alike, high"] >= 0.93 and row["repeats alike, low"] <= 0.97 for row in t.rows
                    ),
                ),
            ],
        ),
        "Order of systems": (
            grid(order, scores=[name for name, *_ in ORDERS], runs=[crowds], tasks=[tasks]),
            [
                Claim(
                    "filtering brings raw scores significantly nearer to the truth",
                    lambda t: cell(t, "p", scores="raw, kept") < 0.05,
                ),
                Claim(
                    "standardizing on top brings them significantly nearer still",
                    lambda t: cell(t, "p", scores="z, kept") < 0.05,
                ),
                Claim(
                    "standardizing without filtering brings them significantly nearer",
                    lambda t: cell(t, "p", scores="z") < 0.05,
                ),
            ],
        ),
        "Planted gains": (
            grid(
                planted,
                crowd=list(CROWDS),
                difficulty=[8.0] if args.small else [0.0, 8.0],
                gain=[10.0] if args.small else [0.0, 10.0],
                runs=[runs],
            ),
            [
                Claim(
                    "people who use the whole line: the interval in points holds the planted gain in at least 90% of"
                    " runs, not significantly less than 95% (Holm)",
                    lambda t: (
                        smallest_p(t.where(crowd="whole line"), "p, points") >= 0.05
                        and all(row["points"] >= 0.9 for row in t.where(crowd="whole line"))
                    ),
                ),
                Claim(
                    "narrow and mixed crowds: it misses a gain of 10 significantly too often",
                    lambda t: all(
                        cell_row["p, points"] < 0.05
                        for name in ("narrow", "mixed")
                        for cell_row in t.where(crowd=name, gain=10.0)
                    ),
                ),
                Claim(
                    "every crowd: the interval of the share holds the planted one in at least 90% of runs, not"
                    " significantly less than 95% (Holm)",
                    lambda t: smallest_p(t.rows, "p, share") >= 0.05 and all(row["share"] >= 0.9 for row in t.rows),
                ),
                Claim(
                    "the naive difference of people who use the whole line is off by the difficulty, within 1.5",
                    lambda t: all(
                        abs(r["gain"] - r["difficulty"] - r["naive"]) < 1.5 for r in t.where(crowd="whole line")
                    ),
                ),
            ],
        ),
        "Few assessors": (
            grid(few, people=[1, 2, 4, 6, 12], runs=[runs]),
            [
                Claim("no interval has the width 0", lambda t: all(row["narrowest"] > 0 for row in t.rows)),
                Claim(
                    "intervals hold the planted gain in at least 90% of runs for any number of people, not"
                    " significantly less than 95% (Holm)",
                    lambda t: smallest_p(t.rows, "p, points") >= 0.05 and all(row["points"] >= 0.9 for row in t.rows),
                ),
            ],
        ),
        "Planning": (
            grid(planning, judgements=[100, 300] if args.small else [100, 200, 400], runs=[runs]),
            [
                Claim(
                    f"a careful crowd does not differ significantly from the formula for {text} (Holm)",
                    lambda t, name=name: smallest_p(t.rows, f"p, {name}") >= 0.05,
                )
                for name, text in (
                    ("planned", "all judgements that were planned"),
                    ("different", "those of different outputs, repeats left out"),
                )
            ],
        ),
    }
    with Generations(options(args)) as systems:
        tables["Two generations, measured"] = (
            grid(lambda metric: measured(systems, metric), metric=METRICS),
            [
                Claim(
                    "for every metric the interval of the gain reaches from the gain on one test set to that on the"
                    " other, or between them",
                    lambda t: all(
                        r["low"] <= max(r["gain on captions"], r["gain on packages"])
                        and r["high"] >= min(r["gain on captions"], r["gain on packages"])
                        for r in t.rows
                    ),
                ),
                Claim(
                    "the naive difference lies outside of the interval of the gain for every metric",
                    lambda t: all(not r["low"] <= r["naive"] <= r["high"] for r in t.rows),
                ),
            ],
        )
        tables["Two generations, judged"] = (
            grid(lambda scores: judged_by_crowd(systems, scores), scores=["raw", "z", "share"]),
            [
                Claim(
                    "the crowd finds a significant gain, in points, z-scores and as a share",
                    lambda t: all(row["low"] > 0 for row in t.rows),
                ),
                Claim(
                    "the interval of the share holds the true one",
                    lambda t: all(r["low"] <= r["true gain"] <= r["high"] for r in t.where(scores="share")),
                ),
            ],
        )
    if not args.small:
        tables["Genuine tasks"] = (
            grid(genuine, task=["H1", "H2"]),
            [
                Claim(
                    "40 to 58 other judgements lie between the members of every pair",
                    lambda t: all(40 <= r["nearest pair"] <= r["farthest pair"] <= 58 for r in t.rows),
                )
            ],
        )
    ratings, quality, _ = judged(0, tasks)
    keep = {one.assessor_key for one in quality if one.kept}
    ranking = rank_systems(standardize([one for one in ratings if one.assessor_key in keep]))[0]
    publish(
        "Machine translation over time",
        __doc__,
        tables,
        pictures={"ranking": ranking_picture(ranking), "pace": pace_picture(quality)},
        out=args.out,
        settings=vars(args),
    )


if __name__ == "__main__":
    main()
