"""What are the parts of a feature-rich competition system worth? (Green et al. 2013, for the WMT)

    python experiments/p22_wmt13/run.py --out docs/experiments/p22 --seeds 3

Green, Cer, Reschke, Voigt, Bauer, Wang, Silveira, Neidert and Manning tuned more than 100,000 features online on text
with one reference, and found a small gain that needs care: a metric of single sentences that is smoothed harder, an L1
of its own for orientations, the epoch chosen on held-out text. Here the recipes `wmt13-into-german` and
`wmt13-from-german` (`dragoman list recipes`) are trained on captions (Multi30k: 28,700 pairs, tuned on the first 1,000
of `val`, the epoch chosen on 300 pairs held out of training, reported on `test_2016_flickr`; tokenised as shipped) and
on package descriptions (Debian: 31,902 pairs, the first 1,000 of the dev set to tune on, 300 more to choose by, 1,500
to report; raw), both ways. As in the recipes, and in the paper, lists hold 200 translations (`--nbest`); there are 10
epochs (`--iterations`; theirs: 10 to 13). Differences: `aligner=fast`, pop limit and beam 50 (`--pops`); the second
language model is made from 30,000 lines of the other collection. English is tagged and parsed by our model of EWT,
German by one of GSD's dev part and PUD (the first `--treebank` sentences, four epochs), which learned lower-cased text
for captions.

`dense`, `feature-rich` and `BLEU+1` (the sentence metric) are tuned with `--seeds` seeds, everything else with the
first. BLEU is of tokens as shipped for captions, of raw text for descriptions. `difference` is from `feature-rich`
(its first seed where the other has one), `p` by approximate randomisation over all runs at once, two-sided, 10,000
samples; where a claim is about several rows, it is decided at 0.05 after Holm's correction. `features` are sparse
features with a weight, `tune` is BLEU of the tuning text under the chosen weights. Lengths are compared by a
signed-rank test over segments, epochs by randomisation over all dense and feature-rich runs. Chosen lines: an eighth of
the training text for the test set's bigrams, McNemar's test over these. Compounds: every word of the German training
text that is split is merged again.

With `--small` a synthetic bitext stands in; `--sets` and `--parts` (systems, text) name some, separated by semicolons;
with `--cache` finished stages and rows are kept, so that sets may be run one by one and joined by a last run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np
from scipy import stats

from dragoman.charts import line_plot
from experiments.common import Claim, Table, grid, publish, smallest_p
from experiments.p22_wmt13 import text_parts
from experiments.p22_wmt13.feature_rich import SETS, FeatureRich, sparse, variants
from experiments.recipes import names_of, others, system_arguments

STRENGTHS = {"lambda 0.1": (0.1, 0.1), "feature-rich": (0.1, 10.0), "lambda 1": (1.0, 1.0), "lambda 10": (10.0, 10.0)}
"""L1 of most families and of orientations."""
WHOLE = ("systems", "text")
"""Parts of the experiment."""
FAMILIES = ("rule", "link", "orient", "delete_pos", "delete_head", "idf")


def compared(systems: FeatureRich, name: str, ours: Sequence[Any], theirs: Sequence[Any]) -> dict[str, Any]:
    """BLEU of runs, the difference from other runs and its p-value; as many runs of both as there are of fewer."""
    runs = min(len(ours), len(theirs)) or len(ours)
    found = systems.compared(name, ours[:runs], theirs[:runs])
    return found | ({"difference": 0.0, "p": 1.0} if list(ours[:runs]) == list(theirs[:runs]) else {})


def against(systems: FeatureRich, name: str, system: str, other: str, *, first: bool = False) -> dict[str, Any]:
    """The same of two systems, of their first runs only if it is said; without a difference for one and the same."""
    ours, theirs = (systems.outputs(name, each)[: 1 if first else None] for each in (system, other))
    return compared(systems, name, ours, theirs if system != other else [])


def both(systems: FeatureRich, name: str, system: str) -> Mapping[str, Any]:
    """Dense or feature-rich: features, BLEU where it was tuned and on the test set."""
    runs = systems.seeds(name, system)
    tuned = [run["dev"][run["chosen"]] for run in runs]
    found = against(systems, name, system, "dense")
    return {
        "epoch": float(np.mean([run["chosen"] for run in runs])),
        "features": float(np.mean([sparse(run["families"]) for run in runs])),
        "tune": float(np.mean(tuned)),
        **found,
        "decoding s": float(np.mean([run["seconds"] for run in runs])),
    }


def strength(systems: FeatureRich, name: str, system: str) -> Mapping[str, Any]:
    """How many features of each family are left after the last epoch, and BLEU of the chosen one."""
    usual, orient = STRENGTHS[system]
    run = systems.tuned(name, system)
    kept = {family: run["last families"].get(family, 0) for family in FAMILIES}
    found = against(systems, name, system, "feature-rich", first=True)
    return {"l1": usual, "l1 of orient": orient, **kept, **without_deviation(found)}


def without_deviation(found: Mapping[str, Any]) -> dict[str, Any]:
    """Of a single run nobody knows how it varies."""
    return {figure: value for figure, value in found.items() if figure != "deviation"}


def lengths(systems: FeatureRich, name: str, metric: str) -> Mapping[str, Any]:
    """Words of the output per word of the reference, by the metric that sentences were tuned to."""
    references = systems.texts(name)["test"][1]
    words = {
        system: np.sum([[len(line.split()) for line in each] for each in systems.outputs(name, system)], axis=0)
        for system in ("feature-rich", "BLEU+1")
    }
    ours = words["feature-rich" if metric == "bleu-nakov" else "BLEU+1"]
    wanted = sum(len(line.split()) for line in references) * len(systems.seeds(name, "BLEU+1"))
    unequal = bool((words["feature-rich"] != words["BLEU+1"]).any())
    p = float(stats.wilcoxon(words["feature-rich"], words["BLEU+1"]).pvalue) if unequal else 1.0
    system = "feature-rich" if metric == "bleu-nakov" else "BLEU+1"
    return {
        "length": float(ours.sum() / wanted),
        "p, length": float("nan") if metric == "bleu-nakov" else p,
        **against(systems, name, system, "feature-rich"),
    }


def epochs(systems: FeatureRich, name: str, system: str) -> Mapping[str, Any]:
    """BLEU of the test set under the epoch that held-out text likes best, and under the last one."""
    chosen, last = systems.outputs(name, system), systems.outputs(name, system, "last")
    found, after = compared(systems, name, chosen, last), compared(systems, name, last, [])
    return {
        "chosen epochs": " ".join(str(run["chosen"]) for run in systems.seeds(name, system)),
        "BLEU, chosen": found["BLEU"],
        "BLEU, last": after["BLEU"],
        "difference": found["difference"],
        "p": found["p"],
    }


def tag_order(systems: FeatureRich, name: str) -> Mapping[str, Any]:
    """What the order of tags adds: features, time and BLEU."""
    ordered = "no order of tags" in variants(name)
    names = ("feature-rich", "no order of tags") if ordered else ("order of tags", "feature-rich")
    with_it, without = (systems.tuned(name, each) for each in names)
    return {
        "features without": sparse(without["last families"]),
        "features with": sparse(with_it["last families"]),
        "decoding s without": without["seconds"],
        "decoding s with": with_it["seconds"],
        **without_deviation(against(systems, name, *names, first=True)),
    }


def part(systems: FeatureRich, name: str, system: str) -> Mapping[str, Any]:
    """A system with something left out, or added."""
    if system not in variants(name):
        return {}
    run = systems.tuned(name, system)
    return {
        "features": sparse(run["families"]),
        "tune": run["dev"][run["chosen"]],
        **without_deviation(against(systems, name, system, "feature-rich", first=True)),
    }


def quarter(systems: FeatureRich, name: str) -> Mapping[str, Any]:
    """A quarter of the text chosen for the test set, against one at random."""
    other = systems.outputs(name, "a quarter, at random")
    found = without_deviation(against(systems, name, "a quarter, chosen", "a quarter, at random"))
    return {"BLEU, at random": compared(systems, name, other, [])["BLEU"], **found}


PARTS = (
    "feature-rich", "dense", "no words", "no orientation", "no tags and heads", "no inverse frequencies",
    "no order of tags", "order of tags", "classes", "no counts of rules", "no compounds", "no second model",
    "a quarter, chosen", "a quarter, at random",
)  # fmt: skip


def gains(table: Table) -> list[tuple[float, float]]:
    """Of each set, what feature-rich is better by where it was tuned, and on the test set."""
    found = []
    for name in dict.fromkeys(row["name"] for row in table.rows):
        dense, rich = (table.where(name=name, system=system)[0] for system in ("dense", "feature-rich"))
        found.append((rich["tune"] - dense["tune"], rich["BLEU"] - dense["BLEU"]))
    return found


def falling(table: Table) -> bool:
    """Whether every family has fewer features, or as many, under every greater strength."""
    for name in dict.fromkeys(row["name"] for row in table.rows):
        rows = table.where(name=name)
        for family in FAMILIES:
            by = "l1 of orient" if family == "orient" else "l1"
            best: dict[float, int] = {}
            for row in rows:
                best[row[by]] = max(best.get(row[by], 0), row[family])
            counts = [best[value] for value in sorted(best)]
            if counts != sorted(counts, reverse=True):
                return False
    return True


def orientations(table: Table) -> list[tuple[int, int, float, float]]:
    """Of each set: orientations left under 0.1 and under 10, and the difference of BLEU with its p-value."""
    found = []
    for name in dict.fromkeys(row["name"] for row in table.rows):
        weak, strong = (table.where(name=name, system=system)[0] for system in ("lambda 0.1", "feature-rich"))
        found.append((weak["orient"], strong["orient"], abs(weak["difference"]), weak["p"]))
    return found


def system_tables(systems: FeatureRich, sets: Sequence[str]) -> dict[str, tuple[Table, list[Claim]]]:
    def table(cell: Any, **axes: Sequence[Any]) -> Table:
        return grid(lambda **chosen: cell(systems, **chosen), name=sets, **axes)

    return {
        "Dense and feature-rich": (
            table(both, system=["dense", "feature-rich"]),
            [
                Claim(
                    "feature-rich gains more where it was tuned than on the test set, in every set",
                    lambda t: all(tune > test for tune, test in gains(t)),
                ),
                Claim(
                    "it loses at most 0.1 BLEU on the test set, in every set",
                    lambda t: all(test >= -0.1 for _, test in gains(t)),
                ),
                Claim(
                    "it is significantly better on the test set of some set (Holm)",
                    lambda t: smallest_p([r for r in t.where(system="feature-rich") if r["difference"] > 0]) < 0.05,
                ),
            ],
        ),
        "Strength of regularisation": (
            table(strength, system=list(STRENGTHS)),
            [
                Claim(
                    "an L1 of 10 instead of 0.1 leaves at most a fifth of the orientations, in every set",
                    lambda t: all(weak >= 5 * strong for weak, strong, _, _ in orientations(t)),
                ),
                Claim(
                    "BLEU stays within 0.2, or does not differ significantly (Holm)",
                    lambda t: (
                        all(difference <= 0.2 for _, _, difference, _ in orientations(t))
                        or smallest_p([{"p": p} for *_, p in orientations(t)]) >= 0.05
                    ),
                ),
                Claim("the number of features of every family falls as its L1 grows, in every set", falling),
            ],
        ),
        "Metric of one sentence": (
            table(lengths, metric=["bleu-nakov", "bleu+1"]),
            [
                Claim(
                    "tuned to `bleu-nakov`, output is significantly longer than to `bleu+1`, in every set (Holm)",
                    lambda t: all(
                        row["p, length"] * len(t.where(metric="bleu+1")) < 0.05
                        and row["length"] < t.where(metric="bleu-nakov", name=row["name"])[0]["length"]
                        for row in t.where(metric="bleu+1")
                    ),
                ),
                Claim(
                    "its length is nearer to that of the references, in every set",
                    lambda t: all(
                        abs(1 - row["length"]) > abs(1 - t.where(metric="bleu-nakov", name=row["name"])[0]["length"])
                        for row in t.where(metric="bleu+1")
                    ),
                ),
                Claim(
                    "its BLEU is significantly better in some set (Holm)",
                    lambda t: smallest_p([row for row in t.where(metric="bleu+1") if row["difference"] < 0]) < 0.05,
                ),
            ],
        ),
        "Which epoch": (
            table(epochs, system=["dense", "feature-rich"]),
            [
                Claim(
                    "on average over sets, the epoch that held-out text likes is at least as good as the last one",
                    lambda t: float(np.mean([row["difference"] for row in t.rows])) >= 0,
                ),
                Claim(
                    "it is significantly worse nowhere (Holm)",
                    lambda t: smallest_p([row for row in t.rows if row["difference"] < 0]) >= 0.05,
                ),
            ],
        ),
        "Order of tags": (
            table(tag_order),
            [
                Claim(
                    "it adds features in every set",
                    lambda t: all(row["features with"] > row["features without"] for row in t.rows),
                ),
                Claim(
                    "it makes decoding slower in every set",
                    lambda t: all(row["decoding s with"] > row["decoding s without"] for row in t.rows),
                ),
            ],
        ),
        "Parts": (
            table(part, system=PARTS),
            [
                Claim(
                    "no part that is left out makes any set significantly better (Holm over all rows)",
                    lambda t: (
                        smallest_p([row for row in t.rows if row["system"].startswith("no ") and row["difference"] > 0])
                        >= 0.05
                    ),
                ),
            ],
        ),
        "A quarter of the text": (
            table(quarter),
            [
                Claim(
                    "chosen for the test set, it translates significantly better than at random, in every set (Holm)",
                    lambda t: all(row["difference"] > 0 and row["p"] * len(t.rows) < 0.05 for row in t.rows),
                )
            ],
        ),
    }


def text_tables(systems: FeatureRich, sets: Sequence[str], small: bool) -> dict[str, tuple[Table, list[Claim]]]:
    found: dict[str, tuple[Table, list[Claim]]] = {
        "Chosen lines": (
            grid(
                lambda name, lines: text_parts.coverage(systems, name, lines),
                name=sets,
                lines=["feature decay", "without decay", "at random"],
            ),
            [
                Claim(
                    "feature decay covers significantly more bigrams than random lines, in every set (Holm)",
                    lambda t: all(
                        row["p"] * len(sets) < 0.05
                        and row["covered"] < t.where(name=row["name"], lines="feature decay")[0]["covered"]
                        for row in t.where(lines="at random")
                    ),
                ),
                Claim(
                    "and than the lines that score best without decay (Holm)",
                    lambda t: all(
                        row["p"] * len(sets) < 0.05
                        and row["covered"] < t.where(name=row["name"], lines="feature decay")[0]["covered"]
                        for row in t.where(lines="without decay")
                    ),
                ),
            ],
        ),
        "Compounds": (
            grid(
                lambda name: text_parts.compounds(systems, name),
                name=[each for each in sets if each.endswith("-de")] or sets[:1],
            ),
            [
                Claim(
                    "at least 97% of the words that are split come back from their parts (lower end of the interval)",
                    lambda t: all(row["low"] >= 0.97 for row in t.rows),
                ),
                Claim(
                    "all of those come back whose parts make one word only",
                    lambda t: all(row["of these restored"] == 1 for row in t.rows),
                ),
            ],
        ),
    }
    if not small:
        found["Agreement in French, restored"] = (
            grid(lambda trees: text_parts.agreement_of_treebank(systems, trees), trees=["gold", "parsed"]),
            [
                Claim(
                    "at least 95% of the edits are right, with gold trees and with our parser (lower ends)",
                    lambda t: all(row["low"] >= 0.95 for row in t.rows),
                ),
            ],
        )
        found["Agreement in French, translated"] = (
            grid(lambda pairs: text_parts.agreement_of_output(systems, pairs), pairs=[10_000]),
            [Claim("BLEU does not change significantly", lambda t: not t.rows[0]["p"] < 0.05)],
        )
    return found


def curves(systems: FeatureRich, sets: Sequence[str]) -> Mapping[str, Sequence[tuple[float, float]]]:
    """BLEU of the tuning text, epoch by epoch."""
    return {
        f"{name}, {system}": list(enumerate(systems.tuned(name, system)["dev"]))
        for name in sets
        for system in ("dense", "feature-rich")
    }


def main() -> None:
    args: argparse.Namespace = system_arguments(
        __doc__,
        out="docs/experiments/p22",
        aligner="fast",
        iterations=10,
        pops=50,
        dev=1000,
        heldout=300,
        nbest=200,
        treebank=3000,
        parts="",
    )
    if args.small:
        args.dev, args.heldout, args.nbest, args.iterations, args.pops = 30, 20, 20, 2, 20
    sets = names_of(args.sets, SETS[:1] if args.small else SETS)
    parts = names_of(args.parts, WHOLE)
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    with FeatureRich(args) as systems:
        if "systems" in parts:
            tables |= system_tables(systems, sets)
        if "text" in parts:
            tables |= text_tables(systems, sets, args.small)
        pictures = {
            "tuning": line_plot(
                curves(systems, sets), title="BLEU of the tuning text", x_name="epoch", y_name="BLEU", zero=False
            )
        } if "systems" in parts else {}  # fmt: skip
        figures = {name: systems.source_parser(name)[1] for name in sets} if "systems" in parts else {}
    publish(
        "A feature-rich competition system",
        __doc__,
        tables,
        pictures=pictures,
        out=args.out,
        settings={**vars(args), "parsers": figures},
        not_run=others(WHOLE, parts),
    )


if __name__ == "__main__":
    main()
