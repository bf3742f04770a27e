"""Which templates earn their place, and does expected BLEU overfit less than pairwise ranking?

    python experiments/p25_features/run.py

Green, Cer and Manning (2014) put templates over word classes, shapes and orientations between dense features and
indicators of words, tune them online by expected BLEU instead of pairwise ranking, add copies of features for domains,
and ask what regularisation and the number of references do. This run repeats that at a small scale.

Text and systems, all phrase-based (joint alignment, hierarchical lexicalised reordering, 4-grams; phrases of up to 7
words, pop limit 30 where the paper has 1,200, distortion limit 5), tokenised and lower-cased. `de`: Multi30k, German to
English, 27,000 pairs, one reference; 500 sentences of `val` to tune on (`--dev`), 305 to choose by, 1,000 of
`test_2016_flickr` to report on. `ur`: Urdu to English with four references, a dictionary of 113,911 word pairs and
3,096 pairs of sentences; 500 segments to tune on, 201 to choose by, 592 to report on. `en-de`: English to German of two
domains together, 31,902 package descriptions of Debian (`software`, the default domain) and 15,000 captions of
Multi30k; of each domain 400 sentences to tune on, 200 to choose by, 1,000 to report on.

`dense` has 17 features; `sparse` adds rules, links, deleted words and orientations by words; `extended` adds the
templates over classes and shapes; `filtered` adds rules and orientations by words for rules seen at least ten times
(the paper: more than 50 times, in bitexts of millions); `domain` is `filtered` with a copy for each domain and
indicators of rules that were learned from the text selected for captions (8,000 lines, by feature decay). Word classes:
predictive, a tenth of the words, 512 at most, words seen twice or more.

Tuner: online, AdaGrad with rate 0.02, batches of 20, 200-best lists; `expected` is the expected BLEU+1, scaled by
length, with L1 of 0.001, `pro` ranks pairs with L1 of 0.01, as in the paper's comparison. 25 passes for sets of
templates and selection, 6 for all else (`--passes`); the pass is chosen on held-out text. 3 seeds (`--seeds`); figures
are means over them, `deviation` is the standard deviation of test BLEU. `last dev`, `kept` (features not 0) and
processor seconds per pass describe the whole run. Differences are tested by approximate randomisation over all seeds at
once (two-sided, 10,000 samples), and a claim of better or worse holds if p < 0.05; two gains are compared by the
bootstrap over segments. Claims about sizes, numbers of features and seconds compare means.

Parts: `sets` of templates under both losses, and L1 against a cut-off by frequency (`cut-off`: features of at least
four sentences, no L1); `left-out`: `extended` without one template (p with Holm's correction); `references`: tuned on
one reference or on four, tested on four; `domains`: both domains tuned and tested together; `transfer`: tuned on one
domain and tested on the other; `clustering`: word classes of English package descriptions (147,700 lines), 512 classes,
30 iterations, seconds of the wall, the best of five, with one thread and with two; `all words` has no rare words taken
together and no digits folded. With `--small` made-up bitexts stand in; `--parts` names some, separated by semicolons;
with `--cache` finished runs are kept there, so that parts may be run one by one and joined by a last run.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman._native import lm as native
from dragoman.drawing import Drawing
from dragoman.files import read_lines
from dragoman.lm.classes import fold_digits
from dragoman.metrics import get_metric
from dragoman.tuning.online import Online
from experiments.common import Claim, Row, Table, arguments, dot_plot, publish
from experiments.comparison import LEVEL, Gain, compared, gains_compared, holm, significant
from experiments.recipes import names_of, others
from experiments.systems import DATA, DOMAINS
from experiments.tuned import TunedRun, TunedSystems, Way, mean

BLEU = "bleu:tokenize=none"
FULL = "extended+filtered"
SETS = ("dense", "sparse", "extended", FULL)
LOSSES = {"expected": Online(loss="expected", l1=0.001), "pro": Online(loss="pro", l1=0.01)}
CUT = Online(loss="expected", l1=0.0, min_sentences=4)
PARTS = ("sets", "left-out", "references", "domains", "transfer", "clustering")


@dataclass(frozen=True)
class Arm:
    """A system, features and loss, and what is tuned on."""

    system: str
    features: str
    loss: str = "expected"
    references: int = 0
    long: bool = False
    """Whether it has as many passes as the paper's."""


class Study:
    """Runs of all arms, each kept."""

    def __init__(self, systems: TunedSystems, options: Any) -> None:
        self.systems, self.options = systems, options
        self.samples = 1000 if options.small else 10_000

    def runs(self, arm: Arm) -> list[TunedRun]:
        options = self.options
        tuner = CUT if arm.loss == "cut-off" else LOSSES[arm.loss]
        size = {"de": options.dev, "ur": options.dev}.get(arm.system, 0)
        way = Way(
            tuner=tuner,
            features=arm.features,
            iterations=options.long if arm.long else options.passes,
            nbest=options.nbest,
            pops=options.pops,
            size=size,
            references=arm.references,
            choose="heldout",
        )
        made, parts = self.systems.system(arm.system), ["test"]
        if arm.system in DOMAINS:  # where it is tested besides, stands where it has no text of its own
            other = next(name for name in DOMAINS if name != arm.system)
            made, parts = replace(made, bitext=self.systems.system(other).test), ["test", "bitext"]
        return self.systems.runs(made, way, options.seeds, parts=parts)

    def outputs(self, arm: Arm, test: str) -> list[list[str]]:
        """What runs say of the test set of their system, or of that of one domain."""
        found = self.runs(arm)
        if test in ("", arm.system):
            return [run.outputs["test"] for run in found]
        if arm.system in DOMAINS:
            return [run.outputs["bitext"] for run in found]
        cut = len(self.systems.system(DOMAINS[0]).test[0])  # of both domains, the first comes first
        return [run.outputs["test"][:cut] if test == DOMAINS[0] else run.outputs["test"][cut:] for run in found]

    def compared(self, ours: Arm, theirs: Arm | None = None, *, test: str = "") -> Row:
        references = self.systems.system(test or ours.system).texts("test")[1]
        others = self.outputs(theirs, test) if theirs else []
        return compared(BLEU, references, self.outputs(ours, test), others, samples=self.samples)

    def row(self, arm: Arm) -> Row:
        runs = self.runs(arm)
        found = self.compared(arm)
        row = {
            "chosen": mean(runs, "chosen"),
            "dev": 100 * mean(runs, "score"),
            "last dev": 100 * mean(runs, "last"),
            "heldout": 100 * mean(runs, "heldout"),
            "test": found["BLEU"],
            "deviation": found["deviation"],
            "kept": round(mean(runs, "kept")),
            "cpu s/pass": mean(runs, "cpu_per_pass"),
        }
        print(arm, row, flush=True)
        return row

    def sets(self) -> Table:
        arms = [Arm("de", name, loss, long=True) for name in SETS for loss in LOSSES]
        arms.append(Arm("de", FULL, "cut-off", long=True))
        rows = [{"templates": arm.features, "loss": arm.loss, **self.row(arm)} for arm in arms]
        return Table(("templates", "loss"), tuple(rows))

    def set_differences(self) -> Table:
        wanted = [
            (("sparse", "expected"), ("dense", "expected")),
            (("extended", "expected"), ("dense", "expected")),
            ((FULL, "expected"), ("dense", "expected")),
            (("extended", "expected"), ("sparse", "expected")),
            ((FULL, "expected"), ("sparse", "expected")),
            ((FULL, "expected"), ("extended", "expected")),
            ((FULL, "expected"), (FULL, "pro")),
            ((FULL, "expected"), (FULL, "cut-off")),
        ]
        rows = []
        for ours, theirs in wanted:
            found = self.compared(*(Arm("de", *each, long=True) for each in (ours, theirs)))
            named = {"ours": ", ".join(ours), "theirs": ", ".join(theirs)}
            rows.append({**named, "difference": found["difference"], "p": found["p"]})
        return Table(("ours", "theirs"), tuple(rows))

    def left_out(self) -> Table:
        """The extended set without one template, beside the whole of it."""
        names = [template.name for template in self.systems.system("de").templates("extended")]
        whole = Arm("de", "extended")
        rows: list[Row] = [{"without": "nothing", **self.row(whole), "lost": float("nan"), "p": float("nan")}]
        for name in names[: 2 if self.options.small else None]:
            arm = Arm("de", f"extended - {name}")
            found = self.compared(whole, arm)
            rows.append({"without": name, **self.row(arm), "lost": found["difference"], "p": found["p"]})
        for row, p in zip(rows[1:], holm([row["p"] for row in rows[1:]]), strict=True):
            row["p"] = p
        return Table(("without",), tuple(rows))

    def references(self) -> Table:
        rows = []
        for features in ("dense", FULL):
            for count in (4, 1):
                arm, whole = (Arm("ur", features, references=number) for number in (count, 4))
                found = self.compared(whole, arm) if count == 1 else {"difference": float("nan"), "p": float("nan")}
                row: Row = {"templates": features, "references": count, **self.row(arm)}
                rows.append({**row, "lost": found["difference"], "p": found["p"]})
        return Table(("templates", "references"), tuple(rows))

    def gain(self, ours: Arm, theirs: Arm, test: str = "") -> Gain:
        references = self.systems.system(test or ours.system).texts("test")[1]
        return references, self.outputs(ours, test), self.outputs(theirs, test)

    def reference_losses(self) -> Table:
        """What one reference instead of four loses, beside three times what the dense model loses by that."""
        losses = [
            self.gain(Arm("ur", features, references=4), Arm("ur", features, references=1))
            for features in (FULL, "dense")
        ]
        found = gains_compared(BLEU, losses[0], losses[1], times=3, samples=self.samples)
        return Table(("loss of",), ({"loss of": FULL, "above three times that of": "dense", **found},))

    def domain_gains(self) -> Table:
        """What features for domains give one domain, beside what they give the other."""
        gains = [self.gain(Arm("marked", "extended+domain"), Arm("both", FULL), name) for name in reversed(DOMAINS)]
        found = gains_compared(BLEU, gains[0], gains[1], samples=self.samples)
        return Table(("gain on",), ({"gain on": DOMAINS[1], "above that on": DOMAINS[0], **found},))

    def variance(self) -> Table:
        """How far apart references lie: sentence scores of a system's output against each of four."""
        rows = []
        made = self.systems.system("ur")
        output = self.runs(Arm("ur", "dense", references=4))[0].outputs["test"]
        for metric in ("bleu+1", "bleu-nakov"):
            scorer = get_metric(f"{metric}:tokenize=none")
            lists = made.texts("test")[1]
            scores = np.array([100 * scorer.sentence_scores(output, each) for each in lists])
            spread = scores.max(axis=0) - scores.min(axis=0)
            whole = 100 * scorer.sentence_scores(output, lists)
            rows.append(
                {
                    "metric": metric,
                    "segments": len(output),
                    "mean of largest less smallest": float(spread.mean()),
                    "deviation": float(spread.std(ddof=1)),
                    "mean of one": float(scores.mean()),
                    "mean of four together": float(whole.mean()),
                }
            )
        return Table(("metric",), tuple(rows))

    def domains(self) -> Table:
        """Both domains tuned together, with and without features for domains, by domain of the test set."""
        plain, marked = Arm("both", FULL), Arm("marked", "extended+domain")
        arms = {"dense": Arm("both", "dense"), FULL: plain, "extended+domain": marked}
        rows = []
        for test in (*DOMAINS, "both"):
            for name, arm in arms.items():
                part = "" if test == "both" else test
                found = self.compared(arm, plain if arm != plain else None, test=part)
                row: Row = {"test set": test, "templates": name, "test": found["BLEU"], "deviation": found["deviation"]}
                rows.append({**row, "difference": found["difference"], "p": found["p"]})
                print(rows[-1], flush=True)
        return Table(("test set", "templates"), tuple(rows))

    def transfer(self) -> Table:
        """Tuned on one domain, tested on it and on the other."""
        rows = []
        for domain in DOMAINS:
            for test in DOMAINS:
                for features in ("dense", "sparse", "extended"):
                    sparse = Arm(domain, "sparse") if features != "sparse" else None
                    found = self.compared(Arm(domain, features), sparse, test=test)
                    row: Row = {"tuned on": domain, "tested on": test, "templates": features, "test": found["BLEU"]}
                    rows.append({**row, "difference from sparse": found["difference"], "p": found["p"]})
                    print(rows[-1], flush=True)
        return Table(("tuned on", "tested on", "templates"), tuple(rows))


def clustering(systems: TunedSystems, repeats: int) -> Table:
    """Seconds of the wall for classes of words, the best of several."""
    if systems.small:
        lines = systems.system("de").dev[1]
    else:
        lines = [line.lower() for line in read_lines(DATA / "debian" / "mono.en.gz")]

    def work(threads: int, whole: bool) -> Row:
        seconds, spent, trainer = [], [], None
        for _ in range(repeats):
            trainer = native.ClassTrainer(1 if whole else 5)
            trainer.add_sentences(lines if whole else [fold_digits(line) for line in lines])
            trainer.start(3 if systems.small else 512, 1)
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(30):
                trainer.iterate(threads)
            seconds.append(time.perf_counter() - wall)
            spent.append(time.process_time() - cpu)
        assert trainer is not None
        return {
            "words": len(trainer.classes()),
            "seconds": min(seconds),
            "cpu s": min(spent),
            "objective": trainer.objective(),
        }

    rows = []
    for whole in (False, True):
        for threads in (1, 2):
            known: Mapping[str, Any] = systems.remember(
                "clustering",
                {"lines": len(lines), "threads": threads, "whole": whole, "repeats": repeats},
                lambda threads=threads, whole=whole: work(threads, whole),  # type: ignore[misc]
            )
            rows.append({"vocabulary": "all words" if whole else "frequent words", "threads": threads, **known})
            print(rows[-1], flush=True)
    return Table(("vocabulary", "threads"), tuple(rows))


def of(table: Table, templates: str, loss: str = "expected") -> Row:
    return table.where(templates=templates, loss=loss)[0]


def pair(table: Table, ours: str, theirs: str) -> Row:
    """A row of differences between sets under the expected loss, unless they say another."""
    named = [each if ", " in each else f"{each}, expected" for each in (ours, theirs)]
    return table.where(ours=named[0], theirs=named[1])[0]


SET_CLAIMS = [
    Claim(
        "the expected loss is quicker per pass than ranking",
        lambda t: of(t, FULL)["cpu s/pass"] < of(t, FULL, "pro")["cpu s/pass"],
    ),
    Claim(
        "the expected loss keeps fewer features than ranking",
        lambda t: of(t, FULL)["kept"] < of(t, FULL, "pro")["kept"],
    ),
    Claim(
        "the expected loss has the lower dev BLEU after the last pass",
        lambda t: of(t, FULL)["last dev"] < of(t, FULL, "pro")["last dev"],
    ),
]
DIFFERENCE_CLAIMS = [
    Claim("test, expected loss: dense < sparse", lambda t: significant(pair(t, "sparse", "dense"))),
    Claim("test, expected loss: dense < extended", lambda t: significant(pair(t, "extended", "dense"))),
    Claim("test, expected loss: dense < extended + filtered", lambda t: significant(pair(t, FULL, "dense"))),
    Claim("test, expected loss: sparse < extended + filtered", lambda t: significant(pair(t, FULL, "sparse"))),
    Claim("test, expected loss: extended < extended + filtered", lambda t: significant(pair(t, FULL, "extended"))),
    Claim(
        "test, expected loss: sparse within 0.5 of extended",
        lambda t: abs(pair(t, "extended", "sparse")["difference"]) < 0.5,
    ),
    Claim(
        "test BLEU of the two losses within 0.5",
        lambda t: abs(pair(t, FULL, f"{FULL}, pro")["difference"]) < 0.5,
    ),
    Claim(
        "L1 at least as good on test as the cut-off by frequency",
        lambda t: pair(t, FULL, f"{FULL}, cut-off")["difference"] >= 0,
    ),
]
LEFT_OUT_CLAIMS = [
    Claim(
        "some template of the extended set is missed on test if it is left out",
        lambda t: any(row["lost"] > 0 and row["p"] < LEVEL for row in t.rows),
    )
]


def lost(table: Table, templates: str) -> Row:
    return table.where(templates=templates, references=1)[0]


REFERENCE_CLAIMS = [
    Claim(
        "tuned on one reference instead of four, the extended and filtered set loses on test",
        lambda t: significant(lost(t, FULL), figure="lost"),
    ),
]
LOSS_CLAIMS = [
    Claim("it loses more than three times as much by that as the dense model", lambda t: significant(t.rows[0]))
]


def by_domain(table: Table, test: str) -> Row:
    return table.where(**{"test set": test, "templates": "extended+domain"})[0]


DOMAIN_CLAIMS = [
    Claim(
        "domain features do no harm on average over the domains",
        lambda t: statistics.fmean(by_domain(t, name)["difference"] for name in DOMAINS) >= 0,
    ),
    Claim("they help the domain that is not the default (captions)", lambda t: significant(by_domain(t, "captions"))),
]
GAIN_CLAIMS = [Claim("they help captions more than software", lambda t: significant(t.rows[0]))]


def elsewhere(table: Table, tuned: str, templates: str) -> Row:
    tested = next(name for name in DOMAINS if name != tuned)
    return table.where(**{"tuned on": tuned, "tested on": tested, "templates": templates})[0]


TRANSFER_CLAIMS = [
    Claim(
        f"tuned on {tuned}, the extended set is better on the other domain than the sparse one",
        lambda t, tuned=tuned: significant(elsewhere(t, tuned, "extended"), figure="difference from sparse"),
    )
    for tuned in DOMAINS
] + [
    Claim(
        f"tuned on {tuned}, the sparse set is worse on the other domain than the dense model",
        lambda t, tuned=tuned: significant(elsewhere(t, tuned, "dense"), figure="difference from sparse"),
    )
    for tuned in DOMAINS
]


def trained(table: Table, vocabulary: str, threads: int) -> Row:
    return table.where(vocabulary=vocabulary, threads=threads)[0]


CLUSTER_CLAIMS = [
    *(
        Claim(
            f"{vocabulary}: two threads are not slower than one (5 % may be noise of the clock)",
            lambda t, vocabulary=vocabulary: (
                trained(t, vocabulary, 2)["seconds"] <= 1.05 * trained(t, vocabulary, 1)["seconds"]
            ),
        )
        for vocabulary in ("frequent words", "all words")
    ),
    Claim(
        "two threads find the very classes of one",
        lambda t: all(
            trained(t, vocabulary, 1)["objective"] == trained(t, vocabulary, 2)["objective"]
            for vocabulary in ("frequent words", "all words")
        ),
    ),
    Claim(
        "digits folded and rare words taken together, less than half of the words are left, and less time is needed",
        lambda t: (
            trained(t, "frequent words", 1)["words"] < trained(t, "all words", 1)["words"] / 2
            and trained(t, "frequent words", 1)["seconds"] < trained(t, "all words", 1)["seconds"]
        ),
    ),
]


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p25",
        seeds=3,
        parts="",
        dev=500,
        long=25,
        passes=6,
        nbest=200,
        pops=30,
        small=False,
        cache="",
    )
    if options.small:
        options.seeds, options.dev, options.long, options.passes, options.nbest, options.pops = 2, 20, 1, 1, 10, 8
    parts = names_of(options.parts, PARTS)
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures: dict[str, Drawing] = {}
    with TunedSystems(options.cache, small=options.small) as systems:
        study = Study(systems, options)
        if "sets" in parts:
            table = study.sets()
            tables["Sets of templates and losses (de)"] = table, SET_CLAIMS
            tables["Sets and losses: differences on the test set"] = study.set_differences(), DIFFERENCE_CLAIMS
            pictures["plot"] = dot_plot(table, label=lambda row: f"{row['templates']}, {row['loss']}", figure="test")
        if "left-out" in parts:
            tables["The extended set without one template (de)"] = study.left_out(), LEFT_OUT_CLAIMS
        if "references" in parts:
            tables["One reference or four (ur)"] = study.references(), REFERENCE_CLAIMS
            tables["One reference or four: losses compared"] = study.reference_losses(), LOSS_CLAIMS
            tables["How far references lie apart (ur)"] = study.variance(), []
        if "domains" in parts:
            tables["Features for domains (en-de)"] = study.domains(), DOMAIN_CLAIMS
            tables["Features for domains: gains compared"] = study.domain_gains(), GAIN_CLAIMS
        if "transfer" in parts:
            tables["Tuned on one domain, tested on the other (en-de)"] = study.transfer(), TRANSFER_CLAIMS
        if "clustering" in parts:
            table = clustering(systems, 1 if options.small else 5)
            tables["Word classes by threads"] = table, CLUSTER_CLAIMS
            pictures["clustering"] = dot_plot(
                table, label=lambda row: f"{row['vocabulary']}, threads: {row['threads']}", figure="seconds"
            )
    publish(
        "Templates and losses",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings=vars(options),
        not_run=others(PARTS, parts),
    )


if __name__ == "__main__":
    main()
