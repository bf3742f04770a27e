"""Which significance test keeps its level, and does it matter which one is used? (Graham, Mathur and Baldwin 2014)

Data: outputs of newstest2013 (Spanish-English, 17 systems; English-German, 21 systems) and newstest2016
(Czech-English, 5 systems); 3,000 segments each. Human conclusions for Spanish-English come from standardised
direct-assessment scores (20 to 48 judged segments per system, rank-sum test), for Czech-English from 11,495 pairwise
preferences (sign test). The paper had about 1,280 judgements per system and WMT 2012 outputs; with so few judgements
people separate few systems here, which bounds every accuracy.

    python experiments/p35_significance/run.py --out docs/experiments/p35

*Equal systems* are made by trading two systems' outputs segment by segment at random: the two results differ by luck
only, so every rejection is a false alarm. *Different systems* are pairs that differ by 0.5 to 2 points of the metric on
all segments; the test sees a random part of the segments, so a test that does not reject has missed a difference. Both
are drawn from the Spanish-English systems, 500 pairs for each size of test set, one-sided tests at 0.05 with 1,000
samples. `p, not 0.05` is the binomial test that the rate of false alarms is the nominal one; `p, unlike randomization`
is McNemar's test over the same pairs; both two-sided. Where a claim is about several rows, it is decided at 0.05 after
Holm's correction over them. Accuracies against people are compared by McNemar's test over pairs of systems (and by
chi-square as in the paper); pairs that share a system are not independent, so these p-values are rather too small.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import forest_plot, line_plot
from dragoman.drawing import Drawing
from dragoman.evaluation.conclusions import accuracy, conclusions, same_accuracy
from dragoman.evaluation.contingency import fisher_exact, mcnemar
from dragoman.evaluation.measures import Measure, measure_texts
from dragoman.evaluation.pictures import histogram, significance_map
from dragoman.evaluation.ranks import proportion_interval, rank_sum_matrix
from dragoman.evaluation.resampling import SignificanceTest, compare_all, p_value
from dragoman.evaluation.score_files import read_metrics_task
from dragoman.files import read_lines
from dragoman.metrics.base import Metric
from dragoman.metrics.bootstrap import Scorer
from dragoman.seeds import stream
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, publish, smallest_p

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "wmt"
METRICS: Sequence[str | Metric] = ("bleu", "nist", "meteor:stages=exact+stem", "ter", "chrf")
ERRORS = ("bleu", "ter", "chrf")
"""Metrics whose errors of both kinds are counted."""
TESTS = ("paired-bootstrap", "bootstrap", "randomization")
ALPHAS = (0.05, 0.01, 0.001)
Array = NDArray[np.float64]
PValues = dict[str, dict[str, float]]


def outputs(name: str, small: bool) -> tuple[dict[str, list[str]], list[str]]:
    """Systems' outputs and the reference."""
    if small:
        lines = [" ".join(pair.target.tokens) for pair in itertools.islice(synthetic.pair("en-de").generate(400), 300)]
        random = stream(1, name)
        words = sorted({word for line in lines for word in line.split()})

        def damaged(share: float) -> list[str]:
            return [
                " ".join(word if random.random() > share else str(random.choice(words)) for word in line.split())
                for line in lines
            ]

        return {f"S{k}": damaged(0.20 + 0.02 * k) for k in range(5)}, lines
    if name == "cs-en":
        folder = DATA / "newstest2016-cs-en"
        systems = ("uedin-nmt", "jhu-pbmt", "online-B", "PJATK", "cu-mergedtrees")
        return {one: list(read_lines(folder / f"{one}.gz")) for one in systems}, list(read_lines(folder / "ref.en.gz"))
    folder = DATA / "newstest2013"
    reference = list(read_lines(folder / "references" / f"newstest2013.{name[-2:]}.gz"))
    return {
        file.name.removesuffix(".gz"): list(read_lines(file)) for file in sorted((folder / name).iterdir())
    }, reference


@dataclass(frozen=True)
class Samples:
    """Differences of all pairs, oriented, in bootstrap samples and after swaps: all tests are read off these."""

    drawn: Mapping[tuple[str, str], Array]
    swapped: Mapping[tuple[str, str], Array]
    delta: Mapping[tuple[str, str], float]

    def p(self, test: str, pair: tuple[str, str], sided: int = 1) -> float:
        """The p-value of a test; pairs may be turned round."""
        kind = self.swapped if test == "randomization" else self.drawn
        sign, pair = (1, pair) if pair in kind else (-1, (pair[1], pair[0]))
        return p_value(sign * kind[pair], sign * self.delta[pair], SignificanceTest(name=test, sided=sided))[2]


def sampled(
    statistics: Mapping[str, Array], scores: Scorer, *, higher_is_better: bool = True, samples: int, seed: int = 1
) -> Samples:
    drawn, swapped = (
        compare_all(
            statistics,
            scores,
            SignificanceTest(name=test, samples=samples, seed=seed),
            higher_is_better=higher_is_better,
        ).differences
        for test in ("paired-bootstrap", "randomization")
    )
    return Samples(
        {pair: one.pseudo for pair, one in drawn.items()},
        {pair: one.pseudo for pair, one in swapped.items()},
        {pair: one.delta for pair, one in drawn.items()},
    )


def one_sided(names: Sequence[str], seen: Samples, test: str) -> PValues:
    """p-values of all ordered pairs: the row is better than the column."""
    return {a: {b: seen.p(test, (a, b)) for b in names if b != a} for a in names}


def agreement(data: str, measure: Measure, samples: int, tested: Mapping[str, PValues]) -> dict[str, Any]:
    """How far the three tests' p-values lie apart, and how often they conclude differently."""
    names = list(measure.statistics)
    whole = measure.corpus_scores()
    sign = 1 if measure.higher_is_better else -1
    pairs = [(a, b) if sign * whole[a] >= sign * whole[b] else (b, a) for a, b in itertools.combinations(names, 2)]
    spread = [max(tested[t][a][b] for t in TESTS) - min(tested[t][a][b] for t in TESTS) for a, b in pairs]
    row: dict[str, Any] = {
        "data": data,
        "metric": measure.label,
        "samples": samples,
        "pairs": len(pairs),
        "mean spread": float(np.mean(spread)),
        "largest spread": float(np.max(spread)),
    }
    for alpha in ALPHAS:
        decided = [conclusions(names, tested[test], alpha=alpha) for test in TESTS]
        row[f"differ at {alpha}"] = sum(len({d[pair] for d in decided}) > 1 for pair in decided[0])
    return row


def sides(data: str, measure: Measure, seen: Samples) -> list[dict[str, Any]]:
    """Two-sided against one-sided p-values, and the form of Riezler and Maxwell against both."""
    better = [pair if delta >= 0 else (pair[1], pair[0]) for pair, delta in seen.delta.items()]
    rows = []
    for test in ("bootstrap", "randomization"):
        one, two, old = (
            np.array([seen.p(name, pair, sided) for pair in better])
            for name, sided in ((test, 1), (test, 2), ("riezler-maxwell", 2))
        )
        clear = (one > 0.02) & (two < 0.9)
        ratio = two[clear] / one[clear]
        if not clear.any():
            continue
        rows.append(
            {
                "data": data,
                "metric": measure.label,
                "test": test,
                "pairs with p > 0.02": int(clear.sum()),
                "two-sided / one-sided": float(np.median(ratio)),
                "within 15% of 2": float(np.mean(np.abs(ratio - 2) <= 0.3)),
                "riezler-maxwell / two-sided": float(np.median(old[clear] / two[clear])),
            }
        )
    return rows


def unlike(found: Mapping[str, Sequence[bool]], test: str) -> float:
    """The p-value that a test rejects as many of the same pairs as randomization does."""
    return float("nan") if test == "randomization" else mcnemar(found[test], found["randomization"])


def false_alarms(measure: Measure, segments: int, trials: int, samples: int) -> list[dict[str, Any]]:
    """How often each test rejects although two systems are equal by construction."""
    random = stream(7, f"{measure.label} {segments}")
    rows = np.stack(list(measure.statistics.values()))
    tests = (*TESTS, "riezler-maxwell")
    found: dict[str, list[bool]] = {test: [] for test in tests}
    for trial in range(trials):
        a, b = random.choice(len(rows), size=2, replace=False)
        places = random.choice(rows.shape[1], size=segments, replace=False)
        swap = random.random(segments) < 0.5
        first, second = rows[a][places], rows[b][places]
        systems = {"x": np.where(swap[:, None], second, first), "y": np.where(swap[:, None], first, second)}
        seen = sampled(systems, measure.scores, higher_is_better=measure.higher_is_better, samples=samples, seed=trial)
        for test in tests:
            found[test].append(seen.p(test, ("x", "y"), 2 if test == "riezler-maxwell" else 1) <= 0.05)
    table = []
    for test in tests:
        count = sum(found[test])
        low, high = proportion_interval(count, trials)
        table.append(
            {
                "metric": measure.label,
                "segments": segments,
                "test": test,
                "pairs": trials,
                "rejected at 0.05": count / trials,
                "low": low,
                "high": high,
                "p, not 0.05": float(stats.binomtest(count, trials, 0.05).pvalue),
                "p, unlike randomization": unlike(found, test),
            }
        )
    return table


def misses(measure: Measure, segments: int, trials: int, samples: int) -> list[dict[str, Any]]:
    """How often each test finds a real difference."""
    random = stream(9, f"{measure.label} {segments}")
    sign = 1 if measure.higher_is_better else -1
    whole = measure.corpus_scores()
    pairs = [(a, b) for a, b in itertools.permutations(whole, 2) if 0.5 <= sign * (whole[a] - whole[b]) <= 2]
    found: dict[str, list[bool]] = {test: [] for test in TESTS}
    for trial in range(trials):
        a, b = pairs[int(random.integers(len(pairs)))]
        places = random.choice(measure.segments, size=segments, replace=False)
        systems = {name: measure.statistics[name][places] for name in (a, b)}
        seen = sampled(systems, measure.scores, higher_is_better=measure.higher_is_better, samples=samples, seed=trial)
        for test in TESTS:
            found[test].append(seen.p(test, (a, b)) <= 0.05)
    return [
        {
            "metric": measure.label,
            "segments": segments,
            "test": test,
            "differences": len(pairs),
            "pairs": trials,
            "found at 0.05": sum(found[test]) / trials,
            "missed": 1 - sum(found[test]) / trials,
            "p, unlike randomization": unlike(found, test),
        }
        for test in TESTS
    ]


def more_found(table: Table) -> list[float]:
    """For each metric and test, p-values that a larger test set finds no more differences than the next smaller one."""
    found = []
    for metric, test in dict.fromkeys((row["metric"], row["test"]) for row in table.rows):
        for small, large in itertools.pairwise(table.where(metric=metric, test=test)):
            counts = [round(row["found at 0.05"] * row["pairs"]) for row in (small, large)]
            found.append(fisher_exact(counts[0], counts[1], small["pairs"], alternative="one-sided"))
    return found


def people(data: str, names: Sequence[str], small: bool) -> PValues:
    """One-sided p-values of all ordered pairs, from people's judgements."""
    if small:
        random = stream(3, "people")
        return rank_sum_matrix({name: random.normal(-0.2 * k, 1, size=60) for k, name in enumerate(names)})
    if data == "cs-en":
        wins: dict[tuple[str, str], int] = dict.fromkeys(itertools.permutations(names, 2), 0)
        for line in itertools.islice(read_lines(DATA / "newstest2016-cs-en" / "pairwise.tsv.gz"), 1, None):
            _, _, _, a, rank_a, b, rank_b = line.split("\t")
            if rank_a != rank_b:
                wins[(a, b) if int(rank_a) < int(rank_b) else (b, a)] += 1
        p: PValues = {name: {} for name in names}
        for a, b in itertools.permutations(names, 2):
            both = wins[a, b] + wins[b, a]
            p[a][b] = float(stats.binomtest(wins[a, b], both, alternative="greater").pvalue)
        return p
    scores: dict[str, list[float]] = {name: [] for name in names}
    for row in read_metrics_task(DATA / "direct-assessment" / f"human-scores.{data}.csv"):
        scores[row.system.replace(":", "_")].append(row.score)
    return rank_sum_matrix(scores)


Conclusions = dict[tuple[str, str], int]


def against_people(data: str, measure: Measure, tested: Mapping[str, PValues], gold: PValues) -> list[dict[str, Any]]:
    names = list(measure.statistics)
    rows = []
    for alpha in ALPHAS:
        truth = conclusions(names, gold, alpha=alpha)
        decided = {test: conclusions(names, tested[test], alpha=alpha) for test in TESTS}
        right = {test: accuracy(decided[test], truth) for test in TESTS}
        two = list(itertools.combinations(TESTS, 2))
        rows.append(
            {
                "data": data,
                "metric": measure.label,
                "alpha": alpha,
                "pairs": right[TESTS[0]].pairs,
                "separated by people": sum(value != 0 for value in truth.values()),
                **{f"right, {test}": right[test].correct for test in TESTS},
                "accuracy": right["randomization"].share,
                "low": right["randomization"].interval[0],
                "high": right["randomization"].interval[1],
                "p, tests differ": min(mcnemar(*(agrees(decided[test], truth) for test in pair)) for pair in two),
                "chi-square": min(same_accuracy(right[a], right[b]) for a, b in two),
            }
        )
    return rows


def agrees(found: Conclusions, gold: Conclusions) -> list[bool]:
    """Pair by pair, whether the conclusion is that of people."""
    return [value == gold[pair] for pair, value in found.items()]


def metrics_against_people(data: str, right: Mapping[str, Sequence[bool]]) -> list[dict[str, Any]]:
    """Every two metrics: which one's conclusions (randomization, 0.05) are people's where the other's are not."""
    return [
        {
            "data": data,
            "first": a,
            "second": b,
            "only first right": sum(x and not y for x, y in zip(right[a], right[b], strict=True)),
            "only second right": sum(y and not x for x, y in zip(right[a], right[b], strict=True)),
            "p": mcnemar(right[a], right[b]),
        }
        for a, b in itertools.combinations(right, 2)
    ]


def largest(rows: Sequence[Mapping[str, Any]], figure: str) -> float:
    """The largest of some p-values: all tests reject if this is small."""
    return float(max(row[figure] for row in rows))


def main() -> None:
    args = arguments(__doc__, out=str(HOME / "docs" / "experiments" / "p35"), trials=500, samples=1000, small=False)
    if args.small:
        args.trials, args.samples = 20, 100
    metrics = ("bleu", "ter") if args.small else METRICS
    sizes = (50, 200) if args.small else (100, 300, 1000, 3000)
    agreeing, sided, judged, between = [], [], [], []
    errors: list[Measure] = []
    pictures: dict[str, Drawing] = {}
    for data in ("es-en",) if args.small else ("es-en", "en-de", "cs-en"):
        systems, reference = outputs(data, args.small)
        measures, _ = measure_texts(systems, reference, metrics, threads=0)
        gold = None if data == "en-de" else people(data, list(systems), args.small)
        right: dict[str, list[bool]] = {}
        for measure in measures:
            for samples in (args.samples, 10 * args.samples):
                seen = sampled(
                    measure.statistics, measure.scores, higher_is_better=measure.higher_is_better, samples=samples
                )
                tested = {test: one_sided(list(systems), seen, test) for test in TESTS}
                agreeing.append(agreement(data, measure, samples, tested))
                print(agreeing[-1], flush=True)
            sided += sides(data, measure, seen)
            if gold is not None:
                judged += against_people(data, measure, tested, gold)
                decided = conclusions(list(systems), tested["randomization"])
                right[measure.label] = agrees(decided, conclusions(list(systems), gold))
            if data == "es-en" and measure.label in ERRORS:
                errors.append(measure)
            if data == "es-en" and measure.label == "bleu":
                order = sorted(systems, key=lambda name: -measure.corpus_scores()[name])
                kept = {a: {b: p for b, p in tested["randomization"][a].items() if p < 0.5} for a in order}
                pictures["bleu-es-en"] = significance_map(order, kept, title="es-en: BLEU, randomization")
                felt = {a: {b: p for b, p in gold[a].items() if p < 0.5} for a in order} if gold else {}
                pictures["people-es-en"] = significance_map(order, felt, title="es-en: people, rank-sum test")
                close = (order[0], order[1])
                test = SignificanceTest(name="bootstrap", sided=1, samples=args.samples)
                drawn = compare_all(measure.statistics, measure.scores, test, pairs=[close]).differences[close]
                pictures["pseudo-statistics"] = histogram(
                    drawn.pseudo,
                    mark=drawn.delta,
                    title=f"bootstrap, {close[0]} and {close[1]}: {drawn.count} of {drawn.samples} beyond the line",
                )
        between += metrics_against_people(data, right)
    level = [
        row for measure in errors for size in sizes for row in false_alarms(measure, size, args.trials, args.samples)
    ]
    power = [
        row
        for measure in errors
        for size in sizes[: -1 if len(sizes) > 2 else None]
        for row in misses(measure, size, args.trials, args.samples)
    ]
    pictures["level"] = forest_plot(
        [
            (f"{row['metric']}, {row['test']}, {row['segments']}", row["low"], row["rejected at 0.05"], row["high"])
            for row in level
        ],
        title="False alarms at 0.05, with 95% intervals",
    )
    pictures["power"] = line_plot(
        {
            f"{measure.label}, {test}": [
                (row["segments"], row["found at 0.05"])
                for row in power
                if (row["metric"], row["test"]) == (measure.label, test)
            ]
            for measure in errors
            for test in TESTS
        },
        title="Real differences found at 0.05",
        x_name="segments",
        y_name="share found",
    )
    tables = {
        "Agreement of the tests": (
            Table(("data", "metric"), tuple(agreeing)),
            [
                Claim(
                    "the three one-sided p-values of a pair lie within 0.02 of each other on average",
                    lambda t: all(row["mean spread"] < 0.02 for row in t.rows),
                ),
                Claim(
                    "at 0.05 they conclude differently in at most 8% of the pairs",
                    lambda t: all(row["differ at 0.05"] <= 0.08 * row["pairs"] for row in t.rows),
                ),
                Claim(
                    "ten times as many samples do not make them differ more",
                    lambda t: (
                        sum(row["differ at 0.05"] for row in t.where(samples=10 * args.samples))
                        <= sum(row["differ at 0.05"] for row in t.where(samples=args.samples))
                    ),
                ),
            ],
        ),
        "One and two sides": (
            Table(("data", "metric", "test"), tuple(sided)),
            [
                Claim(
                    "a two-sided p is about twice the one-sided (median ratio 1.85 to 2.15)",
                    lambda t: all(
                        1.85 <= row["two-sided / one-sided"] <= 2.15
                        for row in t.rows
                        if row["pairs with p > 0.02"] >= 5
                    ),
                ),
                Claim(
                    "the form of Riezler and Maxwell gives about half of the two-sided p (median ratio 0.4 to 0.6)",
                    lambda t: all(
                        0.4 <= row["riezler-maxwell / two-sided"] <= 0.6
                        for row in t.rows
                        if row["pairs with p > 0.02"] >= 5
                    ),
                ),
            ],
        ),
        "False alarms (type I)": (
            Table(("metric", "segments", "test"), tuple(level)),
            [
                Claim(
                    "for BLEU, TER and chrF, no rate of randomization differs significantly from 0.05",
                    lambda t: smallest_p(t.where(test="randomization"), "p, not 0.05") >= 0.05,
                ),
                Claim(
                    "nor does one of the bootstraps",
                    lambda t: (
                        smallest_p([*t.where(test="bootstrap"), *t.where(test="paired-bootstrap")], "p, not 0.05")
                        >= 0.05
                    ),
                ),
                Claim(
                    "the bootstraps reject as many equal pairs as randomization",
                    lambda t: (
                        smallest_p(
                            [*t.where(test="bootstrap"), *t.where(test="paired-bootstrap")], "p, unlike randomization"
                        )
                        >= 0.05
                    ),
                ),
                Claim(
                    "the form of Riezler and Maxwell, read as two-sided, rejects significantly more than 5% everywhere",
                    lambda t: (
                        largest(t.where(test="riezler-maxwell"), "p, not 0.05") < 0.05
                        and min(row["rejected at 0.05"] for row in t.where(test="riezler-maxwell")) > 0.05
                    ),
                ),
            ],
        ),
        "Differences found and missed (type II)": (
            Table(("metric", "segments", "test"), tuple(power)),
            [
                Claim(
                    "every larger test set finds significantly more, for every metric and test",
                    lambda t: max(more_found(t)) < 0.05,
                ),
                Claim(
                    "the bootstraps find as many differences as randomization",
                    lambda t: smallest_p(t.rows, "p, unlike randomization") >= 0.05,
                ),
            ],
        ),
        "Against people": (
            Table(("data", "metric", "alpha"), tuple(judged)),
            [
                Claim(
                    "the accuracies of the three tests never differ significantly (McNemar, and chi-square as in the"
                    " paper)",
                    lambda t: (
                        smallest_p(t.rows, "p, tests differ") >= 0.05
                        and all(row["chi-square"] > 0.05 for row in t.rows)
                    ),
                ),
            ],
        ),
        "Metrics against people": (
            Table(("data", "first", "second"), tuple(between)),
            [
                Claim(
                    "no metric's conclusions fit people's significantly better than another's",
                    lambda t: smallest_p(t.rows, "p") >= 0.05,
                ),
            ],
        ),
    }
    publish(
        "Randomised significance tests",
        __doc__,
        tables,
        pictures=pictures,
        out=args.out,
        settings=vars(args),
    )


if __name__ == "__main__":
    main()
