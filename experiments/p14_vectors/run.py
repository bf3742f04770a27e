"""Zou, Socher, Cer and Manning (2013): word vectors of one language in the space of another, and what they are for.

English vectors are learned in the space of French ones, both from captions (Multi30k), so that lists of English word
pairs can judge them; links between words come from the aligner. Four kinds: where translations put them (*aligned*),
trained on text from there (*mono*), trained with the distance to translations in the loss (*bilingual*), and trained
from anywhere (*random*); beside them vectors of weighted counts (*tf-idf*). Words are matched by cosine with links of
the aligner in captions that were not learned from, as in the paper, and with links made by hand. One part plants
synonyms that were never linked. Last, the cosine of phrases is a feature of a tuned system from German.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.align import ALIGNERS
from dragoman.align.aer import GoldAlignment, alignment_scores
from dragoman.align.alignment import Alignment
from dragoman.align.formats import read_gold
from dragoman.evaluation.correlation import spearman
from dragoman.evaluation.resampling import SignificanceTest, compare_statistics
from dragoman.evaluation.williams import compare_metrics
from dragoman.files import read_lines
from dragoman.seeds import stream
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.embeddings import TrainedVectors, VectorSettings, train_vectors
from dragoman.semantics.translation_counts import TranslationCounts
from dragoman.semantics.vector_matching import match_words
from dragoman.semantics.vectors import WordVectors
from dragoman.semantics.word_pairs import WordPair, evaluate_pairs, read_pairs
from dragoman.text import synthetic
from experiments.common import Claim, Table, dot_plot, grid, publish
from experiments.recipes import DATA, Systems, system_arguments

KINDS: dict[str, dict[str, Any]] = {
    "random": {"start": "random", "translation": 0.0},
    "aligned": {"passes": 0, "curriculum": ()},
    "mono": {"translation": 0.0},
    "bilingual": {},
}
ARMS = {
    "none": (),
    "random": ("vectors=true", "vectors_settings=start=random,translation=0"),
    "aligned": ("vectors=true", "vectors_settings=passes=0,curriculum="),
    "mono": ("vectors=true", "vectors_settings=translation=0"),
    "bilingual": ("vectors=true",),
}
LISTS = ("MEN-TR-3k", "WS-353-ALL", "SIMLEX-999")
HELD = 500
STRENGTHS = (0.0, 1.0, 10.0, 50.0, 500.0)
PLANTED = 60


class Words:
    """A bitext with its links, lists of word pairs, and vectors of every kind."""

    def __init__(self, pairs: int, settings: VectorSettings, *, small: bool) -> None:
        self.settings = settings
        if small:
            items = list(synthetic.pair("en-de").generate(pairs + 40, seed=1))
            sides = [[" ".join(i.source.tokens) for i in items], [" ".join(i.target.tokens) for i in items]]
            held = 40
        else:
            sides = [list(read_lines(DATA / "multi30k" / f"train.{code}.gz")) for code in ("en", "fr")]
            held = HELD
            sides = [side[: pairs + held] for side in sides]
        aligner = ALIGNERS.get("fast")()
        aligner.train(*sides)
        links = list(aligner.align(*sides))
        self.learned, self.given_text = (side[:pairs] for side in sides)
        self.links = links[:pairs]
        self.heldout = sides[0][pairs:], sides[1][pairs:]
        self.gold = [GoldAlignment(each) for each in links[pairs:]]
        self.by_hand: tuple[list[str], list[str], list[GoldAlignment]] | None = None
        if small:
            words = sorted({word for line in self.learned for word in line.split()})[:40]
            self.lists = {"letters": [WordPair(a, b, -abs(len(a) - len(b))) for a in words for b in words if a < b]}
        else:
            self.lists = {name: read_pairs(DATA / "wordsim" / f"EN-{name}.txt") for name in LISTS}
            folder = DATA / "alignments" / "en-fr-europarl"
            texts = [[line.lower() for line in read_lines(folder / f"text.{code}")] for code in ("en", "fr")]
            self.by_hand = texts[0], texts[1], read_gold(folder / "gold.wa", sentences=len(texts[0]))
        self.counts = TranslationCounts.of(self.learned, self.given_text, self.links)

    @cache  # noqa: B019 - one object lives as long as the program
    def given(self) -> WordVectors:
        return train_vectors(self.given_text, self.settings).vectors

    @cache  # noqa: B019
    def trained(self, kind: str, seed: int, strength: float = -1.0) -> TrainedVectors:
        changes: dict[str, Any] = {**KINDS[kind], "seed": seed}
        if strength >= 0:
            changes["translation"] = strength
        chosen = self.settings.changed((), changes)
        return train_vectors(self.learned, chosen, given=self.given(), counts=self.counts)

    def ranked(self, vectors: WordVectors) -> dict[str, tuple[float, float]]:
        """Spearman and Kendall by list, of pairs that are known."""
        found = {}
        for name, pairs in self.lists.items():
            report = evaluate_pairs(pairs, vectors.similarity, unknown="skip")
            found[name] = 100 * report.spearman, 100 * report.kendall
        return found

    def matched(self, vectors: WordVectors) -> Any:
        return alignment_scores(match_words(*self.heldout, vectors, self.given()), self.gold)

    def matched_by_hand(self, vectors: WordVectors) -> Any:
        if self.by_hand is None:
            return self.matched(vectors)
        source, target, gold = self.by_hand
        return alignment_scores(match_words(source, target, vectors, self.given()), gold)

    def counted(self, cut: float) -> WordVectors:
        """Rows of tf-idf over windows of ten words, as dense vectors; weights below the cut are left out."""
        space = ContextSpace.of(self.learned, window=10)
        words = sorted({word for pairs in self.lists.values() for pair in pairs for word in pair[:2]})
        known = [word for word in words if word in space.index]
        matrix = Association(measure="tf-idf").apply(space.count(known))
        matrix.data[matrix.data < cut * matrix.data.max()] = 0
        return WordVectors(known, matrix.toarray())


def figures(words: Words, vectors: WordVectors) -> dict[str, float]:
    ranked = words.ranked(vectors)
    row: dict[str, float] = {}
    for name, (rho, tau) in ranked.items():
        row |= {f"{name} rho": rho, f"{name} tau": tau}
    row["mean rho"] = float(np.mean([rho for rho, _ in ranked.values()]))
    return row


def compare_kinds(words: Words, seeds: int) -> tuple[Table, list[Claim]]:
    def cell(kind: str, seed: int) -> dict[str, Any]:
        made = words.trained(kind, seed)
        score, hand = words.matched(made.vectors), words.matched_by_hand(made.vectors)
        losses = [each.context for each in made.history]
        distances = [made.start, *(each.translation for each in made.history)]
        return {
            **figures(words, made.vectors),
            "P": score.precision,
            "R": score.recall,
            "AER": score.aer,
            "AER by hand": hand.aer,
            "loss, first pass": losses[0] if losses else float("nan"),
            "loss, last pass": losses[-1] if losses else float("nan"),
            "distance before": distances[0],
            "distance after": distances[-1],
        }

    table = grid(cell, kind=list(KINDS), seed=list(range(1, seeds + 1)))
    rows: list[dict[str, Any]] = [*table.rows]
    width = {name: float("nan") for name in rows[0] if name not in ("kind", "seed")}
    naive = figures(words, words.counted(0.0))
    pruned = max(
        (figures(words, words.counted(cut)) for cut in (0.001, 0.003, 0.01, 0.03)), key=lambda f: f["mean rho"]
    )
    rows += [{"kind": name, "seed": 0, **width, **found} for name, found in (("tf-idf", naive), ("pruned", pruned))]
    table = Table(table.settings, tuple(rows))

    def mean(found: Table, figure: str, kind: str) -> float:
        return found.mean(figure, kind=kind)

    def every(found: Table, holds: Any, kinds: Sequence[str]) -> bool:
        return all(holds(row) for kind in kinds for row in found.where(kind=kind))

    claims = [
        Claim(
            "similarity: means of bilingual vectors lie above those of aligned ones (a tendency; tested below)",
            lambda found: mean(found, "mean rho", "bilingual") > mean(found, "mean rho", "aligned"),
        ),
        Claim(
            "similarity: training on text alone does not lose against aligned vectors",
            lambda found: mean(found, "mean rho", "mono") >= mean(found, "mean rho", "aligned"),
        ),
        Claim(
            "similarity: bilingual vectors are not worse than mono ones",
            lambda found: mean(found, "mean rho", "bilingual") >= mean(found, "mean rho", "mono"),
        ),
        Claim(
            "links: AER of bilingual vectors is lower than that of mono ones by 0.05 or more",
            lambda found: mean(found, "AER", "bilingual") <= mean(found, "AER", "mono") - 0.05,
        ),
        Claim(
            "training: the distance to translations rises without its term in the loss",
            lambda found: every(found, lambda row: row["distance after"] > row["distance before"], ["mono"]),
        ),
        Claim(
            "training: the distance to translations falls or stays with it",
            lambda found: every(found, lambda row: row["distance after"] <= row["distance before"], ["bilingual"]),
        ),
        Claim(
            "training: the loss of windows falls",
            lambda found: every(
                found, lambda row: row["loss, last pass"] < row["loss, first pass"], ["mono", "bilingual", "random"]
            ),
        ),
    ]
    return table, claims


def significances(words: Words, seeds: int) -> tuple[Table, list[Claim]]:
    """Two kinds at a time: word pairs by Williams' test on mean cosines over seeds, links by randomization."""

    def cosines(kind: str, pairs: Sequence[WordPair]) -> np.ndarray[Any, Any]:
        runs = [
            [words.trained(kind, seed).vectors.similarity(*pair[:2]) for pair in pairs] for seed in range(1, seeds + 1)
        ]
        mean: np.ndarray[Any, Any] = np.mean(np.array(runs, np.float64), axis=0)
        return mean

    def rates(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        found, sure, right, possible = rows.T
        rate: np.ndarray[Any, Any] = 1 - (right + possible) / np.maximum(found + sure, 1)
        return rate

    def cell(first: str, second: str) -> dict[str, Any]:
        if first == second:
            return {}
        known = words.trained("bilingual", 1).vectors
        every = [
            pair for pairs in words.lists.values() for pair in pairs if pair.first in known and pair.second in known
        ]
        scaled = _within_lists(words, known)
        row: dict[str, Any] = {}
        a, b = cosines(first, every), cosines(second, every)
        human = np.array(scaled)
        row["rho"] = 100 * spearman(a, human).r
        row["other rho"] = 100 * spearman(b, human).r
        row["p of rho"] = compare_metrics(a, b, human, coefficient="spearman", alternative="two-sided").p
        stats = [
            np.sum(
                [words.matched(words.trained(kind, seed).vectors).per_sentence for seed in range(1, seeds + 1)], axis=0
            )
            for kind in (first, second)
        ]
        test = compare_statistics(
            stats[0].astype(float),
            stats[1].astype(float),
            rates,
            SignificanceTest(samples=2000),
            higher_is_better=False,
        )
        return {**row, "AER": test.score_x, "other AER": test.score_y, "p of AER": test.p}

    rows = []
    for first, second in (
        ("bilingual", "aligned"),
        ("bilingual", "mono"),
        ("mono", "aligned"),
        ("mono", "random"),
        ("aligned", "mono"),
    ):
        rows.append({"first": first, "second": second, **cell(first, second)})
        print(rows[-1], flush=True)
    table = Table(("first", "second"), tuple(rows))

    def row(found: Table, first: str, second: str) -> Mapping[str, Any]:
        return found.where(first=first, second=second)[0]

    claims = [
        Claim(
            "links: aligned vectors match better than mono ones (p < 0.05)",
            lambda found: (
                row(found, "aligned", "mono")["AER"] < row(found, "aligned", "mono")["other AER"]
                and row(found, "aligned", "mono")["p of AER"] < 0.05
            ),
        ),
        Claim(
            "links: bilingual vectors match better than mono ones (p < 0.05)",
            lambda found: (
                row(found, "bilingual", "mono")["AER"] < row(found, "bilingual", "mono")["other AER"]
                and row(found, "bilingual", "mono")["p of AER"] < 0.05
            ),
        ),
        Claim(
            "similarity: bilingual vectors rank all pairs better than aligned ones (p < 0.05)",
            lambda found: (
                row(found, "bilingual", "aligned")["rho"] > row(found, "bilingual", "aligned")["other rho"]
                and row(found, "bilingual", "aligned")["p of rho"] < 0.05
            ),
        ),
    ]
    return table, claims


def _within_lists(words: Words, known: WordVectors) -> list[float]:
    """Judgements of all lists as ranks within their list, from 0 to 1."""
    found: list[float] = []
    for pairs in words.lists.values():
        scores = np.array([pair.score for pair in pairs if pair.first in known and pair.second in known])
        order = scores.argsort().argsort()
        found += (order / max(1, len(order) - 1)).tolist()
    return found


def sweep(words: Words) -> tuple[Table, list[Claim]]:
    def cell(strength: float) -> dict[str, Any]:
        made = words.trained("bilingual", 1, strength)
        score = words.matched(made.vectors)
        return {**figures(words, made.vectors), "AER": score.aer, "distance after": made.history[-1].translation}

    table = grid(cell, strength=list(STRENGTHS))

    def falls(found: Table) -> bool:
        rates = [row["AER"] for row in found.rows]
        return all(later <= before + 0.005 for before, later in itertools.pairwise(rates))

    def flattens(found: Table) -> bool:
        rates = [row["AER"] for row in found.rows]
        return bool(abs(rates[-1] - rates[-2]) <= abs(rates[1] - rates[0]) + 0.005)

    def inner(found: Table) -> bool:
        values = [row["mean rho"] for row in found.rows]
        return bool(max(values[1:-1]) >= max(values[0], values[-1]) - 0.5)

    claims = [
        Claim("AER falls with the strength of the term (steps of up to 0.005 aside)", falls),
        Claim("AER flattens", flattens),
        Claim("similarity is best, or within half a point of it, at a strength between the ends", inner),
    ]
    return table, claims


def planted(words: Words, count: int) -> tuple[Table, list[Claim]]:
    """Half of the occurrences of some words are spelt otherwise and lose their links."""
    given = words.given()
    frequent = [word for word in words.trained("bilingual", 1).vectors.words if word.isalpha() and len(word) > 2]
    right = {word: next(iter(words.counts.of_word(word)), "") for word in frequent}
    chosen = [word for word in frequent[30:] if right[word] in given and len(right[word]) > 2][:count]
    lines, links = [], []
    for number, (line, points) in enumerate(zip(words.learned, words.links, strict=True)):
        dice = stream(1, "planted", number)
        tokens = line.split()
        changed = {i for i, word in enumerate(tokens) if word in set(chosen) and dice.random() < 0.5}
        lines.append(" ".join(f"{word}_2" if i in changed else word for i, word in enumerate(tokens)))
        links.append(Alignment(tuple(link for link in points.links if link[0] not in changed)))
    counts = TranslationCounts.of(lines, words.given_text, links)
    wanted = [word for word in chosen if f"{word}_2" not in counts.links]

    def cell(kind: str) -> dict[str, Any]:
        chosen_settings = words.settings.changed((), KINDS[kind])
        made = train_vectors(lines, chosen_settings, given=given, counts=counts).vectors
        known = [word for word in wanted if f"{word}_2" in made]
        lists = {word: [each.phrase for each in made.nearest_across(f"{word}_2", given, k=10)] for word in known}
        first = sum(lists[word][0] == right[word] for word in known)
        ten = sum(right[word] in lists[word] for word in known)
        linked = sum(made.nearest_across(word, given, k=1)[0].phrase == right[word] for word in known if word in made)
        return {
            "words": len(known),
            "right translation nearest": first,
            "among ten": ten,
            "by chance among ten": round(10 * len(known) / len(given), 2),
            "linked twin: nearest": linked,
        }

    table = grid(cell, kind=["aligned", "mono", "bilingual"])

    def far_above_chance(found: Table) -> bool:
        row = found.where(kind="bilingual")[0]
        return bool(row["among ten"] >= 10 * max(row["by chance among ten"], 0.1))

    claims = [
        Claim(
            "synonyms that were never linked: the right translation is among the ten nearest ten times as often as by "
            "chance, by context alone",
            far_above_chance,
        )
    ]
    return table, claims


def translation(options: Any) -> tuple[Table, list[Claim]]:
    name = "multi30k de-en"
    with Systems(options) as systems:
        outputs: dict[str, Any] = {}

        def cell(vectors: str) -> dict[str, Any]:
            outputs[vectors] = systems.translations(
                name, ARMS[vectors], {"pop_limit": options.pops, "beam": options.pops}
            )
            compared = systems.compared(name, outputs[vectors]["outputs"], outputs["none"]["outputs"])
            return {**compared, "seconds": outputs[vectors]["seconds"]}

        table = grid(cell, vectors=list(ARMS))

    def score(found: Table, vectors: str) -> float:
        return found.mean("BLEU", vectors=vectors)

    claims = [
        Claim(
            "BLEU: bilingual is at least aligned, aligned at least random, random at least the baseline less 0.1",
            lambda found: (
                score(found, "bilingual")
                >= score(found, "aligned")
                >= score(found, "random")
                >= score(found, "none") - 0.1
            ),
        ),
        Claim(
            "BLEU: bilingual vectors gain over the baseline (p < 0.05)",
            lambda found: (
                score(found, "bilingual") > score(found, "none") and found.where(vectors="bilingual")[0]["p"] < 0.05
            ),
        ),
    ]
    return table, claims


def main() -> None:
    options = system_arguments(
        __doc__, out="docs/experiments/p14", pairs=10_000, passes=5, dev=500, parts="words,tests,sweep,planted,bleu"
    )
    settings = VectorSettings(passes=options.passes)
    seeds, count = options.seeds, PLANTED
    if options.small:
        options.pairs, options.dev, options.iterations, options.pops, seeds, count = 120, 20, 1, 10, 2, 3
        settings = VectorSettings(dimensions=8, hidden=8, window=4, passes=2, min_count=1, curriculum=(20,))
        for arm in ARMS:
            extra = "dimensions=8,hidden=8,window=4" + ("" if arm == "aligned" else ",passes=1")
            ARMS[arm] = tuple(f"{each},{extra}" if each.startswith("vectors_s") else each for each in ARMS[arm])
        ARMS["bilingual"] = ("vectors=true", "vectors_settings=dimensions=8,hidden=8,window=4,passes=1")
    words = Words(options.pairs, settings, small=options.small)
    parts = options.parts.split(",")
    tables: dict[str, tuple[Table, list[Claim]]] = {}
    if "words" in parts:
        tables["Kinds of vectors"] = compare_kinds(words, seeds)
    if "tests" in parts:
        tables["Two kinds at a time"] = significances(words, seeds)
    if "sweep" in parts:
        tables["Strength of the translation term"] = sweep(words)
    if "planted" in parts:
        tables["Synonyms that were never linked"] = planted(words, count)
    if "bleu" in parts:
        tables["Translation from German"] = translation(options)
    pictures = {}
    if "words" in parts:
        kinds = Table(("kind",), tuple(row for row in tables["Kinds of vectors"][0].over("seed").rows))
        pictures["similarity"] = dot_plot(kinds, label=lambda row: row["kind"], figure="mean rho")
    else:
        table = next(iter(tables.values()))[0]
        figure = next(name for name, value in table.rows[0].items() if isinstance(value, float))
        pictures["figures"] = dot_plot(table, label=lambda row: str(next(iter(row.values()))), figure=figure)
    publish(
        "Word vectors across languages", __doc__, tables, pictures=pictures, out=options.out, settings=vars(options)
    )


if __name__ == "__main__":
    main()
