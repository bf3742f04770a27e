"""Entailment across languages: words that are left without a partner, and the way by translation.

Does the method of Graham, Salehi and Baldwin (2013) work with our aligners? The data of the shared task could not be
found. Stand-ins: pairs with four labels made from parallel text by leaving out phrases of one side or both (captions
of Multi30k in German, French and Czech; Czech news, fiction and law, mixed, with links by hand; synthetic sentences,
whose links are known by construction), and the development set of RTE-3 in German and Italian with English hypotheses,
where only the forward decision has a label. Phrases to leave out of captions are found by another aligner (HMM) than
those that may judge, so that none meets its own links.

Captions: `--pairs` parallel sentences (all at hand) teach the aligners, labelled pairs come from sentences that they
have not seen, half to learn from, half to test. Mixed Czech: aligners learn from what is not labelled of it, from two
test sets of WMT and from the captions. Which aligner judges is decided with A1+A2+A3 by ten folds of the half to learn
from (*Which aligner judges*); where the links were not made by it, the HMM is tried as well. RTE-3: the aligner that
was chosen for German captions. German: it learns from news, captions and package descriptions. Italian: no parallel
text is at hand but the texts themselves in both languages, so each half is judged by an aligner that learnt from the
other half. By translation: a model of ours, German to English, trained on the same captions, and our English
entailment in both directions, with its hand-set weights, with weights learned from nothing but the translated training
pairs, and with hand-set weights that these have adjusted, which is what `dragoman entail fit` does.

`--parts captions` (or mixed, synthetic, translation; several joined by commas) runs some; translation needs captions.

The eleven feature sets are the paper's, its accuracy on its own test data beside ours where the languages are the
same (`paper`): other pairs, so that only the order can be compared. Intervals are exact binomial ones, for the
confidence-weighted score (CWS) and average precision (AP) of the bootstrap; `p` is that of McNemar's test of a route
by translation against alignment, or of other features against A1+A2+A3; 25 % is chance for four labels, 50 % for two.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np

import dragoman
from dragoman.align import get_aligner
from dragoman.align.alignment import Alignment
from dragoman.annotations.annotator import Annotator
from dragoman.entailment.both_directions import LABELS, judge_both
from dragoman.entailment.cross_lingual import (
    CrossLingualModel,
    CrossLingualPair,
    LabelScores,
    pair_features,
    score_labels,
    shortened_pairs,
)
from dragoman.entailment.decision import fit_logistic
from dragoman.entailment.entailer import Entailer
from dragoman.entailment.pairs import AnnotatedPair, EntailmentPair, annotate_pairs, read_pairs
from dragoman.entailment.unaligned_words import CrossLingualEntailer
from dragoman.entailment.word_relations import WordRelations
from dragoman.evaluation.contingency import mcnemar
from dragoman.files import read_lines
from dragoman.pipeline.recipe import Recipe
from dragoman.seeds import stream
from dragoman.similarity.words import cut
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.entailment_sets import interval, measured, open_annotator
from experiments.similarity_sets import existing

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
PAPER = {
    "A1": 0.346, "A2": 0.336, "A3": 0.342, "A1+A2": 0.336, "A1+A3": 0.330, "A2+A3": 0.334, "A1+A2+A3": 0.324,
    "S1+S2+S3": 0.260, "A1+A2+A3+S1": 0.330, "A1+A2+A3+S2": 0.326, "A1+A2+A3+S3": 0.328,
}  # fmt: skip
"""Feature sets of the paper with its accuracy for four labels on the test part, German and English. For A1+A2+A3 it
prints 0.320, but its recalls have the mean 0.324; the figure of A2 is that of A1+A2, printed twice."""
WEIGHTS = ("learned", "adjusted")
"""Weights of English entailment from the translated pairs alone, or around those set by hand."""
FEATURES = (*PAPER, "A1+A2+A3+S1+S2+S3")
USUAL = "A1+A2+A3"
JUDGES = ("fast", "bayes")
"""Aligners that may judge."""
PARTS = ("captions", "mixed", "synthetic", "translation")
"""What may be run alone; translation, with RTE-3, needs the captions."""
LINKER = "hmm"
"""The aligner that finds phrases to leave out of captions."""
Tokens = list[tuple[str, ...]]


def tokens(path: Path, most: int) -> Tokens:
    """Lower-cased words of the first lines of a file."""
    return [cut(line.lower()) for _, line in zip(range(most), read_lines(existing(path)), strict=False)]


def captions(language: str, part: str, most: int) -> tuple[Tokens, Tokens]:
    """Captions in a language, and in English."""
    stem = {"train": "train.{}", "val": "val.{}", "test": "test_2016_flickr.{}"}[part]
    first, second = (tokens(DATA / "multi30k" / stem.format(side), most) for side in (language, "en"))
    return first, second


def made_up(size: int, seed: int) -> tuple[Tokens, Tokens, list[Alignment]]:
    items = list(synthetic.pair("en-de").generate(size, seed=seed))
    return (
        [item.target.tokens for item in items],
        [item.source.tokens for item in items],
        [Alignment(item.alignment).transposed() for item in items],
    )


class Routes:
    """Labelled pairs of one language pair, and what judges them by alignment.

    The aligner is the one whose links decide best in ten folds of the pairs to learn from; of equals the first.
    """

    def __init__(
        self,
        text: tuple[Tokens, Tokens],
        made: list[tuple[CrossLingualPair, Alignment]],
        aligners: Sequence[str],
        threads: int,
        *,
        links: str = "",
    ) -> None:
        half = len(made) // 2
        self.made, self.train, self.test = made, [p for p, _ in made[:half]], [p for p, _ in made[half:]]
        self.gold = [[pair.label for pair in part] for part in (self.train, self.test)]
        self.links = links
        """What the links that the pairs were made by are called, if they are better than an aligner's."""
        entailers = {name: entailer_of(name, text, threads) for name in aligners}
        rows = {name: one.rows(self.train, threads=threads)[1] for name, one in entailers.items()}
        self.tried = {name: folded_right(rows[name], self.gold[0]) for name in aligners}
        """Which pairs of the half to learn from each aligner gets right, by models that have not seen them."""
        self.aligner = max(aligners, key=lambda name: sum(self.tried[name]))
        self.entailer = entailers[self.aligner]
        self.rows = [rows[self.aligner], self.entailer.rows(self.test, threads=threads)[1]]

    def labels(self, features: str, combine: str, rows: Sequence[list[dict[str, float]]] | None = None) -> list[str]:
        learned, tested = rows or self.rows
        model = CrossLingualModel(features, combine).fit(learned, self.gold[0])
        return [model.predict(row) for row in tested]

    def score(self, features: str, combine: str, rows: Sequence[list[dict[str, float]]] | None = None) -> LabelScores:
        return score_labels(self.gold[1], self.labels(features, combine, rows))

    def right(self, labels: Sequence[str]) -> list[bool]:
        return [one == other for one, other in zip(self.gold[1], labels, strict=True)]

    def by_known_links(self) -> LabelScores:
        """With the links that the pairs were made by."""
        half = len(self.train)
        tables = self.entailer.alone
        rows = [pair_features(pair, links, *tables) for pair, links in self.made]
        return self.score(USUAL, "two decisions", (rows[:half], rows[half:]))


def entailer_of(name: str, text: tuple[Tokens, Tokens], threads: int) -> CrossLingualEntailer:
    """An aligner trained on parallel text, with what it leaves without a link there."""
    aligner = get_aligner(name)
    aligner.train(*text, threads=threads)
    return CrossLingualEntailer.of(aligner, *text, threads=threads)


def folded_right(rows: Sequence[dict[str, float]], gold: Sequence[str], folds: int = 10) -> list[bool]:
    """Which labels are right, each given by a model that learned from the other folds.

    Labels take turns in pairs that were made, so a fold has whole rounds of them: every tenth pair would have two only.
    """
    right = [False] * len(rows)
    fold_of = [at // len(LABELS) % folds for at in range(len(rows))]
    for fold in range(folds):
        others = [at for at, its in enumerate(fold_of) if its != fold]
        model = CrossLingualModel(USUAL).fit([rows[at] for at in others], [gold[at] for at in others])
        for at in (at for at, its in enumerate(fold_of) if its == fold):
            right[at] = model.predict(rows[at]) == gold[at]
    return right


def aligner_rows(routes: dict[str, Routes]) -> list[dict[str, Any]]:
    """What decided which aligner judges; `p` against the first one."""
    rows = []
    for pair, one in routes.items():
        first = next(iter(one.tried.values()))
        for name, right in one.tried.items():
            row: dict[str, Any] = {"languages": pair, "aligner": name, "pairs": len(right)}
            row |= {"accuracy": float(np.mean(right)), "p": math.nan if right is first else mcnemar(right, first)}
            rows.append(row | {"judges": "yes" if name == one.aligner else ""})
    return rows


def row_of(pair: str, route: str, features: str, combine: str, scores: LabelScores, tested: int) -> dict[str, Any]:
    low, high = interval(round(scores.accuracy * tested), tested)
    row: dict[str, Any] = {"languages": pair, "route": route, "features": features, "decision": combine}
    row |= {"tested": tested, "accuracy": scores.accuracy, "from": low, "to": high}
    row |= {"paper": PAPER.get(features, math.nan) if (pair, route) == ("de-en", "alignment") else math.nan}
    row |= {"forward": scores.forward, "backward": scores.backward}
    return row | {f"F1 {label}": value for label, value in scores.f1.items()} | {"p": math.nan}


def caption_routes(language: str, pairs: int, labelled: int, threads: int) -> Routes:
    train = captions(language, "train", pairs)
    parts = [captions(language, part, labelled) for part in ("val", "test")]
    held = parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
    other = get_aligner(LINKER)
    other.train(*train, threads=threads)
    return Routes(train, shortened_pairs(*held, other.align(*held, threads=threads), seed=1), JUDGES, threads)


def mixed_routes(pairs: int, labelled: int, threads: int) -> Routes:
    """Czech news, fiction and law with links by hand; aligners learn from the rest, from news and from captions."""
    folder, wmt = DATA / "alignments" / "en-cs-czenali", DATA / "wmt"
    lines = [list(read_lines(existing(folder / name))) for name in ("text.cs", "text.en", "gold.sure")]
    order = stream(1, "czenali").permutation(len(lines[0]))  # or one kind of text would teach, another be tested
    first, second = ([tuple(side[at].lower().split()) for at in order] for side in lines[:2])
    links = [Alignment.parse(lines[2][at]).transposed() for at in order]
    made = shortened_pairs(first[-labelled:], second[-labelled:], links[-labelled:], seed=1)
    news = (
        ("newstest2013/references/newstest2013.cs", "newstest2016-cs-en/src.cs"),
        ("newstest2013/references/newstest2013.en", "newstest2016-cs-en/ref.en"),
    )
    more = captions("cs", "train", pairs)
    text = [
        own[:-labelled] + [line for file in files for line in tokens(wmt / file, 3_000)] + caption
        for own, files, caption in zip((first, second), news, more, strict=True)
    ]
    return Routes((text[0], text[1]), made, (*JUDGES, LINKER), threads, links="links by hand")


def synthetic_routes(size: int, threads: int) -> Routes:
    """Made-up sentences, whose links are known."""
    made = shortened_pairs(*made_up(size, 4), seed=1)
    return Routes(made_up(size, 3)[:2], made, (*JUDGES, LINKER), threads, links="constructed links")


def translation_rows(
    routes: Routes,
    annotator: Annotator,
    texts: tuple[Tokens, Tokens],
    dev: tuple[Tokens, Tokens],
    place: Path,
    given: Any,
) -> tuple[list[dict[str, Any]], dragoman.Model]:
    """The first texts translated, then English entailment in both directions."""
    recipe = Recipe(tokenized=True).changed(["aligner=fast", "order=3", "tuner=none" if given.small else "tuner=mira"])
    model = dragoman.train(
        *([" ".join(line) for line in side] for side in texts),
        dev=([" ".join(line) for line in dev[0]], [" ".join(line) for line in dev[1]]),
        languages=("de", "en"),
        recipe=recipe,
        output=place / "model",
        cache=place / "stages",
        threads=given.threads,
    )
    english = [
        annotated(annotator, pairs, [one.text for one in model.translate(as_lines(pairs), threads=given.threads)])
        for pairs in (routes.train, routes.test)
    ]
    entailer = Entailer(WordRelations.find())
    forward = [
        replace(pair, label=pair_.label in ("forward", "bidirectional"))
        for pair, pair_ in zip(english[0], routes.train, strict=True)
    ]
    rows = []
    judges = {"hand-set": entailer} | {kind: entailer.fitted(forward, kind=kind) for kind in WEIGHTS}
    for name, judge in judges.items():
        labels = [judge_both(judge, pair.text, [pair.hypothesis]).label for pair in english[1]]
        scores = score_labels(routes.gold[1], labels)
        p = mcnemar(routes.right(labels), routes.right(routes.labels(USUAL, "two decisions")))
        rows.append(row_of("de-en", "translation", name, "two decisions", scores, len(labels)) | {"p": p})
    return rows, model


def as_lines(pairs: Sequence[CrossLingualPair]) -> list[str]:
    return [" ".join(pair.first) for pair in pairs]


def annotated(annotator: Annotator, pairs: Sequence[CrossLingualPair], texts: Sequence[str]) -> list[AnnotatedPair]:
    given = [
        EntailmentPair(pair.id, text or "-", " ".join(pair.second)) for pair, text in zip(pairs, texts, strict=True)
    ]
    return annotate_pairs(annotator, given)


def forward_decision(
    entailer: CrossLingualEntailer, train: list[EntailmentPair], test: list[EntailmentPair], threads: int
) -> list[float]:
    """How much speaks for the hypotheses, by the features of the forward direction; above 0 they follow."""
    names = [f"forward {name}" for name in ("A1", "A2", "A3")]
    values = []
    for part in (train, test):
        pairs = [CrossLingualPair(p.id, cut(p.text.lower()), cut(p.hypothesis.lower())) for p in part]
        values.append(np.array([[row[name] for name in names] for row in entailer.rows(pairs, threads=threads)[1]]))
    means, spreads = values[0].mean(0), np.maximum(values[0].std(0), 1e-6)
    weights, bias = fit_logistic((values[0] - means) / spreads, [bool(pair.label) for pair in train], 1.0)
    return [float(score) for score in (values[1] - means) / spreads @ weights + bias]


def challenge_row(
    pair: str, route: str, gold: list[bool], scores: list[float], against: list[float] | None = None
) -> dict[str, Any]:
    def right(some: list[float]) -> list[bool]:
        return [(score > 0) == wanted for score, wanted in zip(some, gold, strict=True)]

    row: dict[str, Any] = {"languages": pair, "route": route, "tested": len(gold)}
    p = math.nan if against is None else mcnemar(right(scores), right(against))
    return row | {name: value / 100 for name, value in measured(gold, scores).items()} | {"p": p}


def challenge_rows(model: dragoman.Model, annotator: Annotator, name: str, given: Any) -> list[dict[str, Any]]:
    """RTE-3 with texts in German or Italian: each half judged by what was learned from the other."""
    folder = DATA / "rte" / "rte3-multilingual"
    rows = []
    german = read_pairs(existing(folder / "clte-dev.de-en.tsv"))
    news = [tokens(DATA / "wmt/newstest2013/references" / f"newstest2013.{side}", 3_000) for side in ("de", "en")]
    packages = [tokens(DATA / "debian/en-de" / f"train.{side}", 10_000) for side in ("de", "en")]
    caption = captions("de", "train", given.pairs)
    text = [news[side] + packages[side] + caption[side] for side in (0, 1)]
    entailer = entailer_of(name, (text[0], text[1]), given.threads)
    halves = german[::2], german[1::2]
    gold = [bool(pair.label) for half in halves for pair in half]
    found = [
        answer
        for half, other in ((halves[0], halves[1]), (halves[1], halves[0]))
        for answer in forward_decision(entailer, other, half, given.threads)
    ]
    rows.append(challenge_row("de-en", "alignment", gold, found))
    lines = [" ".join(cut(pair.text.lower())) for half in halves for pair in half]
    english = [one.text for one in model.translate(lines, threads=given.threads)]
    both = [pair for half in halves for pair in half]
    ready = annotate_pairs(
        annotator, [replace(pair, text=line or "-") for pair, line in zip(both, english, strict=True)]
    )
    plain = Entailer(WordRelations.find())
    size = len(halves[0])
    rows.append(challenge_row("de-en", "translation, hand-set", gold, [j.score for j in plain.judge_all(ready)], found))
    for kind in WEIGHTS:
        scores = [
            judgement.score
            for half, other in ((ready[:size], ready[size:]), (ready[size:], ready[:size]))
            for judgement in plain.fitted(other, kind=kind).judge_all(half)
        ]
        rows.append(challenge_row("de-en", f"translation, {kind}", gold, scores, found))
    italian = read_pairs(existing(folder / "clte-dev.it-en.tsv"))
    parallel = {
        side: {pair.id: pair for pair in read_pairs(existing(folder / f"{name}_dev.xml"))}
        for side, name in (("it", "Italian"), ("en", "English"))
    }
    halves = italian[::2], italian[1::2]
    gold = []
    found = []
    for half, other in ((halves[0], halves[1]), (halves[1], halves[0])):
        known = [pair.id for pair in other if pair.id in parallel["it"] and pair.id in parallel["en"]]
        sides = [
            [cut(words.lower()) for each in known for words in (one[each].text, one[each].hypothesis)]
            for one in (parallel["it"], parallel["en"])
        ]
        entailer = entailer_of(name, (sides[0], sides[1]), given.threads)
        found += forward_decision(entailer, other, half, given.threads)
        gold += [bool(pair.label) for pair in half]
    rows.append(challenge_row("it-en", "alignment", gold, found))
    return rows


def small_parser() -> Annotator:
    from dragoman.annotations.training import train_annotator

    made = [item.source.annotated for item in synthetic.pair("en-de").generate(80, seed=1)]
    return train_annotator("syntax", [one.with_layers(tags=one.pos) for one in made], epochs=2)


def main() -> None:
    given = arguments(
        __doc__,
        out=str(HOME / "docs/experiments/p30"),
        cache="",
        parts=",".join(PARTS),
        pairs=29_000,
        labelled=1_000,
        threads=0,
        small=False,
    )
    parts = ("synthetic", "translation") if given.small else tuple(given.parts.split(","))
    routes: dict[str, Routes] = {}
    if "captions" in parts:
        for language in ("de", "fr", "cs"):
            routes[f"{language}-en"] = caption_routes(language, given.pairs, given.labelled, given.threads)
            print(language, "aligned", flush=True)
    if "mixed" in parts:
        routes["cs-en, mixed"] = mixed_routes(given.pairs, given.labelled, given.threads)
    if "synthetic" in parts:
        name, size = ("de-en", 300) if given.small else ("de-en, synthetic", 2_000)
        routes[name] = synthetic_routes(size, given.threads)
    rows = []
    for pair, one in routes.items():
        tested = len(one.test)
        for features in FEATURES:
            scores = one.score(features, "two decisions")
            rows.append(row_of(pair, "alignment", features, "two decisions", scores, tested))
            if features != USUAL:
                labels = [one.labels(each, "two decisions") for each in (features, USUAL)]
                rows[-1]["p"] = mcnemar(*map(one.right, labels))
        rows.append(row_of(pair, "alignment", USUAL, "one versus rest", one.score(USUAL, "one versus rest"), tested))
        if one.links:
            rows.append(row_of(pair, one.links, USUAL, "two decisions", one.by_known_links(), tested))
    challenge: list[dict[str, Any]] = []
    if "translation" in parts:
        with tempfile.TemporaryDirectory() as scratch:
            annotator = small_parser() if given.small else open_annotator(given.cache or scratch)
            if given.small:
                texts, dev = made_up(300, 3)[:2], made_up(20, 5)[:2]
            else:
                texts, dev = captions("de", "train", given.pairs), captions("de", "val", 300)
            more, model = translation_rows(routes["de-en"], annotator, texts, dev, Path(scratch), given)
            rows += more
            if not given.small:
                challenge = challenge_rows(model, annotator, routes["de-en"].aligner, given)
    tables: dict[str, tuple[Table, list[Claim]]] = {
        "Pairs made from parallel text": (
            Table(("languages", "route", "features", "decision"), tuple(rows)),
            claims(parts),
        ),
        "Which aligner judges: ten folds of the pairs to learn from": (
            Table(("languages", "aligner"), tuple(aligner_rows(routes))),
            [
                Claim(
                    f"{JUDGES[1]} judges better than {JUDGES[0]}, for every language pair (p < 0.05)",
                    lambda t: all(
                        row["accuracy"] > first["accuracy"] and row["p"] < 0.05
                        for first, row in zip(t.where(aligner=JUDGES[0]), t.where(aligner=JUDGES[1]), strict=True)
                    ),
                )
            ],
        ),
    }
    if challenge:
        found = Table(("languages", "route"), tuple(challenge))
        tables["RTE-3 with texts in another language"] = (found, challenge_claims())
    shown = [row for row in rows if row["decision"] == "two decisions"]
    publish(
        "Entailment across languages",
        __doc__,
        tables,
        pictures={
            "plot": dot_plot(
                Table(("languages", "route"), tuple(shown)),
                label=lambda row: f"{row['languages']}, {row['route']}, {row['features']}",
                figure="accuracy",
            )
        },
        out=given.out,
        settings={**vars(given), "seed": 1, "aligners": ", ".join(JUDGES), "seldom": 0.11},
        not_run=[] if given.small else [part for part in PARTS if part not in parts],
    )


def claims(parts: Sequence[str]) -> list[Claim]:
    def where(table: Table, **chosen: str) -> list[dict[str, Any]]:
        return table.where(**{"route": "alignment", "features": USUAL, "decision": "two decisions"} | chosen)

    found = [
        Claim(
            "both decisions are better than chance with A1+A2+A3, for every language pair (intervals above 50 %)",
            lambda t: all(
                interval(round(row[way] * row["tested"]), row["tested"])[0] > 0.5
                for row in where(t)
                for way in ("forward", "backward")
            ),
        ),
        Claim(
            "four labels come out within 0.1 of the product of both decisions",
            lambda t: all(abs(row["accuracy"] - row["forward"] * row["backward"]) <= 0.1 for row in where(t)),
        ),
        Claim(
            "A1 alone is within 3 points of all A",
            lambda t: all(
                one["accuracy"] >= row["accuracy"] - 0.03
                for row, one in zip(where(t), where(t, features="A1"), strict=True)
            ),
        ),
        Claim(
            "our aligner gives at least 50 % for four labels, for every language pair",
            lambda t: all(row["accuracy"] >= 0.5 for row in where(t)),
        ),
        Claim(
            "features without a direction (S1+S2+S3) are worse than those with one, for every language pair (p < 0.05)",
            lambda t: all(
                one["accuracy"] < row["accuracy"] and one["p"] < 0.05
                for row, one in zip(where(t), where(t, features="S1+S2+S3"), strict=True)
            ),
        ),
        Claim(
            "each label against the rest is no more than 1 point worse than two decisions",
            lambda t: all(
                one["accuracy"] >= row["accuracy"] - 0.01
                for row, one in zip(where(t), where(t, decision="one versus rest"), strict=True)
            ),
        ),
    ]
    if "captions" in parts:
        found.append(
            Claim(
                "on captions, our aligner gives at least 50 % for four labels",
                lambda t: all(row["accuracy"] >= 0.5 for row in where(t) if "," not in row["languages"]),
            )
        )
    if "synthetic" in parts:
        found.append(
            Claim(
                "links known by construction give at least 75 % (synthetic sentences)",
                lambda t: all(row["accuracy"] >= 0.75 for row in where(t, route="constructed links")),
            )
        )
    if "translation" in parts:
        found += [
            Claim(
                f"German captions: by translation, with {kind} weights, is better than by alignment (p < 0.05)",
                lambda t, kind=kind: all(
                    row["accuracy"] > where(t, languages="de-en")[0]["accuracy"] and row["p"] < 0.05
                    for row in where(t, route="translation", features=kind)
                ),
            )
            for kind in WEIGHTS
        ]
    return found


def challenge_claims() -> list[Claim]:
    return [
        Claim(
            "every route is better than chance: its interval is above 50 %",
            lambda t: all(r["from"] > 0.5 for r in t.rows),
        ),
        *(
            Claim(
                f"by translation, with {kind} weights, is better than by alignment on German texts (p < 0.05)",
                lambda t, kind=kind: all(
                    row["accuracy"] > t.where(languages="de-en", route="alignment")[0]["accuracy"] and row["p"] < 0.05
                    for row in t.where(languages="de-en", route=f"translation, {kind}")
                ),
            )
            for kind in WEIGHTS
        ),
    ]


if __name__ == "__main__":
    main()
