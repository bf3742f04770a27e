"""Similarity in Spanish, and of Spanish with English: within the language, by translation, and by word translations.

The Spanish sets of 2014 (Agirre et al. 2014) could not be found; those of 2017 are used, 250 pairs of Spanish sentences
and 250 of a Spanish and an English one, both from captions. Within Spanish: surface scorers, and DLS without trees. By
translation: a model of ours, Spanish to English, trained on package descriptions and news (`PARALLEL`; no captions),
one translation of each sentence or the `--variants` best ones averaged over all pairs of them, as Kashyap et al. (2014)
did, and DLS in English. By word translations: the lexicon of an aligner trained on the same text. Nothing learns from
people's scores.

`There and back`: an English set of 2014, of news, is put into Spanish by a model that learned the other direction of
the same text, and scored by translating it back, once or in `--variants` ways; what people gave the English pairs is
the gold, and DLS on the English texts themselves is what can be reached.

Two tables show how data are made: a sample drawn from candidates of two classes (sentences of news that were judged to
be paraphrases or not), equal numbers of each class and band of string similarity; and comparable sentences mined from
package descriptions, where 500 neighbouring lines stand for an event.

Differences are tested by Williams' test, because all scorers share the gold.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

import dragoman
from dragoman.align import get_aligner
from dragoman.evaluation.correlation import pearson
from dragoman.evaluation.williams import compare_metrics
from dragoman.files import read_lines
from dragoman.pipeline.recipe import Recipe
from dragoman.similarity import PairSet, TextPair, get_scorer, read_task
from dragoman.similarity.base import Scores
from dragoman.similarity.cross_lingual import score_translated
from dragoman.similarity.mining import MiningSettings, mine_events
from dragoman.similarity.sampling import BANDS_2012, PairCandidate, banded_sample
from dragoman.similarity.words import cut
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.similarity_sets import DATA, existing

HOME = Path(__file__).parent.parent.parent
PARALLEL = ("debian/en-es/train.{}", "wmt/newstest2013/references/newstest2013.{}")
BOTH, ACROSS, BACK = "Spanish", "Spanish and English", "There and back"
EVENT, EVENTS = 500, 20
"""Lines of an event, and events that are mined."""


def words(line: str) -> str:
    """Lower-cased words with blanks between them, as the model was trained on."""
    return " ".join(cut(line.lower()))


def real_texts() -> tuple[list[str], list[str]]:
    found = [
        [words(line) for name in PARALLEL for line in read_lines(existing(DATA / name.format(side)))]
        for side in ("es", "en")
    ]
    kept = [(a, b) for a, b in zip(*found, strict=True) if a and b and max(len(a.split()), len(b.split())) <= 60]
    return [a for a, _ in kept], [b for _, b in kept]


def real_sets() -> dict[str, PairSet]:
    folder = DATA / "sts" / "2017"
    [spanish], [mixed] = (read_task([existing(folder / f"track{track}.tsv")]) for track in ("3.es-es", "4a.es-en"))
    [english] = read_task([existing(DATA / "sts" / "2014" / "deft-news.test.tsv")])
    return {BOTH: spanish, ACROSS: mixed, BACK: english}


def small_texts() -> tuple[list[str], list[str], dict[str, PairSet]]:
    """German stands for Spanish."""
    items = list(synthetic.pair("en-de").generate(300, seed=1))
    texts = [words(item.target.text) for item in items], [words(item.source.text) for item in items]
    draws = np.random.default_rng(1)
    sets = {}
    for name, first, second in ((BOTH, texts[0], texts[0]), (ACROSS, texts[0], texts[1]), (BACK, texts[1], texts[1])):
        pairs, gold = [], []
        for at in range(40):
            other = at if draws.random() < 0.4 else int(draws.integers(300))
            shared = set(texts[0][at].split()) & set(texts[0][other].split())
            pairs.append(TextPair.of(first[at], second[other]))
            gold.append(5 * len(shared) / len(set(texts[0][at].split()) | set(texts[0][other].split())))
        sets[name] = PairSet(name, tuple(pairs), tuple(gold))
    return texts[0], texts[1], sets


def translators(model: dragoman.Model, threads: int) -> Callable[[int], Callable[[Sequence[str]], list[list[str]]]]:
    def with_variants(variants: int) -> Callable[[Sequence[str]], list[list[str]]]:
        def translate(texts: Sequence[str]) -> list[list[str]]:
            made = model.translate([words(text) for text in texts], threads=threads)
            return [[each.text for each in one.nbest(variants)] if variants > 1 else [one.text] for one in made]

        return translate

    return with_variants


def sample_table(threads: int) -> Table:
    """Pairs drawn from candidates that were judged to be paraphrases (1) or not."""
    rows = [line.split("\t") for line in read_lines(existing(DATA / "paraphrase" / "msr-para-train.tsv"))][1:]
    candidates = [PairCandidate(TextPair.of(*row[3:5]), row[0]) for row in rows if len(row) == 5]
    found = banded_sample(candidates, 750, threads=threads)
    kinds = sorted({one.kind for one in candidates})
    drawn = [
        {
            "class": kind,
            **{f"from {band:g}": found.drawn[kind, band] for band in BANDS_2012},
            "short": sum(kind == other for other, _ in found.short),
        }
        for kind in kinds
    ]
    return Table(("class",), tuple(drawn))


def mining_table(threads: int) -> Table:
    """What comparing all sentences would cost, what was compared, and what was found, by bin."""
    lines = list(islice(read_lines(existing(DATA / "debian" / "mono.en")), EVENT * EVENTS))
    events = {
        str(start): [lines[start : start + EVENT // 2], lines[start + EVENT // 2 : start + EVENT]]
        for start in range(0, len(lines), EVENT)
    }
    found = mine_events(events, MiningSettings(), threads=threads)
    told = found.to_dict()
    row = {"events": told["documents"], "lines": len(lines), "compared": told["compared"], "pairs": told["pairs"]}
    row |= {f"bin {number}": count for number, count in enumerate(told["bins"])}
    return Table(("events",), (row,))


def main() -> None:
    given = arguments(__doc__, out=str(HOME / "docs/experiments/p21"), variants=20, threads=0, small=False)
    if given.small:
        source, target, sets = small_texts()
    else:
        (source, target), sets = real_texts(), real_sets()
    held = min(300, len(source) // 5)
    runs: dict[str, dict[str, Scores]] = {group: {} for group in sets}
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        aligner = get_aligner("fast")
        aligner.train(source, target, threads=given.threads)
        lexicon = place / "lexicon"
        with lexicon.open("w", encoding="utf-8") as file:
            file.writelines(f"{one}\t{other}\t{p:.6f}\n" for one, other, p in aligner.lexicon() if p >= 0.05)
        recipe = Recipe(tokenized=True).changed(
            ["aligner=fast", "order=3", f"tuner={'none' if given.small else 'mira'}"]
        )
        model, other_way = (
            dragoman.train(
                first[:-held],
                second[:-held],
                dev=(first[-held:], second[-held:]),
                languages=languages,
                recipe=recipe,
                output=place / "-".join(languages),
                cache=place / "stages",
                threads=given.threads,
            )
            for first, second, languages in ((source, target, ("es", "en")), (target, source, ("en", "es")))
        )
        english = get_scorer("dls", ["dependencies=false"])
        plain = {
            "token-cosine": get_scorer("token-cosine"),
            "words, lower case": get_scorer("token-cosine", ["lowercase=true", "punctuation=false"]),
            "character 3-grams": get_scorer("ngrams"),
            "soft-cardinality": get_scorer("soft-cardinality"),
            "dls without trees": get_scorer("dls", ["dependencies=false", "language=es"]),
        }
        for name, scorer in plain.items():
            runs[BOTH][name] = scorer.score(sets[BOTH].pairs, threads=given.threads)
        runs[ACROSS]["character 3-grams"] = plain["character 3-grams"].score(sets[ACROSS].pairs, threads=given.threads)
        by_words = get_scorer("word-translations", [f"lexicon={lexicon}"])
        runs[ACROSS]["word translations"] = by_words.score(
            [TextPair.of(*map(words, pair.texts)) for pair in sets[ACROSS].pairs], threads=given.threads
        )
        runs[BACK]["as it is, dls"] = english.score(sets[BACK].pairs, threads=given.threads)
        abroad = translators(other_way, given.threads)(1)
        sides = [[text for [text] in abroad([pair.texts[side] for pair in sets[BACK].pairs])] for side in (0, 1)]
        made = list(map(TextPair.of, *sides))
        translate = translators(model, given.threads)
        for variants in (1, given.variants):
            name = f"translated, {variants} best, dls"
            first = translate(variants)
            runs[BOTH][name] = score_translated(
                english, sets[BOTH].pairs, first=first, second=first, threads=given.threads
            )
            runs[ACROSS][name] = score_translated(english, sets[ACROSS].pairs, first=first, threads=given.threads)
            runs[BACK][name] = score_translated(english, made, first=first, second=first, threads=given.threads)
            print(name, flush=True)
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    for group, one in sets.items():
        gold = one.scores()
        reference = f"translated, {given.variants} best, dls"
        rows = []
        for name, scores in runs[group].items():
            row: dict[str, Any] = {"system": name, "Pearson": float(pearson(scores, gold))}
            same = name == reference or not np.ptp(scores - runs[group][reference])
            tested = (
                None
                if same
                else compare_metrics(
                    runs[group][reference], scores, gold, a_higher_is_better=True, b_higher_is_better=True
                )
            )
            rows.append(row | {"p, the best translations are better": float("nan") if tested is None else tested.p})
        found = Table(("system",), tuple(rows))
        tables[f"{group}, {len(one)} pairs"] = (found, claims_of(group, given.variants, gold, runs[group]))
    first_table = next(iter(tables.values()))[0]
    if not given.small:
        tables["Sampled from paraphrases and others"] = (sample_table(given.threads), [])
        tables["Mined from package descriptions"] = (mining_table(given.threads), [])
    publish(
        "Similarity in Spanish and across languages",
        __doc__,
        tables,
        pictures={"plot": dot_plot(first_table, label=lambda row: str(row["system"]), figure="Pearson")},
        out=given.out,
        settings={**vars(given), "parallel text": " ".join(PARALLEL), "pairs of it": len(source), "dev": held},
    )


def claims_of(group: str, variants: int, gold: Scores, runs: Mapping[str, Scores]) -> list[Claim]:
    def better(one: str, other: str) -> bool:
        if not np.ptp(runs[one] - runs[other]):
            return False
        test = compare_metrics(runs[one], runs[other], gold, a_higher_is_better=True, b_higher_is_better=True)
        return bool(test.p < 0.05)

    one, several = "translated, 1 best, dls", f"translated, {variants} best, dls"
    claims = [
        Claim(
            f"{group}: several translations of each sentence are better than the best one (p < 0.05)",
            lambda t: better(several, one),
        )
    ]
    if group == BOTH:
        claims.append(
            Claim(
                f"{group}: what knows Spanish is better than going through English (p < 0.05)",
                lambda t: better("dls without trees", several),
            )
        )
    elif group == ACROSS:
        claims.append(
            Claim(
                f"{group}: translating is better than word translations (p < 0.05)",
                lambda t: better(several, "word translations"),
            )
        )
    return claims


if __name__ == "__main__":
    main()
