"""Text without blanks between words: what should it be cut into for translation?

Models are trained from English into Japanese and Chinese, on package descriptions of Debian and on LibreOffice's help,
the same in all but what the target text is cut into: words by ICU's dictionaries, characters, 8,000 subwords of uncut
text, or nothing, as if it had blanks. English is cut into words throughout. Weights are tuned on 1,000 dev segments by
five rounds of the recipe's tuner (batch MIRA, seed 1) without learning on folds. Scores are of the test set as it is
read, by characters (chrF) and by BLEU over characters, so that no way of cutting is favoured; `p` is that of the
difference of `words` from this row (approximate randomisation, two-sided). The second table compares the cuts with
words that people have marked (texts of hand-aligned sets, joined and cut again): precision and recall of the places of
cuts inside lines; `p` is that of McNemar's test over lines, of the F1 of `words` against `characters`.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.evaluation.compare import compare
from dragoman.evaluation.contingency import mcnemar
from dragoman.files import read_lines
from dragoman.metrics.report import score
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.text.catalog import Order, get_corpus
from dragoman.text.segmenting import WordBreaker
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "alignments"
CUTS: dict[str, dict[str, Any]] = {
    "words": {"segment": "words", "target_pieces": "words"},
    "characters": {"segment": "characters", "target_pieces": "words"},
    "subwords": {"segment": "none", "target_pieces": "subwords", "subwords": 8000},
    "nothing": {"segment": "none", "target_pieces": "words"},
}
CORPORA = {
    "Debian ja": ("debian", "ja"),
    "Debian zh": ("debian", "zh_CN"),
    "LibreOffice zh": ("libreoffice-help", "zh-cn"),
}
MARKED = {"KFTT": "ja-en-kftt/text.ja", "NIST 2002": "zh-en-nist02/text.zh", "Tsinghua": "zh-en-tsinghua/text.zh"}
METRICS = ["chrf", "bleu:tokenize=char"]
SMALL = [
    ("this is a book", "这 是 一 本 书"),
    ("this is a house", "这 是 一 座 房子"),
    ("we read a book", "我们 读 一 本 书"),
    ("we see a house", "我们 看见 一 座 房子"),
    ("the book is good", "书 很 好"),
    ("the house is good", "房子 很 好"),
] * 4


def lines(path: Path) -> list[str]:
    """Lines of a file that may be packed."""
    return list(read_lines(path if path.exists() else path.with_name(f"{path.name}.gz")))


def texts(given: argparse.Namespace, folder: Path, corpus: str) -> dict[str, tuple[list[str], list[str]]]:
    """Train, dev and test."""
    if given.small:
        pairs = [english for english, _ in SMALL], [chinese.replace(" ", "") for _, chinese in SMALL]
        return {"train": pairs, "dev": pairs, "test": pairs}
    collection, code = CORPORA[corpus]
    place = folder / f"{collection}-{code}"
    if not place.is_dir():
        get_corpus(collection, place, Order(languages=(f"en-{code}" if collection == "debian" else code,)))
    limits = {"train": given.pairs or None, "dev": 1000, "test": given.tested}
    return {
        part: (
            list(islice(lines(place / f"{part}.en"), limit)),
            list(islice(lines(place / f"{part}.{code}"), limit)),
        )
        for part, limit in limits.items()
    }


def measure(
    given: argparse.Namespace, folder: Path, corpus: str, cut: str, outputs: dict[str, dict[str, list[str]]]
) -> Mapping[str, Any]:
    """Train, translate the test set, and score it; `outputs` keeps the translations of each corpus, by cut."""
    parts = texts(given, folder, corpus)
    settings = {"source_pieces": "words", "fold_pairs": 0, "iterations": max(given.iterations, 1), **CUTS[cut]}
    settings |= {} if given.iterations else {"tuner": "none"}
    settings |= {"subwords": 40} if given.small and cut == "subwords" else {}
    started = time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        model = train(
            *parts["train"],
            output=Path(scratch) / "model",
            dev=parts["dev"],
            languages=("en", CORPORA[corpus][1][:2]),
            recipe=Recipe(**settings),
            cache=folder / "stages",
        )
        seconds = time.process_time() - started
        found = [each.text for each in model.translate(parts["test"][0])]
    references = parts["test"][1]
    report = score(found, references, METRICS, confidence=None)
    known = outputs.setdefault(corpus, {})
    known[cut] = found
    chrf, bleu = (_p_value(known, cut, references, metric) for metric in METRICS)
    return {
        "pairs": len(parts["train"][0]),
        "tested": len(references),
        "chrF": report["system", "chrf"].value,
        "p, chrF": chrf,
        "BLEU of characters": report["system", "bleu:tokenize=char"].value,
        "p, BLEU": bleu,
        "training s of processor": round(seconds),
    }


def _p_value(outputs: Mapping[str, list[str]], cut: str, references: list[str], metric: str) -> float:
    if cut == "words":
        return math.nan
    return next(iter(compare({"words": outputs["words"], cut: outputs[cut]}, references, metric))).pair_p("words", cut)


def boundaries(pieces: Sequence[str]) -> set[int]:
    """Where a line is cut, in characters from its beginning."""
    places, at = set(), 0
    for piece in pieces[:-1]:
        at += len(piece)
        places.add(at)
    return places


def marked(text: str, cut: str, small: bool, found: dict[tuple[str, str], list[float]]) -> Mapping[str, Any]:
    """How a cut agrees with words that people have marked; `found` keeps the F1 of each line."""
    path = DATA / MARKED[text]
    if not small and not path.exists():
        return {}
    gold = [chinese for _, chinese in SMALL] if small else list(read_lines(path))
    breaker = WordBreaker("ja" if text == "KFTT" else "zh", cut)
    right = ours = theirs = 0
    scores = found.setdefault((text, cut), [])
    for line in gold:
        truth, made = boundaries(line.split()), boundaries(list(breaker.pieces("".join(line.split()))))
        right, ours, theirs = right + len(truth & made), ours + len(made), theirs + len(truth)
        scores.append(2 * len(truth & made) / max(1, len(made) + len(truth)))
    words = found[text, "words"]
    better, worse = ([a > b for a, b in zip(*each, strict=True)] for each in ((words, scores), (scores, words)))
    return {
        "lines": len(gold),
        "precision": right / max(ours, 1),
        "recall": right / max(theirs, 1),
        "F1": 2 * right / max(ours + theirs, 1),
        "p": math.nan if cut == "words" else mcnemar(better, worse),
    }


def main() -> None:
    given = arguments(
        __doc__, out="docs/experiments/unspaced", small=False, cache="", pairs=15000, tested=1000, iterations=5
    )
    outputs: dict[str, dict[str, list[str]]] = {}
    agreed: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.cache or scratch)
        table = grid(
            lambda corpus, cut: measure(given, folder, corpus, cut, outputs),
            corpus=list(CORPORA)[:1] if given.small else list(CORPORA),
            cut=list(CUTS),
        )
    against = grid(
        lambda text, cut: marked(text, cut, given.small, agreed),
        text=list(MARKED)[-1:] if given.small else list(MARKED),
        cut=["words", "characters"],
    )
    claims = [
        Claim(f"words by dictionary are significantly better than {words}, by chrF, for every corpus", _better(cut))
        for cut, words in (("nothing", "text as it is"), ("characters", "characters"), ("subwords", "subwords"))
    ]
    claims += [
        Claim(f"words by dictionary are nowhere significantly worse than {cut}, by chrF", _not_worse(cut))
        for cut in ("characters", "subwords")
    ]
    publish(
        "What to cut text without blanks into",
        __doc__,
        {
            "Translation": (table, claims),
            "Words that people have marked": (
                against,
                [Claim("words by dictionary agree with people better than characters, for every text", _agrees)],
            ),
        },
        pictures={"plot": dot_plot(table, label=lambda row: f"{row['corpus']} {row['cut']}", figure="chrF")},
        out=given.out,
        settings={name: value for name, value in vars(given).items() if name != "seeds"},
    )


def _better(cut: str) -> Callable[[Table], bool]:
    return lambda table: all(
        table.mean("chrF", corpus=row["corpus"], cut="words") > row["chrF"] and row["p, chrF"] < 0.05
        for row in table.where(cut=cut)
    )


def _not_worse(cut: str) -> Callable[[Table], bool]:
    return lambda table: all(
        table.mean("chrF", corpus=row["corpus"], cut="words") >= row["chrF"] or row["p, chrF"] >= 0.05
        for row in table.where(cut=cut)
    )


def _agrees(table: Table) -> bool:
    return all(
        table.mean("F1", text=row["text"], cut="words") > row["F1"] and row["p"] < 0.05
        for row in table.where(cut="characters")
    )


if __name__ == "__main__":
    main()
