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
samples), language model queries per source word (every word that a model is asked about, known answers included), mean
model score, processor seconds for the whole set on one thread, sentences per second, rules in the table, and the BLEU
of the `first seed` alone, for rows that have one seed. Growth with length is that of segments cut out of the running
words of the test set, where a rule may cover any number of them (pop limit 30), or as many as extracted rules do, 10
(`spans of 10`), the best of three passes, and its power that between the two longest; which of the first `--pairs`
training pairs of up to `--longest` words the rules can derive (forced decoding) is asked of the first set.

The features that the papers add (`+ reordering`) are distortion of rules (`d_p`) and of glue (`d_g`), the number of
rules that reorder (`reordered`), and height and width (`h`, `w`; Watanabe, Tsukada and Isozaki 2006): a row for each
has it alone, the others fixed at weight 0, and `h w` is what the first paper starts from. Which open ends a system has,
`ab` or `abc`, is chosen for each set by BLEU of the segments of the dev set behind those that weights are tuned on
(`dev BLEU`, mean of the seeds; `p` is that of their difference); what is claimed of open ends is claimed of those.

A row whose name has a comma takes the weights of the system before the comma and searches in another way; without
cubes, which takes long, with the first seed only, and with other stacks than of 500 on the first set only. With
`--small` a synthetic bitext stands in; `--sets` and `--systems` name some, separated by semicolons, and so does
`--parts` (systems, growth, reached); `--train` and `--test` take the first so many pairs of a set; with `--cache`
finished stages and rows are kept there, so that sets may be run one by one and joined by a last run.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.charts import line_plot, scatter_plot
from dragoman.pipeline.tune import prepared_dev
from dragoman.search.forced import ForcedDecoder
from experiments.common import Claim, Table, grid, publish
from experiments.recipes import DENSE, SETS, Systems, names_of, system_arguments

CHART = ["kind=hiero", "search.pop_limit=500", "search.beam=500"]
LEFT = ["kind=lr-hiero", "search.right_boundary=none"]
REORDERING, AND = "search.reordering_features=true", " + reordering"
PREFIX = "rules.prefix_lexicalised=before"
FEATURES = {
    "d_p": "distortion.rule",
    "d_g": "distortion.glue",
    "reordered": "reordered",
    "h": "height",
    "w": "width",
}
"""What the papers add: distortion of rules and of glue, rules that reorder, height and width."""
ALONE = {
    **{
        f"left to right + {short}": [name for name in FEATURES.values() if name != kept]
        for short, kept in FEATURES.items()
    },
    "left to right + h w": [FEATURES[short] for short in ("d_p", "d_g", "reordered")],
}
"""Systems with some of these features, and the features that each of them is without."""
SYSTEMS: dict[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "phrases": ([], {}),
    "chart": (CHART, {}),
    "chart, pop limit 100": (CHART, {"pop_limit": 100}),
    "chart, pop limit 1000": (CHART, {"pop_limit": 1000, "beam": 1000}),
    "chart of prefix rules": ([*CHART, PREFIX], {}),
    "chart of prefix rules + reordering": ([*CHART, PREFIX, REORDERING], {}),
    "chart + reordering": ([*CHART, REORDERING], {}),
    "left to right": (LEFT, {}),
    **{name: ([*LEFT, REORDERING], {}) for name in ALONE},
    "left to right + reordering": ([*LEFT, REORDERING], {}),
    "left to right + reordering, no cubes": ([*LEFT, REORDERING], {"search": "stack"}),
    **{
        f"left to right + reordering, no cubes, {size}": (
            [*LEFT, REORDERING],
            {"search": "stack", "beam": size, "pop_limit": size},
        )
        for size in (250, 1000)
    },
    "left to right + reordering, diversity 5": ([*LEFT, REORDERING], {"queue_diversity": 5}),
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
STACKS = tuple(name for name in SYSTEMS if ", no cubes, " in name)
"""Systems that are looked at on the first set."""
ONCE = ("left to right + reordering, no cubes", *STACKS)
"""Systems that are so slow that the first seed must do."""
OPEN_ENDS = ("left to right + reordering + ab", "left to right + reordering + abc")
"""Between which dev text decides."""
LENGTHS = (10, 20, 40, 80, 160, 320)
SHORT = ", spans of 10"
GROWING = ("chart", "left to right", f"chart{SHORT}", f"left to right{SHORT}")
"""Whose growth with length is looked at."""
REACHING = (
    "chart",
    "chart of prefix rules",
    "left to right + reordering",
    "left to right + reordering + ab",
    "left to right + reordering + abc",
)
"""What is asked which training pairs it can derive."""


def runs(systems: Systems, name: str, system: str, part: str = "test") -> Mapping[str, Any]:
    """What a system says of a part of a set, and what that cost."""
    fast = ["search.pop_limit=30", "search.beam=30"] if systems.small else []
    recipe, search = SYSTEMS[system]
    return systems.translations(name, [*recipe, *fast], search, ALONE.get(system, ()), system in ONCE, part)


def row(systems: Systems, name: str, system: str) -> Mapping[str, Any]:
    found, chart = runs(systems, name, system), runs(systems, name, "chart")
    segments = len(systems.texts(name)["test"][0])
    return {
        **systems.compared(name, found["outputs"], [] if system == "chart" else chart["outputs"]),
        **{figure: found[figure] for figure in ("queries/word", "score", "seconds")},
        "sentences/s": round(segments / max(found["seconds"], 0.01)),
        "rules": found["rules"],
        "first seed": systems.compared(name, found["outputs"][:1], [])["BLEU"],
    }


def chosen_ends(systems: Systems, name: str) -> Mapping[str, Any]:
    """Which open ends dev text prefers, and how these do on the test set beside the chart."""
    ab, abc = (runs(systems, name, system, "choice")["outputs"] for system in OPEN_ENDS)
    one, other = systems.compared(name, ab, [], "choice"), systems.compared(name, abc, ab, "choice")
    chosen = OPEN_ENDS[other["BLEU"] > one["BLEU"]]
    ours, chart = runs(systems, name, chosen), runs(systems, name, "chart")
    test = systems.compared(name, ours["outputs"], chart["outputs"])
    return {
        "dev BLEU, ab": one["BLEU"],
        "dev BLEU, abc": other["BLEU"],
        "p": other["p"],
        "chosen": chosen.rpartition(" ")[2],
        "BLEU": test["BLEU"],
        "difference from the chart": test["difference"],
        "p of that": test["p"],
        "queries, share of the chart's": ours["queries/word"] / chart["queries/word"],
    }


def claims_of_ends(name: str) -> Sequence[Claim]:
    """What is claimed of the open ends that were chosen."""
    return (
        Claim(
            f"{name}: with the open ends that dev text prefers it loses at most 0.3 BLEU",
            lambda t: t.where(name=name)[0]["difference from the chart"] >= -0.3,
        ),
        Claim(
            f"{name}: and needs at most a quarter of the chart's queries",
            lambda t: t.where(name=name)[0]["queries, share of the chart's"] <= 0.25,
        ),
    )


def growth(systems: Systems, sets: Sequence[str]) -> Table:
    """Seconds for sentences of a length, where a rule may cover any number of words, or as many as in extraction."""

    def cell(name: str, system: str, length: int) -> Mapping[str, Any]:
        recipe, _ = SYSTEMS[system.removesuffix(SHORT)]
        longest = 10 if system.endswith(SHORT) else length

        def work() -> dict[str, Any]:
            model = systems.model(name, (*recipe, "tuner=none"))
            model = model.with_weights(systems.weights(name, tuple(recipe), 1))
            decoder = model.decoder.with_settings(max_span=longest, pop_limit=30, beam=30)
            source, target = systems.texts(name)["test"]
            words = " ".join(each.text for each in prepared_dev(model, source, [target])[0]).split()
            cuts = range(min(20, 1600 // length, len(words) // length))
            lines = [" ".join(words[at * length : (at + 1) * length]) for at in cuts]
            passes = []
            for _ in range(3):
                started = time.process_time()
                found = decoder.translate(lines, threads=1)
                passes.append(time.process_time() - started)
            return {
                "seconds": round(min(passes) / len(lines), 4),
                "queries": round(sum(each.statistics["language_model_queries"] for each in found) / len(lines)),
            }

        found: dict[str, Any] = systems.remember(
            "growth", {"set": name, "recipe": list(recipe), "length": length, "longest": longest}, work
        )
        return found

    lengths = LENGTHS[:3] if systems.small else LENGTHS
    return grid(cell, name=sets, system=GROWING, length=lengths)


def reached(systems: Systems, name: str, pairs: int, longest: int) -> Table:
    """The share of training pairs that rules can derive, none of their words left out."""
    source, target = systems.texts(name)["train"]
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


def exponent(table: Table, name: str, system: str) -> float:
    """By which power of the length time grows, from the two longest lengths."""
    one, two = table.where(name=name, system=system)[-2:]
    return float(np.log(two["seconds"] / one["seconds"]) / np.log(two["length"] / one["length"]))


def ratio(table: Table, name: str, a: str, b: str, figure: str = "queries/word") -> float:
    return float(table.mean(figure, name=name, system=a) / table.mean(figure, name=name, system=b))


def loss(table: Table, name: str, system: str) -> float:
    return table.mean("BLEU", name=name, system="chart") - table.mean("BLEU", name=name, system=system)


PLAIN, NEW, WIDE = "left to right", "left to right + reordering", "left to right + reordering + ab"
WATANABE, ALL = "left to right + h w", "left to right + reordering + abc"
LAZY, SLOW = f"{WIDE}, lazy", f"{NEW}, no cubes"
PREFIXED = "chart of prefix rules"
DIVERSE = (NEW, f"{NEW}, diversity 5", f"{NEW}, diversity 15")


def rising(table: Table, name: str, figure: str, systems: Sequence[str], slack: float = 0.0) -> bool:
    values = [table.mean(figure, name=name, system=system) for system in systems]
    return all(after >= before - slack for before, after in itertools.pairwise(values))


def gain(table: Table, name: str, system: str) -> float:
    """What reordering features bring to a system."""
    return loss(table, name, system) - loss(table, name, f"{system}{AND}")


def claims_of(name: str, chosen: Sequence[str]) -> Sequence[Claim]:
    """What the papers claim of systems, asked of a set, as far as these systems decide it."""
    known: Sequence[tuple[Sequence[str], str, Callable[[Table], bool]]] = (
        (
            ["chart", NEW],
            "left to right needs a quarter of the chart's queries",
            lambda t: ratio(t, name, "chart", NEW) >= 4,
        ),
        (
            ["chart", NEW],
            "left to right with reordering features loses at most 0.7 BLEU",
            lambda t: loss(t, name, NEW) <= 0.7,
        ),
        (
            ["chart", NEW],
            "the chart needs 3 to 6 times its queries",
            lambda t: 3 <= ratio(t, name, "chart", NEW) <= 6,
        ),
        (
            [PREFIXED, NEW],
            "a chart of prefix rules needs 2.5 to 5 times its queries",
            lambda t: 2.5 <= ratio(t, name, PREFIXED, NEW) <= 5,
        ),
        (
            ["chart", WIDE],
            "the chart needs 1.5 to 4 times the queries of open ends (ab)",
            lambda t: 1.5 <= ratio(t, name, "chart", WIDE) <= 4,
        ),
        (
            STACKS,
            "without cubes queries grow linearly with the stacks, from 250 to 1,000 (3 to 5 times)",
            lambda t: 3 <= ratio(t, name, *reversed(STACKS)) <= 5,
        ),
        (
            ["chart", PREFIXED, PLAIN, NEW],
            "BLEU: left to right, with reordering features, chart of prefix rules, chart (0.5 for chance)",
            lambda t: (
                loss(t, name, PLAIN) > loss(t, name, NEW)
                and abs(loss(t, name, NEW) - loss(t, name, PREFIXED)) <= 0.5
                and loss(t, name, PREFIXED) >= -0.5
            ),
        ),
        (
            ["chart", f"chart{AND}", PREFIXED, f"{PREFIXED}{AND}"],
            "reordering features help a chart of prefix rules more than the chart",
            lambda t: gain(t, name, PREFIXED) > gain(t, name, "chart"),
        ),
        (
            DIVERSE,
            "the mean model score rises with queue diversity from 1 to 5 and 15, and so do queries",
            lambda t: rising(t, name, "score", DIVERSE, 1e-3) and rising(t, name, "queries/word", DIVERSE),
        ),
        (
            [DIVERSE[-1], SLOW],
            "with a diversity of 15 it loses at most 0.2 BLEU against no cubes (first seed)",
            lambda t: rising(t, name, "first seed", [SLOW, DIVERSE[-1]], 0.2),
        ),
        (
            [WIDE, ALL],
            "all open ends (abc) and some (ab) differ by at most 0.1 BLEU",
            lambda t: abs(loss(t, name, ALL) - loss(t, name, WIDE)) <= 0.1,
        ),
        (
            ["chart, pop limit 100", LAZY],
            "with open ends (ab), lazy, it needs a quarter of the queries of a chart of 100 pops",
            lambda t: ratio(t, name, "chart, pop limit 100", LAZY) >= 4,
        ),
        (
            ["chart", LAZY],
            "lazy, it keeps to a quarter of the chart's queries and loses at most 0.3 BLEU",
            lambda t: ratio(t, name, "chart", LAZY) >= 4 and loss(t, name, LAZY) <= 0.3,
        ),
        (
            ["chart", PLAIN, NEW],
            "reordering features gain at least 0.5 BLEU from left to right",
            lambda t: loss(t, name, PLAIN) - loss(t, name, NEW) >= 0.5,
        ),
        (
            ["chart", WATANABE, NEW],
            "they gain at least 0.5 BLEU over height and width, the features of Watanabe et al. (2006)",
            lambda t: loss(t, name, WATANABE) - loss(t, name, NEW) >= 0.5,
        ),
        (
            [SLOW, NEW],
            "without cubes it needs ten times the queries",
            lambda t: ratio(t, name, SLOW, NEW) > 10,
        ),
        (
            [PREFIXED, "chart"],
            "prefix rules are a quarter of all rules at most",
            lambda t: ratio(t, name, PREFIXED, "chart", "rules") <= 0.25,
        ),
    )
    return [Claim(f"{name}: {text}", holds) for needed, text, holds in known if set(needed) <= set(chosen)]


def powers_of(name: str) -> Sequence[Claim]:
    """How time grows on a set."""
    return (
        Claim(
            f"{name}: time of the chart grows with the third power of the length",
            lambda t: exponent(t, name, "chart") >= 2.9,
        ),
        Claim(
            f"{name}: time from left to right grows with the second power at most",
            lambda t: exponent(t, name, PLAIN) <= 2.1,
        ),
        Claim(
            f"{name}: so it does with rules of at most 10 words, as the papers have them",
            lambda t: exponent(t, name, f"{PLAIN}{SHORT}") <= 2.1,
        ),
    )


def openings() -> Sequence[Claim]:
    """What open ends derive."""
    plainly, ab, abc = REACHING[2:]
    return (
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
    )


def main() -> None:
    sizes = {"dev": 300, "iterations": 5, "pairs": 300, "longest": 15}
    options = system_arguments(__doc__, out="docs/experiments/p08", systems="", parts="", **sizes)
    options.dev = min(options.dev, 20) if options.small else options.dev
    sets = names_of(options.sets, SETS[:1] if options.small else SETS)
    chosen = names_of(options.systems, list(SYSTEMS))
    parts = names_of(options.parts, ["systems", "growth", "reached"])
    tables: dict[str, tuple[Table, Sequence[Claim]]] = {}
    pictures = {}
    with Systems(options) as systems:
        if "systems" in parts:
            known = {name: [each for each in chosen if each not in STACKS or name == SETS[0]] for name in sets}
            table = grid(
                lambda name, system: row(systems, name, system) if system in known[name] else {},
                name=sets,
                system=chosen,
            )
            tables["Systems"] = table, [claim for name in sets for claim in claims_of(name, known[name])]
            pictures["plot"] = scatter_plot(
                {
                    name: [(row["queries/word"], row["BLEU"], row["system"]) for row in table.where(name=name)]
                    for name in sets
                },
                title="quality and cost of search",
                x_name="language model queries per source word",
                y_name="BLEU",
            )
            if {"chart", *OPEN_ENDS} <= set(chosen):
                ends = grid(lambda name: chosen_ends(systems, name), name=sets)
                tables["Open ends, chosen on dev text"] = ends, [each for name in sets for each in claims_of_ends(name)]
        if "growth" in parts:
            lengths = growth(systems, sets)
            tables["Growth with length"] = lengths, [claim for name in sets for claim in powers_of(name)]
            pictures["growth"] = line_plot(
                {
                    f"{system}, {name}": [
                        (row["length"], row["seconds"]) for row in lengths.where(name=name, system=system)
                    ]
                    for name in sets
                    for system in GROWING
                },
                title="time by length",
                x_name="words of a sentence",
                y_name="seconds",
            )
        if "reached" in parts:
            coverage = reached(systems, sets[0], options.pairs, options.longest)
            tables["Training pairs that rules derive"] = coverage, openings()
    publish(
        "Hierarchical decoding: chart and left to right",
        __doc__,
        tables,
        pictures=pictures,
        out=options.out,
        settings={**vars(options), "dense": DENSE, "lengths": list(LENGTHS)},
    )


if __name__ == "__main__":
    main()
