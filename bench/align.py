"""Word alignment beside eflomal and sil-thot's FastAlign: speed, and error rates on gold links.

Training text of each gold set, the same for both sides, lower-cased: its own text, and as far as there is a corpus of
the pair, multi30k (as shipped) and debian (split at word boundaries and punctuation). The default settings were chosen
with these sets in view, so none of them is a held-out check. The peer's best heuristic on each set counts.
"""

from __future__ import annotations

import re
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

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
HEURISTICS = ("intersection", "grow-diag", "grow-diag-final-and")
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


def ours(model: str, source: list[str], target: list[str], **settings: Any) -> list[Alignment]:
    aligner = ALIGNERS.get(model)()
    aligner.train(source, target, threads=2)
    return aligner.align(source, target, threads=2, **settings)


def error(found: list[Alignment], gold: list[GoldAlignment]) -> float:
    return alignment_scores(found[: len(gold)], gold).aer


@bench("diagonal model, multi30k de-en, both directions and symmetrization", peer="sil-thot FastAlign", target=2.0)
def diagonal() -> Contest:
    source, target = (lines(DATA / "multi30k" / f"train.{code}") for code in ("de", "en"))
    return Contest(
        ours=lambda: ours("fast", source, target, symmetrize="grow-diag-final-and"),
        theirs=lambda: fast_align(source, target),
        units=len(source), unit="pairs", repeat=2, note="2 threads (the peer uses one)",
    )  # fmt: skip


@bench("default model, multi30k de-en, both directions and symmetrization", peer="eflomal", target=1.0)
def default() -> Contest:
    source, target = (lines(DATA / "multi30k" / f"train.{code}") for code in ("de", "en"))
    return Contest(
        ours=lambda: ours("bayes", source, target),
        theirs=lambda: symmetrize_all(*eflomal(source, target)),
        units=len(source), unit="pairs", repeat=2, note="2 threads each",
    )  # fmt: skip


@bench("alignment error rate on gold sets, ours / the peer's best heuristic, and seconds", peer="eflomal")
def quality() -> dict[str, str]:
    figures = {}
    for name in GOLD:
        source, target, gold = training(name)
        start = time.perf_counter()
        found = ours("bayes", source, target)
        middle = time.perf_counter()
        forward, reverse = eflomal(source, target)
        end = time.perf_counter()
        n = len(gold)
        best = min(error(symmetrize_all(forward[:n], reverse[:n], heuristic=h), gold) for h in HEURISTICS)
        mine = error(found, gold)
        figures[f"{name} ({len(source)} pairs)"] = (
            f"{mine:.4f} / {best:.4f} {'ok' if mine <= best else 'WORSE'}; "
            f"{middle - start:.1f} s / {end - middle:.1f} s"
        )
    return figures


@bench("alignment error rate of the diagonal model, grow-diag-final-and both", peer="sil-thot FastAlign")
def diagonal_quality() -> dict[str, str]:
    figures = {}
    for name in ("en-cs-czenali", "en-es-europarl", "ja-en-kftt", "zh-en-nist02"):
        source, target, gold = training(name)
        mine = error(ours("fast", source, target, symmetrize="grow-diag-final-and"), gold)
        soft = error(ours("fast", source, target), gold)
        theirs = error(fast_align(source, target), gold)
        figures[name] = f"{mine:.4f} (soft {soft:.4f}) / {theirs:.4f} {'ok' if mine <= theirs else 'WORSE'}"
    return figures


@bench("memory of training")
def memory() -> dict[str, str]:
    figures = {}
    source, target = (lines(DATA / "multi30k" / f"train.{code}") for code in ("de", "en"))
    for pairs in (7250, 14500, 29000):
        tokens = sum(len(line.split()) for side in (source, target) for line in side[:pairs])
        for model in ("fast", "bayes"):
            used = peak_memory(lambda m=model, n=pairs: ours(m, source[:n], target[:n]))  # type: ignore[misc]
            figures[f"{model}, {pairs} pairs"] = f"{used / 2**20:.0f} MiB, {used / tokens:.0f} bytes per token"
    return figures


@bench("aligning new pairs with a saved model, multi30k val")
def forced() -> Contest:
    source, target = (lines(DATA / "multi30k" / f"train.{code}") for code in ("de", "en"))
    new = [lines(DATA / "multi30k" / f"val.{code}") for code in ("de", "en")]
    aligner = ALIGNERS.get("bayes")(chains=1, sweeps=0.2)  # type: ignore[call-arg]
    aligner.train(source, target)
    return Contest(
        ours=lambda: aligner.align(new[0], new[1], threads=1), units=len(new[0]), unit="pairs", note="1 thread"
    )
