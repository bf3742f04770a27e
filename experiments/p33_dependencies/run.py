"""Hierarchical rules that fit dependency trees: how small does the grammar become, and what does it cost?

    python experiments/p33_dependencies/run.py --out docs/experiments/p33 --seeds 2

Graham (2013) keeps hierarchical rules whose nonterminals stand for whole dependency subtrees and whose heads stay
words, by extracting them from trees of one side of the training text; sentences with crossing arcs are first put into
the order of the tree. Her claims: the grammar shrinks by about 90 %, decoding gets faster by 26 to 34 %, and BLEU falls
by 0.1 to 0.4. Systems, by her names: `hpb-orig` has all rules; `hpb-sl-re` and `hpb-tl-re` take rules with nonterminals
from reordered text, `hpb-sl-are` and `hpb-tl-are` all rules; `dc-sl-npr` and `dc-tl-npr` are constrained by trees of
the source or the target; `dc-sl-pr` and `dc-tl-pr` have the crossing arcs lifted in place of the words moved. Not hers:
`dc-sl-filter` keeps of all rules those that fit, by the definition alone; `dc-sl-npr, scope 2` and `dc-tl-npr, scope 2`
have no rules whose nonterminals can be put to a sentence in more than quadratically many ways (three in hers), and
`hpb-orig, tight` has the limits that are usual here. All others have those of her tool: initial phrases may begin and
end with words without links, and a nonterminal of an ordinary rule stands for two words of the source at least. All
share text, word alignment, language model, rules of words only but for `are`, Good-Turing smoothing and tuner (batch
MIRA on the first `--dev` segments of `val` for `--iterations` rounds, several seeds); a rule may cover any number of
words in all of them. Text: Multi30k German to English (29,000 captions, or the first `--train`; test
`test_2016_flickr`). Trees are those of our own parsers (German from 1,799 sentences, English from `--trees`). Figures:
rules with nonterminals (in thousands), how many of them have one or two, and how many a test sentence can use, BLEU
(mean of the seeds), `difference` from `hpb-orig` and its `p` (approximate randomisation over all seeds, two-sided,
10,000 samples), LR-K (Kendall's form of LRscore, links of the decoder and of the aligner), rules with nonterminals used
per sentence without glue, and processor seconds for the test set on one thread, the best of three passes with the
weights of the first seed.

With `--small` a synthetic bitext stands in; `--systems` names some, separated by semicolons; with `--cache` finished
stages and rows are kept there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.align.base import Aligner
from dragoman.annotations.annotator import Annotator
from dragoman.grammar.pruning import filter_table
from dragoman.metrics.lr_score import LrScore, OrderedPair
from dragoman.pipeline.tune import prepared_dev
from experiments.common import Claim, Table, dot_plot, grid, publish
from experiments.parsers import parser
from experiments.recipes import Systems, names_of, others, system_arguments

SET = "multi30k de-en"
LIKE_TOOL = ["rules.tight=false", "rules.min_hole=2"]
SYSTEMS = {
    **{
        name: [f"system={name}", *LIKE_TOOL]
        for name in (
            *("hpb-orig", "dc-sl-npr", "dc-tl-npr", "dc-sl-pr", "dc-tl-pr"),
            *("hpb-sl-re", "hpb-tl-re", "hpb-sl-are", "hpb-tl-are"),
        )
    },
    "dc-sl-filter": ["system=dc-sl-npr", "rules.constraint=filter", *LIKE_TOOL],
    **{f"{name}, scope 2": [f"system={name}", "rules.max_scope=2", *LIKE_TOOL] for name in ("dc-sl-npr", "dc-tl-npr")},
    "hpb-orig, tight": ["system=hpb-orig"],
}
PASSES = 3
CONSTRAINED = tuple(name for name in SYSTEMS if name.startswith("dc"))


class TreeSystems(Systems):
    """Systems whose two sides are parsed."""

    def annotators(self, name: str) -> tuple[Annotator | None, Annotator | None]:
        return self.parsed("source")[0], self.parsed("target")[0]

    @cache  # noqa: B019 - one object lives as long as the program
    def parsed(self, side: str) -> tuple[Annotator, dict[str, Any]]:
        language = "de" if side == "source" else "en"
        return parser(language, self.stages, small=side if self.small else "", sentences=self.options.trees)


def recipe(systems: Systems, system: str) -> list[str]:
    pops = systems.options.pops
    search = [f"search.pop_limit={pops}", f"search.beam={pops}", "search.max_span=1000"]
    return ["kind=hiero", "smoothing=good-turing", "keep_aligner=true", *search, *SYSTEMS[system]]


def measured(systems: TreeSystems, system: str) -> dict[str, Any]:
    """Translations of the test set with each seed, and all figures that no comparison is needed for."""

    def work() -> dict[str, Any]:
        chosen = recipe(systems, system)
        base = systems.model(SET, (*chosen, "tuner=none"))
        source, target = systems.texts(SET)["test"]
        lines, references = prepared_dev(base.with_annotator(None), source, [target])
        tokens = [each.text if not isinstance(each, str) else each for each in lines]
        aligner = Aligner.load(base.path / "aligner")
        gold = aligner.align(tokens, references[0])
        outputs, used, order, seconds = [], 0, 0.0, []
        for seed in range(1, systems.options.seeds + 1):
            decoder = base.decoder.with_weights(systems.weights(SET, tuple(chosen), seed))
            for _ in range(PASSES if seed == 1 else 1):
                started = time.process_time()
                found = decoder.translate(tokens, threads=1)
                seconds.append(time.process_time() - started)
            outputs.append([each.text for each in found])
            used += sum(each.rules_with_gaps for each in found)
            order += LrScore().corpus(
                [
                    OrderedPair(
                        len(each.source),
                        (len(each.target), tuple(each.alignment)),
                        ((len(reference.split()), tuple(links.links)),),
                    )
                    for each, reference, links in zip(found, references[0], gold, strict=True)
                ]
            )
        runs = systems.options.seeds
        return {
            "outputs": outputs,
            "LR-K": round(order / runs, 2),
            "used": round(used / runs / len(tokens), 2),
            "seconds": round(min(seconds[:PASSES]), 1),
        }

    found: dict[str, Any] = systems.remember("trees", {"system": SYSTEMS[system], "pops": systems.options.pops}, work)
    return found


def sizes(systems: TreeSystems, system: str) -> dict[str, float]:
    """Rules with nonterminals, in thousands: all, those of few, and those whose words a test sentence has."""

    def work() -> dict[str, float]:
        table = systems.model(SET, (*recipe(systems, system), "tuner=none")).decoder.table
        assert table is not None
        arities = table.arities
        usable = filter_table(table, systems.texts(SET)["test"][0], systems.stages / "usable.table")
        return {
            "rules (k)": round(sum(count for arity, count in arities.items() if arity) / 1000, 1),
            "of two at most (k)": round(sum(arities.get(arity, 0) for arity in (1, 2)) / 1000, 1),
            "for the test set (k)": round(usable.with_gaps / 1000, 1),
        }

    found: dict[str, float] = systems.remember("sizes", {"system": SYSTEMS[system]}, work)
    return found


def row(systems: TreeSystems, system: str) -> Mapping[str, Any]:
    found = measured(systems, system)
    plain = [] if system == "hpb-orig" else measured(systems, "hpb-orig")["outputs"]
    compared = systems.compared(SET, found["outputs"], plain)
    return {**sizes(systems, system), **compared, **{name: found[name] for name in ("LR-K", "used", "seconds")}}


def figure(table: Table, system: str, name: str) -> float:
    return table.mean(name, system=system)


def main() -> None:
    sizes = {"dev": 300, "iterations": 5, "pops": 100, "trees": 6000}
    options = system_arguments(__doc__, out="docs/experiments/p33", systems="", **sizes)
    if options.small:
        options.pops, options.iterations, options.seeds = 8, 1, 1
    usual = ["hpb-orig", "dc-sl-npr", "dc-tl-npr", "dc-sl-filter"] if options.small else list(SYSTEMS)
    chosen = names_of(options.systems, usual)
    with TreeSystems(options) as systems:
        table = grid(lambda system: row(systems, system), system=chosen)
        parsers = Table(("side",), tuple({"side": side, **systems.parsed(side)[1]} for side in ("source", "target")))
    constrained = [name for name in chosen if name in CONSTRAINED]
    reordered = [name for name in constrained if name.endswith("npr")]
    orig = "hpb-orig"
    claims = [
        Claim(
            "every constrained grammar is smaller by about 90 %: it has at most 15 % of the rules with nonterminals",
            lambda t: all(figure(t, each, "rules (k)") <= 0.15 * figure(t, orig, "rules (k)") for each in constrained),
        ),
        Claim(
            "every constrained grammar has at most a quarter of the rules with nonterminals (the paper: a tenth)",
            lambda t: all(figure(t, each, "rules (k)") <= figure(t, orig, "rules (k)") / 4 for each in constrained),
        ),
        Claim(
            "every constrained system decodes faster",
            lambda t: all(figure(t, each, "seconds") < figure(t, orig, "seconds") for each in constrained),
        ),
        Claim(
            "constrained systems of reordered trees lose at most 0.5 BLEU",
            lambda t: all(figure(t, orig, "BLEU") - figure(t, each, "BLEU") <= 0.5 for each in reordered),
        ),
    ]
    publish(
        "Rules that fit dependency trees",
        __doc__,
        {"Systems": (table, claims), "Parsers": (parsers, [])},
        pictures={"bleu": dot_plot(table, label=lambda r: str(r["system"]), figure="BLEU")},
        out=options.out,
        settings=vars(options),
        not_run=others(usual, chosen),
    )


if __name__ == "__main__":
    main()
