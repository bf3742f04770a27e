"""Do mined multiword expressions, as priors, improve word alignment? (Okita, Maldonado Guerra, Graham and Way 2010)

    python experiments/p32_mwe_alignment/run.py --out results/p32

Two bitexts with gold links: a synthetic English-German one with idioms, and the Czech-English manual alignments (their
own text only). Expressions are mined from the text itself or, in the synthetic text, are the idioms that its grammar
made (those whose words lie together on both sides). Treatments: nothing; grouping alone (the paper's second
baseline); grouping with the three forms of the sentence prior; the corpus prior in both readings; and as a test of
noise, one anchor in five moved to a wrong word, with hard and with soft confidence.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.align import ALIGNERS, Alignment, GoldAlignment, alignment_scores
from dragoman.align.formats import read_pharaoh
from dragoman.align.mwe import ExpressionAnchor, GroupedBitext, extract_expressions, find_anchors, group, ungroup
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, grid, record

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
MODELS = ("ibm1", "hmm")
SENTENCE_PRIORS = ("paper", "relative", "posterior")
TREATMENTS = (
    "plain", "grouped", *SENTENCE_PRIORS, "dense literal", "dense exchanged", "noise hard", "noise soft",
)  # fmt: skip
SOFT = 0.9


@cache
def bitext(name: str, size: int) -> tuple[list[str], list[str], list[GoldAlignment]]:
    if name == "synthetic":
        items = list(synthetic.pair("en-de").generate(size))
        sides = [[" ".join(side.tokens).lower() for side in each] for each in
                 ([item.source for item in items], [item.target for item in items])]  # fmt: skip
        return sides[0], sides[1], [GoldAlignment(Alignment(item.alignment)) for item in items]
    folder = DATA / "alignments" / "en-cs-czenali"
    sides = [[line.lower() for line in read_lines(folder / f"text.{code}.gz")] for code in ("en", "cs")]
    return sides[0], sides[1], [GoldAlignment(links) for links in read_pharaoh(folder / "gold.sure.gz")]


@cache
def anchors(name: str, size: int, expressions: str) -> tuple[ExpressionAnchor, ...]:
    source, target, _ = bitext(name, size)
    if expressions == "mined":
        return tuple(find_anchors(extract_expressions(source, target), source, target))
    return tuple(
        ExpressionAnchor(k, idiom.source[0], idiom.target[0], len(idiom.source), len(idiom.target))
        for k, item in enumerate(synthetic.pair("en-de").generate(size))
        for idiom in item.idioms
        if together(idiom.source) and together(idiom.target)
    )


def together(positions: tuple[int, ...]) -> bool:
    return positions == tuple(range(positions[0], positions[0] + len(positions)))


def noisy(grouped: GroupedBitext, confidence: float) -> GroupedBitext:
    """One anchor in five points to another target word of its sentence."""
    random = stream(1, "noise")
    moved = []
    for anchor in grouped.anchors:
        words = len(grouped.target[anchor.sentence].split())
        wrong = random.random() < 0.2 and words > 1
        place = (anchor.target + int(random.integers(1, words))) % words if wrong else anchor.target
        moved.append(replace(anchor, target=place, confidence=confidence))
    return replace(grouped, anchors=tuple(moved))


def run_cell(data: str, expressions: str, model: str, treatment: str, size: int) -> Mapping[str, Any]:
    if expressions == "gold" and data != "synthetic":
        return {}
    source, target, gold = bitext(data, size)
    found = anchors(data, size, expressions)
    settings: dict[str, Any] = {}
    if treatment in SENTENCE_PRIORS:
        settings["prior"] = treatment
    if treatment.startswith("dense"):
        settings.update(prior="relative", dense_prior=treatment.split()[1])
    aligner = ALIGNERS.get(model)(**settings)
    if treatment == "plain":
        aligner.train(source, target)
        links = aligner.align(source, target, symmetrize="grow-diag-final")
    else:
        grouped = group(source, target, found)
        if treatment.startswith("noise"):
            grouped = noisy(grouped, 1.0 if treatment == "noise hard" else SOFT)
        known = None if treatment == "grouped" else grouped.known_links()
        aligner.train(grouped.source, grouped.target, anchors=known)
        seen = None if treatment.startswith("dense") else known
        links = ungroup(
            aligner.align(grouped.source, grouped.target, symmetrize="grow-diag-final", anchors=seen), grouped
        )
    holding = sorted({anchor.sentence for anchor in found})
    scores = alignment_scores(links, gold)
    inside = alignment_scores([links[k] for k in holding], [gold[k] for k in holding])
    return {
        "anchors": len(found), "aer": scores.aer, "aer_anchored": inside.aer,
        "precision": scores.precision, "recall": scores.recall,
    }  # fmt: skip


def better(table: Table, figure: str, one: str, other: str, expressions: str) -> bool:
    """With these expressions, in every data set and model, treatment one has no more errors than the other."""
    return all(
        row[figure]
        <= table.mean(figure, expressions=expressions, data=row["data"], model=row["model"], treatment=other)
        for row in table.where(treatment=one, expressions=expressions)
    )


def claim(text: str, figure: str, one: str, other: str, expressions: str) -> Claim:
    return Claim(f"{expressions} expressions: {text}", lambda t: better(t, figure, one, other, expressions))


CLAIMS = [
    each
    for kind in ("mined", "gold")
    for each in (
        claim("the renormalised prior has fewer errors than no treatment, in sentences with an anchor",
              "aer_anchored", "posterior", "plain", kind),
        claim("the renormalised prior has no more errors than grouping alone", "aer", "posterior", "grouped", kind),
        claim("the corpus prior does not beat no treatment", "aer", "plain", "dense literal", kind),
        claim("with a fifth of the anchors wrong, soft ones do less harm than hard ones",
              "aer", "noise soft", "noise hard", kind),
    )
]  # fmt: skip


def main() -> None:
    args = arguments(__doc__, out="results/p32", size=3000)
    table = grid(
        run_cell, data=["synthetic", "czenali"], expressions=["mined", "gold"], model=MODELS, treatment=TREATMENTS,
        size=[args.size],
    )  # fmt: skip
    plot = dot_plot(
        table,
        label=lambda r: f"{r['data']}, {r['expressions']}, {r['model']}, {r['treatment']}",
        figure="aer_anchored",
    )
    record(table, CLAIMS, plot=plot, out=args.out, settings=vars(args))


if __name__ == "__main__":
    main()
