"""Text: tokenising, detokenising and normalising beside sacremoses; preparing, restoring; data selection; starting."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from bench.contest import DATA, Contest, bench
from dragoman.files import read_lines
from dragoman.lm.selection import select_by_cross_entropy
from dragoman.text.preprocessor import Preprocessing, Preprocessor
from dragoman.text.selection import select_lines
from dragoman.text.tokenizer import Detokenizer, Normalizer, Tokenizer

FOLDER = Path(os.environ.get("DRAGOMAN_DATA", DATA))


@cache
def lines(count: int) -> list[str]:
    """English paragraphs of 20 words, cut from Debian's package descriptions."""
    with gzip.open(FOLDER / "debian" / "mono.en.gz", "rt", encoding="utf-8") as file:
        words = [word for line in file for word in line.split()]
    return [" ".join(words[start : start + 20]) for start in range(0, 20 * count, 20)]


def equal(ours: object, theirs: object) -> None:
    assert ours == theirs


def tokenizing(threads: int) -> Contest:
    from sacremoses import MosesTokenizer

    tokenizer, theirs, text = Tokenizer("en", escape=True), MosesTokenizer("en"), lines(10_000)
    return Contest(
        ours=lambda: tokenizer.tokenize(text, threads=threads),
        theirs=lambda: [theirs.tokenize(line) for line in text],
        agree=equal,
        units=len(text),
        unit="lines",
        note="lines of 20 words; identical tokens",
    )


@bench("tokenise, 1 thread", peer="sacremoses", target=5.0)
def tokenize_one() -> Contest:
    return tokenizing(1)


@bench("tokenise, 2 threads", peer="sacremoses, 1 process", target=5.0)
def tokenize_two() -> Contest:
    return tokenizing(2)


@bench("tokenise with offsets", peer="")
def trace() -> Contest:
    tokenizer, text = Tokenizer("en"), lines(10_000)
    return Contest(ours=lambda: tokenizer.trace(text), units=len(text), unit="lines")


@bench("detokenise", peer="sacremoses", target=5.0)
def detokenize() -> Contest:
    from sacremoses import MosesDetokenizer

    detokenizer, theirs = Detokenizer("en"), MosesDetokenizer("en")
    tokens = Tokenizer("en", escape=True).tokenize(lines(10_000))
    return Contest(
        ours=lambda: detokenizer.detokenize(tokens),
        theirs=lambda: [theirs.detokenize(line) for line in tokens],
        agree=equal,
        units=len(tokens),
        unit="lines",
    )


@bench("normalise punctuation", peer="sacremoses", target=5.0)
def normalize() -> Contest:
    from sacremoses import MosesPunctNormalizer

    normalizer, theirs, text = Normalizer("en"), MosesPunctNormalizer("en"), lines(10_000)
    return Contest(
        ours=lambda: normalizer.normalize(text),
        theirs=lambda: [theirs.normalize(line) for line in text],
        agree=equal,
        units=len(text),
        unit="lines",
    )


@cache
def preprocessor() -> Preprocessor:
    return Preprocessor.train(Preprocessing(language="en"), lines(10_000))


@bench("prepare raw text")
def prepare() -> Contest:
    ours, text = preprocessor(), lines(10_000)
    return Contest(
        ours=lambda: ours.prepare_all(text),
        units=len(text),
        unit="lines",
        note="protected spans, normalised, tokenised, truecased, offsets",
    )


@bench("restore raw text")
def restore() -> Contest:
    ours, text = preprocessor(), lines(10_000)
    prepared = ours.prepare_all(text)
    targets = [[tokens[:-1] for tokens in one.tokens] for one in prepared]
    return Contest(
        ours=lambda: ours.restore_all(targets, prepared),
        units=len(text),
        unit="lines",
        note="of changed tokens, so that nothing is merely copied",
    )


@bench("100,000 lines of 20 words")
def hundred_thousand() -> dict[str, str]:
    tokenizer, text = Tokenizer("en", escape=True), lines(100_000)
    figures = {}
    for threads in (1, 2):
        start = time.perf_counter()
        tokenizer.tokenize(text, threads=threads)
        figures[f"tokenise, {threads} thread{'s' * (threads > 1)}"] = f"{time.perf_counter() - start:.2f} s"
    return figures


@bench("select data for a domain of 1,000 lines")
def select() -> dict[str, str]:
    """A fifth of the lines, so that the growth shows the cost of more lines and of more picks."""
    text = list(read_lines(FOLDER / "debian" / "mono.en.gz"))
    domain, corpus = text[:1000], text[1000:]
    figures = {}
    for size in (12_500, 25_000, 50_000, 100_000):
        for name, chooser in (("feature decay", select_lines), ("cross-entropy", select_by_cross_entropy)):
            times = []
            for _ in range(3):
                start = time.perf_counter()
                chooser(corpus[:size], domain, size=size // 5)
                times.append(time.perf_counter() - start)
            figures[f"{name}, {size // 5:,} of {size:,} lines"] = f"{min(times):.2f} s"
    return figures


@bench("start-up")
def start_up() -> dict[str, str]:
    command = [str(Path(sys.executable).parent / "dragoman"), "--help"]
    times = []
    for _ in range(10):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return {"dragoman --help, best of 10": f"{min(times):.3f} s (limit 0.3 s)"}
