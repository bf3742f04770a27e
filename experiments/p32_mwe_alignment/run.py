"""Do multiword expressions, as priors, improve word alignment? (Okita, Maldonado Guerra, Graham and Way 2010)

    python experiments/p32_mwe_alignment/run.py --out results/p32

Two bitexts with gold links: a synthetic English-German one with idioms, and the Czech-English manual alignments (their
own text only, half as many pairs). Expressions are mined from the text by counts (`mined`), by counts among verb and
noun phrases that part-of-speech patterns admit (`patterns`), by EM over such phrases (`em`), or are the idioms that the
grammar made (`gold`, those whose words lie together on both sides); all but the first in the synthetic text only, which
comes with parts of speech. Treatments: nothing; grouping alone (the paper's second baseline); grouping with the three
forms of the sentence prior; soft anchors, trusted as far as they are probable; the prior on jumps; the corpus prior in
both readings; and as a test of noise, one anchor in five moved to a wrong word, with hard and with soft confidence.
IBM 1 and the HMM get all of them, IBM 3, IBM 4 and the sampled model the main ones.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.align import ALIGNERS, Alignment, GoldAlignment, alignment_scores
from dragoman.align.anchors import Anchors, ExpressionAnchor, find_anchors
from dragoman.align.formats import read_pharaoh
from dragoman.align.grouping import GroupedBitext, group, ungroup
from dragoman.align.mwe import Tagged, extract_expressions
from dragoman.align.patterns import TagPatterns
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, grid, record

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
MODELS = ("ibm1", "hmm", "ibm3", "ibm4", "bayes")
ABLATED = ("ibm1", "hmm")
EXPRESSIONS = ("mined", "patterns", "em", "gold")
MAIN = ("plain", "grouped", "posterior")
SENTENCE_PRIORS = ("paper", "relative", "posterior")
TREATMENTS = (
    "plain",
    "grouped",
    *SENTENCE_PRIORS,
    "soft",
    "jump prior",
    "dense literal",
    "dense exchanged",
    "noise hard",
    "noise soft",
)
SOFT = 0.9
PHRASES = {
    "source": TagPatterns(("VERB ADP|PRON? DET? ADJ? NOUN", "ADJ NOUN")),
    "target": TagPatterns(("ADJ? ADP? DET? ADJ? NOUN VERB", "VERB ADP? DET? ADJ? NOUN ADP?", "ADJ NOUN")),
}


@cache
def items(size: int) -> tuple[Any, ...]:
    return tuple(synthetic.pair("en-de").generate(size))


@cache
def bitext(name: str, size: int) -> tuple[list[str], list[str], list[GoldAlignment]]:
    if name == "synthetic":
        sides = [
            [" ".join(side.tokens).lower() for side in each]
            for each in ([item.source for item in items(size)], [item.target for item in items(size)])
        ]
        return sides[0], sides[1], [GoldAlignment(Alignment(item.alignment)) for item in items(size)]
    folder = DATA / "alignments" / "en-cs-czenali"
    sides = [[line.lower() for line in read_lines(folder / f"text.{code}.gz")][: size // 2] for code in ("en", "cs")]
    return sides[0], sides[1], [GoldAlignment(links) for links in read_pharaoh(folder / "gold.sure.gz")[: size // 2]]


@cache
def anchors(name: str, size: int, expressions: str, soft: bool) -> tuple[ExpressionAnchor, ...]:
    source, target, _ = bitext(name, size)
    if expressions == "gold":
        return tuple(
            ExpressionAnchor(k, idiom.source[0], idiom.target[0], len(idiom.source), len(idiom.target))
            for k, item in enumerate(items(size))
            for idiom in item.idioms
            if together(idiom.source) and together(idiom.target)
        )
    tags: dict[str, Tagged] = {}
    if expressions != "mined":
        for side, patterns in PHRASES.items():
            tags[f"{side}_tags"] = Tagged([getattr(item, side).annotated.pos for item in items(size)], patterns)
    pairing = "em" if expressions == "em" else "counts"
    found = extract_expressions(source, target, pairing=pairing, **tags)  # type: ignore[arg-type]
    return tuple(find_anchors([each.anchor(soft=soft) for each in found], source, target))


def together(positions: Sequence[int]) -> bool:
    return tuple(positions) == tuple(range(positions[0], positions[0] + len(positions)))


def noisy(grouped: GroupedBitext, confidence: float) -> GroupedBitext:
    """One anchor in five points to another word."""
    random = stream(32, "wrong anchors")
    moved = []
    for anchor in grouped.anchors:
        words = len(grouped.target[anchor.sentence].split())
        wrong = random.random() < 0.2 and words > 1
        place = (anchor.target + int(random.integers(1, words))) % words if wrong else anchor.target
        moved.append(replace(anchor, target=place, confidence=confidence))
    return replace(grouped, anchors=tuple(moved))


def without(alignment: Alignment, here: Iterable[ExpressionAnchor]) -> Alignment:
    """The links between words that belong to no anchored expression."""
    taken: tuple[set[int], set[int]] = (set(), set())
    for anchor in here:
        for side, span in enumerate(anchor.spans()):
            taken[side].update(span)
    return Alignment(tuple((i, j) for i, j in alignment if i not in taken[0] and j not in taken[1]))


def kept(grouped: GroupedBitext, known: Anchors, directions: Sequence[Sequence[Alignment]]) -> float:
    """The share of anchors that both directions link, and link to nothing else."""
    rows = [(k, i, j) for k, row in enumerate(known.links) for i, j, _ in row]
    right = sum(
        all({link for link in links[k] if link[0] == i or link[1] == j} == {(i, j)} for links in directions)
        for k, i, j in rows
    )
    return right / len(rows) if rows else 1.0


@cache
def plain_links(data: str, model: str, size: int) -> list[Alignment]:
    source, target, _ = bitext(data, size)
    aligner = ALIGNERS.get(model)()
    aligner.train(source, target)
    return aligner.align(source, target, symmetrize="grow-diag-final")


def run_cell(data: str, expressions: str, model: str, treatment: str, size: int) -> Mapping[str, Any]:
    if expressions != "mined" and data != "synthetic":
        return {}
    if (model not in ABLATED and treatment not in MAIN) or (treatment == "jump prior" and model != "hmm"):
        return {}
    if (treatment == "soft" and expressions == "gold") or (expressions in ("patterns", "em") and model not in ABLATED):
        return {}
    source, target, gold = bitext(data, size)
    found = anchors(data, size, expressions, treatment == "soft")
    settings: dict[str, Any] = {}
    if treatment in SENTENCE_PRIORS and model != "bayes":
        settings["prior"] = treatment
    if treatment == "jump prior":
        settings["jump_prior"] = True
    if treatment.startswith("dense"):
        settings.update(prior="relative", dense_prior=treatment.split()[1])
    share: float | str = ""
    if treatment == "plain":
        links = plain_links(data, model, size)
    else:
        aligner = ALIGNERS.get(model)(**settings)
        grouped = group(source, target, found)
        if treatment.startswith("noise"):
            grouped = noisy(grouped, 1.0 if treatment == "noise hard" else SOFT)
        known = None if treatment == "grouped" else grouped.known_links()
        aligner.train(grouped.source, grouped.target, anchors=known)
        seen = None if treatment.startswith("dense") else known
        glued = aligner.align(grouped.source, grouped.target, symmetrize="grow-diag-final", anchors=seen)
        if treatment in (*SENTENCE_PRIORS, "jump prior") and known is not None:
            share = kept(grouped, known, aligner.viterbi(grouped.source, grouped.target, anchors=known))
        links = ungroup(glued, grouped.source, grouped.target)
    by_sentence: dict[int, list[ExpressionAnchor]] = {}
    for anchor in found:
        by_sentence.setdefault(anchor.sentence, []).append(anchor)
    inside = alignment_scores([links[k] for k in by_sentence], [gold[k] for k in by_sentence])
    beside = alignment_scores(
        [without(links[k], here) for k, here in by_sentence.items()],
        [GoldAlignment(without(gold[k].sure, here)) for k, here in by_sentence.items()],
    )
    scores = alignment_scores(links, gold)
    return {
        "anchors": len(found),
        "aer": scores.aer,
        "aer_anchored": inside.aer,
        "aer_beside": beside.aer,
        "precision": scores.precision,
        "recall": scores.recall,
        "anchors_kept": share,
    }


def better(table: Table, figure: str, one: str, other: str, expressions: str, slack: float = 0.0) -> bool:
    """With these expressions, in every data set and model, treatment one has no more errors than the other."""
    rows = table.where(treatment=one, expressions=expressions)
    return bool(rows) and all(
        row[figure]
        <= table.mean(figure, expressions=expressions, data=row["data"], model=row["model"], treatment=other) + slack
        for row in rows
    )


def claim(text: str, figure: str, one: str, other: str, expressions: str) -> Claim:
    return Claim(f"{expressions} expressions: {text}", lambda t: better(t, figure, one, other, expressions))


CLAIMS = [
    Claim(
        "every anchor is linked, and to nothing else, by every model with a sentence prior",
        lambda t: all(row["anchors_kept"] == 1 for row in t.rows if row["anchors_kept"] != ""),
    ),
    *(
        each
        for kind in EXPRESSIONS
        for each in (
            claim(
                "the renormalised prior has fewer errors than no treatment, in sentences with an anchor",
                "aer_anchored",
                "posterior",
                "plain",
                kind,
            ),
            claim("the same holds for the other words of these sentences", "aer_beside", "posterior", "plain", kind),
            claim("the renormalised prior has no more errors than grouping alone", "aer", "posterior", "grouped", kind),
            claim("the corpus prior does not beat no treatment", "aer", "plain", "dense literal", kind),
            claim(
                "with a fifth of the anchors wrong, soft ones do less harm than hard ones",
                "aer",
                "noise soft",
                "noise hard",
                kind,
            ),
        )
    ),
    claim("soft anchors do no more harm than hard ones", "aer", "soft", "posterior", "mined"),
]


def main() -> None:
    args = arguments(__doc__, out="results/p32", size=1500, small=False)
    table = grid(
        run_cell,
        data=["synthetic"] if args.small else ["synthetic", "czenali"],
        expressions=EXPRESSIONS,
        model=("ibm1", "hmm", "ibm3") if args.small else MODELS,
        treatment=TREATMENTS,
        size=[200 if args.small else args.size],
    )
    plot = dot_plot(
        table,
        label=lambda r: f"{r['data']}, {r['expressions']}, {r['model']}, {r['treatment']}",
        figure="aer_anchored",
    )
    record(table, CLAIMS, plot=plot, out=args.out, settings=vars(args))


if __name__ == "__main__":
    main()
