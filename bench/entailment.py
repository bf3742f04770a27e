"""Entailment: pairs of RTE-1 judged in a second of processor time, by stage. Target: 50 pairs a second once annotated.

`DRAGOMAN_ANNOTATOR` names a parser of English that is there already; else one is trained first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from bench.contest import DATA, bench
from bench.english_parser import model
from dragoman.annotations import annotator_chain
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.natural_logic import prove
from dragoman.entailment.pairs import annotate_pairs, read_pairs
from dragoman.entailment.word_relations import WordRelations

T = TypeVar("T")


@bench("pairs a CPU second, by stage")
def stages() -> dict[str, str]:
    pairs = read_pairs(DATA / "rte" / "rte1_dev.xml")
    chain = annotator_chain.load(model())
    entailer = Entailer(WordRelations.find())
    annotated = annotate_pairs(chain, pairs[:5])
    entailer.judge_all(annotated)  # indexes of WordNet are read once
    rates: dict[str, float] = {}

    def timed(name: str, job: Callable[[], list[T]]) -> list[T]:
        busy = time.process_time()
        found = job()
        rates[name] = len(pairs) / (time.process_time() - busy)
        return found

    annotated = timed("annotating raw text", lambda: annotate_pairs(chain, pairs))
    timed("all of it, once annotated (target 50)", lambda: entailer.judge_all(annotated))
    alignments = timed("alignment, all words seen before", lambda: [entailer.align(each) for each in annotated])
    timed("features", lambda: [entailer.features(each) for each in alignments])
    timed("proof", lambda: [prove(each, entailer.relations, entailer.markers) for each in alignments])
    return {name: f"{rate:,.0f}" for name, rate in rates.items()}
