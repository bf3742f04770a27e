"""Hierarchical translation by chart and from left to right: what do language model queries, time and BLEU cost?

    python experiments/p08_hierarchical/run.py --out docs/experiments/p08

Siahbani, Sankaran and Sarkar (2013) decode hierarchical rules from left to right, with rules whose target side is words
and then nonterminals; Siahbani and Sarkar (2014) add queue diversity and rules that leave the end of a span open. Their
claims are about the cost of a system, in language model queries per source word, and about what it loses against a
chart decoder with all rules. Here all systems share text, alignment, language model and tuner (batch MIRA on the dev
set, dense features only, seed 1), and differ in rules, search and features. Sets: Multi30k German and French to English
(29,000 pairs, `val`, `test_2016_flickr`; tokenised as shipped), English to German package descriptions of Debian
(31,902 pairs, raw), and a synthetic verb-final pair (8,000 pairs). Figures of a row are of the test set: BLEU, `p` of
its difference from `chart` (approximate randomisation, two-sided), language model queries per source word (every word
that a model is asked about, known answers included), seconds for the whole set on one thread, rules in the table, mean
model score.

A row whose name has a comma takes the weights of the system before the comma and searches in another way. With
`--small` a synthetic bitext stands in; `--sets` and `--systems` name some; `--cache` keeps finished stages.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

import dragoman
from dragoman.charts import line_plot, scatter_plot
from dragoman.files import read_lines
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, grid, publish

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))

DENSE = ["templates=", "classes=0", "tuner=mira"]
CHART = [*DENSE, "kind=hiero", "search.pop_limit=500", "search.beam=500"]
LEFT = [*DENSE, "kind=lr-hiero", "search.right_boundary=none"]
REORDERING = "search.reordering_features=true"
PREFIX = "rules.prefix_lexicalised=before"
SYSTEMS: dict[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "phrases": (DENSE, {}),
    "chart": (CHART, {}),
    "chart, pop limit 100": (CHART, {"pop_limit": 100}),
    "chart, pop limit 1000": (CHART, {"pop_limit": 1000, "beam": 1000}),
    "chart of prefix rules": ([*CHART, PREFIX], {}),
    "chart of prefix rules + reordering": ([*CHART, PREFIX, REORDERING], {}),
    "chart + reordering": ([*CHART, REORDERING], {}),
    "left to right": (LEFT, {}),
    "left to right + reordering": ([*LEFT, REORDERING], {}),
    "left to right + reordering, no cubes": ([*LEFT, REORDERING], {"search": "stack"}),
    "left to right + reordering, diversity 15": ([*LEFT, REORDERING], {"queue_diversity": 15}),
    "left to right + reordering + ab": ([*LEFT[:-1], REORDERING, "search.right_boundary=ab"], {}),
    "left to right + reordering + abc": ([*LEFT[:-1], REORDERING, "search.right_boundary=abc"], {}),
    "left to right + reordering + ab, diversity 15": (
        [*LEFT[:-1], REORDERING, "search.right_boundary=ab"],
        {"queue_diversity": 15},
    ),
}
SETS = ("multi30k de-en", "multi30k fr-en", "debian en-de", "verb-final")
LENGTHS = (10, 20, 40, 80)


def metric(name: str) -> str:
    """BLEU of the tokens as shipped, or of raw text."""
    return "bleu" if name.startswith("debian") else "bleu:tokenize=none"


@cache
def texts(name: str, small: bool) -> dict[str, tuple[list[str], list[str]]]:
    """Train, dev and test."""
    if small or name == "verb-final":
        sizes = {"train": 300, "dev": 30, "test": 30} if small else {"train": 8000, "dev": 500, "test": 500}
        parts = synthetic.pair("en-qsv").splits(**sizes, seed=1)
        return {
            part: ([" ".join(i.target.tokens) for i in items], [" ".join(i.source.tokens) for i in items])
            for part, items in (("train", parts.train), ("dev", parts.dev), ("test", parts.test))
        }
    folder, codes = name.split()
    sides = codes.split("-")
    if folder == "multi30k":
        files = {"train": "train.{}.gz", "dev": "val.{}", "test": "test_2016_flickr.{}"}
    else:
        folder, files = f"debian/{codes}", {"train": "train.{}.gz", "dev": "dev.{}", "test": "test.{}"}
    found = {}
    for part, pattern in files.items():
        source, target = (list(read_lines(DATA / folder / pattern.format(side))) for side in sides)
        found[part] = source, target
    return found


class Runs:
    """Models and translations, each made once."""

    def __init__(self, folder: Path, cache: Path, *, small: bool) -> None:
        self.folder, self.cache, self.small = folder, cache, small
        self.outputs: dict[tuple[str, str], list[str]] = {}

    @cache  # noqa: B019 - one object lives as long as the program
    def model(self, name: str, recipe: tuple[str, ...]) -> Model:
        parts = texts(name, self.small)
        fast = ["aligner=fast", "order=3", "iterations=2", "search.pop_limit=30"] if self.small else []
        tokenized = not name.startswith("debian")
        return dragoman.train(
            *parts["train"],
            dev=parts["dev"],
            languages=("de", "en") if tokenized else ("en", "de"),
            recipe=Recipe(tokenized=tokenized).changed([*fast, *recipe]),
            output=self.folder / f"model-{len(list(self.folder.iterdir()))}",
            cache=self.cache,
        )

    def row(self, name: str, system: str) -> Mapping[str, Any]:
        recipe, search = SYSTEMS[system]
        source, target = texts(name, self.small)["test"]
        model = self.model(name, tuple(recipe)).with_settings(**search)
        started = time.perf_counter()
        found = model.translate(source, threads=1)
        seconds = time.perf_counter() - started
        output = self.outputs[name, system] = [each.text for each in found]
        sentences = [sentence for each in found for sentence in each.sentences]
        words = sum(len(sentence.source) for sentence in sentences)
        bleu = next(iter(dragoman.score(output, target, [metric(name)], confidence=None))).value
        return {
            "BLEU": round(bleu, 2),
            "p": self.p_value(name, system, target),
            "queries/word": round(sum(s.statistics["language_model_queries"] for s in sentences) / words, 1),
            "seconds": round(seconds, 1),
            "rules": model.report["stages"]["table"]["rules"],
            "score": round(sum(s.score for s in sentences) / len(sentences), 4),
        }

    def p_value(self, name: str, system: str, target: list[str]) -> float:
        if system == "chart" or (name, "chart") not in self.outputs:
            return float("nan")
        outputs = {each: self.outputs[name, each] for each in ("chart", system)}
        return next(iter(dragoman.compare(outputs, target, metric(name)))).pair_p("chart", system)


def growth(runs: Runs, name: str) -> Table:
    """Seconds for sentences of a length, where a rule may cover any number of words."""
    source = " ".join(texts(name, runs.small)["test"][0]).split()

    def cell(system: str, length: int) -> Mapping[str, Any]:
        recipe, _ = SYSTEMS[system]
        decoder = runs.model(name, tuple(recipe)).decoder.with_settings(max_span=length, pop_limit=30, beam=30)
        lines = [" ".join(source[at * length : (at + 1) * length]) for at in range(5)]
        started = time.perf_counter()
        found = decoder.translate(lines, threads=1)
        return {
            "seconds": round((time.perf_counter() - started) / len(lines), 4),
            "queries": round(sum(each.statistics["language_model_queries"] for each in found) / len(lines)),
        }

    return grid(cell, system=("chart", "left to right"), length=LENGTHS[:3] if runs.small else LENGTHS)


def exponent(table: Table, system: str, figure: str = "seconds") -> float:
    """By which power of the length a figure grows, from the two longest lengths."""
    rows = table.where(system=system)[-2:]
    return float(np.log(rows[1][figure] / rows[0][figure]) / np.log(rows[1]["length"] / rows[0]["length"]))


def ratio(table: Table, name: str, a: str, b: str, figure: str = "queries/word") -> float:
    return float(table.mean(figure, name=name, system=a) / table.mean(figure, name=name, system=b))


def loss(table: Table, name: str, system: str) -> float:
    return table.mean("BLEU", name=name, system="chart") - table.mean("BLEU", name=name, system=system)


def main() -> None:
    options = arguments(__doc__, out="docs/experiments/p08", small=False, sets="", systems="", cache="")
    sets = [each.strip() for each in options.sets.split(";")] if options.sets else list(SETS)
    systems = [each.strip() for each in options.systems.split(";")] if options.systems else list(SYSTEMS)
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder), Path(options.cache or f"{folder}.stages"), small=options.small)
        table = grid(runs.row, name=sets, system=systems)
        lengths = growth(runs, sets[0])
    plain, new, wide = "left to right", "left to right + reordering", "left to right + reordering + ab"
    claims = [
        claim
        for name in sets
        for claim in (
            Claim(
                f"{name}: left to right needs a quarter of the chart's queries",
                lambda t, name=name: ratio(t, name, "chart", new) >= 4,
            ),
            Claim(
                f"{name}: left to right with reordering features loses at most 0.7 BLEU",
                lambda t, name=name: loss(t, name, new) <= 0.7,
            ),
            Claim(
                f"{name}: with open ends (ab) it loses at most 0.3 BLEU",
                lambda t, name=name: loss(t, name, wide) <= 0.3,
            ),
            Claim(
                f"{name}: reordering features gain at least 0.5 BLEU from left to right",
                lambda t, name=name: loss(t, name, plain) - loss(t, name, new) >= 0.5,
            ),
            Claim(
                f"{name}: without cubes it needs ten times the queries",
                lambda t, name=name: ratio(t, name, "left to right + reordering, no cubes", new) > 10,
            ),
            Claim(
                f"{name}: prefix rules are a quarter of all rules at most",
                lambda t, name=name: ratio(t, name, "chart of prefix rules", "chart", "rules") <= 0.25,
            ),
        )
    ]
    if set(systems) != set(SYSTEMS):
        claims = []
    powers = [
        Claim("time of the chart grows with the third power of the length", lambda t: exponent(t, "chart") >= 2.5),
        Claim("time from left to right grows with the second power at most", lambda t: exponent(t, plain) <= 2.1),
    ]
    picture = scatter_plot(
        {name: [(row["queries/word"], row["BLEU"], row["system"]) for row in table.where(name=name)] for name in sets},
        title="quality and cost of search",
        x_name="language model queries per source word",
        y_name="BLEU",
    )
    curves = line_plot(
        {
            system: [(row["length"], row["seconds"]) for row in lengths.where(system=system)]
            for system in ("chart", plain)
        },
        title="time by length",
        x_name="words of a sentence",
        y_name="seconds",
    )
    publish(
        "Hierarchical decoding: chart and left to right",
        __doc__,
        {"Systems": (table, claims), "Growth with length": (lengths, powers)},
        pictures={"plot": picture, "growth": curves},
        out=options.out,
        settings={"small": options.small, "dense": DENSE, "lengths": list(LENGTHS)},
    )


if __name__ == "__main__":
    main()
