"""Do copies of a system that were tuned to differ combine to something better, and do different systems?

    python experiments/p23_diversity/run.py

Cer, Manning and Jurafsky (2013) tune copies of one system one after the other, each to BLEU less a little of its
likeness to the copies before it (alpha is the weight of BLEU, 1 - alpha that of the likeness), and combine them.

Copies. Multi30k German to English, tokenised and lower-cased as shipped, one reference; a phrase-based system (joint
alignment of 27,000 pairs, hierarchical lexicalised reordering, 4-grams; pop limit 30, distortion limit 5). Six systems
of each kind, tuned on the first 200 sentences of `val` (`--dev`) by three tuners: batch MIRA with sparse features
(rules, links, deleted words and orientations by words; 5 rounds, 100-best), MERT with the 17 dense features (as
shipped, but with 5 random starts; at most 10 rounds, 100-best), and online PRO with sparse features (5 passes,
200-best, AdaGrad with rate 0.02, L1 of 0.1), the paper's tuner. The best iteration is chosen by its score on what it
was tuned to. `seeds` are copies tuned to BLEU that differ in their random seed only, `sets` are copies tuned to BLEU on
other sets, 200 sentences each of text that no model has seen; `alpha` are diverse copies. Every copy starts from the
same weights. With more than one run (`--seeds`), figures are means over them.

Combinations are those of Heafield and Lavie (2010): beam 200, 150-best without repeated texts, radius 7, matches of
words and stems, the language model of the decoder; tuned by batch MIRA for 5 rounds on 300 other sentences that no
model has seen, and reported on `test_2016_flickr`, 1,000 sentences. `bleu` is that of the last of so many systems;
`new` is the percentage of it that none before it says (1 - BLEU against them), `new in other set` the same for a system
tuned to BLEU on another set. The best single system is the one that is best where combinations are tuned; `p` and `p
seeds` are of the differences to it and to the combination of as many seeds (approximate randomisation over all runs at
once, two-sided, 10,000 samples). `selected` and `voted` need no tuning: they take the output, or the words, that most
systems agree on.

Different systems. The systems of a shared task, newstest2013 into English: the 2, 4 and 6 that are best on the even
lines, tuned on the first 400 of these (`--tune`; MIRA, 5 rounds, beam 200, 150-best) and reported on the odd ones,
lower-cased; the German-English system that is a combination itself is left out. The language model has seen other news
(newstest2016 and its translations) and package descriptions.

Tuners of combinations. Four systems of each pair, tuned by MIRA, by MERT (20 random starts) and by PRO on the first 200
even lines, and judged on the next 200 of them, which are held out; the odd ones are reported, too. p is of the
difference to MIRA, which is the default.

With `--small` made-up texts stand in; `--parts` (`copies;different;tuners`), `--by` (`mira;mert;online`) and `--pairs`
name some, separated by semicolons; with `--cache` finished pieces are kept there, so that parts may be run one by one
and joined by a last run.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.charts import line_plot
from dragoman.drawing import Drawing
from dragoman.evaluation.correlation import spearman
from dragoman.files import read_lines
from dragoman.lm import NgramModel, estimate
from dragoman.metrics import get_metric
from dragoman.seeds import stream
from dragoman.text.tokenizer import Tokenizer
from dragoman.tuning import tune
from dragoman.tuning.base import Tuner
from dragoman.tuning.combination import CombinationDecoder, CombinationSettings, tune_combination
from dragoman.tuning.consensus import select, vote
from dragoman.tuning.diversity import diversity, tune_diverse
from dragoman.tuning.matching import Matcher, join_outputs
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from dragoman.tuning.online import Online
from dragoman.tuning.pro import Pro
from experiments.common import Claim, Row, Table, arguments, dot_plot, publish
from experiments.comparison import LEVEL, compared, scores_of, significant
from experiments.recipes import names_of, others
from experiments.systems import DATA, System, Texts, first
from experiments.tuned import TunedSystems, digest

BLEU = "bleu:tokenize=none"
NOTHING = float("nan")
SEEDS, SETS = "seeds", "sets"
PARTS = ("copies", "different", "tuners")
TUNERS: dict[str, tuple[Tuner, str, int, int]] = {
    "mira": (Mira(), "sparse", 5, 100),
    "mert": (Mert(restarts=5), "dense", 10, 100),
    "online": (Online(), "sparse", 5, 200),
}
"""Of copies: the tuner, features, iterations, and the length of lists."""
COMBINERS: dict[str, Tuner] = {"mira": Mira(), "mert": Mert(restarts=20), "pro": Pro()}
COMBINATIONS = {"QUAERO_primary.2601"}
"""Systems of the shared task that are combinations themselves."""

Output = tuple[list[str], list[str]]
"""What a system makes of the set that combinations are tuned on, and of the test set."""


def bleu(texts: Sequence[str], reference: Sequence[str]) -> float:
    return scores_of(BLEU, [reference], [texts])[0]


def best_single(outputs: Sequence[Output], reference: list[str]) -> list[str]:
    """What the system that is best on the tuning set makes of the test set."""
    return max(outputs, key=lambda output: bleu(output[0], reference))[1]


class Combiner:
    """Tunes combinations, each once."""

    def __init__(self, systems: TunedSystems, *, iterations: int, nbest: int, beam: int) -> None:
        self.systems, self.iterations, self.nbest, self.beam = systems, iterations, nbest, beam

    def __call__(
        self, outputs: Sequence[Output], reference: list[str], model: NgramModel, name: str, tuner: Tuner | None = None
    ) -> tuple[list[str], float]:
        """The combination of systems on the test set, and the seconds of processors that tuning it took.

        `name` stands for the language model.
        """
        chosen = tuner or Mira()
        settings = {
            "systems": digest(outputs, reference),
            "model": name,
            "tuner": {"name": chosen.name, **chosen.to_dict()},
            "search": [self.iterations, self.nbest, self.beam],
        }
        found = self.systems.remember("combined", settings, lambda: self.work(outputs, reference, model, chosen))
        return found["texts"], found["seconds"]

    def work(self, outputs: Sequence[Output], reference: list[str], model: NgramModel, tuner: Tuner) -> Row:
        started = time.process_time()
        matcher = Matcher(stages=("exact", "stem"))
        decoder = CombinationDecoder(len(outputs), model, settings=CombinationSettings(beam=self.beam), matcher=matcher)
        source = join_outputs([dev for dev, _ in outputs])
        tuned = tune_combination(decoder, source, reference, tuner=tuner, iterations=self.iterations, nbest=self.nbest)
        seconds = time.process_time() - started
        better = decoder.with_weights(tuned.weights)
        test = join_outputs([test for _, test in outputs])
        return {"texts": [found.text for found in better.translate(test)], "seconds": round(seconds, 1)}


class Copies:
    """Copies of one system by one tuner, tuned once, their outputs kept."""

    def __init__(self, systems: TunedSystems, by: str, options: Any) -> None:
        self.systems, self.by, self.options = systems, by, options
        base = systems.system("de")
        half = len(base.bitext[0]) // 2
        self.base: System = replace(base, dev=first(base.dev, options.dev), test=first(base.test, options.tested))
        self.combine_on = first(base.bitext, min(half, options.combine))
        quarters = (half, half + half // 2, 2 * half)
        self.other_sets: list[Texts] = [
            first((base.bitext[0][start:end], base.bitext[1][start:end]), options.dev)
            for start, end in pairwise(quarters)
        ]
        self.tuner, self.features, rounds, nbest = TUNERS[by]
        if options.small and isinstance(self.tuner, Mert):
            self.tuner = Mert(restarts=1)
        self.rounds, self.nbest = min(rounds, options.iterations), min(nbest, options.nbest)
        self.combiner = Combiner(systems, iterations=min(5, options.iterations), nbest=options.lists, beam=options.beam)
        self.samples = 1000 if options.small else 10_000

    @cache  # noqa: B019 - lives as long as the program
    def group(self, name: str, run: int) -> list[Output]:
        """The outputs of all copies of a kind, in one of several runs."""
        settings = {
            "system": self.base.key,
            "texts": digest(self.base.dev, self.combine_on, self.other_sets, self.base.test),
            "tuner": {"name": self.tuner.name, **self.tuner.to_dict()},
            "features": self.features,
            "search": [self.rounds, self.nbest, self.options.pops],
            "copies": [name, self.options.copies, run],
        }
        found = self.systems.remember("copies", settings, lambda: self.tuned(name, 1 + 100 * run))
        print(self.by, name, run, [round(bleu(test, self.base.test[1]), 2) for _, test in found], flush=True)
        return [(dev, test) for dev, test in found]

    def tuned(self, name: str, seed: int) -> list[Output]:
        decoder = self.systems.decoder(self.base, self.features, self.options.pops)
        usual: dict[str, Any] = {"tuner": self.tuner, "iterations": self.rounds, "nbest": self.nbest}
        if name == SEEDS:
            numbers = range(self.options.copies)
            weights = [tune(decoder, *self.base.dev, seed=seed + number, **usual).weights for number in numbers]
        elif name == SETS:
            sets = [self.base.dev, *self.other_sets]
            weights = [tune(decoder, *dev, seed=seed, **usual).weights for dev in sets]
        else:
            alpha = float(name.split()[1])
            copies = [decoder] * self.options.copies
            found = tune_diverse(copies, *self.base.dev, alpha=alpha, seed=seed, **usual)
            weights = [each.weights for each in found]
        outputs: list[Output] = []
        for each in weights:
            tuned = decoder.with_weights(each)
            dev, test = (tuned.translate(source) for source in (self.combine_on[0], self.base.test[0]))
            outputs.append(([one.text for one in dev], [one.text for one in test]))
        return outputs

    def combined(self, name: str, run: int, count: int) -> tuple[list[str], float]:
        """The first systems of a kind together."""
        return self.combiner(self.group(name, run)[:count], self.combine_on[1], self.base.model, self.base.key)

    def rows(self, alphas: Sequence[float]) -> list[Row]:
        rows = []
        for name in (SEEDS, SETS, *(f"alpha {alpha:g}" for alpha in alphas)):
            for count in range(1, len(self.group(name, 1)) + 1):
                rows.append(self.row(name, count))
                print(rows[-1], flush=True)
        return rows

    def row(self, name: str, count: int) -> Row:
        """So many systems of a kind, over all runs."""
        runs = range(1, self.options.seeds + 1)
        reference = self.base.test[1]
        groups = [self.group(name, run)[:count] for run in runs]
        tests = [[test for _, test in group] for group in groups]
        others = [self.group(SETS, run)[1][1] for run in runs]
        new = [float(diversity(test).from_earlier[-1]) for test in tests] if count > 1 else [NOTHING]
        unlike = [
            1 - get_metric(BLEU).corpus_score(other, test) if name != SETS else NOTHING
            for other, test in zip(others, tests, strict=True)
        ]
        row: Row = {
            "by": self.by,
            "copies": name,
            "systems": count,
            "bleu": statistics.fmean(bleu(test[-1], reference) for test in tests),
            "new": 100 * statistics.fmean(new),
            "new in other set": 100 * statistics.fmean(unlike),
        }
        empty = dict.fromkeys(
            ("best single", "selected", "voted", "combined", "gain", "p", "over seeds", "p seeds"), NOTHING
        )
        if count == 1:
            return {**row, **empty, "cpu s": NOTHING}
        combined = [self.combined(name, run, count) for run in runs]
        found = [texts for texts, _ in combined]
        single = [best_single(group, self.combine_on[1]) for group in groups]
        rivals = [self.combined(SEEDS, run, count)[0] for run in runs] if name != SEEDS else []
        against, beside = (compared(BLEU, [reference], found, each, samples=self.samples) for each in (single, rivals))
        return {
            **row,
            "best single": statistics.fmean(scores_of(BLEU, [reference], single)),
            "selected": statistics.fmean(scores_of(BLEU, [reference], [select(test) for test in tests])),
            "voted": statistics.fmean(scores_of(BLEU, [reference], [vote(test) for test in tests])),
            "combined": against["BLEU"],
            "gain": against["difference"],
            "p": against["p"],
            "over seeds": beside["difference"],
            "p seeds": beside["p"],
            "cpu s": statistics.fmean(seconds for _, seconds in combined),
        }


def falls(values: Sequence[float]) -> bool:
    """Whether values go down, as a rule."""
    return len(set(values)) > 1 and spearman(range(len(values)), values).r < -0.6


def copies_claims(by: str, alphas: Sequence[float], copies: int) -> list[Claim]:
    """What the paper claims of diverse copies, asked of a tuner."""

    def rows(table: Table, alpha: float, *, least: int = 2) -> list[Row]:
        return [row for row in table.where(by=by, copies=f"alpha {alpha:g}") if row["systems"] >= least]

    def second(table: Table, alpha: float) -> Row:
        return rows(table, alpha)[0]

    middle = 0.95
    low = [alpha for alpha in alphas if alpha <= 0.97]
    return [
        Claim(
            f"{by}: no diverse copy loses more than 1 BLEU against the system tuned to BLEU",
            lambda t: all(row["bleu"] >= rows(t, a, least=1)[0]["bleu"] - 1 for a in alphas for row in rows(t, a)),
        ),
        Claim(
            f"{by}: the first diverse copy differs the more, the smaller alpha is",
            lambda t: all(second(t, a)["new"] > second(t, b)["new"] for a, b in pairwise(alphas)),
        ),
        Claim(
            f"{by}: each further copy has less that is new (Spearman below -0.6 for every alpha)",
            lambda t: all(falls([row["new"] for row in rows(t, alpha)]) for alpha in alphas),
        ),
        Claim(
            f"{by}: with alpha {', '.join(f'{a:g}' for a in low)} the first diverse copy differs more from the system "
            "tuned to BLEU than a system tuned on another set does",
            lambda t: all(second(t, a)["new"] > rows(t, a, least=1)[0]["new in other set"] for a in low),
        ),
        Claim(
            f"{by}: with alpha {middle:g} all combinations of three systems and more are better than the best single "
            "system (p < .05 in each)",
            lambda t: all(significant(row, figure="gain") for row in rows(t, middle, least=3)),
        ),
        Claim(
            f"{by}: with alpha {middle:g} all combinations of three systems and more are better than those of as many "
            "seeds (p < .05 in each)",
            lambda t: all(significant(row, figure="over seeds", p="p seeds") for row in rows(t, middle, least=3)),
        ),
        Claim(
            f"{by}: the last copy changes a combination by less than a quarter of a BLEU, for every alpha",
            lambda t: all(abs(rows(t, a)[-1]["combined"] - rows(t, a)[-2]["combined"]) < 0.25 for a in alphas),
        ),
        Claim(
            f"{by}: tuning time grows faster than the number of systems (sums over alphas, 2 systems and {copies})",
            lambda t: (
                sum(rows(t, a)[-1]["cpu s"] for a in alphas) > copies / 2 * sum(second(t, a)["cpu s"] for a in alphas)
            ),
        ),
    ]


def tuner_claims(alphas: Sequence[float]) -> list[Claim]:
    """How copies differ by tuner."""

    def new(table: Table, by: str, alpha: float) -> float:
        return float(table.where(by=by, copies=f"alpha {alpha:g}", systems=2)[0]["new"])

    return [
        Claim(
            f"the first diverse copy by MERT differs more than that by {other}, for every alpha",
            lambda t, other=other: all(new(t, "mert", a) > new(t, other, a) for a in alphas),
        )
        for other in ("mira", "online")
    ] + [
        Claim(
            f"{by}: at alpha 0.95 the first diverse copy differs more than a system that differs in its seed only",
            lambda t, by=by: new(t, by, 0.95) > t.where(by=by, copies=SEEDS, systems=2)[0]["new"],
        )
        for by in TUNERS
    ]


def lowered(file: Path, limit: int | None = None) -> list[str]:
    lines = list(read_lines(file))[:limit]
    return [" ".join(tokens).lower() for tokens in Tokenizer("en").tokenize(lines)]


def shared_task(pair: str) -> tuple[dict[str, list[str]], list[str]]:
    """The outputs of the systems for a language pair into English, and the reference, as lower-cased tokens."""
    folder = DATA / "wmt" / "newstest2013"
    outputs = {file.name.removesuffix(".gz"): lowered(file) for file in sorted((folder / pair).iterdir())}
    kept = {name: lines for name, lines in outputs.items() if name not in COMBINATIONS}
    return kept, lowered(folder / "references" / "newstest2013.en.gz")


@cache
def news_model() -> NgramModel:
    news = DATA / "wmt" / "newstest2016-cs-en"
    names = ("ref.en", "uedin-nmt", "jhu-pbmt", "online-B", "PJATK", "cu-mergedtrees")
    lines = [line for name in names for line in lowered(news / f"{name}.gz")]
    return estimate(lines + lowered(DATA / "debian" / "mono.en.gz", 60_000), order=4).build()


def made_up(base: System) -> tuple[dict[str, list[str]], list[str]]:
    """Systems that get every fourth word wrong, each in its own way."""
    reference = [line for line in (*base.dev[1], *base.test[1]) if line]
    words = sorted({word for line in reference for word in line.split()})
    outputs = {}
    for name in "abcdef":
        random = stream(1, name)
        outputs[name] = [
            " ".join(word if random.random() > 0.25 else str(random.choice(words)) for word in line.split())
            for line in reference
        ]
    return outputs, reference


class SharedTask:
    """Systems of a shared task, and combinations of the best."""

    def __init__(self, systems: TunedSystems, options: Any) -> None:
        self.systems, self.options = systems, options
        self.combiner = Combiner(systems, iterations=min(5, options.iterations), nbest=150, beam=min(200, options.beam))
        self.samples = 1000 if options.small else 10_000

    @cache  # noqa: B019 - lives as long as the program
    def texts(self, pair: str) -> tuple[dict[str, list[str]], list[str]]:
        return made_up(self.systems.system("de")) if self.options.small else shared_task(pair)

    @property
    def model(self) -> NgramModel:
        return self.systems.system("de").model if self.options.small else news_model()

    def ranked(self, pair: str, count: int) -> list[list[str]]:
        """The systems that are best on the even lines."""
        systems, reference = self.texts(pair)
        return sorted(systems.values(), key=lambda lines: -bleu(lines[::2], reference[::2]))[:count]

    def different(self, pair: str, count: int) -> Row:
        reference = self.texts(pair)[1]
        dev, test = slice(0, 2 * self.options.tune, 2), slice(1, None, 2)
        tune_on, test_on = reference[dev], reference[test]
        outputs: list[Output] = [(lines[dev], lines[test]) for lines in self.ranked(pair, count)]
        tests = [test for _, test in outputs]
        found, seconds = self.combiner(outputs, tune_on, self.model, "news")
        chosen, cast = select(tests), vote(tests)
        against = self.tested(test_on, found, best_single(outputs, tune_on))
        row: Row = {
            "pair": pair,
            "systems": len(outputs),
            "new": 100 * float(diversity(tests).from_earlier[1:].mean()),
            "best single": bleu(best_single(outputs, tune_on), test_on),
            "selected": bleu(chosen, test_on),
            "voted": bleu(cast, test_on),
            "combined": against["BLEU"],
            "gain": against["difference"],
            "p": against["p"],
            "p selected": self.tested(test_on, found, chosen)["p"],
            "p voted": self.tested(test_on, found, cast)["p"],
            "over fewer": NOTHING,
            "p fewer": NOTHING,
            "cpu s": seconds,
        }
        if count > 2:
            fewer, _ = self.combiner(outputs[: count - 2], tune_on, self.model, "news")
            beside = self.tested(test_on, found, fewer)
            row |= {"over fewer": beside["difference"], "p fewer": beside["p"]}
        print(row, flush=True)
        return row

    def tested(self, reference: list[str], ours: list[str], theirs: list[str]) -> Row:
        return compared(BLEU, [reference], [ours], [theirs], samples=self.samples)

    def tuners(self, pair: str) -> list[Row]:
        """Tuners of combinations, on lines that nobody has tuned on."""
        reference = self.texts(pair)[1]
        size = self.options.lines
        dev, held, test = slice(0, 2 * size, 2), slice(2 * size, 4 * size, 2), slice(1, None, 2)
        ranked = self.ranked(pair, 4)
        judged = reference[held] + reference[test]
        outputs: list[Output] = [(lines[dev], lines[held] + lines[test]) for lines in ranked]
        found = {
            name: self.combiner(outputs, reference[dev], self.model, "news", self.small(tuner))
            for name, tuner in COMBINERS.items()
        }
        cut = len(reference[held])
        rows = []
        for name, (texts, seconds) in found.items():
            rival = found["mira"][0] if name != "mira" else texts
            row: Row = {"pair": pair, "tuner": name}
            for part, where in (("held out", slice(0, cut)), ("test", slice(cut, None))):
                against = self.tested(judged[where], texts[where], rival[where])
                row |= {part: against["BLEU"], f"{part} difference": against["difference"], f"p {part}": against["p"]}
            rows.append({**row, "cpu s": seconds})
            print(rows[-1], flush=True)
        return rows

    def small(self, tuner: Tuner) -> Tuner:
        return Mert(restarts=1) if self.options.small and isinstance(tuner, Mert) else tuner


DIFFERENT_CLAIMS = [
    *(
        Claim(
            f"{count} systems: the combination is better than the best single system for every pair (p < .05)",
            lambda t, count=count: all(significant(row, figure="gain") for row in t.where(systems=count)),
        )
        for count in (2, 4, 6)
    ),
    Claim(
        "4 and 6 systems: the combination is better than selection and voting for every pair (p < .05)",
        lambda t: all(
            row["combined"] > max(row["selected"], row["voted"]) and max(row["p selected"], row["p voted"]) < LEVEL
            for row in t.rows
            if row["systems"] > 2
        ),
    ),
    *(
        Claim(
            f"{count} systems combine to something better than {count - 2} for every pair (p < .05)",
            lambda t, count=count: all(
                significant(row, figure="over fewer", p="p fewer") for row in t.where(systems=count)
            ),
        )
        for count in (4, 6)
    ),
    Claim(
        "tuning time grows faster than the number of systems (2 and 6, sums over pairs)",
        lambda t: sum(row["cpu s"] for row in t.where(systems=6)) > 3 * sum(row["cpu s"] for row in t.where(systems=2)),
    ),
]
COMBINER_CLAIMS = [
    *(
        Claim(
            f"combinations tuned by {name.upper()} are not significantly better on held-out lines than those by MIRA, "
            "for any pair",
            lambda t, name=name: (
                not any(row["held out difference"] > 0 and row["p held out"] < LEVEL for row in t.where(tuner=name))
            ),
        )
        for name in ("mert", "pro")
    ),
    Claim(
        "MIRA needs less processor time for them than MERT and than PRO, for every pair",
        lambda t: all(
            row["cpu s"] < min(other["cpu s"] for other in t.where(pair=row["pair"]) if other["tuner"] != "mira")
            for row in t.where(tuner="mira")
        ),
    ),
]


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p23",
        seeds=3,
        parts="",
        by="",
        pairs="",
        copies=6,
        iterations=10,
        dev=200,
        combine=300,
        tune=400,
        tested=1000,
        nbest=200,
        pops=30,
        lists=150,
        beam=200,
        lines=200,
        alphas="0.9;0.95;0.99",
        small=False,
        cache="",
    )
    if options.small:
        options.copies, options.iterations, options.dev, options.tested = 3, 1, 20, 30
        options.nbest, options.pops, options.lists, options.beam, options.lines = 10, 8, 20, 20, 15
        options.seeds, options.alphas, options.combine, options.tune = 1, "0.5;0.95", 20, 15
    parts = names_of(options.parts, PARTS)
    alphas = [float(alpha) for alpha in names_of(options.alphas, [])]
    pairs = names_of(options.pairs, ["made up"] if options.small else ["cs-en", "de-en", "es-en", "ru-en"])
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures: dict[str, Drawing] = {}
    with TunedSystems(options.cache, small=options.small) as systems:
        if "copies" in parts:
            by = names_of(options.by, list(TUNERS))
            rows = [row for name in by for row in Copies(systems, name, options).rows(alphas)]
            table = Table(("by", "copies", "systems"), tuple(rows))
            claims = [claim for name in by for claim in copies_claims(name, alphas, options.copies)]
            tables["Copies of one system"] = table, [*claims, *(tuner_claims(alphas) if by == list(TUNERS) else [])]
            for name in by:
                pictures[f"copies-by-{name}"] = line_plot(
                    lines_of(table, name, "combined"),
                    title=f"combinations of copies by {name}",
                    x_name="systems",
                    y_name="BLEU",
                    zero=False,
                )
            pictures["new"] = line_plot(
                {f"{name}, {kind}": line for name in by for kind, line in lines_of(table, name, "new").items()},
                title="what is new in a further copy",
                x_name="systems",
                y_name="percent",
            )
        if "different" in parts:
            task = SharedTask(systems, options)
            table = Table(
                ("pair", "systems"), tuple(task.different(pair, count) for pair in pairs for count in (2, 4, 6))
            )
            tables["Systems of a shared task"] = table, DIFFERENT_CLAIMS
            pictures["gain-of-different-systems"] = dot_plot(
                table, label=lambda row: f"{row['pair']}, {row['systems']} systems", figure="gain"
            )
        if "tuners" in parts:
            task = SharedTask(systems, options)
            rows = [row for pair in pairs for row in task.tuners(pair)]
            tables["Tuners of combinations"] = Table(("pair", "tuner"), tuple(rows)), COMBINER_CLAIMS
    publish(
        "Positive diversity and system combination",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings=vars(options),
        not_run=others(PARTS, parts),
    )


def lines_of(table: Table, by: str, figure: str) -> Mapping[str, list[tuple[float, float]]]:
    """A figure by the number of systems, for each kind of copies."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in table.where(by=by):
        if row["systems"] > 1:
            found.setdefault(row["copies"], []).append((row["systems"], row[figure]))
    return found


if __name__ == "__main__":
    main()
