"""Do multiword expressions, as priors, improve word alignment and translation? (Okita et al. 2010)

    python experiments/p32_mwe_alignment/run.py --out docs/experiments/p32 --seeds 2

Okita, Maldonado Guerra, Graham and Way mine bilingual expressions, glue them into single tokens and make IBM models and
the HMM align them by a prior. Two bitexts with gold links, `--size` pairs each: a synthetic English-German one with
idioms, and Czech-English text of which 2,500 pairs have manual links, filled up with captions of Multi30k. Expressions
are mined from the text by counts (`mined`), by counts among verb and noun phrases that part-of-speech patterns admit
(`patterns`), by EM over such phrases (`em`), or are the idioms that the grammar made (`gold`, those whose words lie
together on both sides); all but the first in the synthetic text only, which comes with parts of speech. Treatments:
nothing; grouping alone (the paper's second baseline); grouping with the three forms of the sentence prior; soft
anchors, trusted as far as they are probable; the prior on jumps; the corpus prior in both readings; and as a test of
noise, one anchor in five moved to a wrong word, with hard and with soft confidence. IBM 1 and the HMM get all of them,
IBM 3, IBM 4 (50 word classes; both with pairs of up to 200 words, as the others) and the sampled model the main ones.
"Anchors" says how good the expressions are: `right` are those with sure gold links inside and none that leads out on
either side. Links are symmetrised by grow-diag-final, as in the paper. `aer_anchored` is the error rate of the sentence
pairs that hold an anchor, `aer_beside` that of their words outside of anchors, `anchors_kept` the share of anchors that
both directions link and link to nothing else. p-values are of approximate randomisation over sentence pairs, two-sided,
10,000 samples: `p_plain` of `aer_anchored` against no treatment, `p_beside` the same of `aer_beside`, `p_grouped` of
`aer` against grouping alone, `p_all` of `aer` against no treatment, `p_hard` of soft against hard noise. Claims about
several rows are decided after Holm's correction.

How soon training is there: log-likelihood per word of pairs that were not trained on and hold no expression, by
iterations of IBM 1 and of the HMM, with gold expressions, glued only and with the prior. What it does to translation:
systems of phrases over IBM 4 (50 classes, grow-diag-final), the first `--train` pairs of French-English captions and of
English-German package descriptions, tuned by MIRA with `--seeds` seeds; expressions are mined from the same text by
counts.

With `--small` a smaller synthetic bitext stands in; `--parts` names some (links, iterations, translation) between
semicolons; with `--cache` finished stages and rows are kept.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

from dragoman.align import ALIGNERS, Alignment, GoldAlignment, alignment_scores
from dragoman.align.anchors import Anchors, ExpressionAnchor, find_anchors
from dragoman.align.formats import read_pharaoh
from dragoman.align.grouping import GroupedBitext, group, ungroup
from dragoman.align.mwe import Tagged, extract_expressions, write_expressions
from dragoman.align.patterns import TagPatterns
from dragoman.charts import line_plot
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.text import synthetic
from dragoman.text.tokenizer import Tokenizer
from experiments.common import Claim, Row, Table, dot_plot, grid, publish, remembered, smallest_p
from experiments.recipes import Systems, names_of, others, system_arguments

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
MODEL_SETTINGS = {"ibm3": {"max_length": 200}, "ibm4": {"max_length": 200, "classes": 50}}
"""Pairs of up to 200 words, as the other models take; as they are shipped, those of fertility take up to 100."""
PARTS = ("links", "iterations", "translation")
SETS = ("multi30k fr-en", "debian en-de")
ITERATIONS = range(1, 9)
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
    sides = [[line.lower() for line in read_lines(folder / f"text.{code}.gz")][:size] for code in ("en", "cs")]
    gold = [GoldAlignment(links) for links in read_pharaoh(folder / "gold.sure.gz")][: len(sides[0])]
    for side, code in zip(sides, ("en", "cs"), strict=True):
        side += list(read_lines(DATA / "multi30k" / f"train.{code}.gz"))[: size - len(side)]
    return sides[0], sides[1], gold


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


def cells(data: str, expressions: str, model: str, treatment: str) -> bool:
    """Whether a combination is run."""
    if expressions != "mined" and data != "synthetic":
        return False
    if (model not in ABLATED and treatment not in MAIN) or (treatment == "jump prior" and model != "hmm"):
        return False
    if expressions in ("patterns", "em") and model not in ABLATED:
        return False
    return not (treatment == "soft" and expressions == "gold")


@cache
def linked(data: str, expressions: str, model: str, treatment: str, size: int) -> tuple[list[Alignment], float | str]:
    """Links of all pairs, and the share of anchors that were obeyed."""
    source, target, _ = bitext(data, size)
    usual: dict[str, Any] = dict(MODEL_SETTINGS.get(model, {}))
    if treatment == "plain":
        if expressions != "mined":
            return linked(data, "mined", model, "plain", size)
        aligner = ALIGNERS.get(model)(**usual)
        aligner.train(source, target)
        return aligner.align(source, target, symmetrize="grow-diag-final"), ""
    if treatment in SENTENCE_PRIORS and model != "bayes":
        usual["prior"] = treatment
    if treatment == "jump prior":
        usual["jump_prior"] = True
    if treatment.startswith("dense"):
        usual.update(prior="relative", dense_prior=treatment.split()[1])
    aligner = ALIGNERS.get(model)(**usual)
    grouped = group(source, target, anchors(data, size, expressions, treatment == "soft"))
    if treatment.startswith("noise"):
        grouped = noisy(grouped, 1.0 if treatment == "noise hard" else SOFT)
    known = None if treatment == "grouped" else grouped.known_links()
    aligner.train(grouped.source, grouped.target, anchors=known)
    seen = None if treatment.startswith("dense") else known
    glued = aligner.align(grouped.source, grouped.target, symmetrize="grow-diag-final", anchors=seen)
    share: float | str = ""
    if treatment in (*SENTENCE_PRIORS, "jump prior") and known is not None:
        share = kept(grouped, known, aligner.viterbi(grouped.source, grouped.target, anchors=known))
    return ungroup(glued, grouped.source, grouped.target), share


def statistics(links: Sequence[Alignment], gold: Sequence[GoldAlignment]) -> Any:
    """Of each pair: right links, possible links, links, sure links."""
    rows = []
    for found, each in zip(links, gold, strict=True):
        own, sure, possible = set(found), set(each.sure), set(each.possible) | set(each.sure)
        rows.append((len(own & sure), len(own & possible), len(own), len(sure)))
    return np.array(rows, np.float64).reshape(-1, 4)  # none, if no pair has an anchor


def accuracies(sums: Any) -> Any:
    """One less the alignment error rate, of sums of statistics."""
    return (sums[:, 0] + sums[:, 1]) / np.maximum(sums[:, 2] + sums[:, 3], 1)


def run_cell(data: str, expressions: str, model: str, treatment: str, size: int, samples: int) -> Mapping[str, Any]:
    if not cells(data, expressions, model, treatment):
        return {}
    _, _, gold = bitext(data, size)
    by_sentence: dict[int, list[ExpressionAnchor]] = {}
    for anchor in anchors(data, size, expressions, treatment == "soft"):
        if anchor.sentence < len(gold):
            by_sentence.setdefault(anchor.sentence, []).append(anchor)

    def measured(which: str) -> tuple[Any, Any, Any]:
        """Statistics of all pairs, of those with an anchor, and of the other words of these."""
        links = linked(data, expressions, model, which, size)[0][: len(gold)]
        return (
            statistics(links, gold),
            statistics([links[k] for k in by_sentence], [gold[k] for k in by_sentence]),
            statistics(
                [without(links[k], here) for k, here in by_sentence.items()],
                [GoldAlignment(without(gold[k].sure, here)) for k, here in by_sentence.items()],
            ),
        )

    def p(which: str, part: int) -> float:
        if treatment in ("plain", which) or not cells(data, expressions, model, which) or not by_sentence:
            return float("nan")
        test = SignificanceTest(samples=samples)
        return compare_statistics(measured(treatment)[part], measured(which)[part], accuracies, test).p

    _, inside, beside = measured(treatment)
    links, share = linked(data, expressions, model, treatment, size)
    scores = alignment_scores(links[: len(gold)], gold)
    return {
        "anchors": sum(map(len, by_sentence.values())),
        "aer": scores.aer,
        "aer_anchored": 1 - float(accuracies(inside.sum(axis=0)[None, :])[0]),
        "aer_beside": 1 - float(accuracies(beside.sum(axis=0)[None, :])[0]),
        "precision": scores.precision,
        "recall": scores.recall,
        "anchors_kept": share,
        "p_plain": p("plain", 1),
        "p_beside": p("plain", 2),
        "p_all": p("plain", 0),
        "p_grouped": p("grouped", 0),
        "p_hard": p("noise hard", 0) if treatment == "noise soft" else float("nan"),
    }


def rows_of(table: Table, figure: str, one: str, other: str, expressions: str) -> list[tuple[float, Row]]:
    """Rows of a treatment with these expressions, each with how much its error rate is below that of another."""
    return [
        (
            table.mean(figure, expressions=expressions, data=row["data"], model=row["model"], treatment=other)
            - row[figure],
            row,
        )
        for row in table.where(treatment=one, expressions=expressions)
    ]


def all_better(table: Table, figure: str, p: str, one: str, other: str, expressions: str) -> bool:
    """In every data set and model, treatment one has significantly fewer errors than the other (Holm)."""
    rows = rows_of(table, figure, one, other, expressions)
    ordered = sorted(row[p] for _, row in rows)
    holm = all(value * (len(ordered) - at) < 0.05 for at, value in enumerate(ordered))
    return bool(rows) and holm and all(gain > 0 for gain, _ in rows)


def never_better(table: Table, figure: str, p: str, one: str, other: str, expressions: str) -> bool:
    """In no data set and model, treatment one has significantly fewer errors than the other (Holm)."""
    rows = rows_of(table, figure, one, other, expressions)
    return smallest_p([row for gain, row in rows if gain > 0], p) >= 0.05 if rows else True


def claims() -> list[Claim]:
    found = [
        Claim(
            "every anchor is linked, and to nothing else, by every model with a sentence prior",
            lambda t: all(row["anchors_kept"] == 1 for row in t.rows if row["anchors_kept"] != ""),
        )
    ]
    for kind in EXPRESSIONS:
        found += [
            Claim(
                f"{kind} expressions: with the renormalised prior, sentences with an anchor have significantly fewer"
                " errors than without treatment, in every model",
                lambda t, kind=kind: all_better(t, "aer_anchored", "p_plain", "posterior", "plain", kind),
            ),
            Claim(
                f"{kind} expressions: and so have the other words of these sentences",
                lambda t, kind=kind: all_better(t, "aer_beside", "p_beside", "posterior", "plain", kind),
            ),
            Claim(
                f"{kind} expressions: the prior has nowhere significantly more errors than grouping alone",
                lambda t, kind=kind: (
                    smallest_p(
                        [row for gain, row in rows_of(t, "aer", "posterior", "grouped", kind) if gain < 0], "p_grouped"
                    )
                    >= 0.05
                ),
            ),
            Claim(
                f"{kind} expressions: the corpus prior is nowhere significantly better than no treatment",
                lambda t, kind=kind: all(
                    never_better(t, "aer", "p_all", f"dense {form}", "plain", kind) for form in ("literal", "exchanged")
                ),
            ),
            Claim(
                f"{kind} expressions: with a fifth of the anchors wrong, soft ones have significantly fewer errors than"
                " hard ones",
                lambda t, kind=kind: all_better(t, "aer", "p_hard", "noise soft", "noise hard", kind),
            ),
        ]
    return found


def sound(data: str, expressions: str, size: int) -> Mapping[str, Any]:
    """How many anchors the gold links bear out, and how many idioms of the grammar are among them."""
    if expressions != "mined" and data != "synthetic":
        return {}
    _, _, gold = bitext(data, size)
    known = [anchor for anchor in anchors(data, size, expressions, False) if anchor.sentence < len(gold)]
    right = crossed = 0
    for anchor in known:
        ours, theirs = (set(span) for span in anchor.spans())
        touching = [(i, j) for i, j in gold[anchor.sentence].sure if i in ours or j in theirs]
        inside = [i in ours and j in theirs for i, j in touching]
        right += bool(inside) and all(inside)
        crossed += not any(inside)
    found: dict[str, Any] = {"anchors": len(known), "different": len({_words(data, size, each) for each in known})}
    found |= {"right": right / max(1, len(known)), "no link inside": crossed / max(1, len(known))}
    idioms = set(anchors(data, size, "gold", False)) if data == "synthetic" else set()
    among = len(idioms & set(known)) / len(idioms) if idioms else float("nan")
    return {**found, "idioms found": among}


def _words(data: str, size: int, anchor: ExpressionAnchor) -> tuple[str, ...]:
    source, target, _ = bitext(data, size)
    sides = (source[anchor.sentence].split(), target[anchor.sentence].split())
    return tuple(" ".join(side[span.start : span.stop]) for side, span in zip(sides, anchor.spans(), strict=True))


def held_out(data: str, size: int) -> tuple[list[str], list[str]]:
    """Pairs of the same kind that are not trained on."""
    more = list(synthetic.pair("en-de").generate(max(50, size // 10), start=size + 1000))
    sides = [
        [" ".join(side.tokens).lower() for side in each]
        for each in zip(*((i.source, i.target) for i in more), strict=True)
    ]
    idioms = [bool(item.idioms) for item in more]
    return [line for line, out in zip(sides[0], idioms, strict=True) if not out], [
        line for line, out in zip(sides[1], idioms, strict=True) if not out
    ]


def converging(model: str, iterations: int, size: int) -> Mapping[str, Any]:
    """Log-likelihood per word of held-out pairs after so many iterations, glued only and with the prior."""
    source, target, _ = bitext("synthetic", size)
    grouped = group(source, target, anchors("synthetic", size, "gold", False))
    test = held_out("synthetic", size)
    words = sum(len(line.split()) for side in test for line in side)
    found = {}
    for treatment in ("grouped", "posterior"):
        aligner = ALIGNERS.get(model)(iterations=iterations)  # type: ignore[call-arg]
        known = grouped.known_links() if treatment == "posterior" else None
        aligner.train(grouped.source, grouped.target, anchors=known)
        both = [each.forward_logprob + each.reverse_logprob for each in aligner.posteriors(*test)]
        found[treatment] = float(np.sum(both)) / words
    return found


def needed(table: Table, model: str) -> tuple[int, int]:
    """Iterations that glued text alone had to reach what it has after five, and those with the prior."""
    rows = sorted(table.where(model=model), key=lambda row: row["iterations"])
    wanted = next(row["grouped"] for row in rows if row["iterations"] == min(5, rows[-1]["iterations"]))
    last = rows[-1]["iterations"] + 1

    def reached(which: str) -> int:
        return next((int(row["iterations"]) for row in rows if row[which] >= wanted - 1e-9), last)

    return reached("grouped"), reached("posterior")


CELL: tuple[Any, ...] = (
    items,
    bitext,
    anchors,
    noisy,
    without,
    kept,
    linked,
    statistics,
    accuracies,
    run_cell,
    held_out,
    converging,
)
"""What decides a row beside the code of the program."""


class Anchored(Systems):
    """Systems over IBM 4, with expressions in four ways; and what is kept of the other parts."""

    def row(self, measure: Callable[..., Mapping[str, Any]], **settings: Any) -> Mapping[str, Any]:
        """A row of links or iterations, now or from an earlier run with the same code."""
        if "data" in settings and not cells(
            *(settings[name] for name in ("data", "expressions", "model", "treatment"))
        ):
            return {}
        code = [MODEL_SETTINGS, PHRASES, SOFT, *map(inspect.getsource, CELL)]
        found: Mapping[str, Any] = remembered(
            self.kept,
            measure.__name__,
            {**settings, "of": str(code)},
            lambda: measure(**settings),
            rooms=("text", "align", "evaluation"),
        )
        return found

    def expressions(self, name: str) -> Path:
        """Mined by counts from the training text, as tokens in lower case or as shipped."""

        def work(folder: Path) -> None:
            sides = list(self.texts(name)["train"])
            if name.startswith("debian"):
                codes = name.split()[1].split("-")
                sides = [
                    [" ".join(tokens) for tokens in Tokenizer(code).tokenize(side)]
                    for code, side in zip(codes, sides, strict=True)
                ]
            write_expressions(folder / "expressions", extract_expressions(*sides))

        settings = {"set": name, "train": self.options.train, "small": self.small}
        return self.kept.run("expressions", work=work, settings=settings, rooms=("text", "align")).file("expressions")


def translated(systems: Anchored, name: str, expressions: str) -> Mapping[str, Any]:
    """BLEU with expressions unknown, glued, linked hard and softly."""
    usual = ["aligner_settings=classes=50", "symmetrize=grow-diag-final"]

    def runs(which: str) -> Mapping[str, Any]:
        more = [] if which == "none" else [f"anchors={systems.expressions(name)}", f"anchor_links={which}"]
        return systems.translations(name, [*(usual if not systems.small else usual[1:]), *more], {})

    found = runs(expressions)
    listed = sum(1 for _ in read_lines(systems.expressions(name)))
    row = systems.compared(name, found["outputs"], [] if expressions == "none" else runs("none")["outputs"])
    return {"expressions listed": listed, **row, "rules": found["rules"]}


def main() -> None:
    args = system_arguments(
        __doc__, out="docs/experiments/p32", size=6000, parts="", aligner="ibm4", train=12_000, dev=500, iterations=5
    )
    size, samples = (200, 200) if args.small else (args.size, 10_000)
    if args.small:
        args.train = 0
    parts = names_of(args.parts, PARTS)
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    pictures = {}
    with Anchored(args) as systems:
        if "links" in parts:
            table = grid(
                partial(systems.row, run_cell),
                data=["synthetic"] if args.small else ["synthetic", "czenali"],
                expressions=EXPRESSIONS,
                model=("ibm1", "hmm", "ibm3") if args.small else MODELS,
                treatment=TREATMENTS,
                size=[size],
                samples=[samples],
            )
            tables["Anchors"] = (
                grid(
                    sound,
                    data=["synthetic"] if args.small else ["synthetic", "czenali"],
                    expressions=EXPRESSIONS,
                    size=[size],
                ),
                [
                    Claim(
                        "of expressions that are mined by counts alone, less than half of the anchors are right",
                        lambda t: all(row["right"] < 0.5 for row in t.where(expressions="mined")),
                    )
                ],
            )
            tables["Links"] = (table, claims())
            pictures["links"] = dot_plot(
                table,
                label=lambda r: f"{r['data']}, {r['expressions']}, {r['model']}, {r['treatment']}",
                figure="aer_anchored",
            )
        if "iterations" in parts:
            turns = grid(
                partial(systems.row, converging),
                model=["ibm1", "hmm"],
                iterations=list(ITERATIONS)[: 3 if args.small else None],
                size=[size],
            )
            tables["Iterations"] = (
                turns,
                [
                    Claim(
                        f"{model}: with the prior, fewer iterations give held-out words the likelihood that they have"
                        " after five iterations without",
                        lambda t, model=model: needed(t, model)[1] < needed(t, model)[0],
                    )
                    for model in ("ibm1", "hmm")
                ],
            )
            pictures["iterations"] = line_plot(
                {
                    f"{model}, {which}": [(row["iterations"], row[which]) for row in turns.where(model=model)]
                    for model in ("ibm1", "hmm")
                    for which in ("grouped", "posterior")
                },
                title="Held-out log-likelihood per word",
                x_name="iterations",
                y_name="log-likelihood",
                zero=False,
            )
        if "translation" in parts:
            sets = ["multi30k fr-en"] if args.small else names_of(args.sets, SETS)
            bleu = grid(
                lambda name, expressions: translated(systems, name, expressions),
                name=sets,
                expressions=["none", "glued", "hard", "soft"],
            )
            tables["Translation"] = (
                bleu,
                [
                    Claim(
                        f"{which} expressions translate significantly better than none, in every set (Holm)",
                        lambda t, which=which: all(
                            row["difference"] > 0 and row["p"] * len(sets) < 0.05 for row in t.where(expressions=which)
                        ),
                    )
                    for which in ("glued", "hard", "soft")
                ]
                + [
                    Claim(
                        "hard ones are nowhere significantly worse than none (Holm)",
                        lambda t: (
                            smallest_p([row for row in t.where(expressions="hard") if row["difference"] < 0]) >= 0.05
                        ),
                    )
                ],
            )
    publish(
        "Multiword expressions as priors",
        __doc__,
        tables,
        pictures=pictures,
        out=args.out,
        settings=vars(args),
        not_run=others(PARTS, parts),
    )


if __name__ == "__main__":
    main()
