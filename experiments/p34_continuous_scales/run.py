"""Graham, Baldwin, Moffat and Zobel (2013) rate translations on an unlabelled continuous line instead of in five
categories, test every worker against hidden repeats and damaged copies, and standardize scores per worker.

Genuine data: two tasks of 100 crowd ratings from a WMT campaign by the same authors, the rankings of WMT16 for
agreement on preferences, and their published segment scores. What needs a whole crowd whose care is known is shown on
simulated assessors (60% conscientious, 15% half-attentive, 20% random, 5% constant). That people use the line better
than five categories cannot be shown by simulation; only what the scale itself costs is.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.assessment.analysis.agreement import agreement, differences, score_pairs
from dragoman.assessment.analysis.assessor_quality import assess_quality, difference_test, paired_test
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
from dragoman.assessment.simulation.assessors import simulate
from dragoman.evaluation.correlation import pearson
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.seeds import stream
from experiments.common import Claim, Table, arguments, grid, publish

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
        "published inter": theirs[0],
        "intra kappa": intra.kappa,
        "published intra": theirs[1],
        "clusters in order": matches,
    }


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
    for name in ("bleu", "chrf"):
        scores = get_metric(name).sentence_scores(texts[0], [texts[1]])
        found[f"r with {name}"] = pearson(scores, human).r
    return found


def pool(systems: int, count: int) -> list[SystemOutput]:
    return [
        SystemOutput(
            f"S{system}",
            f"system {system} says of segment {segment} this and that",
            "",
            f"reference of {segment}",
            "",
            "en",
            "t",
            segment,
        )
        for system in range(systems)
        for segment in range(count)
    ]


def crowds(protocol: str, filtered: bool, scores: str, people: int, runs: int) -> Mapping[str, Any]:
    """Agreement and system scores of simulated crowds: 8 tasks, each done by so many people."""
    if scores == "z" and protocol != "fluency":
        return {}
    chosen = get_protocol(protocol)
    scale = chosen.scale
    assert scale is not None
    qualities = {f"S{at}": 60.0 - 3 * at for at in range(8)}
    tasks = build_tasks(pool(8, 70), chosen, Design(tasks=8, judgements=people), seed=1)
    made = Campaign("p34", tuple(tasks), {chosen.name: chosen})
    figures: dict[str, list[float]] = {}
    for run in range(runs):
        rows = join(made, simulate(made, qualities, seed=run)[0]).ratings
        if filtered:
            keep = {one.judge for one in assess_quality(rows) if one.kept}
            rows = [one for one in rows if one.judge in keep]
        if scores == "z":
            scored = standardize(rows)
            rows = [replace(one, score=z) for one, z in zip(scored.ratings, scored.z, strict=True)]
        bounds: dict[str, Any] = {"low": scale.low, "high": scale.high}
        if scores == "z":
            bounds = {"shares": [one.score for one in rows]}
        for kind, size in MEASURED:
            one = agreement(score_pairs(rows, kind=kind), kind=kind, categories=size, **bounds)
            assert one is not None
            figures.setdefault(f"{kind} kappa {size}", []).append(one.kappa)
        sizes = differences(score_pairs(rows, kind="intra"))
        assert sizes is not None
        figures.setdefault("mean d1", []).append(sizes.mean)
        found = {one.system: one.z for one in system_scores(Standardized(rows, [r.score for r in rows], []))}
        values = [found[name] for name in qualities]
        genuine_scores = [one.score for one in rows if one.genuine]
        figures.setdefault("r with truth", []).append(float(np.corrcoef(values, list(qualities.values()))[0, 1]))
        figures.setdefault("spread / sd", []).append(float(np.ptp(values) / np.std(genuine_scores)))
    return {name: float(np.mean(values)) for name, values in figures.items()}


def pass_rates(worker: str, pairs: int, workers: int) -> Mapping[str, Any]:
    """How many simulated workers pass each test: quality uniform 20-90, damage 20, noise 12."""
    rng = stream(1, "pass rates", worker, pairs)
    passed = {"paired": 0, "Welch": 0, "Mann-Whitney": 0, "Welch, absolute": 0, "repeats alike": 0}
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
]
CROWDS = [
    Claim(
        "filtering raises agreement of workers with themselves by 0.05 or more (five categories)",
        lambda t: (
            cell(t, "intra kappa 5", protocol="fluency", filtered=True, scores="raw")
            > 0.05 + cell(t, "intra kappa 5", protocol="fluency", filtered=False, scores="raw")
        ),
    ),
    Claim(
        "standardizing on top raises agreement between workers by 0.05 or more (four categories)",
        lambda t: (
            cell(t, "inter kappa 4", protocol="fluency", filtered=True, scores="z")
            > 0.05 + cell(t, "inter kappa 4", protocol="fluency", filtered=True, scores="raw")
        ),
    ),
    Claim(
        "standardizing unfiltered scores raises agreement too, so it is no evidence of quality",
        lambda t: (
            cell(t, "inter kappa 2", protocol="fluency", filtered=False, scores="z")
            > cell(t, "inter kappa 2", protocol="fluency", filtered=False, scores="raw")
        ),
    ),
    Claim(
        "random clickers shrink the spread of systems but hardly their order",
        lambda t: (
            cell(t, "spread / sd", protocol="fluency", filtered=True, scores="raw")
            > cell(t, "spread / sd", protocol="fluency", filtered=False, scores="raw")
        ),
    ),
    Claim(
        "cutting the line into five points alone costs less than a tenth of the spread",
        lambda t: (
            cell(t, "spread / sd", protocol="likert-fluency", filtered=True, scores="raw")
            > 0.9 * cell(t, "spread / sd", protocol="fluency", filtered=True, scores="raw")
        ),
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
]


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/p34", runs=5, workers=2000, small=False)
    if not args.small and not DATA.is_dir():
        sys.exit(f"no folder {DATA}: name the one of real data in DRAGOMAN_DATA, or run with --small")
    runs, workers = (1, 100) if args.small else (args.runs, args.workers)
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
                filtered=[False, True],
                scores=["raw", "z"],
                people=[3 if args.small else 12],
                runs=[runs],
            ),
            CROWDS,
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
                    Claim("expected wins put the systems into the published order of clusters",
                          lambda t: all(row["clusters in order"] for row in t.rows)),
                    Claim("inter-annotator kappas are within 0.02 of the published ones",
                          lambda t: all(abs(row["inter kappa"] - row["published inter"]) < 0.02 for row in t.rows)),
                ],
            ),
            "Published segment scores": (
                grid(segments, pair=["cs-en", "de-en", "es-en", "ru-en", "en-de", "en-fr", "en-ru"]),
                [Claim("chrF agrees better with segment scores than BLEU in most pairs",
                       lambda t: sum(row["r with chrf"] > row["r with bleu"] for row in t.rows) > len(t.rows) / 2)],
            ),
            **tables,
        }  # fmt: skip
    protocol = get_protocol("fluency")
    made = Campaign(
        "p34", tuple(build_tasks(pool(8, 70), protocol, Design(tasks=8, judgements=4))), {"fluency": protocol}
    )
    rows = join(made, simulate(made, {f"S{at}": 60.0 - 3 * at for at in range(8)})[0]).ratings
    pictures["assessors"] = assessor_picture(assess_quality(rows))
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
