"""Tune to each metric, evaluate under all: is a system best under the metric that it was tuned to?

    python experiments/p15_metrics/run.py

Cer, Manning and Jurafsky (2010) tune a phrase-based system by MERT to each of fourteen metrics and three blends, and
score every result under every metric. N-gram metrics, edit distances and METEOR each form a family: a system tuned to a
member does well under the others of its family; systems tuned to edit distances write less, lag under the rest and
differ from run to run, those tuned to METEOR write more, and METEOR with alpha = 0.5 does not.

Text: Multi30k, German to English (`de`: 27,000 training pairs, one reference; tokenised and lower-cased as shipped),
tuned on the first 400 sentences of `val` (`--dev`) and reported on the 1,000 of `test_2016_flickr`; and Wikipedia, Urdu
to English, with the paper's four references (`ur`: a dictionary of 113,911 word pairs and 3,096 pairs of `devtest`, a
language model of 33,798 more lines; lower-cased; tuned on the first 300 segments of `dev`, reported on `test`, 592
segments; segments that lack one of the four translations are left out). Both systems are phrase-based with 17 dense
features (joint alignment, hierarchical lexicalised reordering, 4-grams; pop limit 50, distortion limit 5 where the
paper has 6).

Tuner: MERT as in the paper (`--tuner mert`): random directions, 10 random starts (`--starts`; the paper has 20), the
same for every metric, and besides them the current weights and the best point of earlier iterations; plateaus each by
itself; 100-best lists, which accumulate; at most 15 rounds, until less than 5 % of a round is new; the round chosen by
its score on what it was tuned on. `--tuner mira` is batch MIRA, for a quick look. 5 seeds (`--seeds`), 2 for `ur`. As
in the paper's second system, TERpA is not tuned to for `ur`, where it is slow. METEOR matches words, Porter stems and
WordNet synonyms; TERpA stems and synonyms, without paraphrases, for which there is no table. `r` is METEOR's parameters
for ranking. chrF, which the paper does not have, is among what outputs are scored by; nothing is tuned to it, since no
claim is about it.

Rows are what the system was tuned to, columns what it is scored by, means over the seeds; WER, TER, TERp and TERpA are
errors, NIST is in bits; `length` is words of output per word of the references. Differences are tested by approximate
randomisation over all seeds at once (two-sided, 10,000 samples); `edits` are the runs tuned to WER, TER and TERp
together. The people of the paper, who preferred BLEU and NIST, are not repeated here.

With `--small` a made-up bitext stands in and WordNet is left out; `--pairs` (`de;ur`) and `--targets` name some,
separated by semicolons; with `--cache` finished runs are kept there, so that they may be run one by one and joined by a
last run.
"""

from __future__ import annotations

import re
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.drawing import Drawing
from dragoman.metrics import get_metric
from dragoman.metrics.base import Metric
from dragoman.tuning.base import Tuner
from dragoman.tuning.matrix import TuningMatrix
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from experiments.common import Claim, Row, Table, arguments, publish
from experiments.comparison import LEVEL, compared, flipped
from experiments.recipes import names_of
from experiments.systems import System, first
from experiments.tuned import TunedSystems, Way

METRICS = {
    **{f"bleu:{order}": f"bleu:{order}" for order in range(1, 6)},
    "nist": "nist",
    "meteor:0.5": "meteor:alpha=0.5",
    "meteor-r:0.5": "meteor-rank:alpha=0.5",
    "wer": "wer",
    "ter": "ter",
    "terp": "terp",
    "terpa": "terpa",
    "meteor": "meteor",
    "meteor-r": "meteor-rank",
    "chrf": "chrf",
}
"""What is scored by, in the order of families."""
BLENDS = {
    "bleu:4 - ter": "bleu - ter",
    "bleu:4 - 2 terp": "bleu - 2*terp",
    "bleu:4 + 2 meteor": "bleu + 2*meteor",
}
FAMILIES = {
    "n-grams": (*(f"bleu:{order}" for order in range(1, 6)), "nist", "meteor:0.5", "meteor-r:0.5"),
    "edits": ("wer", "ter", "terp", "terpa"),
    "meteor": ("meteor", "meteor-r"),
}
EDITS = ("wer", "ter", "terp")
JUDGES = [name for names in FAMILIES.values() for name in names]
SEEDS, SENTENCES = {"ur": 2}, {"ur": 300}
"""At most, where sentences are long and have many references."""
STABLE = 5
"""Runs from which on it can be said how far they lie apart."""
LEFT_OUT = {"ur": ("terpa",)}
"""What is scored by, and not tuned to."""
TARGETS = [name for name in (*METRICS, *BLENDS) if name != "chrf"]
"""What is tuned to, where nothing is left out."""


def spec(name: str, small: bool) -> str:
    """How a metric is called; on small text without WordNet, which may not be there."""
    text = (METRICS | BLENDS)[name]
    if not small:
        return text
    text = re.sub("terpa", "terpa:synonym=none", text)
    return re.sub(r"(meteor(-rank)?)(:|$)", r"\1:stages=exact+stem,", text).rstrip(",")


class Study:
    """A system of a pair, tuned again and again."""

    def __init__(self, systems: TunedSystems, pair: str, targets: Sequence[str], options: Any) -> None:
        self.systems, self.pair, self.options = systems, pair, options
        self.targets = [name for name in targets if name not in LEFT_OUT.get(pair, ())]
        made = systems.system(pair)
        size = min(options.dev, SENTENCES.get(pair, options.dev))
        others = {**made.others, "dev": [each[:size] for each in made.others.get("dev", [])]}
        self.made: System = replace(made, dev=first(made.dev, size), others=others)
        self.samples = 1000 if options.small else 10_000
        self.seeds = min(options.seeds, SEEDS.get(pair, options.seeds))
        self.matrix = self._matrix("test")

    @property
    def tuner(self) -> Tuner:
        if self.options.tuner == "mira":
            return Mira()
        return Mert(search="random", smoothing="none", restarts=self.options.starts, carry="best")

    @cache  # noqa: B019 - lives as long as the program
    def outputs(self, tuned: str, part: str) -> list[list[str]]:
        """What a system tuned to a metric says with each seed; `edits` are those of three metrics."""
        if tuned == "edits":
            return [output for name in EDITS for output in self.outputs(name, part)]
        sizes = {"iterations": self.options.iterations, "nbest": self.options.nbest, "pops": self.options.pops}
        known = tuned in METRICS or tuned in BLENDS
        way = Way(
            tuner=self.tuner if known else None, metric=spec(tuned, self.options.small) if known else "bleu", **sizes
        )
        runs = self.systems.runs(self.made, way, self.seeds, parts=("dev", "test"))
        print(self.pair, tuned, [(run.passes, round(run.score, 4), run.cpu) for run in runs], flush=True)
        return [run.outputs[part] for run in runs]

    def judge(self, name: str) -> Metric:
        return get_metric(spec(name, self.options.small)).for_tokens()

    def _matrix(self, part: str) -> TuningMatrix:
        outputs = {name: self.outputs(name, part) for name in ("untuned", *self.targets)}
        judges = {name: self.judge(name) for name in METRICS}
        return TuningMatrix.of(outputs, self.made.texts(part)[1], judges)

    def means(self) -> Table:
        rows = []
        for tuned in self.matrix.systems:
            row: Row = {"pair": self.pair, "tuned to": tuned}
            row |= {name: self.matrix.mean(tuned, name) for name in self.matrix.metrics}
            rows.append({**row, "length": self.matrix.length(tuned)})
        return Table(("pair", "tuned to"), tuple(rows))

    def deviations(self) -> Table:
        rows = []
        for tuned in self.targets:
            row: Row = {"pair": self.pair, "tuned to": tuned}
            row |= {name: self.matrix.deviation(tuned, name) for name in self.matrix.metrics}
            own = next((names for names in FAMILIES.values() if tuned in names), ())
            family = [row[name] for name in own]
            rows.append({**row, "own family": statistics.fmean(family) if family else float("nan")})
        return Table(("pair", "tuned to"), tuple(rows))

    def difference(self, judge: str, ours: str, theirs: str, part: str = "test") -> Row:
        """How much better one system is than another under a metric, and p."""
        one, other = self.outputs(ours, part), self.outputs(theirs, part)
        metric = self.judge(judge)
        found = compared(metric, self.made.texts(part)[1], one, other, samples=self.samples)
        return {"difference": metric.sign * found["difference"], "p": found["p"]}

    def longer(self, ours: str, theirs: str, part: str) -> Row:
        """By how many words in a hundred of the references one system writes more than another."""
        sums = [
            [
                sum(words)
                for words in zip(
                    *([len(text.split()) for text in run] for run in self.outputs(name, part)), strict=True
                )
            ]
            for name in (ours, theirs)
        ]
        lists = self.made.texts(part)[1]
        words = sum(len(text.split()) for each in lists for text in each) / len(lists) * self.seeds
        return {
            "difference": 100 * (sum(sums[0]) - sum(sums[1])) / words,
            "p": flipped([float(n) for n in sums[0]], [float(n) for n in sums[1]], samples=self.samples),
        }

    def families(self) -> Table:
        """Who is best under each metric: of its family, and of the others; blends aside."""
        rows = []
        for judge in JUDGES:
            family = next(names for names in FAMILIES.values() if judge in names)
            tuned = [name for name in JUDGES if name in self.targets]
            inside = self.matrix.best(judge, among=[name for name in tuned if name in family])
            outside = self.matrix.best(judge, among=[name for name in tuned if name not in family])
            best = self.matrix.best(judge, among=[inside, outside])
            row: Row = {"pair": self.pair, "metric": judge, "best of its family": inside, "best of others": outside}
            rows.append({**row, "in family": best == inside, **self.difference(judge, inside, outside)})
        return Table(("pair", "metric"), tuple(rows))

    def differences(self) -> Table:
        wanted = [
            *((judge, "edits", "bleu:4", "test") for judge in ("bleu:3", "bleu:4", "nist", "meteor", *EDITS)),
            ("ter", "bleu:4", "meteor", "test"),
            ("ter", "bleu:4", "meteor:0.5", "test"),
            ("bleu:4", "bleu:4 - ter", "ter", "test"),
            ("ter", "bleu:4 - ter", "bleu:4", "test"),
            ("bleu:4", "bleu:5", "bleu:4", "dev"),
            ("bleu:4", "bleu:5", "bleu:4", "test"),
            ("bleu:4", "nist", "bleu:4", "test"),
            ("bleu:4", "bleu:4", "untuned", "test"),
        ]
        rows: list[Row] = []
        for judge, ours, theirs, part in wanted:
            names = {"pair": self.pair, "by": judge, "ours": ours, "theirs": theirs, "text": part}
            rows.append({**names, **self.difference(judge, ours, theirs, part)})
        for ours, theirs in (("meteor", "bleu:4"), ("bleu:4", "ter"), ("bleu:4", "meteor:0.5")):
            for part in ("dev", "test"):
                names = {"pair": self.pair, "by": "length", "ours": ours, "theirs": theirs, "text": part}
                rows.append({**names, **self.longer(ours, theirs, part)})
        return Table(("pair", "by", "ours", "theirs", "text"), tuple(rows))


def joined(tables: Sequence[Table]) -> Table:
    return Table(tables[0].settings, tuple(row for table in tables for row in table.rows))


def better(table: Table, pair: str, by: str, ours: str, theirs: str, text: str = "test") -> bool:
    """Whether a difference is above 0 and no chance."""
    row = table.where(pair=pair, by=by, ours=ours, theirs=theirs, text=text)[0]
    return bool(row["difference"] > 0 and row["p"] < LEVEL)


def column(table: Table, pair: str, metric: str) -> dict[str, float]:
    """Gains under a metric by what was tuned to: more is better."""
    sign = -1 if metric in FAMILIES["edits"] else 1
    return {row["tuned to"]: sign * row[metric] for row in table.where(pair=pair)}


def between(values: dict[str, float], middle: str, one: str, other: str) -> bool:
    low, high = sorted((values[one], values[other]))
    return low <= values[middle] <= high


def mean_claims(pair: str) -> list[Claim]:
    """Comparisons of sizes, which no test decides."""

    def interchangeable(table: Table) -> bool:
        for metric in FAMILIES["edits"]:
            found = column(table, pair, metric)
            if abs(found["wer"] - found["ter"]) >= abs(found["bleu:4"] - found["ter"]) / 4:
                return False
        return True

    def cured(table: Table) -> bool:
        found = column(table, pair, "ter")
        return abs(found["meteor:0.5"] - found["bleu:4"]) < abs(found["meteor"] - found["bleu:4"])

    def interpolates(table: Table, blend: str, other: str) -> bool:
        return all(between(column(table, pair, judge), blend, "bleu:4", other) for judge in ("bleu:4", other))

    return [
        Claim(
            f"{pair}: edit distances are interchangeable: under each of the four, WER- and TER-tuned systems differ by "
            "less than a quarter of what BLEU:4- and TER-tuned ones do",
            interchangeable,
        ),
        Claim(
            f"{pair}: alpha = 0.5 cures METEOR: under TER, METEOR:0.5 is closer to BLEU:4 than METEOR is",
            cured,
        ),
        *(
            Claim(
                f"{pair}: the blend {blend} lies between {' and '.join(blend.split()[::3])} under both",
                lambda t, blend=blend, other=other: interpolates(t, blend, other),
            )
            for blend, other in (("bleu:4 - 2 terp", "terp"), ("bleu:4 + 2 meteor", "meteor"))
        ),
    ]


def family_claims(pair: str) -> list[Claim]:
    return [
        Claim(
            f"{pair}: under at least 80 % of the metrics, a system tuned to the metric's own family is best",
            lambda t: statistics.fmean(row["in family"] for row in t.where(pair=pair)) >= 0.8,
        ),
        Claim(
            f"{pair}: under at least half of the metrics, it is significantly better than the best of the others",
            lambda t: statistics.fmean(row["difference"] > 0 and row["p"] < LEVEL for row in t.where(pair=pair)) >= 0.5,
        ),
    ]


def difference_claims(pair: str) -> list[Claim]:
    def holds(*wanted: tuple[str, str, str, str]) -> Any:
        return lambda t: all(better(t, pair, *each) for each in wanted)

    return [
        Claim(
            f"{pair}: systems tuned to edit distances lag behind one tuned to BLEU:4 under BLEU:3, BLEU:4, NIST and "
            "METEOR",
            lambda t: all(
                row["difference"] < 0 and row["p"] < LEVEL
                for judge in ("bleu:3", "bleu:4", "nist", "meteor")
                for row in t.where(pair=pair, by=judge, ours="edits")
            ),
        ),
        Claim(
            f"{pair}: systems tuned to edit distances beat one tuned to BLEU:4 under WER, TER and TERp",
            holds(*((judge, "edits", "bleu:4", "test") for judge in EDITS)),
        ),
        *(
            Claim(
                f"{pair}: output is longest when tuned to METEOR and shortest when tuned to TER, with BLEU:4 in "
                f"between, on {part}",
                holds(("length", "meteor", "bleu:4", part), ("length", "bleu:4", "ter", part)),
            )
            for part in ("dev", "test")
        ),
        Claim(
            f"{pair}: tuned to METEOR, a system is worse under TER than one tuned to BLEU:4",
            holds(("ter", "bleu:4", "meteor", "test")),
        ),
        Claim(
            f"{pair}: the blend BLEU:4 - TER beats TER tuning under BLEU:4 and BLEU:4 tuning under TER",
            holds(("bleu:4", "bleu:4 - ter", "ter", "test"), ("ter", "bleu:4 - ter", "bleu:4", "test")),
        ),
        Claim(
            f"{pair}: tuned to BLEU:5, a system is no worse on what it was tuned on under BLEU:4 than one tuned to "
            "BLEU:4, and not significantly better on test",
            lambda t: (
                t.where(pair=pair, by="bleu:4", ours="bleu:5", text="dev")[0]["difference"] >= 0
                and not better(t, pair, "bleu:4", "bleu:5", "bleu:4")
            ),
        ),
    ]


def stability_claims(pair: str) -> list[Claim]:
    def own(table: Table, tuned: str) -> float:
        return float(table.where(**{"pair": pair, "tuned to": tuned})[0]["own family"])

    return [
        Claim(
            f"{pair}: runs tuned to WER and to TER differ more, under metrics of their own family, than those tuned to "
            "BLEU:4 and to METEOR:0.5",
            lambda t: min(own(t, "wer"), own(t, "ter")) > max(own(t, "bleu:4"), own(t, "meteor:0.5")),
        ),
        Claim(
            f"{pair}: runs tuned to TERp differ more under BLEU:4 than those tuned to BLEU:4 do",
            lambda t: (
                t.where(**{"pair": pair, "tuned to": "terp"})[0]["bleu:4"]
                > t.where(**{"pair": pair, "tuned to": "bleu:4"})[0]["bleu:4"]
            ),
        ),
    ]


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p15",
        seeds=5,
        pairs="",
        targets="",
        tuner="mert",
        starts=10,
        iterations=15,
        nbest=100,
        dev=400,
        pops=50,
        small=False,
        cache="",
    )
    if options.small:
        options.seeds, options.iterations, options.nbest, options.dev, options.pops = 2, 1, 5, 20, 10
        options.starts = 1
    pairs = names_of(options.pairs, ["ur"] if options.small else ["de", "ur"])
    targets = names_of(options.targets, TARGETS)
    whole = set(targets) == set(TARGETS)
    pictures: dict[str, Drawing] = {}
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    with TunedSystems(options.cache, small=options.small) as systems:
        studies = [Study(systems, pair, targets, options) for pair in pairs]
        rules = [JUDGES.index("wer"), JUDGES.index("meteor"), len(JUDGES)]
        for study in studies:
            title = f"{study.pair}: tuned to a metric (rows), scored by all (columns)"
            pictures[f"matrix-{study.pair}"] = study.matrix.heat_map(title=title, rules=rules)
            title = f"{study.pair}: standard deviation over {study.seeds} runs"
            pictures[f"stability-{study.pair}"] = study.matrix.stability_map(title=title, rules=rules)
        parts = {
            "Means": ("means", mean_claims),
            "Best of families": ("families", family_claims),
            "Differences": ("differences", difference_claims),
            f"Standard deviations over {' and '.join(str(study.seeds) for study in studies)} runs": (
                "deviations",
                stability_claims,
            ),
        }
        for name, (part, claims) in parts.items():
            if whole or part in ("means", "deviations"):
                found = joined([getattr(study, part)() for study in studies])
                asked = [study.pair for study in studies if claims != stability_claims or study.seeds >= STABLE]
                tables[name] = found, [claim for pair in asked for claim in claims(pair)] if whole else []
    publish(
        "Tune to each metric, evaluate under all",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings={**vars(options), "seeds at most": SEEDS, "dev at most": SENTENCES, "not tuned to": LEFT_OUT},
    )


if __name__ == "__main__":
    main()
