"""Search and regularisation in MERT: which directions, and should a plateau be judged with its neighbours?

    python experiments/p13_mert/run.py

Cer, Jurafsky and Manning (2008) compare three ways to choose the lines of minimum error rate training, Koehn's
coordinate descent (`kcd`), Powell's method and random directions, and judge plateaus by the average or the worst
(`minimum`) of windows of 3, 5 and 7 of them. In their Chinese-English system random directions win by 0.6 to 1 BLEU,
and windows bring the other two up to them.

Text: Multi30k, German and French to English, tokenised and lower-cased as shipped. A phrase-based system (17 dense
features; joint alignment of 27,000 pairs, hierarchical lexicalised reordering, 4-grams; pop limit 50, distortion limit
5) is tuned to BLEU with one reference.

First, lists alone. n-best lists of the first 709 sentences of `val` (20-best, of the rounds of a tuning) are made once,
their sentences are split in two halves at random in 20 ways (`--splits`), every search climbs on one half from the same
8 random points (`--restarts`), with at most 400 lines each, and the other half says what the weights are worth. No
decoding intervenes: the two questions, how high a search climbs and how well that holds elsewhere, are asked of the
same lists. `mean dev` is the mean over the starts of what is reached on the half climbed on, `mean heldout` what these
weights score on the other half; `best dev` and `its heldout` belong to the best start, which is what a tuner keeps;
`lines` are line searches per start. Differences are tested by random signs over the splits (two-sided, 10,000 samples),
with Holm's correction over all comparisons of one figure; splits share sentences, so these p-values are rather too
small.

Second, the whole of it: decode, merge, tune, for at most 25 rounds (`--iterations`), until nothing is new in the
100-best lists or no weight changes by 1e-5, as in the paper; 2 random starts (`--starts`) besides the current weights,
the same for all. Tuned on the first 400 sentences of `val` (`--dev`), the iteration chosen by its BLEU there; 5 seeds
(`--seeds`). `heldout` are 1,000 pairs (`--heldout`) that were taken out of the training text before alignment, `test`
is `test_2016_flickr`, 1,000 sentences. Beside the searches stand the weights from before tuning, batch MIRA, MERT as it
is shipped (20 starts), a limit on the history of lists (`history=2`: those of the last two rounds), and one line along
the word penalty (`along=word_penalty`). Differences are tested by approximate randomisation over all seeds at once
(two-sided, 10,000 samples).

Last, the default: all searches and windows against the present one (`powell`, averages of 3), on the held-out text of
all pairs together, with Holm's correction. It changes to the best of those that are significantly better, and stays if
there are none; the test sets have no say.

With `--small` a made-up bitext stands in. `--pairs` and `--parts` (`lists;rounds`) name some, separated by semicolons;
with `--cache` finished runs are kept there, so that pairs may be run one by one and joined by a last run.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.drawing import Drawing
from dragoman.metrics.base import Floats
from dragoman.seeds import stream
from dragoman.tuning.climbing import CLIMBS, Climb, ClimbLimits, normalized
from dragoman.tuning.dev import DevSet
from dragoman.tuning.log import SPENT
from dragoman.tuning.loop import tune
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.surface import PoolSurface, Windows
from experiments.common import Claim, Row, Table, arguments, dot_plot, grid, publish
from experiments.comparison import LEVEL, compared, flipped, holm, significant
from experiments.recipes import names_of, others
from experiments.systems import System, first
from experiments.tuned import TunedRun, TunedSystems, Way

SEARCHES = ["kcd", "powell", "random"]
NAMES = {"kcd": "coordinate descent", "powell": "Powell's method", "random": "random directions"}
WINDOWS = ["none", "average 3", "average 5", "average 7", "minimum 3", "minimum 5", "minimum 7"]
DEFAULT = ("powell", "average 3")
BLEU = "bleu:tokenize=none"
PARTS = ("lists", "rounds")


def gathered(base: System, *, nbest: int, rounds: int) -> NBestPool:
    """Lists of several rounds of tuning, so that they hold what good and bad weights prefer."""
    decoder = base.decoder()
    history = tune(decoder, *base.dev, iterations=rounds, nbest=nbest).history
    pool = NBestPool(DevSet.of(*base.dev))
    for entry in history:
        found = decoder.with_weights(entry.weights).translate(base.dev[0], forests=True)
        pool.add_translations(found, nbest=nbest)
    return pool


def halves(pool: NBestPool, seed: int) -> tuple[NBestPool, NBestPool]:
    """Two pools with half of the sentences each, and one numbering of the features."""
    order = stream(seed, "halves").permutation(len(pool.dev))
    made = []
    candidates = list(pool.candidates())
    for chosen in (order[: len(order) // 2], order[len(order) // 2 :]):
        place = {int(sentence): number for number, sentence in enumerate(chosen)}
        references = [[stream_[i] for i in chosen] for stream_ in pool.dev.references]
        part = NBestPool(DevSet.of([pool.dev.source[i] for i in chosen], references))
        part.vector(dict.fromkeys(pool.names[1:], 1.0))
        part.add((place[sentence], text, features) for sentence, text, features in candidates if sentence in place)
        made.append(part)
    return made[0], made[1]


class ListStudy:
    """Climbs on fixed lists; the lists of each split are made when first asked for."""

    def __init__(self, systems: TunedSystems, *, restarts: int, nbest: int, rounds: int) -> None:
        self.systems, self.restarts, self.nbest, self.rounds = systems, restarts, nbest, rounds
        self.pools: dict[str, NBestPool] = {}
        self.splits: dict[tuple[str, int], tuple[NBestPool, NBestPool]] = {}

    def lists(self, pair: str, split: int) -> tuple[NBestPool, NBestPool]:
        if pair not in self.pools:
            self.pools[pair] = gathered(self.systems.system(pair), nbest=self.nbest, rounds=self.rounds)
        if (pair, split) not in self.splits:
            self.splits[pair, split] = halves(self.pools[pair], split)
        return self.splits[pair, split]

    def cell(self, pair: str, split: int, search: str, windows: str) -> Mapping[str, Any]:
        sizes = {"restarts": self.restarts, "nbest": self.nbest, "rounds": self.rounds}
        settings = {"system": self.systems.system(pair).key, "split": split, "search": search, "windows": windows}
        found: dict[str, Any] = self.systems.remember(
            "climbs", {**settings, **sizes}, lambda: self.climbs(pair, split, search, windows)
        )
        return found

    def climbs(self, pair: str, split: int, search: str, windows: str) -> Row:
        train, other = self.lists(pair, split)
        smoothing, _, width = windows.partition(" ")
        free = np.flatnonzero(train.native.used())
        began = time.process_time()

        def climb(number: int) -> Climb:
            start: Floats = np.zeros(train.native.features)
            start[free] = normalized(stream(split, "restart", number).uniform(-1.0, 1.0, len(free)))
            rng = stream(split, "directions", number)
            surface = PoolSurface(train, Windows(smoothing, int(width or 1)))
            return CLIMBS[search](surface, start, free=free, rng=rng, limits=ClimbLimits(lines=400))

        with ThreadPoolExecutor(2) as workers:
            climbs = list(workers.map(climb, range(self.restarts)))
        judge = PoolSurface(other)
        heldout = [100 * judge.gain(climb.weights) for climb in climbs]
        reached = [100 * climb.gain for climb in climbs]
        best = max(range(len(climbs)), key=lambda number: reached[number])
        return {
            "mean dev": statistics.fmean(reached),
            "mean heldout": statistics.fmean(heldout),
            "best dev": reached[best],
            "its heldout": heldout[best],
            "lines": statistics.fmean(climb.lines for climb in climbs),
            "cpu s": time.process_time() - began,
        }


Pick = tuple[str, str]
"""A search and its windows."""

LIST_DIFFERENCES: list[tuple[str, Pick, Pick]] = [
    *(
        (figure, ("random", "none"), (other, "none"))
        for figure in ("mean dev", "mean heldout", "its heldout")
        for other in ("kcd", "powell")
    ),
    ("mean dev", ("powell", "none"), ("kcd", "none")),
    *(
        (figure, (search, "average 3"), (search, "none"))
        for search in ("kcd", "powell")
        for figure in ("mean heldout", "gap", "its heldout")
    ),
    *(("mean heldout", ("random", windows), ("random", "none")) for windows in WINDOWS[1:]),
]


def list_differences(table: Table, pairs: Sequence[str]) -> Table:
    """What one way is better than another, split by split; `gap` is what the half climbed on scores above the other."""

    def figures(pair: str, pick: Pick, figure: str) -> list[float]:
        rows = table.where(pair=pair, search=pick[0], windows=pick[1])
        if figure == "gap":
            return [row["mean dev"] - row["mean heldout"] for row in rows]
        return [row[figure] for row in rows]

    rows = []
    for pair in pairs:
        for figure, ours, theirs in LIST_DIFFERENCES:
            one, other = figures(pair, ours, figure), figures(pair, theirs, figure)
            row: Row = {"pair": pair, "figure": figure, "ours": ", ".join(ours), "theirs": ", ".join(theirs)}
            row["difference"] = statistics.fmean(one) - statistics.fmean(other)
            row["ahead in"] = f"{sum(x > y for x, y in zip(one, other, strict=True))} of {len(one)}"
            row["p"] = flipped(one, other)
            rows.append(row)
    for figure in {figure for figure, _, _ in LIST_DIFFERENCES}:
        alike = [row for row in rows if row["figure"] == figure]
        for row, p in zip(alike, holm([row["p"] for row in alike]), strict=True):
            row["p"] = p
    return Table(("pair", "figure", "ours", "theirs"), tuple(rows))


def gains(table: Table, pair: str, figure: str, ours: Pick, theirs: Pick, *, sign: int = 1) -> bool:
    """Whether a difference is above 0 (below, for a sign of -1), and no chance."""
    chosen = {"pair": pair, "figure": figure, "ours": ", ".join(ours), "theirs": ", ".join(theirs)}
    row = table.where(**chosen)[0]
    return bool(sign * row["difference"] > 0 and row["p"] < LEVEL)


def list_claims(pair: str) -> list[Claim]:
    """What the paper says of searches and windows, asked of lists."""

    def above(figure: str, ours: Pick, *others: Pick, sign: int = 1) -> Any:
        return lambda t: all(gains(t, pair, figure, ours, theirs, sign=sign) for theirs in others)

    axes = [("kcd", "none"), ("powell", "none")]
    random = ("random", "none")
    return [
        Claim(
            f"{pair}, lists: random directions climb higher than coordinate descent and than Powell's method, on "
            "average over the starts",
            above("mean dev", random, *axes),
        ),
        Claim(
            f"{pair}, lists: on average over the starts, random directions are worth more on the other half than "
            "either",
            above("mean heldout", random, *axes),
        ),
        Claim(
            f"{pair}, lists: the best start of random directions is worth more on the other half than that of either",
            above("its heldout", random, *axes),
        ),
        *(
            Claim(
                f"{pair}, lists: {NAMES[search]}: averaging over 3 plateaus raises the score on the other half",
                above("mean heldout", (search, "average 3"), (search, "none")),
            )
            for search in ("kcd", "powell")
        ),
        *(
            Claim(
                f"{pair}, lists: {NAMES[search]}: averaging over 3 plateaus narrows the gap between the halves",
                above("gap", (search, "average 3"), (search, "none"), sign=-1),
            )
            for search in ("kcd", "powell")
        ),
        Claim(
            f"{pair}, lists: random directions gain nothing from windows: none of the six raises the score on the "
            "other half",
            lambda t: not any(gains(t, pair, "mean heldout", ("random", w), random) for w in WINDOWS[1:]),
        ),
    ]


def mean_claims(pair: str) -> list[Claim]:
    """Comparisons of sizes, which no test decides."""

    def mean(table: Table, search: str) -> float:
        return table.mean("mean dev", pair=pair, search=search, windows="none")

    def worth(table: Table) -> list[float]:
        return [table.mean("its heldout", pair=pair, search=s, windows=w) for s in SEARCHES for w in WINDOWS]

    return [
        Claim(
            f"{pair}, lists: Powell's method and coordinate descent are closer to each other than random directions to "
            "the worse of them",
            lambda t: (
                abs(mean(t, "powell") - mean(t, "kcd")) < mean(t, "random") - min(mean(t, "powell"), mean(t, "kcd"))
            ),
        ),
        Claim(
            f"{pair}, lists: with the best of all starts, no search with or without windows is 0.3 better than another "
            "on the other half",
            lambda t: max(worth(t)) - min(worth(t)) < 0.3,
        ),
    ]


def ways(options: Any) -> dict[Pick, Way]:
    """All searches and windows, and what stands beside them."""
    sizes: dict[str, Any] = {"iterations": options.iterations, "nbest": 100, "pops": options.pops}
    found: dict[Pick, Way] = {}
    for search in SEARCHES:
        for windows in WINDOWS:
            smoothing, _, width = windows.partition(" ")
            tuner = Mert(search=search, smoothing=smoothing, window=int(width or 3), restarts=options.starts, fresh=0)
            found[search, windows] = Way(tuner=tuner, **sizes)
    limited = Mert(search="random", smoothing="none", restarts=options.starts, fresh=0, history=2)
    others = {
        ("untuned", ""): None,
        ("mira", ""): Mira(),
        ("mert as shipped", ""): Mert(restarts=2 if options.small else 20),
        ("random, history 2", "none"): limited,
        ("along word_penalty", "none"): Mert(along="word_penalty", smoothing="none"),
    }
    return found | {pick: Way(tuner=tuner, **sizes) for pick, tuner in others.items()}


class RoundStudy:
    """Tuning with decoding, pair by pair."""

    def __init__(self, systems: TunedSystems, options: Any) -> None:
        self.systems, self.options, self.ways = systems, options, ways(options)
        self.samples = 1000 if options.small else 10_000

    def system(self, pair: str) -> System:
        """With as much text to tune on and to compare by as wanted."""
        made, sizes = self.systems.system(pair), self.options
        return replace(
            made,
            dev=first(made.dev, sizes.dev),
            heldout=first(made.bitext, sizes.heldout),
            test=first(made.test, sizes.tested),
        )

    def runs(self, pair: str, pick: Pick) -> list[TunedRun]:
        parts = ("dev", "heldout", "test")
        return self.systems.runs(self.system(pair), self.ways[pick], self.options.seeds, parts=parts)

    def outputs(self, pair: str, pick: Pick, part: str) -> list[list[str]]:
        return [run.outputs[part] for run in self.runs(pair, pick)]

    def compared(self, pairs: Sequence[str], part: str, ours: Pick, theirs: Pick | None) -> Row:
        """A comparison on a text of one pair, or of several put together."""

        def joined(pick: Pick) -> list[list[str]]:
            found = [self.outputs(pair, pick, part) for pair in pairs]
            return [[line for output in run for line in output] for run in zip(*found, strict=True)]

        references = [line for pair in pairs for line in self.system(pair).texts(part)[1][0]]
        others = joined(theirs) if theirs else []
        return compared(BLEU, [references], joined(ours), others, samples=self.samples)

    def cell(self, pair: str, pick: Pick) -> Mapping[str, Any]:
        runs = self.runs(pair, pick)
        test = self.compared([pair], "test", pick, None)
        return {
            "rounds": statistics.fmean(run.passes for run in runs),
            "most": max(run.passes for run in runs),
            "start": 100 * statistics.fmean(run.start for run in runs),
            "least dev": 100 * min(run.score for run in runs),
            **{part: self.compared([pair], part, pick, None)["BLEU"] for part in ("dev", "heldout")},
            "test": test["BLEU"],
            "deviation": test["deviation"],
            "ended": " / ".join(sorted({run.reason or "not tuned" for run in runs})),
            "cpu s": statistics.fmean(run.cpu for run in runs),
        }

    def table(self, pairs: Sequence[str]) -> Table:
        rows = grid(self.cell, pair=pairs, pick=list(self.ways)).rows
        named = [
            {"pair": row.pop("pair"), "search": row["pick"][0], "windows": row.pop("pick")[1], **row} for row in rows
        ]
        return Table(("pair", "search", "windows"), tuple(named))

    def differences(self, pairs: Sequence[str]) -> Table:
        """Between searches without windows, between windows and none, and what else is asked."""
        random, kcd, powell = ("random", "none"), ("kcd", "none"), ("powell", "none")
        wanted: list[tuple[Pick, Pick]] = [(random, kcd), (random, powell), (powell, kcd)]
        wanted += [((search, windows), (search, "none")) for search in SEARCHES for windows in WINDOWS[1:]]
        wanted += [(("random, history 2", "none"), random), (("along word_penalty", "none"), ("untuned", ""))]
        wanted += [(DEFAULT, ("mira", "")), (random, ("mira", ""))]

        def cell(pair: str, comparison: tuple[Pick, Pick]) -> Mapping[str, Any]:
            found = {part: self.compared([pair], part, *comparison) for part in ("dev", "heldout", "test")}
            return {
                name: value
                for part, row in found.items()
                for name, value in ((part, row["difference"]), (f"p {part}", row["p"]))
            }

        rows = []
        for row in grid(cell, pair=pairs, comparison=wanted).rows:
            ours, theirs = (", ".join(filter(None, pick)) for pick in row.pop("comparison"))
            rows.append({"pair": row.pop("pair"), "ours": ours, "theirs": theirs, **row})
        return Table(("pair", "ours", "theirs"), tuple(rows))

    def default(self, pairs: Sequence[str]) -> Table:
        """Every search and window against the present default, on held-out text of all pairs."""
        rows: list[Row] = []
        for pick in [(search, windows) for search in SEARCHES for windows in WINDOWS]:
            found = self.compared(pairs, "heldout", pick, None if pick == DEFAULT else DEFAULT)
            rows.append({"search": pick[0], "windows": pick[1], **found})
        others = [row for row in rows if (row["search"], row["windows"]) != DEFAULT]
        for row, p in zip(others, holm([row["p"] for row in others]), strict=True):
            row["p Holm"] = p
        return Table(("search", "windows"), tuple({**row, "p Holm": row.get("p Holm", float("nan"))} for row in rows))


def better_default(table: Table) -> Pick:
    """The best of what is significantly better than the present default; that itself, if there is nothing."""
    better = [row for row in table.rows if significant(row, p="p Holm")]
    best = max(better, key=lambda row: float(row["BLEU"]), default=None)
    return (best["search"], best["windows"]) if best else DEFAULT


def default_claims(table: Table) -> list[Claim]:
    """The decision, as a claim that the table has to bear."""
    search, windows = better_default(table)
    stays = Claim(
        f"no search is significantly better on held-out text than {NAMES[DEFAULT[0]]} with {DEFAULT[1]}, and so that "
        "remains the default of MERT",
        lambda t: better_default(t) == DEFAULT,
    )
    if (search, windows) == DEFAULT:
        return [stays]
    changes = Claim(
        f"{NAMES[search]}, windows: {windows}, should be the default of MERT: the best of what is significantly better "
        "on held-out text than the present one",
        lambda t: better_default(t) == (search, windows),
    )
    return [stays, changes]


def round_claims(pair: str, iterations: int) -> list[Claim]:
    """What the paper shows of whole runs."""
    return [
        Claim(
            f"{pair}: every run of every search ends by itself within {iterations} rounds",
            lambda t: all(SPENT not in row["ended"] for row in searched(t, pair)),
        ),
        Claim(
            f"{pair}: dev BLEU under the decoder rises from the initial weights in every run of every search",
            lambda t: all(row["least dev"] > row["start"] for row in searched(t, pair)),
        ),
    ]


def searched(table: Table, pair: str) -> list[Row]:
    return [row for row in table.where(pair=pair) if row["search"] in SEARCHES]


def difference_claims(pair: str) -> list[Claim]:
    """What the paper shows of whole runs, by tests."""

    def found(table: Table, ours: Pick, theirs: Pick) -> Row:
        return table.where(pair=pair, ours=", ".join(ours), theirs=", ".join(theirs))[0]

    def above(part: str, ours: Pick, theirs: Pick, *, sign: int = 1) -> Any:
        def holds(table: Table) -> bool:
            row = found(table, ours, theirs)
            return bool(sign * row[part] > 0 and row[f"p {part}"] < LEVEL)

        return holds

    random, kcd, powell = ("random", "none"), ("kcd", "none"), ("powell", "none")

    def no_window(table: Table) -> bool:
        rows = [found(table, ("random", windows), random) for windows in WINDOWS[1:]]
        corrected = holm([row["p test"] for row in rows])
        return not any(row["test"] > 0 and p < LEVEL for row, p in zip(rows, corrected, strict=True))

    return [
        *(
            Claim(f"{pair}: random directions are above {NAMES[other]} on {part}", above(part, random, (other, "none")))
            for part in ("dev", "test")
            for other in ("kcd", "powell")
        ),
        Claim(
            f"{pair}: Powell's method and coordinate descent are within 0.2 BLEU of each other on test",
            lambda t: abs(found(t, powell, kcd)["test"]) <= 0.2,
        ),
        *(
            Claim(
                f"{pair}: {NAMES[search]}: a window of 3 plateaus, {smoothing}, raises test BLEU",
                above("test", (search, f"{smoothing} 3"), (search, "none")),
            )
            for search in ("kcd", "powell")
            for smoothing in ("average", "minimum")
        ),
        Claim(
            f"{pair}: random directions gain nothing from windows: none of the six is significantly better on test "
            "(Holm's correction)",
            no_window,
        ),
        Claim(
            f"{pair}: random directions: averaging over 7 plateaus lowers test BLEU",
            above("test", ("random", "average 7"), random, sign=-1),
        ),
    ]


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p13",
        seeds=5,
        pairs="",
        parts="",
        splits=20,
        restarts=8,
        nbest=20,
        rounds=2,
        iterations=25,
        starts=2,
        dev=400,
        heldout=1000,
        tested=1000,
        pops=50,
        small=False,
        cache="",
    )
    if options.small:
        options.restarts, options.nbest, options.rounds, options.splits, options.starts = 2, 10, 1, 2, 1
        options.seeds, options.iterations, options.pops = min(options.seeds, 2), 3, 10
    pairs = names_of(options.pairs, ["de"] if options.small else ["de", "fr"])
    parts = names_of(options.parts, PARTS)
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures: dict[str, Drawing] = {}
    decided: dict[str, str] = {}
    with TunedSystems(options.cache, small=options.small) as systems:
        if "lists" in parts:
            lists = ListStudy(systems, restarts=options.restarts, nbest=options.nbest, rounds=options.rounds)
            splits = range(1, options.splits + 1)
            table = grid(lists.cell, pair=pairs, split=splits, search=SEARCHES, windows=WINDOWS)
            shown = table.over("split")
            tables["Lists: means over the splits"] = shown, [claim for pair in pairs for claim in mean_claims(pair)]
            tables["Lists: differences"] = (
                list_differences(table, pairs),
                [claim for pair in pairs for claim in list_claims(pair)],
            )
            pictures["lists"] = dot_plot(
                shown, label=lambda row: f"{row['pair']}, {row['search']}, {row['windows']}", figure="its heldout"
            )
        if "rounds" in parts:
            rounds = RoundStudy(systems, options)
            table = rounds.table(pairs)
            limit = options.iterations
            tables["Decode, merge, tune"] = table, [claim for pair in pairs for claim in round_claims(pair, limit)]
            tables["Decode, merge, tune: differences"] = (
                rounds.differences(pairs),
                [claim for pair in pairs for claim in difference_claims(pair)],
            )
            default = rounds.default(pairs)
            tables["The default, by held-out text"] = default, default_claims(default)
            decided = {"default by held-out text": ", ".join(better_default(default))}
            pictures["plot"] = dot_plot(
                Table(table.settings, tuple(row for row in table.rows if row["search"] in SEARCHES)),
                label=lambda row: f"{row['pair']}, {row['search']}, {row['windows']}",
                figure="test",
            )
    publish(
        "Search and regularisation in MERT",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings={**vars(options), "present default": ", ".join(DEFAULT), **decided},
        not_run=others(PARTS, parts),
    )


if __name__ == "__main__":
    main()
