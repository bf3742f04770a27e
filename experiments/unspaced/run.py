"""Text without blanks between words: what should it be cut into for translation?

Models are trained from English into Chinese and Japanese on package descriptions of Debian, the same in all but what
the target text is cut into: words by ICU's dictionaries, characters, 8,000 subwords of uncut text, or nothing, as if it
had blanks. Scores are of the test set as it is read, by characters (chrF) and by BLEU over characters, so that no way
of cutting is favoured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.files import read_lines
from dragoman.metrics.report import score
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.text.catalog import Order, get_corpus
from experiments.common import Claim, Table, arguments, dot_plot, grid, record

CUTS: dict[str, dict[str, Any]] = {
    "words": {"segment": "words", "target_pieces": "words"},
    "characters": {"segment": "characters", "target_pieces": "words"},
    "subwords": {"segment": "none", "target_pieces": "subwords", "subwords": 8000},
    "nothing": {"segment": "none", "target_pieces": "words"},
}
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


def measure(given: argparse.Namespace, folder: Path, language: str, cut: str) -> Mapping[str, Any]:
    """Train, translate the test set, and score it."""
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
    report = score(found, references, ["chrf", "bleu:tokenize=char"], confidence=None)
    return {
        "chrF": report["system", "chrf"].value,
        "BLEU of characters": report["system", "bleu:tokenize=char"].value,
        "training s": round(seconds),
    }


def main() -> None:
    given = arguments(
        __doc__, out="docs/experiments/unspaced", small=False, cache="", pairs=0, tested=1000, iterations=5
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.cache or scratch)
        table = grid(
            lambda language, cut: measure(given, folder, language, cut),
            language=["zh"] if given.small else ["ja", "zh"],
            cut=list(CUTS),
        )

    def best(figure: str, cut: str, others: tuple[str, ...]) -> Any:
        def holds(table: Table) -> bool:
            return all(
                table.mean(figure, language=row["language"], cut=cut)
                >= max(table.mean(figure, language=row["language"], cut=other) for other in others)
                for row in table.rows
            )

        return holds

    claims = [
        Claim("Words by dictionary are better than text as it is, by chrF", best("chrF", "words", ("nothing",))),
        Claim(
            "Words by dictionary are no worse than characters and subwords, by chrF",
            best("chrF", "words", ("characters", "subwords")),
        ),
    ]
    plot = dot_plot(table, label=lambda row: f"{row['language']} {row['cut']}", figure="chrF")
    settings = {name: value for name, value in vars(given).items() if name != "seeds"}
    record(table, claims, plot=plot, out=given.out, settings=settings)


if __name__ == "__main__":
    main()
