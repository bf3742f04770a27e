"""Rules labelled by shallow trees: how much smaller does the table become, and what does it cost?

    python experiments/p05_shallow_trees/run.py --out docs/experiments/p05 --seeds 2

Aziz, Rios and Specia (2011) label the nonterminals of hierarchical rules by shallow trees of the source: chunks over
tags (`chunk`), specialised and joined by semantic roles, whose labels name the predicate (`srl`) or not (`srl-nonlex`),
relaxed in the manner of SAMT (level 2). Their claims, English to Spanish: the labelled table is 4 (chunks) to 8 or 10
times (roles) smaller than that of all hierarchical rules (`hier`), chunks lose nothing against it, roles lose a little;
`hier` and `chunk` are better than phrases (`pb`) by up to 6 BLEU. Beside these, `chunk+X` has unlabelled rules where a
phrase is no node of an unrelaxed tree (soft fall-back; Hoang and Koehn 2010), and `chunk 1` is relaxed to level 1 only.
All share text, word alignment, language model and tuner (batch MIRA on the first `--dev` segments of `val` for
`--iterations` rounds, several seeds). Text: Multi30k English to German (29,000 captions, or the first `--train`; test
`test_2016_flickr`). Tags, chunks and roles are those of our own annotators, each trained on `--sentences` sentences;
captions are lower-case and unlike the text that taught them. Figures: rules and rules with nonterminals (in thousands),
how many times smaller than `hier` the whole table is, labels, spans of a segment of the test set that have one, BLEU
(mean of the seeds), `difference` from `hier` and its `p` (approximate randomisation over all seeds, two-sided, 10,000
samples), and processor seconds for the test set on one thread, without those of annotating it.

With `--small` a synthetic bitext stands in; `--systems` names some, separated by semicolons; with `--cache` finished
stages and rows are kept there, and with `--models` annotators.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.annotations.annotator import Annotator
from dragoman.grammar.labels import Labelling, grammar_statistics
from dragoman.pipeline.tune import prepared_dev
from experiments.common import Claim, Table, dot_plot, grid, publish
from experiments.english_annotators import english_annotators
from experiments.recipes import Systems, names_of, system_arguments

SET = "multi30k en-de"
HIERO = "kind=hiero"
SYSTEMS = {
    "pb": ["system=pb"],
    "hier": [HIERO, "system=hier"],
    "chunk": [HIERO, "system=chunk"],
    "srl-nonlex": [HIERO, "system=srl-nonlex"],
    "srl": [HIERO, "system=srl"],
    "chunk 1": [HIERO, "system=chunk", "rules.relax=1"],
    "chunk+X": [HIERO, "system=chunk", "rules.relax=0", "rules.fall_back=true"],
}
PAPER = ("chunk", "srl-nonlex", "srl")


class LabelledSystems(Systems):
    """Systems whose source is annotated."""

    def annotators(self, name: str) -> tuple[Annotator | None, Annotator | None]:
        return self.english()[0], None

    @cache  # noqa: B019 - one object lives as long as the program
    def english(self) -> tuple[Annotator, dict[str, Any]]:
        folder = Path(self.options.models) if self.options.models else self.stages / "annotators"
        folder.mkdir(parents=True, exist_ok=True)
        return english_annotators(folder, sentences=self.options.sentences, small=self.small)


def recipe(systems: Systems, system: str) -> list[str]:
    pops = systems.options.pops
    return [f"search.pop_limit={pops}", f"search.beam={pops}", *SYSTEMS[system]]


def measured(systems: LabelledSystems, system: str) -> dict[str, Any]:
    """Translations of the test set with each seed, and all figures that no comparison is needed for."""

    def work() -> dict[str, Any]:
        chosen = recipe(systems, system)
        base = systems.model(SET, (*chosen, "tuner=none"))
        table = base.decoder.table
        assert table is not None
        found = grammar_statistics(table)
        source, target = systems.texts(SET)["test"]
        prepared, _ = prepared_dev(base, source, [target])  # annotated once, outside of what is timed
        outputs, seconds = [], 0.0
        for seed in range(1, systems.options.seeds + 1):
            decoder = base.decoder.with_weights(systems.weights(SET, tuple(chosen), seed))
            started = time.process_time()
            translated = decoder.translate(prepared, threads=1)
            seconds += time.process_time() - started
            outputs.append([each.text for each in translated])
        return {
            "outputs": outputs,
            "rules (k)": round(found.rules / 1000, 1),
            "with gaps (k)": round(table.with_gaps / 1000, 1),
            "labels": found.labels,
            "seconds": round(seconds / systems.options.seeds, 1),
        }

    known: dict[str, Any] = systems.remember(
        "labels",
        {"system": SYSTEMS[system], "pops": systems.options.pops, "sentences": systems.options.sentences},
        work,
    )
    return known


def labelled_spans(systems: LabelledSystems, system: str) -> float:
    """Spans of at most ten words that have a label, per segment of the test set; NaN for rules without labels."""

    def work() -> float:
        base = systems.model(SET, (*recipe(systems, system), "tuner=none"))
        assert base.decoder.table is not None
        labelling = Labelling.of_table(base.decoder.table)
        if labelling is None:
            return math.nan
        source, target = systems.texts(SET)["test"]
        annotations = [each.annotation for each in prepared_dev(base, source, [target])[0]]
        spans = [
            {(start, end) for _, start, end in labelling.nodes(each) if end - start <= 10}
            for each in annotations
            if each is not None
        ]
        return round(sum(map(len, spans)) / len(spans), 1)

    settings = {"system": SYSTEMS[system], "sentences": systems.options.sentences}
    found: float = systems.remember("spans", settings, work)
    return found


def row(systems: LabelledSystems, system: str) -> Mapping[str, Any]:
    found = dict(measured(systems, system))
    plain = measured(systems, "hier")
    outputs = found.pop("outputs")
    compared = systems.compared(SET, outputs, [] if system == "hier" else plain["outputs"])
    smaller = round(plain["rules (k)"] / found["rules (k)"], 2)
    sizes = {name: found[name] for name in ("rules (k)", "with gaps (k)", "labels")}
    sizes["labelled spans"] = labelled_spans(systems, system)
    return {**sizes, "times smaller": smaller, **compared, "seconds": found["seconds"]}


def figure(table: Table, system: str, name: str) -> float:
    return table.mean(name, system=system)


def claims(chosen: list[str]) -> list[Claim]:
    labelled = [name for name in PAPER if name in chosen]
    roles = [name for name in labelled if name != "chunk"]

    def no_loss(table: Table, system: str) -> bool:
        return figure(table, system, "difference") >= 0 or figure(table, system, "p") > 0.05

    return [
        Claim(
            "labelled tables are 4 to 10 times smaller than that of `hier`, or more",
            lambda t: all(figure(t, each, "times smaller") >= 4 for each in labelled),
        ),
        Claim(
            "and at no loss: none is significantly worse than `hier` (p at most 0.05)",
            lambda t: all(no_loss(t, each) for each in labelled),
        ),
        Claim(
            "`chunk` and `hier` differ by at most 0.5 BLEU",
            lambda t: abs(figure(t, "chunk", "difference")) <= 0.5,
        ),
        Claim(
            "tables with roles are smaller than that of chunks, by a factor of at least 1.3",
            lambda t: all(figure(t, "chunk", "rules (k)") >= 1.3 * figure(t, each, "rules (k)") for each in roles),
        ),
        Claim(
            "labels: one < `chunk` < `srl-nonlex` < `srl`, each step at least 5 times",
            lambda t: (
                figure(t, "chunk", "labels") >= 5 * figure(t, "hier", "labels")
                and figure(t, "srl-nonlex", "labels") >= 5 * figure(t, "chunk", "labels")
                and figure(t, "srl", "labels") >= 5 * figure(t, "srl-nonlex", "labels")
            ),
        ),
    ]


def main() -> None:
    sizes = {"dev": 300, "iterations": 5, "pops": 100, "sentences": 4000}
    options = system_arguments(__doc__, out="docs/experiments/p05", systems="", models="", **sizes)
    if options.small:
        options.pops, options.iterations, options.seeds = 8, 1, 1
    usual = ["pb", "hier", "chunk", "srl-nonlex", "srl"] if options.small else list(SYSTEMS)
    chosen = names_of(options.systems, usual)
    with LabelledSystems(options) as systems:
        table = grid(lambda system: row(systems, system), system=chosen)
        annotators = Table(("language",), ({"language": "en", **systems.english()[1]},))
    publish(
        "Rules labelled by shallow trees",
        __doc__,
        {"Systems": (table, claims(chosen)), "Annotators (F1)": (annotators, [])},
        pictures={"bleu": dot_plot(table, label=lambda r: str(r["system"]), figure="BLEU")},
        out=options.out,
        settings=vars(options),
    )


if __name__ == "__main__":
    main()
