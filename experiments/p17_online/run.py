"""Is online tuning as good as batch tuning for a few features, and quicker for very many?

    python experiments/p17_online/run.py

Green, Wang, Cer and Manning (2013) tune a phrase-based system with hundreds of thousands of sparse features by
stochastic descent on pairs of translations: adaptive rates, L1, a few passes, no lists that grow. This run asks what of
that can be seen at small scale.

Text: Multi30k, German to English, tokenised and lower-cased as shipped, one reference where the paper had four. The
system is phrase-based (joint alignment of 27,000 pairs, hierarchical lexicalised reordering, 4-grams; phrases of up to
7 words, pop limit 30, distortion limit 5). `dense` has its 17 features, `rule` adds an indicator of every rule (PT in
the paper), `sparse` adds links, deleted words and orientations by words too (PT+AL+LO), none of them filtered. Tuned on
the first 400 sentences of `val` (`--dev`); with `more` on 1,200, 709 of `val` and 491 of the training kind. The best
iteration is chosen on the other 305 sentences of `val`, and reported on the 1,000 of `test_2016_flickr`. 3 seeds
(`--seeds`); figures are means over them, `deviation` is the standard deviation of test BLEU.

Tuners: MERT with the paper's 20 restarts, on 100-best lists (the searches and all else as shipped); batch PRO and
kb-MIRA as shipped on 200-best lists; all three for at most 25 rounds, until nothing or hardly anything is new (less
than 5 % of a round). Online: pairwise ranking by BLEU+1, AdaGrad with rate 0.02, L1 of 0.1 (dense features: none),
batches of 20 sentences, 15 pairs each, 200-best, 10 passes. `passes` were made, `chosen` is the one that is reported;
`kept` are weights that are not 0 in the end; processor seconds are those of decoding and learning, the held-out text
included.

Variations are of online tuning on the first 300 sentences (`--few`), 3 seeds, and report the last pass: metrics of
sentences (dense, 2 passes), strengths of L1 (sparse, 3 passes), rates of AdaGrad and of plain SGD (sparse, 5 passes, L1
of 0.1 in both), 8 batches under the same weights (sparse, 3 passes), and asynchronous workers of one thread each
(sparse, 2 passes). Domains: tuned (sparse, 5 passes) on 400 sentences of `val`, or on as many of text that was taken
out of the training text before alignment, and tested on the test set and on 500 other sentences of that text (`kin`);
overlaps are of rule indicators that occur in 200-best lists of two texts (400 sentences each, `more` as above) before
tuning.

Differences are tested by approximate randomisation over all seeds at once (two-sided, 10,000 samples), and a claim of
better or worse holds if p < 0.05; two gains are compared by the bootstrap, lengths by signed ranks, over segments.
Claims about sizes, numbers of features and seconds compare means. Seconds of the wall are those of a machine with other
work to do.

With `--small` a made-up bitext stands in; `--parts` (`tuners;variations;domains`) names some, separated by semicolons;
with `--cache` finished runs are kept there, so that parts may be run one by one and joined by a last run.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import line_plot
from dragoman.drawing import Drawing
from dragoman.text.source_text import Source
from dragoman.tuning.base import Tuner
from dragoman.tuning.families import family
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from dragoman.tuning.online import Online
from dragoman.tuning.pro import Pro
from experiments.common import Claim, Row, Table, arguments, dot_plot, grid, publish
from experiments.comparison import LEVEL, Gain, compared, gains_compared, longer, significant
from experiments.recipes import names_of, others
from experiments.systems import System
from experiments.tuned import TunedRun, TunedSystems, Way, mean, tuning_text

BLEU = "bleu:tokenize=none"
ROUNDS, PASSES = 25, 10
PARTS = ("tuners", "variations", "domains")
BATCH: dict[str, tuple[Tuner, int]] = {
    "MERT": (Mert(restarts=20), 100),
    "PRO": (Pro(), 200),
    "MIRA": (Mira(), 200),
}
"""Batch tuners and the length of their lists."""
TUNED = [
    ("untuned", "dense", "dev"),
    *((tuner, "dense", "dev") for tuner in ("MERT", "PRO", "MIRA", "online")),
    *((tuner, "rule", "dev") for tuner in ("PRO", "MIRA", "online")),
    *((tuner, "sparse", "dev") for tuner in ("PRO", "online")),
    ("MERT", "dense", "more"),
    ("online", "sparse", "more"),
]
"""What is run: a tuner, features, and how much text. As in the paper, MIRA has no more than the rules."""
COMPARED = [
    (("online", "dense", "dev"), ("MERT", "dense", "dev")),
    (("online", "rule", "dev"), ("PRO", "rule", "dev")),
    (("online", "rule", "dev"), ("MIRA", "rule", "dev")),
    (("online", "sparse", "dev"), ("PRO", "sparse", "dev")),
    (("online", "rule", "dev"), ("online", "dense", "dev")),
    (("online", "sparse", "dev"), ("online", "dense", "dev")),
    (("online", "sparse", "dev"), ("MERT", "dense", "dev")),
    (("MERT", "dense", "more"), ("MERT", "dense", "dev")),
    (("online", "sparse", "more"), ("online", "sparse", "dev")),
    (("online", "sparse", "more"), ("MERT", "dense", "more")),
]
STRENGTHS = (0.0, 0.01, 0.1, 1.0)
RATES = {"adagrad": (0.005, 0.02, 0.1), "sgd": (0.0005, 0.005, 0.05)}
"""A factor of 20 for AdaGrad, two decades for SGD."""

Arm = tuple[str, str, str]


class Study:
    """One system, tuned in all ways; what each gave is kept."""

    def __init__(self, systems: TunedSystems, options: Any) -> None:
        self.systems, self.options = systems, options
        made = systems.system("de")
        kin = len(made.bitext[0]) // 4
        self.made = replace(
            made.limited(len(made.dev[0]), options.tested),
            bitext=(made.bitext[0][:-kin], made.bitext[1][:-kin]),
        )
        self.kin = replace(self.made, heldout=(made.bitext[0][-kin:], made.bitext[1][-kin:]))
        """The same with text of the training kind to report on."""
        self.samples = 1000 if options.small else 10_000

    def way(self, tuner: Tuner | None, **settings: Any) -> Way:
        return Way(tuner=tuner, pops=self.options.pops, **{"nbest": self.options.nbest, **settings})

    def arm(self, arm: Arm) -> list[TunedRun]:
        name, features, text = arm
        sizes = {"dev": {"size": self.options.dev}, "more": {"on": "dev + bitext", "size": self.options.more}}[text]
        tuner, nbest = BATCH.get(name, (Online() if name == "online" else None, 200))
        if self.options.small and isinstance(tuner, Mert):
            tuner = Mert(restarts=1)
        rounds = min(PASSES if name == "online" else ROUNDS, self.options.iterations)
        lists = min(nbest, self.options.nbest)
        way = self.way(tuner, features=features, iterations=rounds, nbest=lists, choose="heldout", **sizes)
        return self.systems.runs(self.made, way, self.options.seeds)

    def compared(self, made: System, part: str, ours: Sequence[TunedRun], theirs: Sequence[TunedRun]) -> Row:
        outputs = [[run.outputs[part] for run in runs] for runs in (ours, theirs)]
        return compared(BLEU, made.texts(part)[1], outputs[0], outputs[1], samples=self.samples)

    def tuners(self) -> Table:
        """Every arm, beside MERT with dense features."""
        rows = []
        for arm in TUNED:
            runs = self.arm(arm)
            row: Row = dict(zip(("run", "features", "text"), arm, strict=True))
            row |= summary(runs) | self.tested(runs)
            rows.append(row)
            print(row, flush=True)
        return Table(("run", "features", "text"), tuple(rows))

    def tested(self, runs: Sequence[TunedRun]) -> Row:
        row = self.compared(self.made, "test", runs, [])
        return {"test": row["BLEU"], "deviation": row["deviation"]}

    def differences(self) -> Table:
        rows = []
        for ours, theirs in COMPARED:
            one, other = self.arm(ours), self.arm(theirs)
            found = self.compared(self.made, "test", one, other)
            rows.append(
                {
                    "ours": ", ".join(ours),
                    "theirs": ", ".join(theirs),
                    "dev": 100 * (mean(one, "score") - mean(other, "score")),
                    "test": found["difference"],
                    "p": found["p"],
                }
            )
        return Table(("ours", "theirs"), tuple(rows))

    def more_text(self) -> Table:
        """What three times as much tuning text gives one way of tuning and another."""

        def gain(name: str, features: str) -> Gain:
            more, less = ([run.outputs["test"] for run in self.arm((name, features, text))] for text in ("more", "dev"))
            return self.made.texts("test")[1], more, less

        ours, theirs = gain("online", "sparse"), gain("MERT", "dense")
        gains = [compared(BLEU, *each, samples=self.samples)["difference"] for each in (ours, theirs)]
        row: Row = {"gain of": "online, sparse", "test": gains[0], "above that of": "MERT, dense", "its": gains[1]}
        return Table(("gain of",), (row | gains_compared(BLEU, ours, theirs, samples=self.samples),))

    def lengths(self) -> Table:
        """Words per segment of the test set by the metric of sentences."""
        nakov, plain = (
            [run.outputs["test"] for run in self.varied(f"sentences by {metric}")]
            for metric in ("bleu-nakov", "bleu+1")
        )
        return Table(("longer",), ({"longer": "bleu-nakov", "shorter": "bleu+1", **longer(nakov, plain)},))

    def variations(self) -> Table:
        """Online tuning in other ways."""

        def cell(run: str) -> Mapping[str, Any]:
            runs = self.varied(run)
            return {**summary(runs), **self.tested(runs), "each dev": " ".join(f"{100 * r.last:.2f}" for r in runs)}

        kinds = [f"sentences by {metric}" for metric in ("bleu+1", "bleu-nakov")]
        kinds += [f"L1 {strength:g}" for strength in STRENGTHS]
        kinds += [f"{rule}, rate {rate:g}" for rule, rates in RATES.items() for rate in rates]
        kinds += ["8 batches at once", "sequential", "async, 1 worker", "async, 2 workers"]
        return grid(cell, run=kinds)

    def varied(self, run: str) -> list[TunedRun]:
        kind, _, value = run.rpartition(" ")
        settings: dict[str, Any] = {"features": "sparse", "iterations": 3}
        if kind == "sentences by":
            tuner, settings = Online(sentence_metric=value), {"features": "dense", "iterations": 2}
        elif kind == "L1":
            tuner = Online(l1=float(value))
        elif kind.endswith("rate"):
            tuner, settings["iterations"] = Online(rule=kind.partition(",")[0], rate=float(value)), 5
        elif kind.startswith("async"):
            tuner = Online(mode="async", workers=int(kind.split()[-1]))
            settings |= {"iterations": 2, "threads": 1}
        else:
            tuner = Online(workers=8 if run.startswith("8") else 1)
        settings["iterations"] = min(settings["iterations"], self.options.iterations)
        way = self.way(tuner, size=self.options.few, choose="last", **settings)
        return self.systems.runs(self.made, way, self.options.seeds)

    def domains(self) -> Table:
        """Tuned on one kind of text or on the other, and tested on both."""

        def runs(on: str) -> list[TunedRun]:
            rounds, settings = min(5, self.options.iterations), {"names": True, "choose": "last"}
            way = self.way(Online(), features="sparse", on=on, size=self.options.dev, iterations=rounds, **settings)
            return self.systems.runs(self.kin, way, self.options.seeds, parts=("test", "heldout"))

        ours, theirs = runs("bitext"), runs("dev")
        rows: list[Row] = []
        for name, one, other in (("bitext", ours, theirs), ("dev", theirs, [])):
            test, kin = (self.compared(self.kin, part, one, other) for part in ("test", "heldout"))
            kept = [{feature for feature in run.names if family(feature) == "rule"} for run in one]
            shared = [
                len(mine & {feature for feature in run.names if family(feature) == "rule"})
                for mine, run in zip(kept, other, strict=bool(other))
            ]
            rows.append(
                {
                    "tuned on": name,
                    "test": test["BLEU"],
                    "test difference": test["difference"],
                    "p test": test["p"],
                    "kin": kin["BLEU"],
                    "kin difference": kin["difference"],
                    "p kin": kin["p"],
                    "rules kept": statistics.fmean(map(len, kept)),
                    "kept by both": statistics.fmean(shared) if shared else float("nan"),
                }
            )
        return Table(("tuned on",), tuple(rows))

    def overlaps(self) -> Table:
        """Rule indicators in lists of texts that are reported on, and in lists of those that are tuned on."""
        size = min(self.options.dev, len(self.kin.heldout[0]))
        tuned = {"dev": ("dev", size), "bitext": ("bitext", size), "more": ("dev + bitext", self.options.more)}
        found: dict[str, set[str]] = {}
        for name, (on, count) in {"test": ("test", size), "kin": ("heldout", size), **tuned}.items():
            source, _ = tuning_text(self.kin, Way(tuner=None, on=on, size=count))
            found[name] = set(self.fired(source))
        rows = [
            {
                "reported": one,
                "tuned on": other,
                "of reported": len(found[one]),
                "of tuned on": len(found[other]),
                "both": len(found[one] & found[other]),
            }
            for one in ("test", "kin")
            for other in tuned
        ]
        return Table(("reported", "tuned on"), tuple(rows))

    def fired(self, source: Sequence[Source]) -> list[str]:
        """Rule indicators in the lists of these sentences."""
        decoder = self.systems.decoder(self.made, "rule", self.options.pops)
        lists = decoder.kbest_lists(source, nbest=self.options.nbest)
        names = {decoder.feature_ids.word(int(number)) for number in set(lists.ids.tolist())}
        return sorted(name for name in names if family(name) == "rule")


def summary(runs: Sequence[TunedRun]) -> Row:
    """Means over the seeds."""
    return {
        "passes": mean(runs, "passes"),
        "chosen": mean(runs, "chosen"),
        "dev": 100 * mean(runs, "score"),
        "heldout": 100 * mean(runs, "heldout"),
        "length": mean(runs, "length"),
        "kept": round(mean(runs, "kept")),
        "cpu s": mean(runs, "cpu"),
        "cpu s/pass": mean(runs, "cpu_per_pass"),
        "wall s": mean(runs, "wall"),
    }


def one(table: Table, run: str, features: str, text: str = "dev") -> Row:
    return table.where(run=run, features=features, text=text)[0]


TUNER_CLAIMS = [
    Claim(
        "dense: online within 1 BLEU of MERT on test",
        lambda t: one(t, "online", "dense")["test"] > one(t, "MERT", "dense")["test"] - 1,
    ),
    Claim(
        "dense: online is done (its best pass on held-out text) in under half as many passes as MERT",
        lambda t: one(t, "online", "dense")["chosen"] < one(t, "MERT", "dense")["chosen"] / 2,
    ),
    Claim(
        "sparse: online is done in under half as many passes as MERT with dense features",
        lambda t: one(t, "online", "sparse")["chosen"] < one(t, "MERT", "dense")["chosen"] / 2,
    ),
    Claim(
        "online: a pass with words (sparse) costs at most twice a dense pass",
        lambda t: one(t, "online", "sparse")["cpu s/pass"] <= 2 * one(t, "online", "dense")["cpu s/pass"],
    ),
    Claim(
        "with words (sparse), a pass of online costs less than a round of batch PRO",
        lambda t: one(t, "online", "sparse")["cpu s/pass"] < one(t, "PRO", "sparse")["cpu s/pass"],
    ),
    Claim(
        "from dense to sparse, the cost of a round of PRO grows by a larger factor than that of a pass of online",
        lambda t: (
            one(t, "PRO", "sparse")["cpu s/pass"] / one(t, "PRO", "dense")["cpu s/pass"]
            > one(t, "online", "sparse")["cpu s/pass"] / one(t, "online", "dense")["cpu s/pass"]
        ),
    ),
    Claim(
        "words (sparse) raise dev BLEU by more than test BLEU (online)",
        lambda t: (
            one(t, "online", "sparse")["dev"] - one(t, "online", "dense")["dev"]
            > one(t, "online", "sparse")["test"] - one(t, "online", "dense")["test"]
        ),
    ),
]


def above(ours: Arm, theirs: Arm) -> Any:
    def holds(table: Table) -> bool:
        return significant(table.where(ours=", ".join(ours), theirs=", ".join(theirs))[0], figure="test")

    return holds


DIFFERENCE_CLAIMS = [
    Claim("with rules, online is better on test than batch PRO", above(*COMPARED[1])),
    Claim("with rules, online is better on test than kb-MIRA", above(*COMPARED[2])),
    Claim("with words (sparse), online is better on test than batch PRO", above(*COMPARED[3])),
    Claim("rules raise test BLEU over dense (online)", above(*COMPARED[4])),
    Claim("words (sparse) raise test BLEU over dense (online)", above(*COMPARED[5])),
    Claim("online with words is better on test than MERT with dense features", above(*COMPARED[6])),
    Claim("three times as much tuning text raises test BLEU of MERT with dense features", above(*COMPARED[7])),
    Claim("three times as much tuning text raises test BLEU of online with words", above(*COMPARED[8])),
    Claim("with that text, online with words is better on test than MERT with dense features", above(*COMPARED[9])),
]


def run_of(table: Table, run: str) -> Row:
    return table.where(run=run)[0]


def spreads(table: Table, rule: str) -> list[float]:
    """How far dev BLEU after the last pass lies apart over the rates, seed by seed."""
    found = [map(float, run_of(table, f"{rule}, rate {rate:g}")["each dev"].split()) for rate in RATES[rule]]
    return [max(scores) - min(scores) for scores in zip(*found, strict=True)]


def fewer(table: Table) -> bool:
    kept = [run_of(table, f"L1 {strength:g}")["kept"] for strength in STRENGTHS]
    return all(less < more for more, less in pairwise(kept))


VARIATION_CLAIMS = [
    Claim("fewer features stay, the stronger L1 is", fewer),
    Claim(
        "after 5 passes AdaGrad's dev BLEU varies less over rates than SGD's, with every seed",
        lambda t: all(a < b for a, b in zip(spreads(t, "adagrad"), spreads(t, "sgd"), strict=True)),
    ),
    Claim(
        "gradients of 8 batches under the same weights: dev BLEU within 0.3 of sequential",
        lambda t: abs(run_of(t, "8 batches at once")["dev"] - run_of(t, "sequential")["dev"]) < 0.3,
    ),
    Claim(
        "two asynchronous workers need less time than one",
        lambda t: run_of(t, "async, 2 workers")["wall s"] < run_of(t, "async, 1 worker")["wall s"],
    ),
]
MORE_CLAIMS = [
    Claim(
        "three times as much tuning text helps online with words by more than MERT with dense features",
        lambda t: significant(t.rows[0]),
    )
]
LENGTH_CLAIMS = [
    Claim("Nakov's sentence metric makes output longer than BLEU+1", lambda t: significant(t.rows[0])),
]
DOMAIN_CLAIMS = [
    Claim(
        "tuned on text of the training kind, better on such text than tuned on dev",
        lambda t: significant(t.rows[0], figure="kin difference", p="p kin"),
    ),
    Claim(
        "tuned on text of the training kind, worse on the test set than tuned on dev",
        lambda t: bool(t.rows[0]["test difference"] < 0 and t.rows[0]["p test"] < LEVEL),
    ),
]
OVERLAP_CLAIMS = [
    Claim(
        "text of the training kind shares more rules with other text of its kind than with as much of dev",
        lambda t: shared(t, "kin", "bitext") > shared(t, "kin", "dev"),
    ),
    Claim(
        "the test set shares more rules with dev than with as much text of the training kind",
        lambda t: shared(t, "test", "dev") > shared(t, "test", "bitext"),
    ),
]


def shared(table: Table, reported: str, tuned: str) -> int:
    return int(table.where(**{"reported": reported, "tuned on": tuned})[0]["both"])


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p17",
        seeds=3,
        parts="",
        dev=400,
        more=1200,
        few=300,
        tested=1000,
        iterations=ROUNDS,
        nbest=200,
        pops=30,
        small=False,
        cache="",
    )
    if options.small:
        options.seeds, options.dev, options.more, options.few, options.tested = min(options.seeds, 2), 20, 60, 20, 20
        options.iterations, options.nbest, options.pops = 1, 10, 8
    parts = names_of(options.parts, PARTS)
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures: dict[str, Drawing] = {}
    with TunedSystems(options.cache, small=options.small) as systems:
        study = Study(systems, options)
        if "tuners" in parts:
            table = study.tuners()
            tables["Tuners"] = table, TUNER_CLAIMS
            tables["Tuners: differences on the test set"] = study.differences(), DIFFERENCE_CLAIMS
            tables["Tuners: what more text gives"] = study.more_text(), MORE_CLAIMS
            curves = {
                ", ".join(arm[:2]): [(cpu, 100 * held) for cpu, _, held in study.arm(arm)[0].curve]
                for arm in TUNED
                if arm[0] != "untuned" and arm[2] == "dev"
            }
            pictures["plot"] = line_plot(
                curves,
                title="held-out BLEU by processor time, seed 1",
                x_name="processor seconds",
                y_name="BLEU",
                zero=False,
            )
            pictures["test"] = dot_plot(
                table, label=lambda row: f"{row['run']}, {row['features']}, {row['text']}", figure="test"
            )
        if "variations" in parts:
            table = study.variations()
            tables["Variations of online tuning"] = table, VARIATION_CLAIMS
            tables["Variations: words per segment of the test set"] = study.lengths(), LENGTH_CLAIMS
            pictures["variations"] = dot_plot(table, label=lambda row: str(row["run"]), figure="dev")
        if "domains" in parts:
            tables["Domains"] = study.domains(), DOMAIN_CLAIMS
            tables["Domains: rules in lists of two texts"] = study.overlaps(), OVERLAP_CLAIMS
    publish(
        "Online tuning with many features",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings=vars(options),
        not_run=others(PARTS, parts),
    )


if __name__ == "__main__":
    main()
