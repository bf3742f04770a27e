"""Does a word depend on its ancestors as it depends on the words before it?

Graham and van Genabith (2010) compare a language model over f-structures with one over strings, on the same sentences
and apart from any translation: how many n-grams of a test set training has seen, and the perplexity. Here trees of
predicates come from Universal Dependencies: gold ones (training part against test part of English-EWT and of
French-Sequoia; German-GSD's development part with PUD against GSD's test part) and parsed ones (English package
descriptions of Debian, the first `--sentences` lines of 5 to 20 words, parsed by the annotator that is trained on EWT,
whose figures stand in a table of their own). Sentences have 5 to 20 words, as in the paper, which had 7.29 million of
them, parsed by XLE. Modal verbs become attributes in English and German; French ones are predicates, as nobody has
listed them for us.

`SB` are strings (lower-cased tokens), `DS` trees (lower-cased lemmas); `+eos` predicts ends, one a sentence or one a
leaf, and counts them; `-eos` does neither; `-punc` leaves out punctuation. Coverage is the share of test events whose
whole n-gram was seen, of all events and of those that have enough words before or above them (p of a paired t-test over
sentences). Perplexities of DS and SB are over different words and cannot be compared; each column of coverage can.
Models are modified Kneser-Ney without cut-offs; unknown words are left out of perplexity.

Beside the tables of the paper: other ways to smooth, other readings of trees, and two questions about what the models
see. *Adverbs*: an adverb that begins a sentence is put at its end. *Arguments*: the head of an object, with something
between it and its verb, is replaced by another noun of the same tag whose lemma is about as frequent (its count has the
same binary logarithm); a model is right if it prefers what the writer wrote. The test is McNemar's, exact, two-sided.

`--texts` names some of the texts, separated by semicolons; with `--cache` the parser is kept there.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from scipy.stats import ttest_rel

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.corpus import annotate_lines
from dragoman.annotations.predicate_files import trees_of
from dragoman.annotations.predicate_trees import predicate_tree
from dragoman.annotations.predicates import PredicateTree
from dragoman.annotations.scoring import score
from dragoman.annotations.training import train_annotator
from dragoman.charts import line_plot
from dragoman.evaluation.contingency import mcnemar
from dragoman.files import read_lines
from dragoman.lm.deep_syntax import DeepSyntaxModel
from dragoman.lm.estimate import SMOOTHINGS
from dragoman.lm.tree_events import KINDS, TreeEvents
from dragoman.seeds import stream
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, publish
from experiments.recipes import names_of, others
from experiments.trained_annotators import annotated, figures_of, trained_model

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
UD = DATA / "treebanks" / "ud"
TREEBANKS = {
    "English-EWT": (["en_ewt-ud-train"], "en_ewt-ud-test"),
    "French-Sequoia": (["fr_sequoia-ud-train"], "fr_sequoia-ud-test"),
    "German-GSD": (["de_gsd-ud-dev", "de_pud-ud-test"], "de_gsd-ud-test"),
}
PARSED = "Debian, parsed"
TEXTS = (*TREEBANKS, PARSED)
ORDERS = (1, 2, 3, 4, 5)
SYSTEMS = {
    "SB-eos": ("strings", False),
    "SB-eos-punc": ("strings-without-punctuation", False),
    "DS-eos": ("predicates", False),
    "SB+eos": ("strings", True),
    "DS+eos": ("predicates", True),
}


@dataclass(frozen=True, eq=False)
class Texts:
    """Parsed sentences to learn from and to test on."""

    name: str
    train: tuple[Sentence, ...]
    test: tuple[Sentence, ...]

    @cache  # noqa: B019 - one object lives as long as the program
    def trees(self, part: str, form: str) -> list[PredicateTree]:
        return list(trees_of(self.train if part == "train" else self.test, form))


def fitting(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """Sentences of 5 to 20 words that have a predicate."""
    return (each for each in sentences if 5 <= len(each) <= 20 and len(predicate_tree(each)))


def treebank(*names: str) -> Iterator[Sentence]:
    return (sentence for name in names for sentence in conllu.read(UD / f"{name}.conllu.gz"))


def made_up() -> Texts:
    made = [item.source.annotated for item in synthetic.pair("en-de").generate(300, seed=1)]
    usable = tuple(each for each in made if len(predicate_tree(each)))
    return Texts("synthetic", usable[:200], usable[200:])


def gold(name: str) -> Texts:
    """Training and test part of a treebank."""
    train, test = TREEBANKS[name]
    return Texts(name, tuple(fitting(treebank(*train))), tuple(fitting(treebank(test))))


def parsed(parser: Annotator, sentences: int) -> Texts:
    """Package descriptions, of which the first so many teach."""

    def some(name: str, most: int) -> tuple[Sentence, ...]:
        lines = (line for line in read_lines(DATA / "debian" / "en-de" / name) if 5 <= len(line.split()) <= 20)
        return tuple(fitting(annotate_lines(parser, islice(lines, most))))

    return Texts(PARSED, some("train.en.gz", sentences), some("test.en", 700))


def english_parser(folder: Path) -> tuple[Annotator, dict[str, Any]]:
    """A parser of English, trained unless it was kept, and how good it is."""
    train, test = TREEBANKS["English-EWT"]
    parser, _ = trained_model(folder / "en-syntax", lambda: train_annotator("syntax", list(treebank(*train))))
    true = list(treebank(test))
    figures = figures_of(score(true, annotated(parser, true)[0]), ("UPOS", "lemmas", "UAS", "LAS"))
    return parser, {"language": "en", **figures, "test sentences": len(true)}


def by_sentence(model: DeepSyntaxModel, trees: Sequence[PredicateTree], order: int) -> list[float]:
    """Coverage of each sentence."""
    return [
        sum(found.known and found.ngram_length >= order for found in tree) / len(tree) for tree in model.scored(trees)
    ]


def size_rows(texts: Texts) -> Iterator[dict[str, Any]]:
    for form in ("strings", "predicates"):
        trees = texts.trees("train", form)
        tokens = sum(map(len, trees))
        yield {
            "text": texts.name,
            "form": form,
            "sentences": len(trees),
            "tokens": tokens,
            "tokens / sentence": tokens / len(trees),
            "vocabulary": len({word for tree in trees for word in tree.words}),
            "test sentences": len(texts.trees("test", form)),
        }


def system_rows(texts: Texts) -> Iterator[dict[str, Any]]:
    beside: dict[int, list[float]] = {}
    for system, (form, ends) in SYSTEMS.items():
        train, test = texts.trees("train", form), texts.trees("test", form)
        longest = DeepSyntaxModel.train(train, TreeEvents(max(ORDERS), ends))
        covered = longest.coverage(test)
        for order in ORDERS:
            model = longest if order == max(ORDERS) else DeepSyntaxModel.train(train, TreeEvents(order, ends))
            found = model.perplexity(test)
            row = {
                "text": texts.name,
                "system": system,
                "order": order,
                "coverage %": 100 * covered[order - 1].share,
                "of full contexts %": 100 * covered[order - 1].full_share,
                "perplexity": found.perplexity,
                "events": found.events,
                "unknown": found.unknown,
                "p of coverage against SB-eos-punc": "",
            }
            if system == "SB-eos-punc":
                beside[order] = by_sentence(longest, test, order)
            if system == "DS-eos":
                tested = ttest_rel(by_sentence(longest, test, order), beside[order])
                row["p of coverage against SB-eos-punc"] = f"{tested.pvalue:.2g}"
            yield row
            print(row, flush=True)


def smoothing_rows(texts: Texts) -> Iterator[dict[str, Any]]:
    settings = [(smoothing, ()) for smoothing in SMOOTHINGS] + [("katz", (0, 0, 1))]
    for form in ("strings", "predicates"):
        for smoothing, prune in settings:
            model = DeepSyntaxModel.train(texts.trees("train", form), TreeEvents(3), smoothing=smoothing, prune=prune)
            found = model.perplexity(texts.trees("test", form))
            yield {
                "text": texts.name,
                "system": "SB+eos" if form == "strings" else "DS+eos",
                "smoothing": smoothing + (", singletons of order 3 dropped" if prune else ""),
                "perplexity": found.perplexity,
                "n-grams": sum(model.ngrams.counts),
            }


def reading_rows(texts: Texts) -> Iterator[dict[str, Any]]:
    train, test = texts.trees("train", "predicates"), texts.trees("test", "predicates")
    for kind in KINDS:
        for order in (2, 3, 4):
            model = DeepSyntaxModel.train(train, TreeEvents(order, kind in ("ancestors", "paths", "sides"), kind))
            found = model.perplexity(test)
            sentence = -found.logprob / found.sentences
            yield {
                "text": texts.name, "events": kind, "order": order, "n-grams": sum(model.ngrams.counts),
                "events / sentence": found.events / found.sentences, "perplexity": found.perplexity,
                "-log p / sentence": sentence,
            }  # fmt: skip


def frequent_rows(texts: Texts) -> Iterator[dict[str, Any]]:
    for system, form in (("SB+eos", "strings"), ("DS+eos", "predicates")):
        model = DeepSyntaxModel.train(texts.trees("train", form), TreeEvents(3))
        for found in model.frequent(texts.trees("test", form), order=3, most=10):
            ngram = f"`{found.ngram}`".replace("|", "\\|")
            yield {"text": texts.name, "system": system, "trigram": ngram, "count": found.count, "p": found.probability}


def moved_adverb(sentence: Sentence) -> Sentence | None:
    """The sentence with an adverb that begins it put before the final mark; None where none does."""
    size = len(sentence)
    tree = sentence.dependencies
    if sentence.pos[0] != "ADV" or tree.heads[0] != tree.root or tree.children(0):
        return None
    end = size - 1 if sentence.pos[-1] == "PUNCT" else size
    order = [*range(1, end), 0, *range(end, size)]
    places = {at: place for place, at in enumerate(order)}
    return Sentence.of(
        [sentence.words[at] for at in order],
        lemmas=[sentence.lemmas[at] for at in order],
        pos=[sentence.pos[at] for at in order],
        dependencies=(
            [places[tree.heads[at]] if tree.heads[at] >= 0 else -1 for at in order],
            [tree.labels[at] for at in order],
        ),
    )


def adverb_rows(texts: Texts) -> Iterator[dict[str, Any]]:
    pairs = [(each, other) for each in texts.test if (other := moved_adverb(each)) is not None]
    for system, form in (("SB+eos", "strings"), ("DS+eos", "predicates")):
        model = DeepSyntaxModel.train(texts.trees("train", form), TreeEvents(3))
        before, after = (model.score_all(trees_of([pair[side] for pair in pairs], form)) for side in (0, 1))
        same = sum(abs(one.logprob - two.logprob) < 1e-9 for one, two in zip(before, after, strict=True))
        yield {"text": texts.name, "system": system, "sentences": len(pairs), "same score": same}


def argument_rows(texts: Texts, seed: int) -> Iterator[dict[str, Any]]:
    """Which noun did the writer write? Each model answers for each object that something separates from its verb."""
    counts: dict[str, int] = {}
    nouns: dict[tuple[str, int], list[tuple[str, str]]] = {}
    seen: set[tuple[str, str]] = set()
    for sentence in texts.train:
        for lemma, pos in zip(sentence.lemmas, sentence.pos, strict=True):
            if pos == "NOUN":
                counts[lemma.lower()] = counts.get(lemma.lower(), 0) + 1
    for sentence in texts.train:
        for at, pos in enumerate(sentence.pos):
            word, lemma = sentence.words[at].lower(), sentence.lemmas[at].lower()
            if pos == "NOUN" and (word, lemma) not in seen:
                seen.add((word, lemma))
                nouns.setdefault((_tag(sentence, at), counts[lemma].bit_length()), []).append((word, lemma))
    random = stream(seed, "arguments")
    pairs: dict[bool, list[tuple[Sentence, Sentence]]] = {True: [], False: []}
    for sentence in texts.test:
        tree = sentence.dependencies
        for at, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
            lemma = sentence.lemmas[at].lower()
            if label != "obj" or sentence.pos[at] != "NOUN" or head > at or lemma not in counts:
                continue
            others = [
                pair for pair in nouns.get((_tag(sentence, at), counts[lemma].bit_length()), ()) if pair[1] != lemma
            ]
            if others:
                pairs[at - head > 1].append(
                    (sentence, _replaced(sentence, at, *others[int(random.integers(len(others)))]))
                )
    for order in (2, 3):
        models = {
            form: DeepSyntaxModel.train(texts.trees("train", form), TreeEvents(order))
            for form in ("strings", "predicates")
        }
        for separated, given in pairs.items():
            right = {
                form: [
                    one.logprob > two.logprob
                    for one, two in zip(
                        *(model.score_all(trees_of([pair[side] for pair in given], form)) for side in (0, 1)),
                        strict=True,
                    )
                ]
                for form, model in models.items()
            }
            yield {
                "text": texts.name,
                "order": order,
                "between verb and object": "something" if separated else "nothing",
                "objects": len(given),
                "SB right %": 100 * sum(right["strings"]) / max(1, len(given)),
                "DS right %": 100 * sum(right["predicates"]) / max(1, len(given)),
                "p": mcnemar(right["strings"], right["predicates"]) if given else math.nan,
            }


def _tag(sentence: Sentence, at: int) -> str:
    return sentence.layers.tags[at] if sentence.layers.tags else sentence.pos[at]


def _replaced(sentence: Sentence, at: int, word: str, lemma: str) -> Sentence:
    def put(values: Sequence[str], value: str) -> tuple[str, ...]:
        return (*values[:at], value, *values[at + 1 :])

    words = put(sentence.words, word)
    return replace(Sentence.of(words), layers=replace(sentence.layers, lemmas=put(sentence.lemmas, lemma)))


def of(table: Table, column: str, **chosen: Any) -> float:
    return float(table.where(**chosen)[0][column])


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/p31", cache="", sentences=12000, texts="", small=False)
    chosen = names_of(args.texts, TEXTS)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(args.cache or place)
        folder.mkdir(parents=True, exist_ok=True)
        found = [made_up()] if args.small else [gold(name) for name in chosen if name in TREEBANKS]
        quality: dict[str, Any] = {}
        if PARSED in chosen and not args.small:
            parser, quality = english_parser(folder)
            found.append(parsed(parser, args.sentences))
    names = [texts.name for texts in found]
    systems = Table(("text", "system", "order"), tuple(row for texts in found for row in system_rows(texts)))
    smoothed = Table(("text", "system", "smoothing"), tuple(row for texts in found for row in smoothing_rows(texts)))
    readings = Table(("text", "events", "order"), tuple(row for texts in found for row in reading_rows(texts)))
    adverbs = Table(("text", "system"), tuple(row for texts in found for row in adverb_rows(texts)))
    objects = Table(
        ("text", "order", "between verb and object"), tuple(row for texts in found for row in argument_rows(texts, 1))
    )
    frequent = Table(("text", "system", "trigram"), tuple(row for texts in found for row in frequent_rows(texts)))
    sizes = Table(("text", "form"), tuple(row for texts in found for row in size_rows(texts)))

    def cover(table: Table, text: str, system: str, order: int) -> float:
        return of(table, "coverage %", text=text, system=system, order=order)

    def perplexity(table: Table, text: str, system: str, order: int) -> float:
        return of(table, "perplexity", text=text, system=system, order=order)

    claims = [
        Claim(
            "coverage falls with the order, for every model",
            holds=lambda t: all(
                cover(t, text, system, order) > cover(t, text, system, order + 1)
                for text in names
                for system in SYSTEMS
                for order in ORDERS[:-1]
            ),
        ),
        Claim(
            "up to order 3, coverage of DS-eos is within 3 points of SB-eos-punc",
            holds=lambda t: all(
                abs(cover(t, text, "DS-eos", order) - cover(t, text, "SB-eos-punc", order)) <= 3
                for text in names
                for order in (1, 2, 3)
            ),
        ),
        Claim(
            "at orders 4 and 5, coverage of DS-eos is below SB-eos-punc",
            holds=lambda t: all(
                cover(t, text, "DS-eos", order) < cover(t, text, "SB-eos-punc", order)
                for text in names
                for order in (4, 5)
            ),
        ),
        Claim(
            "ends are easy: perplexity of DS+eos is less than half of that of DS-eos, at every order",
            holds=lambda t: all(
                perplexity(t, text, "DS+eos", order) < perplexity(t, text, "DS-eos", order) / 2
                for text in names
                for order in ORDERS
            ),
        ),
        Claim(
            "beyond order 3 perplexity moves by less than 2 %, for every model",
            holds=lambda t: all(
                abs(perplexity(t, text, system, order) / perplexity(t, text, system, 3) - 1) < 0.02
                for text in names
                for system in SYSTEMS
                for order in (4, 5)
            ),
        ),
    ]
    lines = {
        f"{system}, {text}": [(order, cover(systems, text, system, order)) for order in ORDERS]
        for text in names
        for system in ("SB-eos-punc", "DS-eos")
    }
    publish(
        "Deep-syntax language models",
        __doc__,
        {
            **({"Parser (F1)": (Table(("language",), (quality,)), [])} if quality else {}),
            "Sizes": (sizes, []),
            "Coverage and perplexity": (systems, claims),
            "Smoothing, order 3": (
                smoothed,
                [
                    Claim(
                        "Kneser-Ney has the lowest perplexity, over strings and over trees",
                        holds=lambda t: all(
                            min(t.where(text=text, system=system), key=lambda row: row["perplexity"])["smoothing"]
                            == "kneser-ney"
                            for text in names
                            for system in ("SB+eos", "DS+eos")
                        ),
                    )
                ],
            ),
            "Readings of trees": (readings, []),
            "Most frequent trigrams of the test texts": (frequent, []),
            "An adverb moves": (
                adverbs,
                [
                    Claim(
                        "no tree changes its score, and every string does",
                        holds=lambda t: all(
                            row["same score"] == (row["sentences"] if row["system"] == "DS+eos" else 0)
                            for row in t.rows
                        ),
                    )
                ],
            ),
            "An object is replaced": (
                objects,
                [
                    Claim(
                        "with something between verb and object, trees know it better, order 3 (p < .05, every text)",
                        holds=lambda t: all(
                            row["DS right %"] > row["SB right %"] and row["p"] < 0.05
                            for row in t.where(**{"between verb and object": "something", "order": 3})
                        ),
                    ),
                ],
            ),
        },
        pictures={"coverage": line_plot(lines, title="coverage of the test text", x_name="order", y_name="%")},
        out=args.out,
        settings=vars(args),
        not_run=[] if args.small else others(TEXTS, chosen),
    )


if __name__ == "__main__":
    main()
