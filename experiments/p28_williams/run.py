"""Is one metric's correlation with people significantly higher than another's? (Graham and Baldwin 2014)

Data: the scores of twelve metrics of the WMT 2012 metrics task and of people for 12 Spanish-English systems (and of two
metrics for 15 English-French systems), as the authors published them; segment-level direct-assessment scores of
newstest2013 outputs for seven language pairs (70 to 500 segments), against metrics computed here; and, for hybrid
systems (Graham and Liu 2016), five newstest2016 Czech-English systems whose outputs people compared in pairs: the human
score of an output is its wins minus losses per comparison.

    python experiments/p28_williams/run.py --out docs/experiments/p28

The level and the power of the tests are simulated from normal variables with known correlations, as in the paper's
argument; all tests see the same samples, one-sided at 0.05. `p, not 0.05` is the two-sided binomial test that a test
rejects equal metrics as often as it says, `p, unlike fisher` McNemar's test that Williams' and Fisher's tests reject as
many of the same samples. `p, unlike outputs` is McNemar's test that hybrids separate as many pairs of metrics as the
outputs they are made of. What cannot be repeated here: the other five language pairs of WMT 2012, whose scores are not
at hand.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import scatter_plot
from dragoman.evaluation.contingency import fisher_exact, mcnemar
from dragoman.evaluation.correlation import fisher_difference
from dragoman.evaluation.hybrids import study_hybrids
from dragoman.evaluation.measures import measure_scores, measure_texts
from dragoman.evaluation.metric_study import MetricStudy, StudySettings, studies, study_metrics
from dragoman.evaluation.pictures import correlation_map, significance_map
from dragoman.evaluation.score_files import ScoreRow, read_metrics_task
from dragoman.evaluation.williams import steiger, williams
from dragoman.files import read_lines
from dragoman.metrics import get_metric
from dragoman.seeds import stream
from experiments.common import Claim, Table, arguments, publish, smallest_p

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "wmt"
PAIRS = ("cs-en", "de-en", "en-de", "en-fr", "en-ru", "es-en", "ru-en")
SEGMENT_METRICS = ("bleu+1", "chrf", "ter", "wer", "per", "meteor:stages=exact+stem")
SYSTEM_METRICS = ("bleu", "nist", "chrf", "ter", "wer", "per", "meteor:stages=exact+stem")
REFERENCES_2016 = "newstest2016-cs-en"


def published(small: bool) -> tuple[list[ScoreRow], list[ScoreRow]]:
    if small:
        random = stream(2, "published")
        quality = {f"S{k}": 60.0 - 2 * k for k in range(12)}
        human = [ScoreRow("HUMAN", "es-en", "t", name, None, value) for name, value in quality.items()]
        return human, [
            ScoreRow(f"M{noise}", "es-en", "t", name, None, value + float(random.normal(0, noise)))
            for noise in (1, 4, 16)
            for name, value in quality.items()
        ]
    folder = DATA / "williams" / "example-data-multi"
    return (
        read_metrics_task(folder / "mt-systems-scored-by-humans"),
        read_metrics_task(folder / "mt-systems-scored-by-metrics"),
    )


def segment_study(pair: str, small: bool) -> MetricStudy:
    """Metrics of one line against the score that people gave it."""
    if small:
        random = stream(4, pair)
        truth = random.normal(size=120)
        things = [(f"S{k % 4}", str(k // 4)) for k in range(120)]
        metrics = {f"m{noise}": truth + random.normal(0, noise, size=120) for noise in (1, 2, 3)}
        human = dict(zip(things, truth.tolist(), strict=True))
        scores = {name: dict(zip(things, values.tolist(), strict=True)) for name, values in metrics.items()}
        return study_metrics(human, scores, level="segment", pair=pair)
    folder = DATA / "direct-assessment"
    people = read_metrics_task(folder / f"human-scores.{pair}.csv")
    hypotheses, references = (list(read_lines(folder / f"{kind}.pre-tok.{pair}")) for kind in ("sys", "ref"))
    things = [(row.system, str(row.segment)) for row in people]
    human = {thing: row.score for thing, row in zip(things, people, strict=True)}
    scores, directions = {}, {}
    for name in SEGMENT_METRICS:
        metric = get_metric(name)
        values = metric.sentence_scores(hypotheses, references, threads=0)
        scores[name] = dict(zip(things, values.tolist(), strict=True))
        directions[name] = metric.higher_is_better
    settings = StudySettings(higher_is_better=directions)
    return study_metrics(human, scores, settings, level="segment", pair=pair, test_set="newstest2013")


def hybrid_studies(hybrids: int, small: bool) -> tuple[MetricStudy, MetricStudy]:
    """The same judgements over single outputs, and over hybrid systems."""
    if small:
        random = stream(5, "hybrids")
        truth = {f"S{k}": 0.3 * k + random.normal(size=100) for k in range(4)}
        measures = []
        for noise in (1, 3):
            seen = {name: values + random.normal(0, noise, size=100) for name, values in truth.items()}
            measures.append(measure_scores(f"m{noise}", seen, higher_is_better=True))
        human = {name: values.tolist() for name, values in truth.items()}
    else:
        folder = DATA / REFERENCES_2016
        names = ("uedin-nmt", "jhu-pbmt", "online-B", "PJATK", "cu-mergedtrees")
        systems = {name: list(read_lines(folder / f"{name}.gz")) for name in names}
        measures, _ = measure_texts(systems, list(read_lines(folder / "ref.en.gz")), SYSTEM_METRICS, threads=0)
        points: dict[tuple[str, int], list[float]] = defaultdict(list)
        for line in itertools.islice(read_lines(folder / "pairwise.tsv.gz"), 1, None):
            _, segment, _, a, rank_a, b, rank_b = line.split("\t")
            gain = float(np.sign(int(rank_b) - int(rank_a)))
            points[a, int(segment) - 1].append(gain)
            points[b, int(segment) - 1].append(-gain)
        human = {name: [float("nan")] * measures[0].segments for name in names}
        for (name, at), values in points.items():
            human[name][at] = float(np.mean(values))
    judged = {(name, str(at)): score for name, row in human.items() for at, score in enumerate(row) if score == score}
    outputs = {
        measure.label: {
            (name, str(at)): float(score)
            for name, values in measure.segment_scores().items()
            for at, score in enumerate(values)
            if (name, str(at)) in judged
        }
        for measure in measures
    }
    directions = {measure.label: measure.higher_is_better for measure in measures}
    single = study_metrics(judged, outputs, StudySettings(higher_is_better=directions), level="segment", pair="cs-en")
    return single, study_hybrids(measures, human, hybrids=hybrids, pair="cs-en", threads=0)


def simulate(r13: float, r23: float, r12: float, n: int, trials: int) -> dict[str, float]:
    """How often each test says that the first metric is better, one-sided at 0.05, and whether that is as it should."""
    random = stream(11, f"{r13} {r23} {r12} {n}")
    covariance = [[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]
    found: dict[str, list[bool]] = {"williams": [], "steiger": [], "fisher": []}
    for sample in random.multivariate_normal(np.zeros(3), covariance, size=(trials, n)):
        r = np.corrcoef(sample.T)
        one, two, three = float(r[0, 1]), float(r[0, 2]), float(r[1, 2])
        found["williams"].append(williams(r12=one, r13=two, r23=three, n=n).p < 0.05)
        found["steiger"].append(steiger(r12=one, r13=two, r23=three, n=n) < 0.05)
        found["fisher"].append(fisher_difference(two, three, n, n) < 0.05)
    level = stats.binomtest(sum(found["williams"]), trials, 0.05).pvalue if r13 == r23 else float("nan")
    return {
        **{name: sum(rejected) / trials for name, rejected in found.items()},
        "p, not 0.05": float(level),
        "p, unlike fisher": mcnemar(found["williams"], found["fisher"]),
    }


def separated(study: MetricStudy) -> list[bool]:
    """Of every two metrics, whether one is significantly better."""
    wins = {frozenset(pair) for pair in (study.matrix.significant(0.05) if study.matrix else ())}
    return [frozenset(pair) in wins for pair in itertools.combinations(sorted(study.scores), 2)]


def summary(name: str, study: MetricStudy, baseline: Sequence[str]) -> dict[str, Any]:
    metrics = len(study.agreements)
    pairs = metrics * (metrics - 1) // 2
    wins = study.matrix.significant(0.05) if study.matrix else ()
    first = next((one for one in baseline if any(one == found.metric for found in study.agreements)), "")
    return {
        "data": name,
        "things": study.n,
        "metrics": metrics,
        "pairs": pairs,
        "significant": len(wins),
        "share": len(wins) / pairs,
        "best": study.agreements[0].metric,
        "its r": study.agreements[0].pearson.r,
        "baseline": first,
        "beat the baseline": sum(b == first for _, b in wins),
        "p, unlike outputs": float("nan"),
    }


def main() -> None:
    args = arguments(
        __doc__, out=str(HOME / "docs" / "experiments" / "p28"), trials=20_000, hybrids=10_000, small=False
    )
    if args.small:
        args.trials, args.hybrids = 200, 200
    human, metrics = published(args.small)
    by_pair = {study.pair: study for study in studies(human, metrics)}
    spanish = by_pair["es-en"]
    old = {study.pair: study for study in studies(human, metrics, StudySettings(df="n-2"))}["es-en"]
    assert spanish.matrix is not None
    assert old.matrix is not None
    rows = [
        {
            "metric": found.metric,
            "pearson": found.pearson.r,
            "spearman": found.spearman.r,
            "kendall": found.kendall.r,
            "beats, n-3": sum(a == found.metric for a, _ in spanish.matrix.significant()),
            "beats, n-2": sum(a == found.metric for a, _ in old.matrix.significant()),
        }
        for found in spanish.agreements
    ]
    single, hybrid = hybrid_studies(args.hybrids, args.small)
    segments = {pair: segment_study(pair, args.small) for pair in (PAIRS[:2] if args.small else PAIRS)}
    shares = [summary(f"WMT 2012 {pair}, systems", study, ["BLEU_4_closest_cased"]) for pair, study in by_pair.items()]
    shares += [summary(f"newstest2013 {pair}, segments", study, ["bleu+1"]) for pair, study in segments.items()]
    shares += [
        summary("newstest2016 cs-en, segments", single, ["bleu"]),
        {
            **summary("newstest2016 cs-en, hybrids", hybrid, ["bleu"]),
            "p, unlike outputs": mcnemar(separated(single), separated(hybrid)),
        },
    ]
    correlations = [
        {"data": pair, "n": study.n, **{metric: study[metric].pearson.r for metric in sorted(study.scores)}}
        for pair, study in segments.items()
    ]
    grid = [
        {"rho13": a, "rho23": b, "rho12": c, "n": n, **simulate(a, b, c, n, args.trials)}
        for a, b, c, n in ((0.8, 0.8, 0.9, 12), (0.4, 0.4, 0.7, 560), (0.95, 0.8, 0.9, 12), (0.95, 0.8, 0.75, 12))
    ]
    first = spanish.matrix.p["AMBER"]["BLEU_4_closest_cased"] if not args.small else None
    exact = old.matrix.p["AMBER"]["BLEU_4_closest_cased"] if not args.small else None
    print("AMBER over BLEU:", first, exact)
    tables = {
        "Twelve metrics, Spanish-English 2012": (
            Table(("metric",), tuple(rows)),
            [
                Claim(
                    "the published example comes out to the last digit (p = 0.0114079074943561, with n - 2 degrees of"
                    " freedom; the correct n - 3 give 0.01246)",
                    lambda _: exact is not None and abs(exact - 0.0114079074943561) < 1e-15,
                ),
                Claim(
                    "36 of 66 pairs are significant at 0.05, 38 with the degrees of freedom that were published",
                    lambda t: (
                        (sum(row["beats, n-3"] for row in t.rows), sum(row["beats, n-2"] for row in t.rows)) == (36, 38)
                    ),
                ),
            ],
        ),
        "How many pairs of metrics differ": (
            Table(("data",), tuple(shares)),
            [
                Claim(
                    "no metric beats the baseline everywhere",
                    lambda t: any(row["beat the baseline"] == 0 for row in t.rows),
                ),
                Claim(
                    "hybrids separate significantly more pairs of metrics than the single outputs they are made of",
                    lambda t: t.rows[-1]["p, unlike outputs"] < 0.05 and t.rows[-1]["share"] > t.rows[-2]["share"],
                ),
            ],
        ),
        "Segments of newstest2013: Pearson's correlation with people": (Table(("data",), tuple(correlations)), []),
        "Level and power, simulated": (
            Table(("rho13", "rho23", "rho12", "n"), tuple(grid)),
            [
                Claim(
                    "of equal metrics, Williams' test does not reject significantly more or less than 5%, with 12"
                    " systems and with 560 segments",
                    lambda t: smallest_p(t.rows, "p, not 0.05") >= 0.05,
                ),
                Claim(
                    "Fisher's transformation rejects significantly less than Williams' test, of equal metrics and of"
                    " different ones",
                    lambda t: all(row["p, unlike fisher"] < 0.05 and row["fisher"] < row["williams"] for row in t.rows),
                ),
                Claim(
                    "Williams' test finds significantly more, the more alike the metrics are (Fisher's exact test)",
                    lambda t: (
                        fisher_exact(
                            round(t.rows[3]["williams"] * args.trials),
                            round(t.rows[2]["williams"] * args.trials),
                            args.trials,
                            alternative="one-sided",
                        )
                        < 0.05
                    ),
                ),
            ],
        ),
    }
    order = spanish.matrix.order
    best = spanish.agreements[0].metric
    assert hybrid.matrix is not None
    pictures = {
        "williams-es-en": significance_map(order, spanish.matrix.p, title="es-en 2012: Williams' test"),
        "between-es-en": correlation_map(order, spanish.matrix.between, title="es-en 2012: metrics"),
        "scatter-es-en": scatter_plot(
            {best: list(zip(spanish.scores[best], spanish.human, map(str, spanish.things), strict=True))},
            title=f"{best} and people, es-en",
            x_name=best,
            y_name="people",
        ),
        "williams-hybrids": significance_map(
            hybrid.matrix.order, hybrid.matrix.p, title="cs-en 2016: Williams' test over hybrids"
        ),
    }
    for pair in ("es-en",) if not args.small else ():
        matrix = segments[pair].matrix
        assert matrix is not None
        drawn = significance_map(matrix.order, matrix.p, title=f"{pair} 2013: segments")
        pictures[f"williams-segments-{pair}"] = drawn
    publish(
        "Williams' test of two correlations",
        __doc__,
        tables,
        pictures=pictures,
        out=args.out,
        settings=vars(args),
    )


if __name__ == "__main__":
    main()
