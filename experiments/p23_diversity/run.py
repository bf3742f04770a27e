"""Do copies of a system that were tuned to differ combine to something better, and do different systems?

    python experiments/p23_diversity/run.py --out docs/experiments/p23

Cer, Manning and Jurafsky (2013) tune copies of one system one after the other, each to BLEU less a little of its
likeness to the copies before it, and combine them. First, that: Multi30k German to English, a phrase-based system with
sparse features. Copies are tuned on a part of `val`, combinations on a half of a sample of the training text that no
model has seen, and everything is reported on `test_2016_flickr`. `seeds` are copies tuned to BLEU that differ in their
random seed only, `sets` are copies tuned to BLEU on other sets, quarters of that sample. `new` is the percentage of a
copy that none before it says (1 - BLEU against them), `new in other set` the same for a system tuned to BLEU on another
set. The best single system is the one that is best where combinations are tuned; `p` and `p seeds` are of approximate
randomisation against it and against the combination of as many seeds.

Second, what combination is for: the systems of a shared task, newstest2013 into English, which differ by nature. The
systems best on the even lines are tuned on these and reported on the odd lines, lower-cased; the German-English system
that is a combination itself is left out. The language model has seen other news (newstest2016 and its translations) and
package descriptions. `selected` and `voted` need no tuning: they take the output, or the words, that most systems agree
on.

With `--small` both parts use made-up texts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.drawing import Drawing
from dragoman.evaluation.correlation import spearman
from dragoman.evaluation.resampling import compare_statistics
from dragoman.files import read_lines
from dragoman.lm import NgramModel, estimate
from dragoman.metrics import get_metric
from dragoman.search.phrase import PhraseDecoder
from dragoman.seeds import stream
from dragoman.text.tokenizer import Tokenizer
from dragoman.tuning import tune
from dragoman.tuning.combination import CombinationDecoder, CombinationSettings, tune_combination
from dragoman.tuning.consensus import select, vote
from dragoman.tuning.diversity import diversity, tune_diverse
from dragoman.tuning.matching import Matcher, join_outputs
from experiments.common import Claim, Row, Table, arguments, dot_plot, publish
from experiments.systems import DATA, System, Texts, system

BLEU = get_metric("bleu:tokenize=none")
TUNER = "mira"
SEEDS, SETS = "seeds", "sets"
NOTHING = float("nan")
COMBINATIONS = {"QUAERO_primary.2601"}
"""Systems of the shared task that are combinations themselves."""

Output = tuple[list[str], list[str]]
"""What a system makes of the set that combinations are tuned on, and of the test set."""


def bleu(texts: Sequence[str], reference: Sequence[str]) -> float:
    return 100 * BLEU.corpus_score(texts, reference)


def chance(x: list[str], y: list[str], reference: list[str]) -> float:
    """How likely the difference is by chance alone (approximate randomisation, two-sided)."""
    rows = [BLEU.statistics(text, reference) for text in (x, y)]
    return compare_statistics(rows[0], rows[1], BLEU.scores).p


def best_single(outputs: list[Output], reference: list[str]) -> list[str]:
    """What the system that is best on the tuning set makes of the test set."""
    return max(outputs, key=lambda output: bleu(output[0], reference))[1]


def combined(
    outputs: list[Output],
    reference: list[str],
    model: NgramModel,
    *,
    iterations: int,
    nbest: int,
    beam: int,
    threads: int,
) -> tuple[list[str], float]:
    """The combination of systems on the test set, and the seconds of processors that tuning it took."""
    started = time.process_time()
    decoder = CombinationDecoder(
        len(outputs), model, settings=CombinationSettings(beam=beam), matcher=Matcher(stages=("exact", "stem"))
    )
    tuned = tune_combination(
        decoder,
        join_outputs([dev for dev, _ in outputs]),
        reference,
        iterations=iterations,
        nbest=nbest,
        threads=threads,
    )
    seconds = time.process_time() - started
    source = join_outputs([test for _, test in outputs])
    return [found.text for found in decoder.with_weights(tuned.weights).translate(source, threads=threads)], seconds


class Copies:
    """Copies of one system: tuned once, their outputs kept."""

    def __init__(self, base: System, decoder: PhraseDecoder, *, copies: int, iterations: int, threads: int) -> None:
        self.base, self.decoder, self.copies = base, decoder, copies
        self.iterations, self.threads = iterations, threads
        half = len(base.bitext[0]) // 2
        self.combine_on: Texts = (base.bitext[0][:half], base.bitext[1][:half])
        quarters = (half, half + half // 2, 2 * half)
        self.other_sets: list[Texts] = [
            (base.bitext[0][first:end], base.bitext[1][first:end]) for first, end in pairwise(quarters)
        ]
        self.plain = self.output(self.tuned(base.dev, 1))

    def output(self, weights: Mapping[str, float]) -> Output:
        decoder = self.decoder.with_weights(weights)
        found = [decoder.translate(source, threads=self.threads) for source in (self.combine_on[0], self.base.test[0])]
        return [t.text for t in found[0]], [t.text for t in found[1]]

    def tuned(self, dev: Texts, seed: int) -> Mapping[str, float]:
        return tune(
            self.decoder, *dev, tuner=TUNER, iterations=self.iterations, seed=seed, threads=self.threads
        ).weights

    def diverse(self, alpha: float) -> list[Output]:
        found = tune_diverse(
            [self.decoder] * self.copies,
            *self.base.dev,
            alpha=alpha,
            tuner=TUNER,
            iterations=self.iterations,
            threads=self.threads,
        )
        return [self.output(each.weights) for each in found]

    def run(self, alphas: list[float]) -> Table:
        others = [self.output(self.tuned(dev, 1)) for dev in self.other_sets]
        seeds = [self.plain, *(self.output(self.tuned(self.base.dev, 1 + n)) for n in range(1, self.copies))]
        groups = {SEEDS: seeds, SETS: [self.plain, *others]}
        groups |= {f"alpha {alpha:g}": self.diverse(alpha) for alpha in alphas}
        rows: list[Row] = []
        rivals: dict[int, list[str]] = {}
        for name, outputs in groups.items():
            new = diversity([test for _, test in outputs]).from_earlier
            for number in range(len(outputs)):
                first = outputs[: number + 1]
                of_other = 1 - BLEU.corpus_score(others[0][1], [test for _, test in first])
                row: Row = {
                    "copies": name,
                    "systems": number + 1,
                    "bleu": bleu(outputs[number][1], self.base.test[1]),
                    "new": 100 * float(new[number]) if number else NOTHING,
                    "new in other set": 100 * of_other if name != SETS else NOTHING,
                    **(self.combination(first, rivals, name == SEEDS) if number else {}),
                }
                rows.append(row)
                print(row, flush=True)
        names = dict.fromkeys(name for row in rows for name in row)
        return Table(("copies", "systems"), tuple({name: row.get(name, NOTHING) for name in names} for row in rows))

    def combination(self, outputs: list[Output], rivals: dict[int, list[str]], is_rival: bool) -> Row:
        """Scores of the combination of these systems; `rivals` are those of copies that differ in seeds only."""
        reference, count = self.base.test[1], len(outputs)
        found, seconds = combined(
            outputs,
            self.combine_on[1],
            self.base.model,
            iterations=self.iterations,
            nbest=300,
            beam=500,
            threads=self.threads,
        )
        if is_rival:
            rivals[count] = found
        single = best_single(outputs, self.combine_on[1])
        tests = [test for _, test in outputs]
        return {
            "best single": bleu(single, reference),
            "selected": bleu(select(tests), reference),
            "voted": bleu(vote(tests), reference),
            "combined": bleu(found, reference),
            "p": chance(found, single, reference),
            "p seeds": chance(found, rivals[count], reference) if not is_rival else NOTHING,
            "cpu s": round(seconds, 1),
        }


def copies_claims(alphas: list[float], copies: int) -> list[Claim]:
    def rows(table: Table, alpha: float, *, least: int = 2) -> list[Row]:
        return [row for row in table.where(copies=f"alpha {alpha:g}") if row["systems"] >= least]

    def first(table: Table, alpha: float) -> Row:
        return rows(table, alpha)[0]

    middle = alphas[len(alphas) // 2]
    low = [alpha for alpha in alphas if alpha <= 0.97]
    return [
        Claim(
            "no diverse copy loses more than 1 BLEU against the system tuned to BLEU",
            lambda t: all(row["bleu"] >= rows(t, a, least=1)[0]["bleu"] - 1 for a in alphas for row in rows(t, a)),
        ),
        Claim(
            "the first diverse copy differs the more, the smaller alpha is",
            lambda t: all(first(t, a)["new"] > first(t, b)["new"] for a, b in pairwise(alphas)),
        ),
        Claim(
            "each further copy has less that is new (Spearman below -0.6 for every alpha)",
            lambda t: all(
                spearman([row["systems"] for row in rows(t, a)], [row["new"] for row in rows(t, a)]).r < -0.6
                for a in alphas
            ),
        ),
        Claim(
            f"with alpha {' and '.join(f'{a:g}' for a in low)} the first diverse copy differs more from the system "
            "tuned to BLEU than a system tuned on another set does",
            lambda t: all(first(t, a)["new"] > rows(t, a, least=1)[0]["new in other set"] for a in low),
        ),
        Claim(
            f"with alpha {middle:g} all combinations of three systems and more are above the best single system",
            lambda t: all(row["combined"] > row["best single"] for row in rows(t, middle, least=3)),
        ),
        Claim(
            f"these gains over the best single system are significant (alpha {middle:g}, p < .05 in each)",
            lambda t: all(row["combined"] > row["best single"] and row["p"] < 0.05 for row in rows(t, middle, least=3)),
        ),
        Claim(
            f"with alpha {middle:g} all combinations of three systems and more are above those of as many seeds",
            lambda t: all(
                row["combined"] > t.where(copies=SEEDS, systems=row["systems"])[0]["combined"]
                for row in rows(t, middle, least=3)
            ),
        ),
        Claim(
            f"these gains over as many seeds are significant (alpha {middle:g}, p < .05 in each)",
            lambda t: all(
                row["combined"] > t.where(copies=SEEDS, systems=row["systems"])[0]["combined"] and row["p seeds"] < 0.05
                for row in rows(t, middle, least=3)
            ),
        ),
        Claim(
            "the last copy changes a combination by less than a quarter of a BLEU, for every alpha",
            lambda t: all(abs(rows(t, a)[-1]["combined"] - rows(t, a)[-2]["combined"]) < 0.25 for a in alphas),
        ),
        Claim(
            "tuning time grows faster than the number of systems (sums over alphas, 2 systems and all)",
            lambda t: (
                sum(rows(t, a)[-1]["cpu s"] for a in alphas) > copies / 2 * sum(first(t, a)["cpu s"] for a in alphas)
            ),
        ),
    ]


def shared_task(pair: str) -> tuple[dict[str, list[str]], list[str]]:
    """The outputs of the systems for a language pair into English, and the reference, as lower-cased tokens."""
    folder = DATA / "wmt" / "newstest2013"
    outputs = {file.name.removesuffix(".gz"): lowered(file) for file in sorted((folder / pair).iterdir())}
    kept = {name: lines for name, lines in outputs.items() if name not in COMBINATIONS}
    return kept, lowered(folder / "references" / "newstest2013.en.gz")


def lowered(file: Path, limit: int | None = None) -> list[str]:
    lines = list(read_lines(file))[:limit]
    return [" ".join(tokens).lower() for tokens in Tokenizer("en").tokenize(lines, threads=2)]


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
    for name in "abc":
        random = stream(1, name)
        outputs[name] = [
            " ".join(word if random.random() > 0.25 else str(random.choice(words)) for word in line.split())
            for line in reference
        ]
    return outputs, reference


def different(
    pair: str,
    texts: tuple[dict[str, list[str]], list[str]],
    model: NgramModel,
    *,
    count: int,
    iterations: int,
    threads: int,
) -> Row:
    """Combine the best systems of a shared task."""
    systems, reference = texts
    tune_on, test_on = reference[::2], reference[1::2]
    ranked = sorted(systems.values(), key=lambda lines: -bleu(lines[::2], tune_on))[:count]
    outputs: list[Output] = [(lines[::2], lines[1::2]) for lines in ranked]
    tests = [test for _, test in outputs]
    found, seconds = combined(outputs, tune_on, model, iterations=iterations, nbest=150, beam=200, threads=threads)
    single, chosen, cast = best_single(outputs, tune_on), select(tests, threads=threads), vote(tests, threads=threads)
    row: Row = {
        "pair": pair,
        "systems": len(outputs),
        "new": 100 * float(diversity(tests).from_earlier[1:].mean()),
        "best single": bleu(single, test_on),
        "selected": bleu(chosen, test_on),
        "voted": bleu(cast, test_on),
        "combined": bleu(found, test_on),
        "gain": bleu(found, test_on) - bleu(single, test_on),
        "p": chance(found, single, test_on),
        "p selected": chance(found, chosen, test_on),
        "cpu s": round(seconds, 1),
    }
    print(row, flush=True)
    return row


DIFFERENT_CLAIMS = [
    Claim(
        "the combination is above the best single system for every pair",
        lambda t: all(row["gain"] > 0 for row in t.rows),
    ),
    Claim(
        "this gain is significant (p < .05) for every pair",
        lambda t: all(row["gain"] > 0 and row["p"] < 0.05 for row in t.rows),
    ),
    Claim(
        "the combination is above selection and voting for every pair",
        lambda t: all(row["combined"] > max(row["selected"], row["voted"]) for row in t.rows),
    ),
]


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p23",
        small=False,
        copies=5,
        iterations=3,
        sentences=400,
        systems=4,
        alphas="0.9,0.95,0.99",
        features="sparse",
        parts="copies,different",
        pairs="cs-en,de-en,es-en,ru-en",
        threads=2,
    )
    small, threads, iterations = options.small, options.threads, options.iterations
    base = system("de", small=small).limited(options.sentences, 1000)
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures: dict[str, Drawing] = {}
    if "copies" in options.parts:
        decoder = base.decoder(base.templates("dense" if small else options.features), pop_limit=20 if small else 30)
        alphas = [0.5, 0.95] if small else [float(alpha) for alpha in options.alphas.split(",")]
        copies = 3 if small else options.copies
        table = Copies(base, decoder, copies=copies, iterations=iterations, threads=threads).run(alphas)
        shown = Table(table.settings, tuple(row for row in table.rows if row["systems"] > 1))
        tables["Copies of one system"] = (table, copies_claims(alphas, copies))
        pictures["combined-copies"] = dot_plot(
            shown, label=lambda row: f"{row['copies']}, {row['systems']} systems", figure="combined"
        )
    if "different" in options.parts:
        model = base.model if small else news_model()
        rows = [
            different(
                pair,
                made_up(base) if small else shared_task(pair),
                model,
                count=options.systems,
                iterations=iterations,
                threads=threads,
            )
            for pair in (["made up"] if small else options.pairs.split(","))
        ]
        table = Table(("pair",), tuple(rows))
        tables["Systems of a shared task"] = (table, DIFFERENT_CLAIMS)
        pictures["gain-of-different-systems"] = dot_plot(table, label=lambda row: str(row["pair"]), figure="gain")
    publish(
        "Positive diversity and system combination",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings=vars(options),
    )


if __name__ == "__main__":
    main()
