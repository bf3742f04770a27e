"""Entailment: pairs of RTE-1 judged in a second of processor time, by stage. Target: 50 pairs a second once annotated.

`DRAGOMAN_ANNOTATOR` names a parser of English that is there already; else one is trained first.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.annotations import model
from bench.contest import DATA, bench
from dragoman.annotations import annotator_chain
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.natural_logic import prove
from dragoman.entailment.pairs import annotate_pairs, read_pairs
from dragoman.entailment.word_relations import WordRelations


@bench("pairs a CPU second, by stage")
def stages() -> dict[str, str]:
    pairs = read_pairs(DATA / "rte" / "rte1_dev.xml")
    chain = annotator_chain.load(model())
    entailer = Entailer(WordRelations.find())
    annotated = annotate_pairs(chain, pairs[:5])
    entailer.judge_all(annotated)  # indexes of WordNet are read once
    rates: dict[str, float] = {}

    def timed(name: str, job: Callable[[], object]) -> object:
        busy = time.process_time()
        found = job()
        rates[name] = len(pairs) / (time.process_time() - busy)
        return found

    annotated = timed("annotating raw text", lambda: annotate_pairs(chain, pairs))  # type: ignore[assignment]
    alignments = timed("graphs, coreference, alignment", lambda: [entailer.align(each) for each in annotated])
    timed("features", lambda: [entailer.features(each) for each in alignments])  # type: ignore[attr-defined]
    timed("proof", lambda: [prove(each, entailer.relations, entailer.markers) for each in alignments])  # type: ignore[attr-defined]
    timed("all of it, once annotated (target 50)", lambda: entailer.judge_all(annotated))
    return {name: f"{rate:,.0f}" for name, rate in rates.items()}
