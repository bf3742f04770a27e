"""Hierarchical translation by chart and from left to right: what do language model queries, time and BLEU cost?

    python experiments/p08_hierarchical/run.py --out docs/experiments/p08 --seeds 2

Siahbani, Sankaran and Sarkar (2013) decode hierarchical rules from left to right, with rules whose target side is words
and then nonterminals; Siahbani and Sarkar (2014) add queue diversity and rules that leave the end of a span open. Their
claims are about the cost of a system, in language model queries per source word, and about what it loses against a
chart decoder with all rules. Here all systems of a set share text, alignment, language model and tuner (batch MIRA on
the first `--dev` segments of the dev set for `--iterations` rounds, dense features only, several seeds), and differ in
rules, search and features. Sets: Multi30k German and French to English (29,000 pairs, `val`, `test_2016_flickr`;
tokenised as shipped), English to German package descriptions of Debian (31,902 pairs, raw), and a synthetic verb-final
pair (8,000 pairs). Figures of a row are of the test set: BLEU (mean of the seeds), its `deviation` between seeds,
`difference` from `chart` and the `p` of that (approximate randomisation over all seeds at once, two-sided, 10,000
samples), language model queries per source word (every word that a model is asked about, known answers included),
mean model score, processor seconds for the whole set on one thread, sentences per second, rules in the table. Growth
with length, and which of the first `--pairs` training pairs of up to `--longest` words the rules can derive (forced
decoding), are measured on the first set.

A row whose name has a comma takes the weights of the system before the comma and searches in another way. With
`--small` a synthetic bitext stands in; `--sets` and `--systems` name some, separated by semicolons; with `--cache`
finished stages and rows are kept there, so that sets may be run one by one and joined by a last run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.charts import line_plot, scatter_plot
from dragoman.pipeline.tune import prepared_dev
from dragoman.search.forced import ForcedDecoder
from experiments.common import Claim, Table, grid, publish
from experiments.recipes import DENSE, SETS, Systems, names_of, system_arguments, texts

CHART = ["kind=hiero", "search.pop_limit=500", "search.beam=500"]
LEFT = ["kind=lr-hiero", "search.right_boundary=none"]
REORDERING = "search.reordering_features=true"
PREFIX = "rules.prefix_lexicalised=before"
SYSTEMS: dict[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "phrases": ([], {}),
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
    "left to right + reordering + ab, lazy": (
        [*LEFT[:-1], REORDERING, "search.right_boundary=ab"],
        {"lazy": True},
    ),
}
LENGTHS = (10, 20, 40, 80)
REACHING = (
    "chart",
    "chart of prefix rules",
    "left to right + reordering",
    "left to right + reordering + ab",
    "left to right + reordering + abc",
)
"""What is asked which training pairs it can derive."""


def row(systems: Systems, name: str, system: str) -> Mapping[str, Any]:
    fast = ["search.pop_limit=30", "search.beam=30"] if systems.small else []

    def runs(which: str) -> Mapping[str, Any]:
        recipe, search = SYSTEMS[which]
        return systems.translations(name, [*recipe, *fast], search)

    found = runs(system)
    segments = len(texts(name, systems.small)["test"][0])
    return {
        **systems.compared(name, found["outputs"], [] if system == "chart" else runs("chart")["outputs"]),
        **{figure: found[figure] for figure in ("queries/word", "score", "seconds")},
        "sentences/s": round(segments / max(found["seconds"], 0.01)),
        "rules": found["rules"],
    }


def growth(systems: Systems, name: str) -> Table:
    """Seconds for sentences of a length, where a rule may cover any number of words."""
    source = " ".join(texts(name, systems.small)["test"][0]).split()

    def cell(system: str, length: int) -> Mapping[str, Any]:
        recipe, _ = SYSTEMS[system]

        def work() -> dict[str, Any]:
            model = systems.model(name, (*recipe, "tuner=none"))
            model = model.with_weights(systems.weights(name, tuple(recipe), 1))
            decoder = model.decoder.with_settings(max_span=length, pop_limit=30, beam=30)
            lines = [" ".join(source[at * length : (at + 1) * length]) for at in range(5)]
            started = time.process_time()
            found = decoder.translate(lines, threads=1)
            return {
                "seconds": round((time.process_time() - started) / len(lines), 4),
                "queries": round(sum(each.statistics["language_model_queries"] for each in found) / len(lines)),
            }

        found: dict[str, Any] = systems.remember(
            "growth", {"set": name, "recipe": list(recipe), "length": length}, work
        )
        return found

    return grid(cell, system=("chart", "left to right"), length=LENGTHS[:3] if systems.small else LENGTHS)


def reached(systems: Systems, name: str, pairs: int, longest: int) -> Table:
    """The share of training pairs that rules can derive, none of their words left out."""
    source, target = texts(name, systems.small)["train"]
    chosen = [
        (one, other)
        for one, other in zip(source, target, strict=True)
        if 0 < max(len(one.split()), len(other.split())) <= longest
    ][:pairs]

    def cell(system: str) -> Mapping[str, Any]:
        recipe, _ = SYSTEMS[system]

        def work() -> dict[str, Any]:
            model = systems.model(name, (*recipe, "tuner=none"))
            lines, references = prepared_dev(model, [one for one, _ in chosen], [[other for _, other in chosen]])
            decoder = cast(ForcedDecoder, model.decoder)
            found = decoder.force(lines, references[0], threads=1)
            return {"reached": sum(each is not None for each in found) / len(chosen), "pairs": len(chosen)}

        known: dict[str, Any] = systems.remember(
            "reached", {"set": name, "recipe": list(recipe), "pairs": pairs, "longest": longest}, work
        )
        return known

    return grid(cell, system=REACHING)


def exponent(table: Table, system: str, figure: str = "seconds") -> float:
    """By which power of the length a figure grows, from the two longest lengths."""
    rows = table.where(system=system)[-2:]
    return float(np.log(rows[1][figure] / rows[0][figure]) / np.log(rows[1]["length"] / rows[0]["length"]))


def ratio(table: Table, name: str, a: str, b: str, figure: str = "queries/word") -> float:
    return float(table.mean(figure, name=name, system=a) / table.mean(figure, name=name, system=b))


def loss(table: Table, name: str, system: str) -> float:
    return table.mean("BLEU", name=name, system="chart") - table.mean("BLEU", name=name, system=system)


def main() -> None:
    sizes = {"dev": 300, "iterations": 5, "pairs": 300, "longest": 15}
    options = system_arguments(__doc__, out="docs/experiments/p08", systems="", **sizes)
    sets = names_of(options.sets, SETS[:1] if options.small else SETS)
    chosen = names_of(options.systems, list(SYSTEMS))
    with Systems(options) as systems:
        table = grid(lambda name, system: row(systems, name, system), name=sets, system=chosen)
        lengths = growth(systems, sets[0])
        coverage = reached(systems, sets[0], options.pairs, options.longest)
    plain, new, wide = "left to right", "left to right + reordering", "left to right + reordering + ab"

    def claims_of(name: str) -> Sequence[Claim]:
        return (
            Claim(
                f"{name}: left to right needs a quarter of the chart's queries",
                lambda t: ratio(t, name, "chart", new) >= 4,
            ),
            Claim(
                f"{name}: left to right with reordering features loses at most 0.7 BLEU",
                lambda t: loss(t, name, new) <= 0.7,
            ),
            Claim(
                f"{name}: with open ends (ab) it loses at most 0.3 BLEU",
                lambda t: loss(t, name, wide) <= 0.3,
            ),
            Claim(
                f"{name}: with open ends (ab), lazy, it needs a quarter of the queries of a chart of 100 pops",
                lambda t: ratio(t, name, "chart, pop limit 100", f"{wide}, lazy") >= 4,
            ),
            Claim(
                f"{name}: lazy, it keeps to a quarter of the chart's queries and loses at most 0.3 BLEU",
                lambda t: ratio(t, name, "chart", f"{wide}, lazy") >= 4 and loss(t, name, f"{wide}, lazy") <= 0.3,
            ),
            Claim(
                f"{name}: reordering features gain at least 0.5 BLEU from left to right",
                lambda t: loss(t, name, plain) - loss(t, name, new) >= 0.5,
            ),
            Claim(
                f"{name}: without cubes it needs ten times the queries",
                lambda t: ratio(t, name, "left to right + reordering, no cubes", new) > 10,
            ),
            Claim(
                f"{name}: prefix rules are a quarter of all rules at most",
                lambda t: ratio(t, name, "chart of prefix rules", "chart", "rules") <= 0.25,
            ),
        )

    claims = [claim for name in sets for claim in claims_of(name)]
    if set(chosen) != set(SYSTEMS):
        claims = []
    powers = [
        Claim("time of the chart grows with the third power of the length", lambda t: exponent(t, "chart") >= 2.5),
        Claim("time from left to right grows with the second power at most", lambda t: exponent(t, plain) <= 2.1),
    ]
    plainly, ab, abc = REACHING[2:]
    opens = [
        Claim(
            "open ends (ab) derive more, and all of them (abc) no less than those",
            lambda t: t.mean("reached", system=plainly) < t.mean("reached", system=ab) <= t.mean("reached", system=abc),
        ),
        Claim(
            "from left to right with all open ends derives what a chart with the same rules does",
            lambda t: t.mean("reached", system=abc) >= t.mean("reached", system="chart of prefix rules"),
        ),
        Claim(
            "all open ends derive a tenth more than none",
            lambda t: t.mean("reached", system=abc) >= 1.1 * t.mean("reached", system=plainly),
        ),
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
        {
            "Systems": (table, claims),
            "Growth with length": (lengths, powers),
            "Training pairs that rules derive": (coverage, opens),
        },
        pictures={"plot": picture, "growth": curves},
        out=options.out,
        settings={**vars(options), "dense": DENSE, "lengths": list(LENGTHS)},
    )


if __name__ == "__main__":
    main()
