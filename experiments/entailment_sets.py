"""What the experiments on entailment share: the sets of the challenges, annotated, and pairs looked at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binomtest

from dragoman.annotations import annotator_chain, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.syntax import Syntax
from dragoman.entailment.decision_features import DecisionFeatures, ScoreReferences
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.entailment.natural_logic import prove
from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair, annotate_pairs, read_pairs
from dragoman.entailment.suites import load_suite

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
FILES = {
    "RTE-1 dev": "rte1_dev.xml",
    "RTE-1 test": "rte1_test.xml.gz",
    "RTE-2 dev": "rte2_dev.xml",
    "RTE-2 test": "rte2_test.xml.gz",
    "RTE-3 dev": "rte3_dev.xml.gz",
}


def open_annotator(cache: str) -> Annotator:
    """A parser trained on English-EWT, kept in a folder for other runs."""
    folder = Path(cache) / "en-syntax" if cache else None
    if folder is not None and folder.is_dir():
        return annotator_chain.load(str(folder))
    model = Syntax.train(list(conllu.read(DATA / "treebanks" / "ud" / "en_ewt-ud-train.conllu.gz")))
    if folder is not None:
        model.save(folder, language="en", licence="CC BY-SA 4.0")
    return model


def read_set(name: str, annotator: Annotator | None) -> list[AnnotatedPair]:
    """The pairs of a challenge; without an annotator, a part of our own suite that stands for them."""
    if annotator is None:
        suite = load_suite("phenomena")
        half = len(suite) // 2
        return suite[:half:3] + suite[half::3] if name.endswith("dev") else suite[1::3]
    return annotate_pairs(annotator, read_pairs(DATA / "rte" / FILES[name]))


@dataclass(frozen=True)
class Seen:
    """Pairs with everything that decisions need."""

    gold: list[bool]
    alignments: list[GraphAlignment]
    vectors: list[DecisionFeatures]
    proofs: list[bool]


def look(entailer: Entailer, pairs: Sequence[AnnotatedPair], references: ScoreReferences | None = None) -> Seen:
    """Align and look at each pair once."""
    alignments = [entailer.align(pair) for pair in pairs]
    known = references or ScoreReferences.of([each.mean for each in alignments])
    return Seen(
        [bool(pair.label) for pair in pairs],
        alignments,
        [entailer.features(each, known) for each in alignments],
        [prove(each, entailer.relations, entailer.markers).answer for each in alignments],
    )


def interval(right: int, total: int) -> tuple[float, float]:
    """95 % interval of a share (Clopper and Pearson)."""
    found = binomtest(right, total).proportion_ci(0.95, method="exact")
    return float(found.low), float(found.high)


def reannotated(annotator: Annotator, pairs: Sequence[AnnotatedPair]) -> list[AnnotatedPair]:
    """The same pairs from raw text, with the trees of an annotator."""
    raw = [EntailmentPair(p.id, p.raw.text, p.raw.hypothesis, p.label, p.task) for p in pairs]
    return annotate_pairs(annotator, raw)
