"""Translation tables: extraction, scoring, storage and look-up.

The word-aligned bitexts are made once, with eflomal and grow-diag-final-and, and kept in the temporary folder. Moses is
no Python package; its figure for the first job is the best of its runs on this kind of machine (30 s on two cores for
`extract`, `sort`, `score` and the reordering table), and is printed as such.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.contest import DATA, Contest, bench, measured
from dragoman.align import ALIGNERS
from dragoman.annotations import Argument, Frame, Sentence, Span
from dragoman.cache import StageCache
from dragoman.files import read_lines
from dragoman.grammar.limits import SYSTEMS, HieroLimits, LeftToRightLimits, PhraseLimits
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.pipeline.recipe import Recipe

CACHE = Path(tempfile.gettempdir()) / "aligned-for-dragoman"
MOSES_SECONDS = 30.0
HIERARCHICAL = Scoring(reordering=ReorderingModel.parse("hier-mslr-bidirectional-fe"))


def symmetrized(forward: str, backward: str) -> str:
    """Grow-diag-final-and of two directional alignments."""
    fe = {(int(a), int(b)) for a, b in (p.split("-") for p in forward.split())}
    ef = {(int(a), int(b)) for a, b in (p.split("-") for p in backward.split())}
    links, union = fe & ef, fe | ef
    around = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    rows, columns = {f for f, _ in links}, {e for _, e in links}

    def add(f: int, e: int) -> None:
        links.add((f, e))
        rows.add(f)
        columns.add(e)

    grown = True
    while grown:
        grown = False
        for f, e in sorted(links, key=lambda p: (p[1], p[0])):
            for df, de in around:
                p = (f + df, e + de)
                if p in union and p not in links and (p[0] not in rows or p[1] not in columns):
                    add(*p)
                    grown = True
    for direction in (sorted(ef, key=lambda p: (p[1], p[0])), sorted(fe)):
        for f, e in direction:
            if f not in rows and e not in columns:
                add(f, e)
    return " ".join(f"{f}-{e}" for f, e in sorted(links))


def aligned(name: str, source: list[str], target: list[str]) -> tuple[Path, Path, Path]:
    """A bitext and its alignment as files, from the cache if they are there."""
    from eflomal import Aligner

    def work(out: Path) -> None:
        (out / "source").write_text("".join(f"{line}\n" for line in source), "utf-8")
        (out / "target").write_text("".join(f"{line}\n" for line in target), "utf-8")
        forward, backward = out / "forward", out / "backward"
        Aligner().align(source, target, links_filename_fwd=str(forward), links_filename_rev=str(backward), quiet=True)
        lines = map(symmetrized, forward.read_text().splitlines(), backward.read_text().splitlines())
        (out / "links").write_text("".join(f"{line}\n" for line in lines))

    text = hashlib.blake2b("\n".join([*source, *target]).encode(), digest_size=16).hexdigest()
    made = StageCache(CACHE).run(f"eflomal-{name}", work=work, settings={"text": text})
    return made.file("source"), made.file("target"), made.file("links")


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def multi30k() -> tuple[Path, Path, Path]:
    folder = DATA / "multi30k"
    return aligned("multi30k", lines(folder / "train.de.gz"), lines(folder / "train.en.gz"))


def debian(pairs: int) -> tuple[Path, Path, Path]:
    """English to French and to German package descriptions, lower-cased and split at punctuation, repeated to size."""
    import re

    source: list[str] = []
    target: list[str] = []
    for other in ("fr", "de"):
        folder = DATA / "debian" / f"en-{other}"
        source += lines(folder / "train.en.gz")
        target += lines(folder / f"train.{other}.gz")
    split = re.compile(r"(\w+|[^\w\s])")
    source, target = ([" ".join(split.findall(line.lower())) for line in side] for side in (source, target))
    name = f"debian-{pairs}"
    paths = CACHE / f"{name}.source", CACHE / f"{name}.target", CACHE / f"{name}.links"
    if not paths[2].exists():
        once = [path.read_text("utf-8").splitlines() for path in aligned("debian", source, target)]
        for path, side in zip(paths, once, strict=True):
            repeated = itertools.islice(itertools.cycle(side), pairs)
            path.write_text("".join(f"{line}\n" for line in repeated), "utf-8")
    return paths


@bench("extract + score + hierarchical mslr reordering, Multi30k de-en, 2 threads")
def extraction() -> Contest:
    files = multi30k()
    out = CACHE / "multi30k.table"
    size = len(extract(*files, out, scoring=HIERARCHICAL, threads=2).table)
    return Contest(
        ours=lambda: extract(*files, out, scoring=HIERARCHICAL, threads=2),
        units=size,
        unit="rules",
        note=f"{size:,} rules; Moses (msd-bidirectional-fe, 1.2 M rules): {MOSES_SECONDS:g} s at best",
    )


@bench("processor time of the same")
def processor() -> dict[str, str]:
    files = multi30k()
    figures: dict[str, str] = {}
    for threads in (1, 2):
        work = partial(extract, *files, CACHE / "multi30k.table", scoring=HIERARCHICAL, threads=threads)
        figures[f"threads={threads}"] = f"{min(measured(work).spent for _ in range(2)):.1f} s, best of 2"
    return figures


@bench("size of a table, Multi30k de-en")
def size() -> dict[str, str]:
    files = multi30k()
    figures: dict[str, str] = {}
    for name, scoring, compact in (
        ("4 columns", Scoring(), False),
        ("4 columns, compact", Scoring(), True),
        ("12 columns", HIERARCHICAL, False),
        ("12 columns, compact", HIERARCHICAL, True),
    ):
        out = CACHE / "size.table"
        table = extract(*files, out, scoring=scoring, compact=compact).table
        figures[name] = f"{table.native.bytes / len(table):.1f} bytes per rule, {len(table):,} rules"
    table = extract(*files, CACHE / "size.table", scoring=HIERARCHICAL, evidence=True).table
    figures["12 columns with evidence"] = f"{table.native.bytes / len(table):.1f} bytes per rule"
    return figures


@bench("growth over 10k, 30k, 100k pairs, Debian en-fr and en-de, 12 columns, 2 threads")
def growth() -> dict[str, str]:
    figures: dict[str, str] = {}
    source, target, links = (path.read_text("utf-8").splitlines() for path in debian(100_000))
    for pairs in (10_000, 30_000, 100_000):
        out = CACHE / f"growth-{pairs}.table"
        cost = measured(
            partial(extract, source[:pairs], target[:pairs], links[:pairs], out, scoring=HIERARCHICAL, threads=2)
        )
        table = RuleTable.open(out)
        figures[f"{pairs:,} pairs"] = (
            f"{cost}, {pairs / cost.seconds:,.0f} pairs/s, {len(table):,} rules, "
            f"{len(table) / cost.seconds:,.0f} rules/s, table {table.native.bytes / 2**20:,.0f} MiB"
        )
    return figures


@bench("memory bound, Debian 30k pairs")
def bound() -> dict[str, str]:
    files = debian(30_000)
    figures: dict[str, str] = {}
    for megabytes in (64, 1024):
        out = CACHE / "bound.table"
        cost = measured(partial(extract, *files, out, scoring=HIERARCHICAL, memory=megabytes * 2**20, threads=2))
        figures[f"memory={megabytes} MiB"] = str(cost)
    return figures


def aligned_as_usual() -> tuple[Path, Path, Path]:
    """Multi30k de-en with the alignment that training makes, from the cache if it is there."""
    recipe = Recipe()
    folder = DATA / "multi30k"
    source, target = lines(folder / "train.de.gz"), lines(folder / "train.en.gz")

    def work(out: Path) -> None:
        (out / "source").write_text("".join(f"{line}\n" for line in source), "utf-8")
        (out / "target").write_text("".join(f"{line}\n" for line in target), "utf-8")
        aligner: Any = ALIGNERS.get(recipe.aligner)()
        aligner.train(source, target)
        found = aligner.align(source, target, symmetrize=recipe.symmetrize)
        (out / "links").write_text("".join(f"{links}\n" for links in found))

    text = hashlib.blake2b("\n".join([*source, *target]).encode(), digest_size=16).hexdigest()
    made = StageCache(CACHE).run("usual-multi30k", work=work, settings={"text": text, "aligner": recipe.aligner})
    return made.file("source"), made.file("target"), made.file("links")


@bench("hierarchical rules, Multi30k de-en, 29k pairs, 2 threads")
def hierarchical() -> dict[str, str]:
    files = aligned_as_usual()
    figures: dict[str, str] = {}
    sizes: dict[str, int] = {}
    test = DATA / "multi30k" / "test_2016_flickr.de"
    kinds: dict[str, dict[str, Any]] = {
        "phrase, up to 7 words": {"limits": PhraseLimits()},
        "hiero": {"limits": HieroLimits()},
        "hiero, prefix-lexicalised": {"limits": HieroLimits(prefix_lexicalised="before")},
        "lr-hiero, with loose phrases": {"limits": LeftToRightLimits()},
        "hiero, memory=256 MiB": {"limits": HieroLimits(), "memory": 2**28},
        "hiero, kneser-ney": {"limits": HieroLimits(), "scoring": Scoring(smoothing="kneser-ney")},
        "hiero, for the test set": {"limits": HieroLimits(), "only_for": test},
    }
    for name, settings in kinds.items():
        out = CACHE / "hiero.table"
        cost = measured(partial(extract, *files, out, threads=2, **settings))
        table = RuleTable.open(out)
        sizes[name] = len(table)
        figures[name] = f"{cost}, {len(table):,} rules, {table.native.bytes:,} bytes"
    share = sizes["hiero, prefix-lexicalised"] / sizes["hiero"]
    figures["prefix-lexicalised / all rules"] = f"{share:.3f}"
    return figures


@bench("rules that trees constrain or label, Multi30k de-en, 29k pairs, 2 threads")
def constrained() -> dict[str, str]:
    """Extraction with made-up trees of the shape of real ones, against all rules; target: at most twice their time.

    Every word hangs on the next one but for the last of each three, which hangs on the last word: enough for the time
    that trees take, whatever they say. Chunks are of up to three words, tags are the last letters of words.
    """
    files = aligned_as_usual()
    given = []
    for line in read_lines(files[0]):
        words = line.split()
        last = len(words) - 1
        heads = [-1 if at == last else last if at % 3 == 2 else at + 1 for at in range(len(words))]
        chunks = [Span(("NP", "VP", "PP")[at // 3 % 3], at, min(at + 3, len(words))) for at in range(0, len(words), 3)]
        frames = [
            Frame(at, "", (Argument("A0", at - 2, at), Argument("A1", at + 1, at + 2))) for at in range(3, last, 6)
        ]
        tree = (heads, ["dep"] * len(words)) if words else None
        given.append(
            Sentence.of(words, tags=[word[-1] for word in words], chunks=chunks, frames=frames, dependencies=tree)
        )
    kinds = {"hiero": {}, **{name: SYSTEMS[name] for name in ("chunk", "srl-nonlex", "srl", "dc-sl-npr")}}
    kinds["dc-sl-npr, as a filter"] = {**SYSTEMS["dc-sl-npr"], "constraint": "filter"}
    figures: dict[str, str] = {}
    plain = 0.0
    for name, settings in kinds.items():
        limits = HieroLimits.from_dict(dict(settings))
        started = time.process_time()
        made = extract(*files, CACHE / "trees.table", limits=limits, annotations=given, threads=2).table
        took = time.process_time() - started
        plain = plain or took
        verdict = "ok" if took <= 2 * plain else "SHORT"
        times = f"{took / plain:.2f} times that of all rules (target at most 2 {verdict})"
        figures[name] = f"{took:.1f} s of processor time, {times}, {len(made):,} rules"
    return figures


@bench("all rules of all spans of a sentence, Multi30k test set, 1 thread")
def matching() -> Contest:
    table = extract(*multi30k(), CACHE / "match.table", scoring=HIERARCHICAL).table
    sentences = [
        table.encode(line) for line in (DATA / "multi30k" / "test_2016_flickr.de").read_text("utf-8").splitlines()
    ]
    return Contest(
        ours=lambda: sum(len(table.native.match(ids, 7)) for ids in sentences),
        units=len(sentences),
        unit="sentences",
    )


@bench("open a table")
def opening() -> dict[str, str]:
    path = CACHE / "growth-100000.table"
    if not path.exists():
        growth()
    best = min(_seconds(lambda: RuleTable.open(path)) for _ in range(5))
    return {f"{path.stat().st_size / 2**20:,.0f} MiB": f"{best * 1000:.1f} ms"}


def _seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
