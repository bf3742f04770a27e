"""What do a continuous scale, tests of workers and standardized scores buy? (Graham, Baldwin, Moffat and Zobel 2013)

    python experiments/p34_continuous_scales/run.py --out docs/experiments/p34

Translations are rated on an unlabelled continuous line instead of in five categories; every worker is tested against
hidden repeats and damaged copies, and scores are standardized per worker.

Genuine data: two tasks of 100 crowd ratings from a WMT campaign by the same authors, the rankings of WMT16 for
agreement on preferences, and their published segment scores (correlations of metrics with them are compared by
Williams' test, two-sided). `p` of "Genuine repeats" is that of a two-sided binomial test of the share of agreement
against the paper's. What needs a whole crowd whose care is known is shown on simulated assessors: 60% conscientious,
15% half-attentive, 20% random, 5% constant, noise 12, damage 25, personal levels with a standard deviation of 15,
ranges of 0.5 to 1.1 of the line. They judge the eleven systems of the paper's Table 5, whose qualities
are planted as 60 plus 25 times the published z-score, in 8 tasks of 100 items, each done by 12 people; the five-point
scale is the same marks cut into five. Figures are means over `--runs` crowds; `p` is that of a signed-rank test over
these, two-sided: agreement with oneself (five categories), between people (four categories) and spread, against the
same scale and scores without a test of workers, or, for z, against raw scores with the same test. In "Share of good
judgements" the conscientious are as many as the paper's Table 4 finds good judgements, and the other kinds share the
rest as above; its last columns are the share of each kind that the paired test keeps. That people use the line better
than five categories cannot be shown by simulation; only what the scale itself costs is.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np
from scipy import stats

from dragoman.assessment.analysis.agreement import agreement, differences, score_pairs
from dragoman.assessment.analysis.assessor_quality import Quality, assess_quality, difference_test, paired_test
from dragoman.assessment.analysis.pictures import assessor_picture
from dragoman.assessment.analysis.preferences import expected_wins, preference_agreement
from dragoman.assessment.analysis.scores import system_scores
from dragoman.assessment.analysis.standardize import Standardized, standardize
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.design.pool import SystemOutput
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.exchange.importing import read_results
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import Preference, Rating, join
from dragoman.assessment.simulation.assessors import Population, simulate
from dragoman.evaluation.contingency import fisher_exact
from dragoman.evaluation.correlation import pearson
from dragoman.evaluation.williams import williams
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.seeds import stream
from experiments.common import Claim, Table, arguments, grid, publish, smallest_p

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "wmt"

PUBLISHED_INTRA = {5: (0.597, 0.496), 4: (0.646, 0.528), 2: (0.852, 0.704)}
PUBLISHED_KAPPAS = (
    ("intra", "5-point", "all", 5, 0.604, 0.505), ("intra", "5-point", "kept", 5, 0.614, 0.517),
    ("intra", "line", "all", 5, 0.597, 0.496), ("intra", "line", "kept", 5, 0.718, 0.647),
    ("intra", "line", "all", 4, 0.646, 0.528), ("intra", "line", "kept", 4, 0.721, 0.629),
    ("intra", "line", "all", 2, 0.852, 0.704), ("intra", "line", "kept", 2, 0.900, 0.800),
    ("inter", "5-point", "all", 5, 0.330, 0.160), ("inter", "5-point", "kept", 5, 0.268, 0.084),
    ("inter", "line", "all", 5, 0.295, 0.119), ("inter", "line", "kept", 5, 0.303, 0.128),
    ("inter", "line z", "all", 5, 0.302, 0.127), ("inter", "line z", "kept", 5, 0.335, 0.169),
    ("inter", "line", "all", 4, 0.381, 0.174), ("inter", "line", "kept", 4, 0.385, 0.180),
    ("inter", "line z", "all", 4, 0.355, 0.140), ("inter", "line z", "kept", 4, 0.445, 0.260),
    ("inter", "line", "all", 2, 0.665, 0.331), ("inter", "line", "kept", 2, 0.668, 0.335),
    ("inter", "line z", "all", 2, 0.755, 0.510), ("inter", "line z", "kept", 2, 0.738, 0.475),
)  # fmt: skip
MEASURED: tuple[tuple[Literal["intra", "inter"], int], ...] = (("intra", 5), ("inter", 5), ("inter", 4), ("inter", 2))
PUBLISHED_WMT16 = {"de-en": (0.475, 0.552), "ro-en": (0.341, 0.621)}
TABLE_4 = {"English": 0.100, "German": 0.0, "French": 0.579, "Spanish": 0.625}
"""Share of judgements by workers whom Welch's test keeps."""
TABLE_5 = {
    "E": (69.60, 74.39, 0.43), "B": (61.78, 63.68, 0.16), "G": (60.21, 64.51, 0.08), "F": (59.38, 65.07, 0.01),
    "D": (59.05, 63.52, 0.06), "A": (57.44, 58.43, -0.10), "I": (56.31, 57.46, -0.07), "C": (55.82, 61.33, 0.02),
    "H": (55.27, 57.04, -0.03), "J": (50.46, 50.73, -0.23), "K": (44.62, 41.25, -0.47),
}  # fmt: skip
"""Scores of systems on the line: all workers, kept workers, z-scores of kept workers."""
QUALITIES = {system: 60 + 25 * z for system, (_, _, z) in TABLE_5.items()}


def crowd() -> list[Rating]:
    return read_results(DATA / "crowd-batch" / "ratings.tsv").ratings


def genuine(worker: str) -> Mapping[str, Any]:
    """One genuine worker's record."""
    one = next(row for row in assess_quality(crowd()) if row.assessor == worker)
    names = {"system": "outputs", "reference": "references", "degraded": "degraded", "repeat": "repeats"}
    means = {f"mean of {name}": one.means[kind] for kind, name in names.items()}
    return {
        "seconds": one.seconds,
        **means,
        "d1": one.mean_d1,
        "d2": one.mean_d2,
        "p paired": one.p_paired,
        "p Welch": one.p_welch,
        "p Mann-Whitney": one.p_mann_whitney,
        "p repeats": one.consistent,
        "verdict": "kept" if one.kept else "dropped",
    }


def repeats(categories: int) -> Mapping[str, Any]:
    """Agreement of the genuine workers with themselves, beside the paper's."""
    rows = crowd()
    found, sizes = (
        agreement(score_pairs(rows, kind="intra"), kind="intra", categories=categories),
        differences(score_pairs(rows, kind="intra")),
    )
    assert found is not None
    assert sizes is not None
    share, kappa = PUBLISHED_INTRA[categories]
    return {
        "agree": found.share,
        "paper": share,
        "p": float(stats.binomtest(round(found.share * found.pairs), found.pairs, share).pvalue),
        "kappa": found.kappa,
        "paper's kappa": kappa,
        "pairs": found.pairs,
        "mean difference": sizes.mean,
        "paper's mean": 14.0,
        "sd": sizes.sd,
        "paper's sd": 18.4,
    }


def published(row: int) -> Mapping[str, Any]:
    """A kappa of Tables 2 and 3, from its share of agreement and uniform chance."""
    kind, scale, workers, categories, share, kappa = PUBLISHED_KAPPAS[row]
    ours = (share - 1 / categories) / (1 - 1 / categories)
    names = {"kind": kind, "scale": scale, "workers": workers, "categories": categories}
    return {**names, "agree": share, "kappa": ours, "published": kappa}


def preferences(pair: str) -> Mapping[str, Any]:
    """Agreement on the rankings of WMT16, and whether their order of clusters is found."""
    name = {"de-en": "deu-eng", "ro-en": "ron-eng"}[pair]
    rows = []
    with gzip.open(DATA / "official-rankings" / f"wmt16.collapsed.{name}.csv.gz", "rt", encoding="utf-8") as file:
        for one in csv.DictReader(file):
            margin = int(one["system2rank"]) - int(one["system1rank"])
            place = (one["judgeID"], pair, "", one["segmentId"])
            rows.append(Preference(*place, one["system1Id"], one["system2Id"], margin, one["rankingID"]))
    inter, intra = preference_agreement(rows, same=False), preference_agreement(rows, same=True)
    assert inter is not None
    assert intra is not None
    counted = counted_as_published(rows)
    spread = [
        replace(one, first=a, second=b) for one in rows for a in one.first.split("+") for b in one.second.split("+")
    ]
    order, matches = list(expected_wins(spread)), True
    groups: list[list[str]] = [[]]
    for line in read_lines(DATA / "official-rankings" / f"wmt16.{name}.txt"):
        if line.startswith("+"):
            groups.append([])
        elif line.strip():
            groups[-1].append(line.split()[0])
    for group in groups:
        matches = matches and sorted(order[: len(group)]) == sorted(group)
        order = order[len(group) :]
    theirs = PUBLISHED_WMT16[pair]
    return {
        "comparisons": len(rows),
        "inter kappa": inter.kappa,
        "inter, their count": counted[0],
        "published inter": theirs[0],
        "intra kappa": intra.kappa,
        "intra, their count": counted[1],
        "published intra": theirs[1],
        "clusters in order": matches,
    }


def counted_as_published(rows: Sequence[Preference]) -> tuple[float, float]:
    """Kappas between and within people, counted as the published ones of WMT16 were.

    Two looks count only if the two outputs stood in the same order on the screen, which leaves out half of them; those
    of one person count between people, too; and chance agreement within people is that of the ties in the segments
    which that person judged twice, instead of all.
    """
    looks: dict[tuple[str, ...], list[int]] = defaultdict(list)
    own: dict[tuple[str, str], dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for one in rows:
        shown = (one.segment, one.first, one.second)
        sign = (one.margin > 0) - (one.margin < 0)
        looks[shown].append(sign)
        own[one.segment, one.assessor][shown].append(sign)

    def kappa(groups: Sequence[Sequence[int]]) -> float:
        pairs = [a == b for group in groups for a, b in combinations(group, 2)]
        ties = float(np.mean([sign == 0 for group in groups for sign in group]))
        chance = ties**2 + (1 - ties) ** 2 / 2
        return float((np.mean(pairs) - chance) / (1 - chance))

    twice = [groups for groups in own.values() if any(len(group) > 1 for group in groups.values())]
    return kappa(list(looks.values())), kappa([group for groups in twice for group in groups.values()])


def segments(pair: str) -> Mapping[str, Any]:
    """Published segment scores of adequacy, against sentence-level metrics."""
    folder = DATA / "direct-assessment"
    lines = list(read_lines(folder / f"human-scores.{pair}.csv"))[1:]
    human = [float(line.split()[3]) for line in lines]
    texts = [list(read_lines(folder / f"{name}.pre-tok.{pair}")) for name in ("sys", "ref")]
    found: dict[str, Any] = {
        "segments": len(human),
        "mean z": float(np.mean(human)),
        "sd": float(np.std(human, ddof=1)),
    }
    scores = {name: get_metric(name).sentence_scores(texts[0], [texts[1]]) for name in ("bleu+1", "chrf")}
    found |= {f"r with {name}": pearson(values, human).r for name, values in scores.items()}
    between = pearson(scores["chrf"], scores["bleu+1"]).r
    ours, theirs = found["r with chrf"], found["r with bleu+1"]
    test = williams(r12=between, r13=ours, r23=theirs, n=len(human), alternative="two-sided")
    return {**found, "p": test.p}


def pool(count: int) -> list[SystemOutput]:
    return [
        SystemOutput(
            system,
            f"system {system} says of segment {segment} this and that",
            "",
            f"reference of {segment}",
            "",
            "en",
            "t",
            segment,
        )
        for system in QUALITIES
        for segment in range(count)
    ]


@cache
def campaign(protocol: str, people: int) -> Campaign:
    chosen = get_protocol(protocol)
    tasks = build_tasks(pool(70), chosen, Design(tasks=8, judgements=people), seed=1)
    return Campaign("p34", tuple(tasks), {chosen.name: chosen})


@cache
def judged(
    protocol: str, people: int, run: int, conscientious: float = 0.6
) -> tuple[list[Rating], list[Quality], dict[str, str]]:
    """What a crowd says of the systems of Table 5, what is known of its workers, and what kind each of them is of."""
    others = {"half-attentive": 0.375, "random": 0.5, "constant": 0.125}
    shares = {"conscientious": conscientious, **{kind: (1 - conscientious) * part for kind, part in others.items()}}
    made = campaign(protocol, people)
    judgements, kinds = simulate(made, QUALITIES, population=Population(shares), seed=run)
    rows = join(made, judgements).ratings
    return rows, assess_quality(rows), kinds


def passes(one: Quality, test: str) -> bool:
    """Whether a test keeps a worker."""
    if test == "paired":
        return one.kept
    p = {"none": 0.0, "welch": one.p_welch, "mann-whitney": one.p_mann_whitney}[test]
    return p is not None and p < 0.05


Figures = tuple[dict[str, list[float]], list[list[float]]]


@cache
def figures(protocol: str, test: str, scores: str, people: int, runs: int) -> Figures:
    """Of each run: who is kept, agreement, how systems come out; and the scores of systems."""
    means: list[list[float]] = []
    scale = get_protocol(protocol).scale
    assert scale is not None
    found: dict[str, list[float]] = defaultdict(list)
    for run in range(runs):
        everything, quality, _ = judged(protocol, people, run)
        keep = {one.assessor_key for one in quality if passes(one, test)}
        rows = [one for one in everything if one.assessor_key in keep]
        found["workers"].append(len(keep) / len(quality))
        found["judgements"].append(len(rows) / len(everything))
        bounds: dict[str, Any] = {"low": scale.low, "high": scale.high}
        if scores == "z":
            scored = standardize(rows)
            rows = [replace(one, score=z) for one, z in zip(scored.ratings, scored.z, strict=True)]
            bounds = {"shares": [one.score for one in rows]}
        for kind, size in MEASURED:
            told = rows and (size == 5 or protocol == "fluency")  # five points cannot be cut into four or two
            one = agreement(score_pairs(rows, kind=kind), kind=kind, categories=size, **bounds) if told else None
            found[f"{kind} kappa {size}"].append(one.kappa if one else float("nan"))
        sizes = differences(score_pairs(rows, kind="intra")) if rows else None
        found["mean d1"].append(sizes.mean if sizes else float("nan"))
        known = {one.system: one.z for one in system_scores(Standardized(rows, [r.score for r in rows], []))}
        values = [known.get(name, float("nan")) for name in QUALITIES]
        means.append(values)
        genuine_scores = [one.score for one in rows if one.genuine]
        found["r with truth"].append(float(np.corrcoef(values, list(QUALITIES.values()))[0, 1]))
        found["spread / sd"].append(float(np.ptp(values) / np.std(genuine_scores)) if genuine_scores else float("nan"))
    return dict(found), means


def unlike(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """p-value of the signed-rank test over runs that both know."""
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if not (np.isnan(a) or np.isnan(b))]
    return (
        float(stats.wilcoxon(*zip(*pairs, strict=True)).pvalue) if len(pairs) > 1 and ours != theirs else float("nan")
    )


def crowds(protocol: str, test: str, scores: str, people: int, runs: int) -> Mapping[str, Any]:
    """Agreement and system scores of simulated crowds, beside what the test of workers, or z-scores, start from."""
    ours, systems = figures(protocol, test, scores, people, runs)
    base, _ = figures(protocol, test if scores == "z" else "none", "raw", people, runs)
    _, everybody = figures(protocol, "none", "raw", people, runs)
    alike = [float(np.corrcoef(one, other)[0, 1]) for one, other in zip(systems, everybody, strict=True)]
    tested = {"intra": "intra kappa 5", "inter": "inter kappa 4", "spread": "spread / sd"}
    return {
        **{name: mean(values) for name, values in ours.items()},
        "r with all": mean(alike),
        **{f"p, {short}": unlike(ours[name], base[name]) for short, name in tested.items()},
    }


def mean(values: Sequence[float]) -> float:
    """Of those that are known."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def good_judgements(language: str, people: int, runs: int) -> Mapping[str, Any]:
    """How many judgements each test keeps where as many people are conscientious as the paper finds good judgements."""
    kept: dict[str, list[float]] = {"paired": [], "welch": [], "mann-whitney": []}
    passed: dict[str, list[bool]] = {"conscientious": [], "half-attentive": [], "random": [], "constant": []}
    for run in range(runs):
        rows, quality, kinds = judged("fluency", people, 1000 + run, TABLE_4[language])
        for test, shares in kept.items():
            names = {one.assessor_key for one in quality if passes(one, test)}
            shares.append(sum(one.assessor_key in names for one in rows) / len(rows))
        for one in quality:
            passed[kinds[one.assessor]].append(passes(one, "paired"))
    return {
        "planted": TABLE_4[language],
        **{f"kept, {test}": float(np.mean(each)) for test, each in kept.items()},
        **{f"{kind}, paired": float(np.mean(each)) if each else float("nan") for kind, each in passed.items()},
    }


def ranking(first: str, second: str) -> Mapping[str, Any]:
    """Two columns of the paper's Table 5 beside each other: how alike they order systems, and how far they spread."""
    names = ("all", "kept", "z, kept")
    one, other = ([row[names.index(name)] for row in TABLE_5.values()] for name in (first, second))
    return {
        "r": pearson(one, other).r,
        "Spearman": float(stats.spearmanr(one, other).statistic),
        "spread of first": max(one) - min(one),
        "spread of second": max(other) - min(other),
    }


def pass_rates(worker: str, pairs: int, workers: int) -> Mapping[str, Any]:
    """How many simulated workers pass each test: quality uniform 20-90, damage 20, noise 12."""
    rng = stream(1, "pass rates", worker, pairs)
    passed = dict.fromkeys(("paired", "Welch", "Mann-Whitney", "Welch, absolute", "repeats alike"), 0)
    passed |= dict.fromkeys(("paired, 5 points", "Welch, 5 points", "Mann-Whitney, 5 points"), 0)
    for _ in range(workers):
        if worker == "conscientious":
            quality, noise = rng.uniform(20, 90, (2, pairs)), rng.normal(0, 12, (4, pairs))
            raw = (quality[0] + noise[0], quality[0] + noise[1], quality[1] + noise[2], quality[1] - 20 + noise[3])
        else:
            raw = tuple(rng.uniform(80 if worker == "always high" else 0, 100, (4, pairs)))
        first, again, good, bad = (np.clip(one, 0, 100) for one in raw)
        d1, d2 = np.abs(first - again), good - bad
        passed["paired"] += paired_test(good, bad).p < 0.05
        passed["Welch"] += difference_test(d1, d2, test="welch").p < 0.05
        passed["Mann-Whitney"] += difference_test(d1, d2, test="mann-whitney").p < 0.05
        passed["Welch, absolute"] += difference_test(d1, np.abs(d2), test="welch").p < 0.05
        passed["repeats alike"] += paired_test(first, again).p > 0.025 and paired_test(again, first).p > 0.025
        first, again, good, bad = (np.minimum(4, np.floor(one / 20)) for one in (first, again, good, bad))
        d1, d2 = np.abs(first - again), good - bad
        passed["paired, 5 points"] += paired_test(good, bad).p < 0.05
        passed["Welch, 5 points"] += difference_test(d1, d2, test="welch").p < 0.05
        passed["Mann-Whitney, 5 points"] += difference_test(d1, d2, test="mann-whitney").p < 0.05
    return {name: count / workers for name, count in passed.items()}


def cell(table: Table, figure: str, **chosen: Any) -> float:
    return float(table.mean(figure, **chosen))


GENUINE = [
    Claim(
        "both workers score references above outputs and outputs above degraded copies",
        lambda t: all(r["mean of references"] > r["mean of outputs"] > r["mean of degraded"] for r in t.rows),
    ),
    Claim("the paired test keeps one of the two", lambda t: len(t.where(verdict="kept")) == 1),
]
REPEATS = [
    Claim(
        "the mean difference between repeats is within 2 points of the paper's 14.0",
        lambda t: abs(t.rows[0]["mean difference"] - 14.0) < 2,
    ),
    Claim(
        "kappa at five categories is within 0.05 of the paper's",
        lambda t: abs(cell(t, "kappa", categories=5) - 0.496) < 0.05,
    ),
    Claim(
        "kappa at two categories is within 0.05 of the paper's",
        lambda t: abs(cell(t, "kappa", categories=2) - 0.704) < 0.05,
    ),
    Claim(
        "nowhere do the two agree with themselves significantly more or less often than the paper's workers (Holm)",
        lambda t: smallest_p(t.rows) >= 0.05,
    ),
]


def row(table: Table, **chosen: Any) -> Mapping[str, Any]:
    return table.where(**chosen)[0]


def rises(table: Table, figure: str, p: str, least: float, base: Mapping[str, Any], **chosen: Any) -> bool:
    """Whether a figure is significantly and by so much greater than in the row that its p-value compares it with."""
    found = row(table, **chosen)
    return bool(found[p] < 0.05 and found[figure] > least + row(table, **base)[figure])


LINE = {"protocol": "fluency", "scores": "raw"}
FIVE = {"protocol": "likert-fluency", "scores": "raw"}
CROWDS = [
    Claim(
        "the paired test raises agreement of workers with themselves by 0.05 or more (five categories), significantly",
        lambda t: rises(t, "intra kappa 5", "p, intra", 0.05, {**LINE, "test": "none"}, **LINE, test="paired"),
    ),
    Claim(
        "so does Welch's test on the line",
        lambda t: rises(t, "intra kappa 5", "p, intra", 0.05, {**LINE, "test": "none"}, **LINE, test="welch"),
    ),
    Claim(
        "Welch's test on five points does not (in the paper: 0.505 to 0.517)",
        lambda t: not rises(t, "intra kappa 5", "p, intra", 0.05, {**FIVE, "test": "none"}, **FIVE, test="welch"),
    ),
    Claim(
        "standardizing on top raises agreement between workers by 0.05 or more (four categories), significantly",
        lambda t: rises(
            t,
            "inter kappa 4",
            "p, inter",
            0.05,
            {**LINE, "test": "paired"},
            protocol="fluency",
            test="paired",
            scores="z",
        ),
    ),
    Claim(
        "standardizing unfiltered scores significantly raises agreement too, so it is no evidence of quality",
        lambda t: rises(
            t, "inter kappa 4", "p, inter", 0.0, {**LINE, "test": "none"}, protocol="fluency", test="none", scores="z"
        ),
    ),
    Claim(
        "careless workers shrink the spread of systems significantly and hardly change their scores (r above 0.9)",
        lambda t: (
            rises(t, "spread / sd", "p, spread", 0.0, {**LINE, "test": "none"}, **LINE, test="paired")
            and row(t, **LINE, test="paired")["r with all"] > 0.9
        ),
    ),
    Claim(
        "cutting the line into five points alone costs less than a tenth of the spread",
        lambda t: row(t, **FIVE, test="paired")["spread / sd"] > 0.9 * row(t, **LINE, test="paired")["spread / sd"],
    ),
]
RATES = [
    Claim(
        "with ten pairs the paired test keeps over 90% of the conscientious, Welch's under 40%",
        lambda t: (
            cell(t, "paired", worker="conscientious", pairs=10) > 0.9
            and cell(t, "Welch", worker="conscientious", pairs=10) < 0.4
        ),
    ),
    Claim(
        "no test with the sign of d2 keeps more than 8% of random clickers",
        lambda t: (
            max(row[name] for row in t.where(worker="random") for name in ("paired", "Welch", "Mann-Whitney")) < 0.08
        ),
    ),
    Claim(
        "the test on repeats passes about 95% of everybody, so it cannot be a filter",
        lambda t: all(0.9 < row["repeats alike"] < 0.99 for row in t.rows),
    ),
    Claim(
        "on five points Welch's test keeps fewer of the conscientious than on the line (Fisher's test, both sizes)",
        lambda t: all(
            fisher_exact(
                round(r["Welch, 5 points"] * r["workers"]),
                round(r["Welch"] * r["workers"]),
                r["workers"],
                alternative="one-sided",
            )
            < 0.05
            for r in t.where(worker="conscientious")
        ),
    ),
]


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/p34", runs=12, workers=2000, small=False)
    if not args.small and not DATA.is_dir():
        sys.exit(f"no folder {DATA}: name the one of real data in DRAGOMAN_DATA, or run with --small")
    runs, workers = (2, 100) if args.small else (args.runs, args.workers)
    people = 3 if args.small else 12
    tables: dict[str, tuple[Table, list[Claim]]] = {
        "All published kappas from uniform chance agreement": (
            grid(published, row=list(range(len(PUBLISHED_KAPPAS)))),
            [
                Claim(
                    "every published kappa follows from its agreement with chance 1/k, within rounding",
                    lambda t: all(abs(row["kappa"] - row["published"]) < 0.003 for row in t.rows),
                )
            ],
        ),
        "Tests of workers": (
            grid(pass_rates, worker=["conscientious", "random", "always high"], pairs=[10, 30], workers=[workers]),
            RATES,
        ),
        "Simulated crowds": (
            grid(
                crowds,
                protocol=["fluency", "likert-fluency"],
                test=["none", "paired", "welch", "mann-whitney"],
                scores=["raw", "z"],
                people=[people],
                runs=[runs],
            ),
            CROWDS,
        ),
        "Share of good judgements": (
            grid(good_judgements, language=list(TABLE_4), people=[people], runs=[runs]),
            [
                Claim(
                    "every test keeps more judgements where more people are conscientious",
                    lambda t: all(
                        [r[name] for r in sorted(t.rows, key=lambda r: r["planted"])] == sorted(r[name] for r in t.rows)
                        for name in ("kept, paired", "kept, welch", "kept, mann-whitney")
                    ),
                ),
                Claim(
                    "the paired test keeps the planted share within 10 points",
                    lambda t: all(abs(r["kept, paired"] - r["planted"]) < 0.1 for r in t.rows),
                ),
                Claim(
                    "what it keeps above that share is mostly of the half-attentive: it keeps more than half of them,"
                    " and under 10% of the random and of the constant ones",
                    lambda t: all(
                        r["half-attentive, paired"] > 0.5 > 0.1 > max(r["random, paired"], r["constant, paired"])
                        for r in t.rows
                    ),
                ),
            ],
        ),
        "Table 5 of the paper": (
            Table(
                ("first", "second"),
                tuple(
                    {"first": a, "second": b, **ranking(a, b)} for a, b in combinations(("all", "kept", "z, kept"), 2)
                ),
            ),
            [
                Claim(
                    "filtering keeps the order of the published ranking (r above 0.9) and widens its spread",
                    lambda t: t.rows[0]["r"] > 0.9 and t.rows[0]["spread of second"] > t.rows[0]["spread of first"],
                ),
            ],
        ),
    }
    pictures = {}
    if not args.small:
        tables = {
            "Genuine workers": (grid(genuine, worker=["W1", "W2"]), GENUINE),
            "Genuine repeats": (grid(repeats, categories=[5, 4, 2]), REPEATS),
            "Preferences of WMT16": (
                grid(preferences, pair=list(PUBLISHED_WMT16)),
                [
                    Claim(
                        "expected wins put the systems into the published order of clusters",
                        lambda t: all(row["clusters in order"] for row in t.rows),
                    ),
                    Claim(
                        "counted as the published ones were, all four kappas come out to three decimals",
                        lambda t: all(
                            round(row[f"{kind}, their count"], 3) == row[f"published {kind}"]
                            for row in t.rows
                            for kind in ("inter", "intra")
                        ),
                    ),
                    Claim(
                        "without regard to the order on the screen, every kappa is within 0.02 of the published one",
                        lambda t: all(
                            abs(row[f"{kind} kappa"] - row[f"published {kind}"]) < 0.02
                            for row in t.rows
                            for kind in ("inter", "intra")
                        ),
                    ),
                ],
            ),
            "Published segment scores": (
                grid(segments, pair=["cs-en", "de-en", "es-en", "ru-en", "en-de", "en-fr", "en-ru"]),
                [
                    Claim(
                        "chrF agrees significantly better with segment scores than BLEU in most pairs",
                        lambda t: (
                            sum(row["p"] < 0.05 and row["r with chrf"] > row["r with bleu+1"] for row in t.rows)
                            > len(t.rows) / 2
                        ),
                    )
                ],
            ),
            **tables,
        }
    pictures["assessors"] = assessor_picture(judged("fluency", people, 0)[1])
    publish(
        "Continuous scales and workers tested against themselves",
        __doc__,
        tables,
        pictures=pictures,
        out=args.out,
        settings=vars(args),
    )


if __name__ == "__main__":
    main()
