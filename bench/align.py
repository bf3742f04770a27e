"""Word alignment beside eflomal and sil-thot's FastAlign: speed, memory, and error rates on gold links.

Training text of each gold set, the same for all, lower-cased: its own text and, as far as there is a corpus of the
pair, multi30k (as shipped) and debian (split at word boundaries and punctuation), `PAIRS` pairs at most. The default
settings were chosen with these sets in view, so none of them is a held-out check; no setting differs between sets. The
best of three heuristics counts for eflomal on each set. Aligners are run in turn; beside error rates stand seconds of
processor time, which other work on the machine disturbs least.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from bench.contest import DATA, Contest, bench, peak_memory
from dragoman.align import ALIGNERS, Alignment, GoldAlignment, alignment_scores, symmetrize_all
from dragoman.align.formats import read_pharaoh
from dragoman.files import read_lines

GOLD: dict[str, tuple[str, ...]] = {
    "en-cs-czenali": ("multi30k",),
    "en-es-europarl": ("debian",),
    "en-fr-europarl": ("multi30k", "debian"),
    "en-fr-hansards": ("multi30k", "debian"),
    "en-pt-europarl": (),
    "fr-en-perrault": ("multi30k", "debian"),
    "ja-en-kftt": (),
    "zh-en-nist02": ("zh-en-tsinghua",),
    "zh-en-tsinghua": ("zh-en-nist02",),
}
PAIRS = 6000
HEURISTICS = ("intersection", "grow-diag", "grow-diag-final-and")
T = TypeVar("T")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def lines(path: Path) -> list[str]:
    return list(read_lines(path if path.exists() else path.with_name(path.name + ".gz")))


def corpus(name: str, languages: tuple[str, str]) -> list[list[str]]:
    if name == "multi30k":
        return [lines(DATA / "multi30k" / f"train.{code}") for code in languages]
    if name == "debian":
        folder = DATA / "debian" / "-".join(sorted(languages, key=lambda code: code != "en"))
        return [[" ".join(_TOKEN.findall(line)) for line in lines(folder / f"train.{code}")] for code in languages]
    return [lines(DATA / "alignments" / name / f"text.{code}") for code in languages]


@cache
def training(name: str) -> tuple[list[str], list[str], list[GoldAlignment]]:
    """Source, target and the gold links of their first lines."""
    first, second = name.split("-")[:2]
    source, target = corpus(name, (first, second))
    count = len(source)
    for extra in GOLD[name]:
        more = corpus(extra, (first, second))
        source, target = source + more[0], target + more[1]
    kept = [(s.lower(), t.lower()) for s, t in zip(source, target, strict=True) if s.strip() and t.strip()]
    folder = DATA / "alignments" / name
    gold = [
        GoldAlignment(Alignment.parse(sure), Alignment.parse(possible))
        for sure, possible in zip(lines(folder / "gold.sure"), lines(folder / "gold.possible"), strict=True)
    ]
    assert len(gold) == count
    kept = kept[: max(PAIRS, count)]
    return [s for s, _ in kept], [t for _, t in kept], gold


def eflomal(source: list[str], target: list[str]) -> tuple[list[Alignment], list[Alignment]]:
    import eflomal as peer

    with tempfile.TemporaryDirectory() as folder:
        forward, reverse = Path(folder) / "forward", Path(folder) / "reverse"
        peer.Aligner().align(iter(source), iter(target), str(forward), str(reverse))
        return read_pharaoh(forward), read_pharaoh(reverse)


def fast_align(source: list[str], target: list[str]) -> list[Alignment]:
    """sil-thot's FastAlign, both directions and grow-diag-final-and, with its own symmetrizer."""
    from thot.alignment import FastAlignModel, SymmetrizationHeuristic, SymmetrizedAligner

    pairs = [(s.split(), t.split()) for s, t in zip(source, target, strict=True)]
    models = []
    for direction in (0, 1):
        model = FastAlignModel()
        for pair in pairs:
            model.add_sentence_pair(pair[direction], pair[1 - direction], 1)
        model.start_training()
        for _ in range(5):
            model.train()
        model.end_training()
        models.append(model)
    aligner = SymmetrizedAligner(models[0], models[1])
    aligner.heuristic = SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    found = []
    for s, t in pairs:
        matrix = aligner.get_best_alignment(s, t)[1].to_numpy()
        found.append(Alignment(tuple(zip(*(axis.tolist() for axis in matrix.nonzero()), strict=True))))
    return found


def ours(
    model: str, threads: int, source: list[str], target: list[str], *, symmetrize: str = "posterior", **settings: Any
) -> list[Alignment]:
    aligner = ALIGNERS.get(model)(**settings)
    aligner.train(source, target, threads=threads)
    return aligner.align(source, target, threads=threads, symmetrize=symmetrize)


def error(found: list[Alignment], gold: list[GoldAlignment]) -> float:
    return alignment_scores(found[: len(gold)], gold).aer


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """What a function gives, and the processor time it took, child processes included."""
    before = os.times()
    value = function()
    after = os.times()
    return value, sum(after[:4]) - sum(before[:4])


def texts(name: str) -> tuple[list[str], list[str]]:
    """German and English of one corpus, without empty sides."""
    source, target = corpus(name, ("de", "en"))
    kept = [(s, t) for s, t in zip(source, target, strict=True) if s.strip() and t.strip()][:PAIRS]
    return [s for s, _ in kept], [t for _, t in kept]


def against_fast_align(name: str) -> Contest:
    source, target = texts(name)
    return Contest(
        ours=lambda: ours("fast", 1, source, target, symmetrize="grow-diag-final-and"),
        theirs=lambda: fast_align(source, target),
        units=len(source),
        unit="pairs",
        repeat=2,
        note="both directions and grow-diag-final-and, 1 thread each",
    )


def against_eflomal(name: str) -> Contest:
    source, target = texts(name)
    return Contest(
        ours=lambda: ours("bayes", 2, source, target),
        theirs=lambda: symmetrize_all(*eflomal(source, target)),
        units=len(source),
        unit="pairs",
        repeat=1,
        note="both directions and symmetrization, 2 threads each",
    )


@bench("diagonal model, multi30k de-en", peer="sil-thot FastAlign", target=2.0)
def diagonal_captions() -> Contest:
    return against_fast_align("multi30k")


@bench("diagonal model, debian de-en", peer="sil-thot FastAlign", target=2.0)
def diagonal_descriptions() -> Contest:
    return against_fast_align("debian")


@bench("default model, multi30k de-en", peer="eflomal", target=1.0)
def default_captions() -> Contest:
    return against_eflomal("multi30k")


@bench("default model, debian de-en", peer="eflomal", target=1.0)
def default_descriptions() -> Contest:
    return against_eflomal("debian")


@bench("alignment error rate of the default model on gold sets: ours / eflomal, and seconds", peer="eflomal")
def quality() -> dict[str, str]:
    figures = {}
    for name in GOLD:
        source, target, gold = training(name)
        found, mine_seconds = timed(partial(ours, "bayes", 2, source, target))
        both, peer_seconds = timed(partial(eflomal, source, target))
        sides = [side[: len(gold)] for side in both]
        best = min(error(symmetrize_all(*sides, heuristic=h), gold) for h in HEURISTICS)
        mine = error(found, gold)
        figures[f"{name} ({len(source)} pairs)"] = verdict(mine, best, mine_seconds, peer_seconds)
    return figures


@bench("alignment error rate of the diagonal model, grow-diag-final-and: ours / FastAlign", peer="sil-thot FastAlign")
def diagonal_quality() -> dict[str, str]:
    figures = {}
    for name in GOLD:
        source, target, gold = training(name)
        found, mine_seconds = timed(partial(ours, "fast", 1, source, target, symmetrize="grow-diag-final-and"))
        theirs, peer_seconds = timed(partial(fast_align, source, target))
        figures[f"{name} ({len(source)} pairs)"] = verdict(
            error(found, gold), error(theirs, gold), mine_seconds, peer_seconds
        )
    return figures


@bench("alignment error rate of every model on gold sets, links of at least 0.45 mean probability")
def models() -> dict[str, str]:
    figures = {}
    for name in ("en-fr-europarl", "zh-en-nist02"):
        source, target, gold = training(name)
        source, target = source[:600], target[:600]
        found = [f"{model} {error(ours(model, 2, source, target), gold):.4f}" for model in ALIGNERS]
        figures[f"{name} ({len(source)} pairs)"] = ", ".join(found)
    return figures


@bench("memory of training")
def memory() -> dict[str, str]:
    figures = {}
    source, target = (lines(DATA / "multi30k" / f"train.{code}") for code in ("de", "en"))
    for model in ("fast", "bayes"):
        for pairs in (7250, 14500, 29000):
            tokens = sum(len(line.split()) for side in (source, target) for line in side[:pairs])
            short: dict[str, Any] = {"iterations": 1} if model == "fast" else {"sweeps": 0.1}
            used = peak_memory(partial(ours, model, 2, source[:pairs], target[:pairs], **short))
            figures[f"{model}, {pairs} pairs, {tokens} tokens"] = (
                f"{used / 2**20:.0f} MiB, {used / tokens * 1e6 / 2**20:.0f} MiB per million tokens"
            )
    return figures


def forced_alignment(model: str, **settings: Any) -> Contest:
    source, target = texts("multi30k")
    new = [lines(DATA / "multi30k" / f"val.{code}") for code in ("de", "en")]
    aligner = ALIGNERS.get(model)(**settings)
    aligner.train(source, target, threads=2)
    return Contest(
        ours=lambda: aligner.align(new[0], new[1], symmetrize="posterior", threads=1),
        units=len(new[0]),
        unit="pairs",
        note="1 thread",
    )


@bench("aligning new pairs with a trained diagonal model, multi30k val")
def forced_diagonal() -> Contest:
    return forced_alignment("fast")


@bench("aligning new pairs with a trained default model, multi30k val")
def forced_default() -> Contest:
    return forced_alignment("bayes", chains=1, sweeps=0.2)


def verdict(mine: float, theirs: float, seconds: float, peer_seconds: float) -> str:
    return (
        f"{mine:.4f} / {theirs:.4f} {'ok' if mine <= theirs else 'WORSE'}; "
        f"{seconds:.1f} s / {peer_seconds:.1f} s, {peer_seconds / seconds:.1f}x"
    )
