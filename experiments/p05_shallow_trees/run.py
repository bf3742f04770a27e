"""Rules labelled by shallow trees: how much smaller does the table become, and what does it cost?

    python experiments/p05_shallow_trees/run.py --out docs/experiments/p05 --seeds 2

Aziz, Rios and Specia (2011) label the nonterminals of hierarchical rules by shallow trees of the source: chunks over
tags (`chunk`), specialised and joined by semantic roles, whose labels name the predicate (`srl`) or not (`srl-nonlex`),
relaxed in the manner of SAMT (level 2). Their claims, English to Spanish: the labelled table is 4 (chunks) to 8 or 10
times (roles) smaller than that of all hierarchical rules (`hier`), chunks lose nothing against it, roles lose a little;
`hier` and `chunk` are better than phrases (`pb`) by up to 6 BLEU. Beside these, `chunk+X` has unlabelled rules where a
phrase is no node of an unrelaxed tree (soft fall-back; Hoang and Koehn 2010), and `chunk 1` is relaxed to level 1 only.
Systems called `loose` have the limits that are usual in Moses, the paper's tool (words without links at the edges of
phrases, two words at least under a nonterminal), and stand beside a `hier` of their own. All share text, word
alignment, language model and tuner (batch MIRA on the first `--dev` segments of `val` for `--iterations` rounds,
several seeds). Text: Multi30k English to German (29,000 captions, or the first `--train`; test `test_2016_flickr`).
Tags, chunks and roles are those of our own annotators, each trained on `--sentences` sentences; captions are lower-case
and unlike the text that taught them. Figures: rules and rules with nonterminals (in thousands), how many times smaller
than `hier` the whole table is, labels, spans of a segment of the test set that have one, BLEU (mean of the seeds),
`difference` from `hier` and its `p` (approximate randomisation over all seeds, two-sided, 10,000 samples), and
processor seconds for the test set on one thread, without those of annotating it. A second table looks for what makes a
table large, by extraction alone, at all levels of relaxing (`chunk 0` to `chunk 4`; plain names are level 2): labels,
labels of a span that has any, rules that are different when labels are `erased`, and rules whose source words a segment
of the test set has. A third decides what two tables are worth: `hier` and `chunk` tuned again on all of the dev set,
with `--more` seeds.

With `--small` a synthetic bitext stands in; `--systems` names some, separated by semicolons; with `--cache` finished
stages and rows are kept there, and with `--models` annotators.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np
from numpy.typing import NDArray

from dragoman.annotations.annotator import Annotator
from dragoman.grammar.labels import Labelling, grammar_statistics
from dragoman.grammar.pruning import filter_table
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.model import Model
from dragoman.pipeline.tune import prepared_dev
from experiments.common import Claim, Table, dot_plot, grid, publish
from experiments.english_annotators import english_annotators
from experiments.recipes import Systems, names_of, others, system_arguments

SET = "multi30k en-de"
HIERO = "kind=hiero"
LOOSE = ["rules.tight=false", "rules.min_hole=2"]
SYSTEMS = {
    "pb": ["system=pb"],
    "hier": [HIERO, "system=hier"],
    "chunk": [HIERO, "system=chunk"],
    "srl-nonlex": [HIERO, "system=srl-nonlex"],
    "srl": [HIERO, "system=srl"],
    "chunk 1": [HIERO, "system=chunk", "rules.relax=1"],
    "chunk+X": [HIERO, "system=chunk", "rules.relax=0", "rules.fall_back=true"],
    **{f"{name}, loose": [HIERO, f"system={name}", *LOOSE] for name in ("hier", "chunk", "srl-nonlex", "srl")},
}
SIZES = {
    "hier": SYSTEMS["hier"],
    **{f"chunk {level}": [HIERO, "system=chunk", f"rules.relax={level}"] for level in (0, 1, 2, 4)},
    **{f"srl-nonlex {level}": [HIERO, "system=srl-nonlex", f"rules.relax={level}"] for level in (0, 2)},
    "srl 2": SYSTEMS["srl"],
    **{name: chosen for name, chosen in SYSTEMS.items() if name.endswith("loose")},
}
"""Tables that are measured without any decoding."""
PARTS = ("sizes", "decided")
"""The other tables; `--parts` names those that a run makes."""
PAPER = ("chunk", "srl-nonlex", "srl")
LIKE_PAPER = tuple(f"{name}, loose" for name in PAPER)


class LabelledSystems(Systems):
    """Systems whose source is annotated."""

    def annotators(self, name: str) -> tuple[Annotator | None, Annotator | None]:
        return self.english()[0], None

    @cache  # noqa: B019 - one object lives as long as the program
    def english(self) -> tuple[Annotator, dict[str, Any]]:
        folder = Path(self.options.models) if self.options.models else self.stages / "annotators"
        folder.mkdir(parents=True, exist_ok=True)
        return english_annotators(folder, sentences=self.options.sentences, small=self.small)


def plain_of(system: str) -> str:
    """The system with all rules that another one is compared with."""
    return "hier, loose" if system.endswith("loose") else "hier"


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


def labels_of_spans(systems: LabelledSystems, base: Model) -> tuple[float, float]:
    """Spans of at most ten words that have a label, per segment of the test set, and labels of such a span; not a
    number for rules without labels."""
    assert base.decoder.table is not None
    labelling = Labelling.of_table(base.decoder.table)
    if labelling is None:
        return math.nan, math.nan
    source, target = systems.texts(SET)["test"]
    annotations = [each.annotation for each in prepared_dev(base, source, [target])[0]]
    nodes = [
        [(start, end) for _, start, end in labelling.nodes(each) if end - start <= 10]
        for each in annotations
        if each is not None
    ]
    spans = sum(len(set(each)) for each in nodes)
    return round(spans / len(nodes), 1), round(sum(map(len, nodes)) / max(1, spans), 2)


def labelled_spans(systems: LabelledSystems, system: str) -> float:
    def work() -> float:
        return labels_of_spans(systems, systems.model(SET, (*recipe(systems, system), "tuner=none")))[0]

    settings = {"system": SYSTEMS[system], "sentences": systems.options.sentences}
    found: float = systems.remember("spans", settings, work)
    return found


def erased(table: RuleTable) -> int:
    """How many rules there are if all labels are one."""
    native, known = table.native, set()
    node, source = -1, b""
    for number in range(len(table)):
        if (at := native.node_of(number)) != node:
            node, source = at, unlabelled(native.source(at))
        known.add(hash((source, unlabelled(native.target(number)))))
    return len(known)


def unlabelled(symbols: NDArray[np.uint32]) -> bytes:
    """The symbols of a side of a rule; of nonterminals, which have the highest bit, only the places are left."""
    return np.where(symbols >> 31, symbols & 0x800000FF, symbols).tobytes()


def measured_size(systems: LabelledSystems, name: str) -> dict[str, Any]:
    """What is known of a table before it is used."""

    def work() -> dict[str, Any]:
        base = systems.model(SET, (*SIZES[name], "tuner=none"))
        table = base.decoder.table
        assert table is not None
        spans, labels = labels_of_spans(systems, base)
        source = systems.texts(SET)["test"][0]
        usable = filter_table(table, source, Path(systems.stages) / "usable.table")
        return {
            "rules (k)": round(len(table) / 1000, 1),
            "labels": grammar_statistics(table).labels,
            "labelled spans": spans,
            "labels of a span": labels,
            "erased (k)": round((len(table) if math.isnan(spans) else erased(table)) / 1000, 1),
            "for the test set (k)": round(len(usable) / 1000, 1),
        }

    settings = {"system": SIZES[name], "sentences": systems.options.sentences}
    found: dict[str, Any] = systems.remember("label sizes", settings, work)
    return found


def size_row(systems: LabelledSystems, table: str) -> Mapping[str, Any]:
    found, plain = measured_size(systems, table), measured_size(systems, plain_of(table))
    figures = ("rules (k)", "erased (k)", "for the test set (k)")
    return found | {f"times smaller, {each[:-4]}": round(plain[each] / found[each], 2) for each in figures}


def decided_row(systems: LabelledSystems, system: str) -> Mapping[str, Any]:
    """BLEU of a system that was tuned more, and of nothing else."""
    found, plain = measured(systems, system), measured(systems, "hier")
    return systems.compared(SET, found["outputs"], [] if system == "hier" else plain["outputs"])


def row(systems: LabelledSystems, system: str) -> Mapping[str, Any]:
    found = dict(measured(systems, system))
    plain = measured(systems, plain_of(system))
    outputs = found.pop("outputs")
    compared = systems.compared(SET, outputs, [] if system == plain_of(system) else plain["outputs"])
    smaller = round(plain["rules (k)"] / found["rules (k)"], 2)
    sizes = {name: found[name] for name in ("rules (k)", "with gaps (k)", "labels")}
    sizes["labelled spans"] = labelled_spans(systems, system)
    return {**sizes, "times smaller": smaller, **compared, "seconds": found["seconds"]}


def figure(table: Table, system: str, name: str) -> float:
    return table.mean(name, system=system)


def claims(chosen: list[str]) -> list[Claim]:
    labelled = [name for name in PAPER if name in chosen]
    loose = [name for name in LIKE_PAPER if name in chosen]
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
        *(
            [
                Claim(
                    "with the limits of Moses labelled tables are 4 to 10 times smaller, or more",
                    lambda t: all(figure(t, each, "times smaller") >= 4 for each in loose),
                ),
                Claim(
                    "and at no loss: none is significantly worse than `hier, loose` (p at most 0.05)",
                    lambda t: all(no_loss(t, each) for each in loose),
                ),
            ]
            if loose
            else []
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


def size_claims() -> list[Claim]:
    def rules(table: Table, name: str, which: str = "rules (k)") -> float:
        return table.mean(which, table=name)

    return [
        Claim(
            "the more trees are relaxed, the larger the table: `chunk` at levels 0 < 1 < 2 < 4",
            lambda t: rules(t, "chunk 0") < rules(t, "chunk 1") < rules(t, "chunk 2") < rules(t, "chunk 4"),
        ),
        Claim(
            "labels alone make tables with roles larger than that of chunks: erased, they are at most as large",
            lambda t: all(
                rules(t, name, "erased (k)") <= rules(t, "chunk 2", "erased (k)") for name in ("srl-nonlex 2", "srl 2")
            ),
        ),
        Claim(
            "erased, labelled tables are at least 4 times smaller than that of `hier`",
            lambda t: all(
                rules(t, "hier", "erased (k)") >= 4 * rules(t, name, "erased (k)")
                for name in ("chunk 2", "srl-nonlex 2", "srl 2")
            ),
        ),
    ]


def main() -> None:
    sizes = {"dev": 300, "iterations": 5, "pops": 100, "sentences": 4000, "more": 4}
    options = system_arguments(__doc__, out="docs/experiments/p05", systems="", models="", parts="", **sizes)
    if options.small:
        options.pops, options.iterations, options.seeds, options.more = 8, 1, 1, 2
    usual = ["pb", "hier", "chunk", "srl-nonlex", "srl"] if options.small else list(SYSTEMS)
    chosen = names_of(options.systems, usual)
    parts = names_of(options.parts, PARTS)
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    with LabelledSystems(options) as systems:
        table = grid(lambda system: row(systems, system), system=chosen)
        tables["Systems"] = table, claims(chosen)
        if "sizes" in parts:
            tables["Sizes"] = grid(lambda table: size_row(systems, table), table=list(SIZES)), size_claims()
        annotators = Table(("language",), ({"language": "en", **systems.english()[1]},))
    if "decided" in parts:
        more = argparse.Namespace(**{**vars(options), "seeds": options.more, "dev": 0})
        with LabelledSystems(more) as systems:
            decided = grid(lambda system: decided_row(systems, system), system=["hier", "chunk"])
        tables["Two systems, tuned more"] = (
            decided,
            [
                Claim(
                    "`chunk` loses nothing: it is not significantly worse than `hier` (p above 0.05)",
                    lambda t: figure(t, "chunk", "difference") >= 0 or figure(t, "chunk", "p") > 0.05,
                )
            ],
        )
    publish(
        "Rules labelled by shallow trees",
        __doc__,
        {**tables, "Annotators (F1)": (annotators, [])},
        pictures={"bleu": dot_plot(table, label=lambda r: str(r["system"]), figure="BLEU")},
        out=options.out,
        settings=vars(options),
        not_run=[*others(usual, chosen), *others(PARTS, parts)],
    )


if __name__ == "__main__":
    main()
