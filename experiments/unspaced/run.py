"""Text without blanks between words: what should it be cut into for translation?

Models are trained from English into Chinese and Japanese on package descriptions of Debian, the same in all but what
the target text is cut into: words by ICU's dictionaries, characters, 8,000 subwords of uncut text, or nothing, as if it
had blanks. English is cut into words throughout. Scores are of the test set as it is read, by characters (chrF) and by
BLEU over characters, so that no way of cutting is favoured; `p` is that of the difference of `words` from this row
(approximate randomisation, two-sided).
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.evaluation.compare import compare
from dragoman.files import read_lines
from dragoman.metrics.report import score
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.text.catalog import Order, get_corpus
from experiments.common import Claim, Table, arguments, dot_plot, grid, publish

CUTS: dict[str, dict[str, Any]] = {
    "words": {"segment": "words", "target_pieces": "words"},
    "characters": {"segment": "characters", "target_pieces": "words"},
    "subwords": {"segment": "none", "target_pieces": "subwords", "subwords": 8000},
    "nothing": {"segment": "none", "target_pieces": "words"},
}
METRICS = ["chrf", "bleu:tokenize=char"]
SMALL = {
    "zh": [
        ("this is a book", "这是一本书"), ("this is a house", "这是一座房子"), ("we read a book", "我们读一本书"),
        ("we see a house", "我们看见一座房子"), ("the book is good", "书很好"), ("the house is good", "房子很好"),
    ] * 4,
}  # fmt: skip


def corpus(language: str, folder: Path, small: bool) -> Path:
    """A folder with train, dev and test of both languages."""
    place = folder / f"en-{language}"
    if small:
        place.mkdir(parents=True, exist_ok=True)
        for part in ("train", "dev", "test"):
            for side, code in enumerate(("en", language)):
                (place / f"{part}.{code}").write_text("\n".join(pair[side] for pair in SMALL[language]) + "\n", "utf-8")
    elif not place.is_dir():
        get_corpus("debian", place, Order(languages=(f"en-{language}",)))
    return place


def measure(
    given: argparse.Namespace, folder: Path, language: str, cut: str, outputs: dict[str, dict[str, list[str]]]
) -> Mapping[str, Any]:
    """Train, translate the test set, and score it; `outputs` keeps the translations of each language, by cut."""
    place = corpus(language, folder, given.small)
    packed = "" if given.small else ".gz"
    sides = [
        list(islice(read_lines(place / f"train.{code}{packed}"), given.pairs or None)) for code in ("en", language)
    ]
    settings = {"source_pieces": "words", "fold_pairs": 0, "iterations": max(given.iterations, 1), **CUTS[cut]}
    settings |= {} if given.iterations else {"tuner": "none"}
    settings |= {"subwords": 40} if given.small and cut == "subwords" else {}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        model = train(
            *sides,
            output=Path(scratch) / "model",
            dev=(place / "dev.en", place / f"dev.{language}"),
            languages=("en", language),
            recipe=Recipe(**settings),
        )
        seconds = time.perf_counter() - started
        tested = list(islice(read_lines(place / "test.en"), given.tested))
        found = [each.text for each in model.translate(tested)]
    references = list(islice(read_lines(place / f"test.{language}"), given.tested))
    report = score(found, references, METRICS, confidence=None)
    known = outputs.setdefault(language, {})
    known[cut] = found
    chrf, bleu = (_p_value(known, cut, references, metric) for metric in METRICS)
    return {
        "pairs": len(sides[0]),
        "chrF": report["system", "chrf"].value,
        "p, chrF": chrf,
        "BLEU of characters": report["system", "bleu:tokenize=char"].value,
        "p, BLEU": bleu,
        "training s": round(seconds),
    }


def _p_value(outputs: Mapping[str, list[str]], cut: str, references: list[str], metric: str) -> float:
    if cut == "words":
        return math.nan
    return next(iter(compare({"words": outputs["words"], cut: outputs[cut]}, references, metric))).pair_p("words", cut)


def main() -> None:
    given = arguments(
        __doc__, out="docs/experiments/unspaced", small=False, cache="", pairs=0, tested=1000, iterations=5
    )
    outputs: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.cache or scratch)
        table = grid(
            lambda language, cut: measure(given, folder, language, cut, outputs),
            language=["zh"] if given.small else ["ja", "zh"],
            cut=list(CUTS),
        )
    claims = [
        Claim(f"words by dictionary are significantly better than {words}, by chrF", _better(cut))
        for cut, words in (("nothing", "text as it is"), ("characters", "characters"), ("subwords", "subwords"))
    ]
    claims += [
        Claim(f"words by dictionary are not significantly worse than {cut}, by chrF", _not_worse(cut))
        for cut in ("characters", "subwords")
    ]
    plot = dot_plot(table, label=lambda row: f"{row['language']} {row['cut']}", figure="chrF")
    publish(
        "What to cut text without blanks into",
        __doc__,
        {"": (table, claims)},
        pictures={"plot": plot},
        out=given.out,
        settings={name: value for name, value in vars(given).items() if name != "seeds"},
    )


def _better(cut: str) -> Callable[[Table], bool]:
    return lambda table: all(
        table.mean("chrF", language=row["language"], cut="words") > row["chrF"] and row["p, chrF"] < 0.05
        for row in table.where(cut=cut)
    )


def _not_worse(cut: str) -> Callable[[Table], bool]:
    return lambda table: all(
        table.mean("chrF", language=row["language"], cut="words") >= row["chrF"] or row["p, chrF"] >= 0.05
        for row in table.where(cut=cut)
    )


if __name__ == "__main__":
    main()
