"""Language models beside KenLM: query speed, loading, size, and how estimation grows.

Query jobs score text that the model was not trained on, and text that it was; both matter, because unseen n-grams cost
look-ups of their own. KenLM has no builder of binary files in its Python package: its sizes are computed from its
documented layout (probing: hash tables of 12- and 16-byte entries with 1.5 slots each; trie: bit-packed words, 8-bit
codes and pointers), and its query runs on the ARPA file that it loads into its probing layout.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import kenlm
import numpy as np
from numpy.testing import assert_allclose

from bench.contest import DATA, Contest, bench
from dragoman.bundle import verify_when_opened
from dragoman.files import read_lines
from dragoman.lm import Bounds, NgramModel, estimate, train_classes

FOLDER = tempfile.TemporaryDirectory()
HERE = Path(FOLDER.name)


@cache
def lines(name: str) -> tuple[str, ...]:
    return tuple(read_lines(DATA / name))


@cache
def models(name: str) -> tuple[NgramModel, NgramModel, Any]:
    """Hashed, compact, and KenLM's, of order 5, estimated from one text."""
    made = estimate(lines(name), order=5)
    path = HERE / name.replace("/", "-")
    made.write_arpa(f"{path}.arpa")
    made.build().save(f"{path}.lm")
    made.build(layout="compact").save(f"{path}.compact")
    return NgramModel.open(f"{path}.lm"), NgramModel.open(f"{path}.compact"), kenlm.Model(f"{path}.arpa")


MULTI30K, DEBIAN = "multi30k/train.en.gz", "debian/mono.en.gz"


def unseen(name: str) -> list[str]:
    if name == MULTI30K:
        return [*lines("multi30k/val.en"), *lines("multi30k/test_2016_flickr.en")]
    return [line for pair in ("en-de", "en-fr", "en-es") for part in ("dev", "test") for line in debian(pair, part)]


def debian(pair: str, part: str) -> tuple[str, ...]:
    plain = f"debian/{pair}/{part}.en"
    return lines(plain if (DATA / plain).is_file() else f"{plain}.gz")


def same(ours: Any, theirs: Any) -> None:
    assert_allclose(np.asarray(ours) / math.log(10), theirs, atol=1e-4, rtol=1e-5)


def query(name: str, text: list[str], *, compact: bool = False) -> Contest:
    hashed, small, theirs = models(name)
    model = small if compact else hashed
    return Contest(
        ours=lambda: model.score(text),
        theirs=lambda: [theirs.score(line) for line in text],
        agree=None if compact else same,
        units=len(text),
        unit="sentences",
        repeat=25,
        note=f"{len(text)} sentences, {sum(hashed.counts):,} n-grams",
    )


@bench("score, Multi30k, unseen text", peer="kenlm", target=3.0)
def multi30k_unseen() -> Contest:
    return query(MULTI30K, unseen(MULTI30K))


@bench("score, Multi30k, training text", peer="kenlm", target=3.0)
def multi30k_seen() -> Contest:
    return query(MULTI30K, list(lines(MULTI30K)))


@bench("score, Debian, unseen text", peer="kenlm", target=3.0)
def debian_unseen() -> Contest:
    return query(DEBIAN, unseen(DEBIAN))


@bench("score, Debian, training text", peer="kenlm", target=3.0)
def debian_seen() -> Contest:
    return query(DEBIAN, list(lines(DEBIAN)[::5]))


@bench("score, Debian, unseen text, compact layout", peer="kenlm (probing)")
def debian_compact() -> Contest:
    return query(DEBIAN, unseen(DEBIAN), compact=True)


@bench("score, two threads against one", target=1.6)
def two_threads() -> Contest:
    model, text = models(DEBIAN)[0], list(lines(DEBIAN))
    return Contest(
        ours=lambda: model.score(text, threads=2),
        theirs=lambda: model.score(text),
        units=len(text),
        unit="sentences",
        repeat=7,
        note="the peer is one thread of ours",
    )


@bench("opening a binary model")
def opening() -> dict[str, str]:
    figures = {}
    for name in (MULTI30K, DEBIAN):
        models(name)
        path = HERE / (name.replace("/", "-") + ".lm")
        times = []
        for _ in range(20):
            start = time.perf_counter()
            NgramModel.open(path)
            times.append(time.perf_counter() - start)
        figures[f"{path.stat().st_size / 2**20:.0f} MiB"] = f"{1000 * min(times):.2f} ms (target < 50)"
    return figures


@bench("opening with and without a look at the checksum")
def verifying() -> dict[str, str]:
    """Processor time of the first opening of a file, which reads all of it once, and of what follows it."""
    path = HERE / "large.lm"
    vocabulary = [f"w{number}" for number in range(200_000)]
    draw = np.random.default_rng(1)
    text = (" ".join(vocabulary[place] for place in row) for row in draw.integers(0, 200_000, (250_000, 20)))
    estimate(text, order=3).build().save(path)
    size = path.stat().st_size

    def opened() -> float:
        started = time.process_time()
        NgramModel.open(path)
        return time.process_time() - started

    best = {"first": math.inf, "again": math.inf, "unverified": math.inf}
    for number in range(5):
        os.utime(path, ns=(number, number))  # a file that was touched is another file
        best["first"] = min(best["first"], opened())
        best["again"] = min(best["again"], opened())
        verify_when_opened(False)
        best["unverified"] = min(best["unverified"], opened())
        verify_when_opened(True)
    checking = best["first"] - best["unverified"]
    return {
        "file": f"{size / 2**20:.0f} MiB",
        "first opening": f"{1000 * best['first']:.1f} ms",
        "opened again in the same process": f"{1000 * best['again']:.1f} ms",
        "with --no-verify": f"{1000 * best['unverified']:.1f} ms",
        "checksum": f"{size / checking / 1e9:.1f} GB/s in memory",
    }


def kenlm_probing(counts: Sequence[int], letters: int) -> float:
    """Bytes of KenLM's probing model: vocabulary table and strings, unigrams, tables at 1.5 slots an entry."""
    vocabulary = 1.5 * 12 * counts[0] + letters + counts[0]
    return vocabulary + 8 * counts[0] + 1.5 * 16 * sum(counts[1:-1]) + 1.5 * 12 * counts[-1]


def kenlm_trie(counts: Sequence[int], letters: int, bits: int = 8) -> float:
    """Bytes of KenLM's trie with both values quantised: words, codes and next-level pointers in as few bits as fit."""
    size = 8.0 * counts[0] + letters + counts[0] + 16 * (counts[0] + 2)
    word = counts[0].bit_length()
    for level in range(1, len(counts)):
        last = level == len(counts) - 1
        entry = word + bits + (0 if last else bits + counts[level + 1].bit_length())
        size += (counts[level] + 1) * entry / 8 + 4 * 2**bits * (1 if last else 2)
    return size


@bench("bytes per n-gram")
def sizes() -> dict[str, str]:
    figures = {}
    for name in (MULTI30K, DEBIAN):
        hashed, compact, _ = models(name)
        total = sum(hashed.counts)
        letters = sum(len(word.encode()) for word in hashed.words())
        for kind, ours, theirs, limit in (
            ("hashed", hashed.bytes, kenlm_probing(hashed.counts, letters), 1.0),
            ("compact, 8 bits", compact.bytes, kenlm_trie(compact.counts, letters), 1.2),
        ):
            verdict = "ok" if ours <= limit * theirs else "SHORT"
            figures[f"{name}, {kind}"] = (
                f"{ours / total:.2f}; KenLM by its layout {theirs / total:.2f}; "
                f"ratio {ours / theirs:.2f} (target <= {limit:g} {verdict})"
            )
    return figures


ESTIMATION = """
import sys, time
from pathlib import Path
from dragoman.lm import estimate

def peak():
    return int(next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line).split()[1])

before, start = peak(), time.perf_counter()
made = estimate(sys.argv[1], order=5, memory=sys.argv[2])
made.write_arpa(sys.argv[3])
print(time.perf_counter() - start, (peak() - before) * 1024, sum(made.ngrams.counts))
"""


@bench("estimation from text to ARPA, order 5, Debian English, by size")
def growth() -> dict[str, str]:
    """Each run in a process of its own, so that its peak memory can be known."""
    figures = {}
    text = lines(DEBIAN)
    for share in (4, 2, 1):
        part = text[: len(text) // share]
        tokens = sum(len(line.split()) for line in part)
        (HERE / "part").write_text("\n".join(part) + "\n")
        for memory in ("2G", "32M") if share == 1 else ("2G",):
            command = [sys.executable, "-c", ESTIMATION, str(HERE / "part"), memory, str(HERE / "part.arpa")]
            runs = [
                subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(3)
            ]
            seconds, peak, ngrams = (min(float(run[i]) for run in runs) for i in range(3))
            figures[f"{len(part):,} lines, {tokens:,} tokens, --memory {memory}"] = (
                f"{seconds:.2f} s; {seconds / tokens * 1e6:.2f} s per million tokens; "
                f"peak {peak / 2**20:.0f} MiB above start; {ngrams:,.0f} n-grams"
            )
    return figures


@bench("estimation to an ARPA file, Multi30k English, order 5")
def multi30k_estimate() -> Contest:
    def job() -> None:
        estimate(read_lines(DATA / MULTI30K), order=5).write_arpa(HERE / "timed.arpa")

    return Contest(ours=job, units=29_000, unit="sentences", repeat=5, note="from gzip text to ARPA text")


@bench("bounds")
def bounds() -> dict[str, str]:
    figures = {}
    for share in (4, 2, 1):
        text = lines(MULTI30K)[: 29_000 // share]
        made = estimate(text, order=5)
        model = made.build()
        start = time.perf_counter()
        found = Bounds.of(made.ngrams, model)
        seconds = time.perf_counter() - start
        total = sum(model.counts)
        figures[f"{total:,} n-grams"] = (
            f"{seconds:.2f} s; {seconds / total * 1e6:.2f} us and {found.native.bytes / total:.1f} bytes an n-gram"
        )
    return figures


@bench("word classes, Multi30k English")
def classes() -> dict[str, str]:
    text = list(lines(MULTI30K))
    figures = {}
    for threads in (1, 2):
        start = time.perf_counter()
        found = train_classes(text, threads=threads, iterations=30)
        names = len(set(found.classes.values()))
        figures[f"{threads} threads"] = f"{time.perf_counter() - start:.2f} s, {len(found):,} words, {names} classes"
    return figures
