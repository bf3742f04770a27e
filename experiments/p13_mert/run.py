"""Search and regularisation in MERT: random directions against axes, and windows of plateaus, in and out of sample.

Cer, Jurafsky and Manning (2008) compare Koehn's coordinate descent, Powell's method and random directions, and judge
plateaus by windows of their neighbours. Here n-best lists of a dev set are made once, its sentences are split in two
halves at random, every search climbs on one half from the same random points, and the other half says what the weights
are worth. No decoding intervenes: the two questions, how high a search climbs and how well that holds elsewhere, are
asked of the same lists.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.metrics.base import Floats
from dragoman.seeds import stream
from dragoman.tuning.climbing import CLIMBS, Climb, ClimbLimits, normalized
from dragoman.tuning.dev import DevSet
from dragoman.tuning.loop import tune
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.surface import PoolSurface, Windows
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish
from experiments.systems import System, system

SEARCHES = ["kcd", "powell", "random"]
WINDOWS = ["none", "average 3", "average 5", "average 7", "minimum 3", "minimum 5", "minimum 7"]


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


class Experiment:
    """The lists of each split, made when first asked for."""

    def __init__(self, pool: NBestPool, restarts: int) -> None:
        self.pool, self.restarts = pool, restarts
        self.splits: dict[int, tuple[NBestPool, NBestPool]] = {}

    def cell(self, split: int, search: str, windows: str) -> dict[str, Any]:
        if split not in self.splits:
            self.splits[split] = halves(self.pool, split)
        train, other = self.splits[split]
        smoothing, _, width = windows.partition(" ")
        free = np.flatnonzero(train.native.used())
        began = time.perf_counter()

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
            "seconds": time.perf_counter() - began,
        }


def mean(table: Table, figure: str, search: str, windows: str = "none") -> float:
    return table.mean(figure, search=search, windows=windows)


COMPARED = [
    *(
        (f"best start, random over {other}", "its heldout", ("random", "none"), (other, "none"))
        for other in ("kcd", "powell")
    ),
    *(
        (f"{search}, average 3 over none", "mean heldout", (search, "average 3"), (search, "none"))
        for search in SEARCHES
    ),
]


def differences(table: Table) -> Table:
    """What one way is better than another on the other half, split by split."""
    rows = []
    for name, figure, *ways in COMPARED:
        ours, theirs = ([row[figure] for row in table.where(search=s, windows=w)] for s, w in ways)
        found = [one - other for one, other in zip(ours, theirs, strict=True)]
        error = statistics.stdev(found) / len(found) ** 0.5 if len(found) > 1 else math.nan
        ahead = f"{sum(value > 0 for value in found)} of {len(found)}"
        rows.append({"difference": name, "BLEU": statistics.fmean(found), "standard error": error, "ahead in": ahead})
    return Table(("difference",), tuple(rows))


def gap(table: Table, search: str, windows: str) -> float:
    return mean(table, "mean dev", search, windows) - mean(table, "mean heldout", search, windows)


CLAIMS = [
    Claim(
        "random directions climb higher than coordinate descent and than Powell's method, on average over the starts",
        lambda t: mean(t, "mean dev", "random") > max(mean(t, "mean dev", "kcd"), mean(t, "mean dev", "powell")),
    ),
    Claim(
        "random directions hold up better on the other half than either",
        lambda t: (
            mean(t, "mean heldout", "random") > max(mean(t, "mean heldout", "kcd"), mean(t, "mean heldout", "powell"))
        ),
    ),
    Claim(
        "Powell's method and coordinate descent are closer to each other than random directions to the worse of them",
        lambda t: (
            abs(mean(t, "mean dev", "powell") - mean(t, "mean dev", "kcd"))
            < mean(t, "mean dev", "random") - min(mean(t, "mean dev", "powell"), mean(t, "mean dev", "kcd"))
        ),
    ),
    *(
        Claim(
            f"{name}: averaging over 3 plateaus raises the score on the other half",
            lambda t, search=search: (  # type: ignore[misc]
                mean(t, "mean heldout", search, "average 3") >= mean(t, "mean heldout", search)
            ),
        )
        for search, name in (("kcd", "coordinate descent"), ("powell", "Powell's method"))
    ),
    *(
        Claim(
            f"{name}: averaging over 3 plateaus narrows the gap between the halves",
            lambda t, search=search: gap(t, search, "average 3") < gap(t, search, "none"),  # type: ignore[misc]
        )
        for search, name in (("kcd", "coordinate descent"), ("powell", "Powell's method"))
    ),
    Claim(
        "random directions gain nothing from windows: none of the six raises the score on the other half by 0.1",
        lambda t: all(
            mean(t, "mean heldout", "random", windows) < mean(t, "mean heldout", "random") + 0.1
            for windows in WINDOWS[1:]
        ),
    ),
    Claim(
        "the weights of the best of all starts hold up best on the other half if directions are random",
        lambda t: (
            mean(t, "its heldout", "random") > max(mean(t, "its heldout", "kcd"), mean(t, "its heldout", "powell"))
        ),
    ),
    Claim(
        "with the best of all starts, no search with or without windows is 0.3 better than another on the other half",
        lambda t: (
            max(mean(t, "its heldout", s, w) for s in SEARCHES for w in WINDOWS)
            - min(mean(t, "its heldout", s, w) for s in SEARCHES for w in WINDOWS)
            < 0.3
        ),
    ),
]


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/p13", source="de", restarts=20, nbest=20, rounds=2, small=False)
    if args.small:
        args.restarts, args.nbest, args.rounds = 2, 10, 1
    pool = gathered(system(args.source, small=args.small), nbest=args.nbest, rounds=args.rounds)
    print(pool)
    experiment = Experiment(pool, args.restarts)
    table = grid(experiment.cell, split=range(1, max(args.seeds, 1) + 1), search=SEARCHES, windows=WINDOWS)
    shown = table.over("split")
    plot = dot_plot(shown, label=lambda row: f"{row['search']}, {row['windows']}", figure="mean heldout")
    tables: dict[str, tuple[Table, list[Claim]]] = {
        "Means over the splits": (shown, CLAIMS),
        "Differences on the other half": (differences(table), []),
    }
    publish(
        "Search and regularisation in MERT",
        __doc__,
        tables,
        pictures={"plot": plot},
        out=args.out,
        settings={**vars(args), "candidates": len(pool)},
    )


if __name__ == "__main__":
    main()
