"""Phrases and their order: models of orientation, phrases with gaps, and distortion that looks ahead.

    python experiments/p16_phrasal/run.py --out docs/experiments/p16 --seeds 3

Cer, Galley, Jurafsky and Manning (2010) report that a hierarchical model of orientation (Galley and Manning 2008) is
worth more than the word-based one of Moses, and offer phrases with gaps (Galley and Manning 2010) and distortion with
future cost (Green, Galley and Manning 2010). Here all systems of a set share text, word alignment, language model and
tuner (batch MIRA on the dev set, dense features only), and differ in what their names say: no model of orientation,
orientation by words, by phrases, or hierarchical (`mslr`, both sides, `fe`), contiguous phrases or phrases with gaps,
and where jumps are charged. Phrases with gaps have no model of orientation: they are compared with `none`.

Sets: Multi30k German to English (29,000 pairs, `val`, `test_2016_flickr`; tokenised as shipped), English to German
package descriptions of Debian (31,902 pairs, raw), and a synthetic verb-final pair (8,000 pairs). Every system is tuned
with several seeds on the first 400 segments of the dev set (6 rounds, pop limit 100). BLEU is the mean of the seeds,
`deviation` their standard deviation; `p` is that of the difference from the system named in `against` by approximate
randomisation (two-sided, 10,000 samples): a segment is swapped in all runs at once, and a system's statistics are the
sums over its runs, so that luck of the tuner and of the segments are both in it (as in Clark, Dyer, Lavie and Smith
2011). `jumps` are words jumped over per sentence, `seconds` those of the test set on one thread.

With `--small` a synthetic bitext stands in; `--sets` and `--systems` name some, separated by semicolons.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

import dragoman
from dragoman.charts import forest_plot
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.metrics import get_metric
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.tune import tune_model
from experiments.common import Claim, Table, arguments, publish
from experiments.p08_hierarchical.run import DENSE, SETS, metric, texts

SYSTEMS: dict[str, tuple[tuple[str, ...], str]] = {
    "none": (("reordering=",), ""),
    "word": (("reordering=wbe-mslr-bidirectional-fe",), "none"),
    "phrase": (("reordering=phrase-mslr-bidirectional-fe",), "word"),
    "hierarchical": (("reordering=hier-mslr-bidirectional-fe",), "word"),
    "none, looking ahead": (("reordering=", "search.future_distortion=true"), "none"),
    "gaps": (("kind=gappy",), "none"),
}
"""Recipes, and which system each is compared with."""
NAMES = tuple(name for name in SETS if "fr-en" not in name)


class Runs:
    """Translations of the test sets."""

    def __init__(self, folder: Path, options: Any) -> None:
        self.folder, self.small, self.seeds, self.options = folder, options.small, options.seeds, options
        self.stages = Path(options.stages or f"{folder}.stages")
        self.statistics: dict[tuple[str, str], Any] = {}
        self.means: dict[tuple[str, str], float] = {}

    def row(self, name: str, system: str) -> Mapping[str, Any]:
        recipe, against = SYSTEMS[system]
        parts = texts(name, self.small)
        source, target = parts["test"]
        scorer = get_metric(metric(name))
        references = scorer.prepare(target)
        tokenized = not name.startswith("debian")
        fast = ["aligner=fast", "order=3"] if self.small else [f"aligner={self.options.aligner}"]
        pops = [f"search.pop_limit={self.options.pops}", f"search.beam={self.options.pops}"]
        dev = [side[: self.options.dev] for side in parts["dev"]]
        sums, scores, seconds, jumps = 0.0, [], 0.0, 0.0
        base = dragoman.train(
            *parts["train"],
            dev=parts["dev"],
            languages=("de", "en") if tokenized else ("en", "de"),
            recipe=Recipe(tokenized=tokenized).changed([*DENSE, *fast, *pops, *recipe, "tuner=none"]),
            output=self.folder / f"model-{len(list(self.folder.iterdir()))}",
            cache=self.stages,
        )
        for seed in range(1, self.seeds + 1):
            tuned = tune_model(base, dev[0], [dev[1]], tuner="mira", iterations=self.options.iterations, seed=seed)
            model = base.with_weights(tuned.weights)
            started = time.perf_counter()
            found = model.translate(source, threads=1)
            seconds += time.perf_counter() - started
            rows = scorer.statistics([each.text for each in found], references)
            sums = sums + rows
            scores.append(100 * float(scorer.scores(rows.sum(axis=0)[None, :])[0]))
            distances = [-sentence.features.get("distortion", 0.0) for each in found for sentence in each.sentences]
            jumps += float(np.mean(distances))
        self.statistics[name, system] = sums
        return {
            "against": against,
            "BLEU": round(float(np.mean(scores)), 2),
            "deviation": round(float(np.std(scores, ddof=1)), 2) if self.seeds > 1 else float("nan"),
            "difference": self.difference(name, system, scores),
            "p": self.p_value(name, system, scorer),
            "jumps": round(jumps / self.seeds, 2),
            "seconds": round(seconds / self.seeds, 1),
        }

    def difference(self, name: str, system: str, scores: list[float]) -> float:
        self.means[name, system] = float(np.mean(scores))
        return round(self.means[name, system] - self.means.get((name, SYSTEMS[system][1]), float("nan")), 2)

    def p_value(self, name: str, system: str, scorer: Any) -> float:
        other = self.statistics.get((name, SYSTEMS[system][1]))
        if other is None:
            return float("nan")
        test = SignificanceTest(samples=1000 if self.small else 10_000)
        return compare_statistics(self.statistics[name, system], other, scorer.scores, test).p


def main() -> None:
    options = arguments(
        __doc__,
        out="docs/experiments/p16",
        small=False,
        sets="",
        systems="",
        stages="",
        aligner="bayes",
        dev=400,
        iterations=6,
        pops=100,
    )
    names = [each.strip() for each in options.sets.split(";")] if options.sets else list(NAMES)
    systems = [each.strip() for each in options.systems.split(";")] if options.systems else list(SYSTEMS)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder), options)
        for name in names:
            for system in systems:
                rows.append({"set": name, "system": system, **runs.row(name, system)})
                print(rows[-1], flush=True)
                write(Table(("set", "system"), tuple(rows)), names[: names.index(name) + 1], systems, options)


def write(table: Table, names: list[str], systems: list[str], options: Any) -> None:
    """The page so far, so that a run that is ended early is not lost."""

    def better(name: str, system: str) -> Any:
        def holds(found: Table) -> bool:
            [row] = found.where(set=name, system=system)
            return bool(row["difference"] > 0 and row["p"] < 0.05)

        return holds

    done = {(row["set"], row["system"]) for row in table.rows}
    claims = [
        Claim(f"{name}: {text}", better(name, system))
        for name in names
        for system, text in (
            ("word", "orientation by words is better than none"),
            ("hierarchical", "hierarchical orientation is better than that of words"),
            ("gaps", "phrases with gaps are better than contiguous ones"),
        )
        if (name, system) in done
    ]
    picture = forest_plot(
        [
            (f"{row['set']}: {row['system']}", row["BLEU"], row["BLEU"] - _spread(row), row["BLEU"] + _spread(row))
            for row in table.rows
        ],
        title="BLEU, with the standard deviation of the seeds",
        sure=[not row["p"] >= 0.05 for row in table.rows],
        zero=False,
        figure=".2f",
    )
    publish(
        "Phrases and their order",
        __doc__,
        {"Systems": (table, claims)},
        pictures={"plot": picture},
        out=options.out,
        settings={name: value for name, value in vars(options).items() if name not in ("out", "stages")}
        | {"dense": DENSE},
    )


def _spread(row: Mapping[str, Any]) -> float:
    return 0.0 if np.isnan(row["deviation"]) else float(row["deviation"])


if __name__ == "__main__":
    main()
