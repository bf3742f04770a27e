"""What the experiments on entailment share: the sets of the challenges, annotated, and pairs looked at once."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from dragoman.annotations import annotator_chain, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.syntax import Syntax
from dragoman.entailment.decision_features import DecisionFeatures, ScoreReferences
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.graph_alignment import GraphAlignment
from dragoman.entailment.measures import score_decisions
from dragoman.entailment.pairs import (
    AnnotatedPair,
    EntailmentPair,
    annotate_pairs,
    read_annotated,
    read_pairs,
    write_annotated,
)
from dragoman.entailment.suites import load_suite
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.semantics.cooccurrence import ContextSpace, wording
from dragoman.semantics.reduced import ReducedVectors
from dragoman.semantics.vectors import WordVectors

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
FILES = {
    "RTE-1 dev": "rte1_dev.xml",
    "RTE-1 test": "rte1_test.xml.gz",
    "RTE-2 dev": "rte2_dev.xml",
    "RTE-2 test": "rte2_test.xml.gz",
    "RTE-3 dev": "rte3_dev.xml.gz",
}
TEXTS = ("debian/mono.en.gz", "indian/ur-en/lm.en.gz", "wmt/newstest2016-cs-en/ref.en.gz")
PARAPHRASES = DATA / "paraphrase" / "ppdb-1.0-xxxl-lexical.uniquepairs.txt.gz"


def open_annotator(cache: str, *, sentences: int = 0) -> Annotator:
    """A parser trained on English-EWT, or on its first so many sentences, kept in a folder for other runs."""
    folder = Path(cache) / f"en-syntax{sentences or ''}" if cache else None
    if folder is not None and folder.is_dir():
        return annotator_chain.load(str(folder))
    treebank = conllu.read(DATA / "treebanks" / "ud" / "en_ewt-ud-train.conllu.gz")
    model = Syntax.train(list(islice(treebank, sentences or None)))
    if folder is not None:
        model.save(folder, language="en", licence="CC BY-SA 4.0")
    return model


def open_vectors(cache: str, *, words: int = 12_000, dimensions: int = 100) -> Path:
    """Vectors of frequent English words by latent semantic analysis of their profiles, kept in a folder.

    Learned from text that has nothing to do with the challenges: news and their paraphrases, encyclopaedia, manuals.
    """
    place = Path(cache) / "english-vectors.txt"
    if not place.exists():
        lines = [line for file in TEXTS for line in read_lines(DATA / file)]
        for line in read_lines(DATA / "paraphrase" / "msr-para-train.tsv.gz"):
            lines += line.split("\t")[3:]
        worded = list(wording(lines))
        counts = Counter(word for line in worded for word in line.split())
        frequent = sorted(counts, key=lambda word: (-counts[word], word))[:words]
        found = ReducedVectors.glsa(ContextSpace.of(worded, window=5), frequent, dimensions=dimensions)
        WordVectors(found.words, found.vectors).save(place)
    return place


def read_set(name: str, annotator: Annotator | None, cache: str = "", *, of: str = "") -> list[AnnotatedPair]:
    """The pairs of a challenge, kept in a folder for other runs, by the annotator's name if several are used.

    Without an annotator, a part of our own suite stands for them.
    """
    if annotator is None:
        suite = load_suite("phenomena")
        half = len(suite) // 2
        return suite[:half:3] + suite[half::3] if name.endswith("dev") else suite[1::3]
    place = Path(cache) / f"{FILES[name].partition('.')[0]}{of and '-'}{of}.conllu"
    if cache and place.exists():
        return read_annotated(place)
    pairs = annotate_pairs(annotator, read_pairs(DATA / "rte" / FILES[name]))
    if cache:
        write_annotated(pairs, place)
    return pairs


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
        [entailer.prove(each).answer for each in alignments],
    )


def both_parts(
    entailer: Entailer, dev_pairs: list[AnnotatedPair], test_pairs: list[AnnotatedPair]
) -> tuple[Seen, Seen]:
    """Development and test part, what a good score is known from the first."""
    dev = look(entailer, dev_pairs)
    return dev, look(entailer, test_pairs, ScoreReferences.of([each.mean for each in dev.alignments]))


def right(gold: Sequence[bool], scores: Sequence[float]) -> list[bool]:
    """Which answers are right."""
    return [(score > 0) == wanted for score, wanted in zip(scores, gold, strict=True)]


def interval(right: int, total: int) -> tuple[float, float]:
    """95 % interval of a share (Clopper and Pearson)."""
    found = binomtest(right, total).proportion_ci(0.95, method="exact")
    return float(found.low), float(found.high)


def measured(gold: Sequence[bool], scores: Sequence[float], *, samples: int = 1000) -> dict[str, float]:
    """All measures in per cent, with 95 % intervals: exact for accuracy, of the bootstrap for the others."""
    answers = [score > 0 for score in scores]
    probabilities = [1 / (1 + math.exp(-max(-500.0, min(500.0, score)))) for score in scores]
    found = score_decisions(gold, answers, probabilities)
    low, high = interval(found.right, found.pairs)
    right = np.array([answer == wanted for answer, wanted in zip(answers, gold, strict=True)])
    confidence, truth = np.abs(np.array(probabilities) - 0.5), np.array(gold)
    random = stream(1, "entailment", len(gold))
    drawn = []
    for _ in range(samples):
        at = random.integers(len(gold), size=len(gold))
        ranked = right[at][np.argsort(-confidence[at], kind="stable")]
        sure = truth[at][np.argsort(-np.array(probabilities)[at], kind="stable")]
        ranks = np.arange(1, len(at) + 1)
        precise = (np.cumsum(sure) / ranks)[sure].mean() if sure.any() else 0.0
        drawn.append(((np.cumsum(ranked) / ranks).mean(), precise))
    (cws_low, ap_low), (cws_high, ap_high) = np.percentile(drawn, [2.5, 97.5], axis=0)
    plain = {
        "yes": found.yes,
        "precision": found.precision,
        "recall": found.recall,
        "accuracy": found.accuracy,
        "from": low,
        "to": high,
        "CWS": found.confidence_weighted,
        "CWS from": cws_low,
        "CWS to": cws_high,
        "AP": found.average_precision,
        "AP from": ap_low,
        "AP to": ap_high,
    }
    return {name: 100 * float(value) for name, value in plain.items()}


def reannotated(annotator: Annotator, pairs: Sequence[AnnotatedPair]) -> list[AnnotatedPair]:
    """The same pairs from raw text, with the trees of an annotator."""
    raw = [EntailmentPair(p.id, p.raw.text, p.raw.hypothesis, p.label, p.task) for p in pairs]
    return annotate_pairs(annotator, raw)
