"""Corpora: how fast text is read, cleaned and written, and in how much memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.contest import DATA, Contest, bench

COPIES = 2  # of the en-fr Debian bitext, 52,596 pairs


def _sides() -> tuple[list[str], list[str]]:
    """The two sides of a real bitext, some 100,000 pairs, without the few control characters that XML cannot hold."""
    from dragoman.text.checks import printable

    folder = DATA / "debian" / "en-fr"
    sides = []
    for language in ("en", "fr"):
        with gzip.open(folder / f"train.{language}.gz", "rt", encoding="utf-8", newline="\n") as file:
            sides.append([printable(line) for line in file.read().split("\n")[:-1]] * COPIES)
    return sides[0], sides[1]


def _files(*names: str) -> tuple[list[Path], int]:
    """The bitext written under these names, and its size."""
    from dragoman.text.corpus import Bitext

    folder = Path(tempfile.mkdtemp(prefix="dragoman-bench-"))
    source, target = _sides()
    paths = [folder / name for name in names]
    size = Bitext.of(zip(source, target, strict=True), languages=("en", "fr")).write(*paths)
    return paths, size


def _reading(*names: str, note: str = "") -> Contest:
    from dragoman.text.corpus import Bitext

    paths, size = _files(*names)
    return Contest(
        ours=lambda: Bitext.open(*paths, languages=("en", "fr")).count(), units=size, unit="pairs", note=note
    )


@bench("read a plain pair")
def read_plain() -> Contest:
    return _reading("x.en", "x.fr", note="encoding checked line by line")


@bench("read a gzip pair")
def read_gzip() -> Contest:
    return _reading("x.en.gz", "x.fr.gz")


@bench("read TSV")
def read_tsv() -> Contest:
    return _reading("x.tsv")


@bench("read JSON lines")
def read_jsonl() -> Contest:
    return _reading("x.jsonl")


@bench("read TMX", peer="lxml, whole tree")
def read_tmx() -> Contest:
    from lxml import etree

    from dragoman.text.corpus import Bitext

    paths, size = _files("x.tmx")

    def whole_tree() -> list[tuple[str | None, ...]]:
        return [tuple(segment.text for segment in unit.iter("seg")) for unit in etree.parse(paths[0]).iter("tu")]

    def agree(ours: Any, theirs: Any) -> None:
        assert ours == theirs

    return Contest(
        ours=lambda: [tuple(pair) for pair in Bitext.open(paths[0], languages=("en", "fr"))],
        theirs=whole_tree,
        agree=agree,
        units=size,
        unit="pairs",
        note="the peer holds the memory in RAM and takes the languages on trust",
    )


@bench("clean, default rules")
def clean_default() -> Contest:
    from dragoman.text.cleaning import clean
    from dragoman.text.corpus import Bitext

    paths, size = _files("x.en", "x.fr")
    bitext = Bitext.open(*paths, languages=("en", "fr"))
    outputs = [path.with_suffix(f"{path.suffix}.out") for path in paths]
    return Contest(ours=lambda: clean(bitext, outputs), units=size, unit="pairs", note="files to files, one core")


MEASURE = """
import sys
from dragoman.text import cleaning, corpus, documents, scripts
paths = sys.argv[2:]
bitext = corpus.Bitext.open(*paths, languages=("en", "fr"))
run = {"read": lambda b: b.count(), "few": lambda b: cleaning.clean(b, checks=["length", "ratio", "symbols", "script"]),
       "all": cleaning.clean}[sys.argv[1]]
def peak():  # not ru_maxrss, which a process inherits from its parent
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
run(bitext[:1000])
before = peak()
run(bitext)
print(peak() - before)
"""


@bench("memory of streaming")
def memory() -> dict[str, str]:
    plain, size = _files("x.en", "x.fr")
    tmx, _ = _files("x.tmx")
    jobs: dict[str, list[str | Path]] = {
        "read a plain pair": ["read", *plain],
        "read TMX": ["read", *tmx],
        "clean without rules on duplicates": ["few", *plain],
        "clean with the default rules": ["all", *plain],
    }
    found = {}
    for name, arguments in jobs.items():
        run = subprocess.run([sys.executable, "-c", MEASURE, *arguments], capture_output=True, text=True, check=True)
        found[f"{name}, {size:,} pairs of which half are duplicates"] = f"{int(run.stdout) / 1024:.1f} MiB"
    return found
