"""Razmara, Siahbani, Haffari and Sarkar (2013): translations of unknown words over graphs of words used alike.

Lists of translations are compared with what an alignment of much text says (mean reciprocal rank, recall among 20), by
kind of graph, window, neighbours and amount of text; then models with and without them translate. The small bitext are
captions, whose other sentences are the text of one language, and scripture of three languages, where the only further
text is the book that is to be translated. Models keep words whole and have quick settings of search and tuning; with
scripture there are also models with all settings of the recipe, which cut words as it chooses.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.align import ALIGNERS
from dragoman.cache import StageCache
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import DIRECT
from dragoman.grammar.table import RuleTable
from dragoman.seeds import stream
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.distributional import Paraphraser
from dragoman.semantics.oov import (
    Induced,
    evaluate_translations,
    find_unknown_words,
    gold_lexicon,
    graph_translations,
    known_phrases,
)
from dragoman.semantics.similarity import Similarity
from dragoman.text.index import CorpusIndex
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish, remembered
from experiments.recipes import names_of, others
from experiments.small_text import CACHE, Output, Task, bleu, made_up, multi30k, significance, task_named, translated

PARTS = ("lists", "translation", "scripture")
"""Each has a page of its own."""
ROOMS = ("text", "align", "grammar", "semantics")
"""Those whose code decides what is in a list."""
Lexicon = Mapping[str, Sequence[Induced]]
TOP = 20
SINGLE = {"bipartite": "bipartite, 20", "tripartite": "tripartite, 15+5"}
"""Graphs whose nodes are single words."""
OTHERS = [
    (association, similarity)
    for association in ("pmi", "cp", "llr", "chi-square")
    for similarity in ("cosine", "l1", "jensen-shannon")
    if (association, similarity) != ("pmi", "cosine")
]


def measures(association: str, similarity: str) -> str:
    """The name of bipartite graphs with these."""
    return f"bipartite, {association} and {similarity}"


class Lists:
    """A small table, its unknown words with right translations, and text of the source language."""

    def __init__(self, task: Task, whole: Task, folder: Path) -> None:
        aligner = ALIGNERS.get("fast")()
        aligner.train(*task.train)
        links = [str(each) for each in aligner.align(*task.train)]
        self.table: RuleTable = extract(*task.train, links, folder / "small.table").table
        source, target = ([*whole.train[side], *task.dev[side], *task.test[side]] for side in (0, 1))
        much = ALIGNERS.get("fast")()
        much.train(source, target)
        lines = [*task.dev[0], *task.test[0]]
        targets = [*task.dev[1], *task.test[1]]
        words = find_unknown_words(lines, self.table).words
        self.gold = gold_lexicon(lines, targets, [str(each) for each in much.align(lines, targets)], words)
        self.text = [*task.train[0], *lines, *task.mono]
        self.words = [word for word in words if word in self.gold]
        self._indexes: dict[float, CorpusIndex] = {}

    def space(self, window: int, share: float = 1.0) -> ContextSpace:
        if share not in self._indexes:
            order = stream(1, "share").permutation(len(self.text)).tolist()
            kept = sorted(order[: math.ceil(share * len(self.text))])
            self._indexes[share] = CorpusIndex.build([self.text[row] for row in kept])
        return ContextSpace(self._indexes[share], window=window)

    def paraphrases(self, window: int, k: int) -> Lexicon:
        """The one-step baseline: translations of paraphrases, summed by their shares."""
        space = self.space(window)
        found = Paraphraser(space, association=Association(measure="pmi"), max_length=1, k=k, min_score=0.0)
        known = frozenset(known_phrases(self.table, space, 1))
        lists: dict[str, list[Induced]] = {}
        for word in self.words:
            entries = [entry for entry in found.paraphrases(word, candidates=known) if entry.score > 0]
            whole = sum(entry.score for entry in entries)
            sums: dict[str, float] = {}
            for entry in entries:
                for rule in self.table.lookup(entry.phrase)[:TOP]:
                    value = math.exp(rule.values[DIRECT])
                    sums[rule.target_text] = sums.get(rule.target_text, 0.0) + value * entry.score / whole
            ranked = sorted(sums.items(), key=lambda each: (-each[1], each[0]))[:TOP]
            lists[word] = [Induced(target, value) for target, value in ranked]
        return lists


def ranks(lexicon: Lexicon, gold: Mapping[str, set[str]], words: Sequence[str]) -> np.ndarray[Any, Any]:
    """Reciprocal rank and recall of each word."""
    reports = [evaluate_translations({word: lexicon.get(word, ())}, {word: gold[word]}, top=TOP) for word in words]
    return np.array([(report.reciprocal_rank, report.recall) for report in reports])


RANK, RECALL = 0, 1


def p_value(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], figure: int, samples: int = 2000) -> float:
    """By randomization over words, two-sided, of the difference in reciprocal rank or recall."""
    difference = one[:, figure] - other[:, figure]
    signs = stream(1, "words").choice([-1.0, 1.0], (samples, len(difference)))
    return float((np.abs(signs @ difference) >= abs(difference.sum()) - 1e-12).sum() + 1) / (samples + 1)


def intrinsic(task: Task, whole: Task) -> tuple[Table, list[Claim]]:
    found: dict[str, np.ndarray[Any, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        lists = Lists(task, whole, Path(folder))
        print(f"{len(lists.words)} unknown words with right translations")

        def graph(window: int = 4, share: float = 1.0, **settings: Any) -> Lexicon:
            return graph_translations(lists.space(window, share), lists.table, lists.words, top=TOP, **settings).lexicon

        ways: dict[str, Any] = {
            "paraphrases, 20": lambda: lists.paraphrases(4, 20),
            "bipartite, 20": lambda: graph(kind="bipartite"),
            "tripartite, 15+5": lambda: graph(),
            "full, 20": lambda: graph(kind="full"),
            "tripartite, 8+2": lambda: graph(k_labeled=8, k_unlabeled=2),
            "tripartite, 30+10": lambda: graph(k_labeled=30, k_unlabeled=10),
            "tripartite, window 2": lambda: graph(window=2),
            "tripartite, window 6": lambda: graph(window=6),
            "bipartite, bigrams": lambda: graph(kind="bipartite", max_phrase=2),
            "tripartite, bigrams": lambda: graph(max_phrase=2),
            **{
                measures(*pair): lambda pair=pair: graph(
                    kind="bipartite", association=Association(measure=pair[0]), similarity=Similarity(measure=pair[1])
                )
                for pair in OTHERS
            },
            **{f"tripartite, 1/{part} of the text": lambda part=part: graph(share=1 / part) for part in (16, 8, 4, 2)},
        }

        def ranked(way: str) -> dict[str, Any]:
            """What one way gave, now or in an earlier run."""

            def work() -> dict[str, Any]:
                lexicon = ways[way]()
                return {
                    "ranks": ranks(lexicon, lists.gold, lists.words).tolist(),
                    "with translations": sum(bool(lexicon.get(word)) for word in lists.words),
                }

            settings = {"task": task.name, "whole": whole.name, "way": way}
            kept: dict[str, Any] = remembered(StageCache(CACHE / "lists"), "list", settings, work, rooms=ROOMS)
            return kept

        def cell(way: str) -> dict[str, Any]:
            kept = ranked(way)
            found[way] = np.array(kept["ranks"])
            base = found["paraphrases, 20"]
            return {
                "MRR %": 100 * float(found[way][:, 0].mean()),
                "recall %": 100 * float(found[way][:, 1].mean()),
                "words with translations": kept["with translations"],
                "p of MRR": p_value(found[way], base, RANK) if found[way] is not base else float("nan"),
                "p of recall": p_value(found[way], base, RECALL) if found[way] is not base else float("nan"),
            }

        table = grid(cell, way=list(ways))

    def p(one: str, other: str, figure: int) -> float:
        return p_value(found[one], found[other], figure)

    graphs = {figure: p("bipartite, 20", "paraphrases, 20", figure) for figure in (RANK, RECALL)}
    full = p("full, 20", "tripartite, 15+5", RECALL)
    pairs = [p(f"{kind}, bigrams", single, RECALL) for kind, single in SINGLE.items()]
    usual = "bipartite, 20"
    rivals = {measures(*pair): p(usual, measures(*pair), RANK) for pair in OTHERS}
    sizes = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0]
    names = [*(f"tripartite, 1/{part} of the text" for part in (16, 8, 4, 2)), "tripartite, 15+5"]

    def mrr(rows: Table, way: str) -> float:
        return rows.mean("MRR %", way=way)

    def recall(rows: Table, way: str) -> float:
        return rows.mean("recall %", way=way)

    return table, [
        Claim(
            "bipartite graphs are better than paraphrases in rank and recall "
            f"(p = {graphs[RANK]:.4f} and {graphs[RECALL]:.4f})",
            lambda rows: (
                mrr(rows, "bipartite, 20") > mrr(rows, "paraphrases, 20")
                and recall(rows, "bipartite, 20") > recall(rows, "paraphrases, 20")
                and max(graphs.values()) < 0.05
            ),
        ),
        Claim(
            "tripartite graphs have an MRR no lower than bipartite ones, within 3 % of it",
            lambda rows: mrr(rows, "tripartite, 15+5") >= 0.97 * mrr(rows, "bipartite, 20"),
        ),
        Claim(
            f"full graphs have a lower recall than tripartite ones (p = {full:.4f})",
            lambda rows: recall(rows, "full, 20") < recall(rows, "tripartite, 15+5") and full < 0.05,
        ),
        Claim(
            f"pairs of words as nodes raise the recall of both graphs (p = {pairs[0]:.4f} and {pairs[1]:.4f})",
            lambda rows: (
                all(recall(rows, f"{kind}, bigrams") > recall(rows, single) for kind, single in SINGLE.items())
                and max(pairs) < 0.05
            ),
        ),
        Claim(
            f"PMI with the cosine has a higher MRR than each of the eleven others (greatest p = "
            f"{max(rivals.values()):.4f})",
            lambda rows: all(mrr(rows, usual) > mrr(rows, way) for way in rivals) and max(rivals.values()) < 0.05,
        ),
        Claim(
            "CP is the best partner of L1 and of Jensen-Shannon, in MRR",
            lambda rows: all(
                mrr(rows, measures("cp", similarity))
                >= max(mrr(rows, measures(other, similarity)) for other in ("pmi", "llr", "chi-square"))
                for similarity in ("l1", "jensen-shannon")
            ),
        ),
        Claim(
            "recall and MRR grow with the logarithm of the amount of text (R2 above 0.9)",
            lambda rows: all(
                _linear([math.log2(size) for size in sizes], [figure(rows, name) for name in names])
                for figure in (recall, mrr)
            ),
        ),
        Claim(
            "recall is at least twice the MRR everywhere",
            lambda rows: all(row["recall %"] >= 2 * row["MRR %"] for row in rows.rows),
        ),
    ]


def _linear(x: list[float], y: list[float]) -> bool:
    slope, _ = np.polyfit(x, y, 1)
    return bool(slope > 0 and np.corrcoef(x, y)[0, 1] ** 2 > 0.9)


WHOLE: dict[str, Any] = {"source_pieces": "words"}
ARMS: dict[str, dict[str, Any]] = {
    "none": WHOLE,
    "graph": {**WHOLE, "oov": "graph"},
    "forms": {**WHOLE, "oov": "forms"},
    "graph+forms": {**WHOLE, "oov": "graph+forms"},
    "pieces": {},
    "pieces, graph": {"oov": "graph"},
    "pieces, graph+forms": {"oov": "graph+forms"},
}
"""Words are whole, or cut into what the recipe chooses (`pieces`)."""


@dataclass(frozen=True)
class Design:
    """Bitexts and arms that are compared, with quick settings of search and tuning or those of the recipe."""

    title: str
    tasks: tuple[str, ...]
    arms: tuple[str, ...]
    quick: bool


CAPTIONS = ("multi30k de-en 2000", "multi30k de-en 5000", "multi30k de-en 10000")
SCRIPTURE = ("bible sw-en", "bible lv-en", "bible uk-en")
DESIGNS = {
    "translation": Design("Translation", (*CAPTIONS, *SCRIPTURE), tuple(list(ARMS)[:4]), quick=True),
    "scripture": Design(
        "Scripture, with the settings of the recipe", SCRIPTURE, ("none", *list(ARMS)[4:]), quick=False
    ),
}


def translation(names: list[str], arms: list[str], *, quick: bool) -> tuple[Table, list[Claim]]:
    tasks: dict[str, Task] = {}
    outputs: dict[str, dict[str, Output]] = {}

    def cell(task: str, unknown: str) -> dict[str, Any]:
        own = tasks.setdefault(task, task_named(task))
        done = translated(own, ARMS[unknown], quick=quick)
        outputs.setdefault(task, {})[unknown] = done
        p = float("nan")
        if unknown != "none":
            p = significance(own, {name: each.test for name, each in outputs[task].items()}, "none")[unknown]
        facts = done.report["stages"].get("unknown words", {})
        return {
            "unknown words": facts.get("unknown", 0),
            "translated": facts.get("translated", 0),
            "dev BLEU": bleu(own, done.dev, own.dev[1]),
            "test BLEU": bleu(own, done.test, own.test[1]),
            "p": p,
            "copied words": done.unknown,
        }

    table = grid(cell, task=names, unknown=arms)

    def gains(found: Table, arm: str) -> list[float]:
        return [
            found.mean("test BLEU", task=name, unknown=arm) - found.mean("test BLEU", task=name, unknown="none")
            for name in names
        ]

    def claim(arm: str) -> Claim:
        def sure(found: Table) -> bool:
            p_values = [found.mean("p", task=name, unknown=arm) for name in names]
            return all(gain > 0 and p < 0.05 for gain, p in zip(gains(found, arm), p_values, strict=True))

        return Claim(f"{arm} gains BLEU on every task (p < 0.05)", sure)

    scripture = [name for name in names if name.startswith("bible")]

    def aim(arm: str) -> Claim:
        def reached(found: Table) -> bool:
            rows = zip(names, gains(found, arm), strict=True)
            won = [name for name, gain in rows if gain >= 1.5 and found.mean("p", task=name, unknown=arm) < 0.05]
            return len(set(won) & set(scripture)) >= 2

        return Claim(f"{arm} gains 1.5 BLEU or more over whole words on two bibles or more (p < 0.05)", reached)

    return table, [
        *(claim(arm) for arm in arms if arm != "none"),
        *(aim(arm) for arm in arms if arm != "none" and len(scripture) > 1),
        Claim(
            "models with translations of unknown words copy fewer words on every task",
            lambda found: all(
                found.mean("copied words", task=name, unknown=arm)
                < found.mean("copied words", task=name, unknown="none")
                for name in names
                for arm in arms
                if arm != "none"
            ),
        ),
    ]


SEEN_NOWHERE = ("bible sw-en", "alipochukuliwa")
"""A verb (when he was taken up) that no training verse has."""


def verse(arms: Sequence[str]) -> Table:
    """What models make of the first verse with a word that training did not have."""
    name, word = SEEN_NOWHERE
    task = task_named(name)
    row = next(number for number, line in enumerate(task.test[0]) if word in line.split())
    texts = {"source": task.test[0][row], "reference": task.test[1][row]}
    texts |= {arm: translated(task, ARMS[arm], quick=False).test[row] for arm in arms}
    return Table(("text",), tuple({"text": arm, word: text} for arm, text in texts.items()))


def main() -> None:
    given = arguments(
        __doc__, out="docs/experiments/p10", pairs=2000, source="de", tasks="", arms="", parts="", small=False
    )
    parts = names_of(given.parts, PARTS)
    tables, pictures, missing = {}, {}, []
    if "lists" in parts:
        few, many = (
            (made_up(150), made_up(300))
            if given.small
            else (multi30k(given.source, given.pairs), multi30k(given.source, 29_000))
        )
        table, claims = intrinsic(few, many)
        tables["Lists of translations"] = table, claims
        pictures["lists"] = dot_plot(table, label=lambda row: str(row["way"]), figure="recall %")
    for name, design in DESIGNS.items():
        if name in parts:
            known = ("synthetic en-de 150",) if given.small else design.tasks
            tasks, arms = names_of(given.tasks, known), names_of(given.arms, design.arms)
            table, claims = translation(tasks, arms, quick=design.quick)
            tables[design.title] = table, claims
            pictures[name] = dot_plot(table, label=lambda row: f"{row['task']}, {row['unknown']}", figure="test BLEU")
            if not design.quick and SEEN_NOWHERE[0] in tasks:
                tables["A verse"] = verse(arms), []
            missing += [*others(known, tasks), *others(design.arms, arms)]
    publish(
        "Translations of unknown words",
        __doc__,
        tables,
        pictures=pictures,
        out=given.out,
        settings=vars(given),
        not_run=missing,
    )


if __name__ == "__main__":
    main()
