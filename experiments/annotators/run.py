"""How good and how fast are the annotators that are trained here?

Each is trained on the training part of a treebank, with the settings that `dragoman annotate train` has unless told,
and measured on a part it has not seen, by the definitions of the shared tasks (`dragoman.annotations.scoring`).
Syntax: English-EWT; French-Sequoia; German on LIT with the development part of GSD, since the training part of GSD is
not at hand, measured on GSD's test part, where HanTa (if it is installed) shows what a tagger with a model of its own
does. Published figures of UDPipe 1.2 (models of Universal Dependencies 2.3, gold tokens) stand beside ours; they are
of another release of the treebank, so a tenth of a point means nothing. Peers trained on the same sentences, and what
is done for small treebanks: `experiments/annotator_peers`.
German without a treebank: trees projected from English (`german.py`).
Chunks: CoNLL-2000, with the tags of its files. Roles: PropBank over English-EWT, development part, with gold trees and
with the parser's own, beside the rules. Constituents: the Wall Street Journal sample of the Penn Treebank, with gold
tags, and with those of the tagger that learnt from English-EWT. Names: of what is at hand, only German-GSD has names
marked by hand, without their kinds and inside its annotation of words (`NamedEntity=Yes`); neighbours that are marked
are one name here. The recogniser learns from the development part, 799 sentences, and is measured on the test part,
beside the tags alone (neighbours tagged `NE`). How well it tells persons from places is not known.
Offsets: raw text is annotated by our models and laid over tokens as translation models have them (`Tokenizer`, with
entities as Moses writes them); counted is what finds no place.

`p` is that of the difference to the row named beside it, by approximate randomization over sentences (two-sided, 10,000
samples); intervals are of 95 %, by the bootstrap over sentences.
`--without de,constituents,projection` leaves parts out, `--cache FOLDER` keeps the models for another run.

Speed is CPU time of tagging, lemmatising and parsing; wall time on two cores is measured by `python -m bench
annotations`. Memory is the peak of a process that reads the model and annotates the test part.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.annotations import Sentence, annotator_chain, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.annotator_chain import AnnotatorChain
from dragoman.annotations.brought import HanTa
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.corpus import annotate_lines, as_json, render_lines
from dragoman.annotations.model import open_model
from dragoman.annotations.offsets import locate_loosely, transfer
from dragoman.annotations.role_rules import RoleRules
from dragoman.annotations.scoring import LayerScores, score
from dragoman.annotations.spans import from_labels
from dragoman.annotations.syntax import Syntax
from dragoman.annotations.treebanks import read_treebank
from dragoman.errors import MissingDependency
from dragoman.files import read_lines
from dragoman.text import synthetic
from dragoman.text.tokenizer import Tokenizer
from experiments.annotators.german import as_treebank, lowered, project_german
from experiments.common import Claim, Table, arguments, dot_plot, publish
from experiments.trained_annotators import annotated, figures_of, interval_of, memory_of, p_value, trained

HOME = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data"))
UD = DATA / "treebanks" / "ud"
PUBLISHED = {"UPOS": 94.4, "XPOS": 93.9, "features": 95.4, "lemmas": 96.8, "UAS": 84.5, "LAS": 81.2}
"""UDPipe 1.2 on English-EWT 2.3, gold tokens (README of the models, Straka and Strakova 2017)."""
SYNTAX = {
    "English-EWT": ("en", ["en_ewt-ud-train.conllu.gz"], "en_ewt-ud-test.conllu.gz"),
    "French-Sequoia": ("fr", ["fr_sequoia-ud-train.conllu.gz"], "fr_sequoia-ud-test.conllu.gz"),
    "German-LIT + GSD dev": ("de", ["de_lit-ud-test.conllu.gz", "de_gsd-ud-dev.conllu.gz"], "de_gsd-ud-test.conllu.gz"),
}
PARTS = ("dev", "test")
OFFSETS = (
    "words", "tokens", "lines divided otherwise", "lines without annotation", "lines without one whole tree",
    "tokens without a place",
)  # fmt: skip
LAYERS = ("UPOS", "XPOS", "features", "lemmas", "UAS", "LAS")


def measure(links: Annotator, gold: list[Sentence]) -> tuple[LayerScores, float]:
    """LayerScores, and sentences a CPU second."""
    given, speed = annotated(links, gold)
    return score(gold, given), speed


def compared(first: Annotator, second: Annotator, gold: list[Sentence], layer: str) -> float:
    """The p-value of the difference of two annotators."""
    return p_value(gold, annotated(first, gold)[0], annotated(second, gold)[0], layer)


def syntax_rows(folder: Path, small: bool, without: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    if small:
        pairs = list(synthetic.pair("en-de").generate(120, seed=1))
        banks = {
            "synthetic English": (
                "en",
                [i.source.annotated for i in pairs[:80]],
                [i.source.annotated for i in pairs[80:]],
            ),
            "synthetic German": (
                "de",
                [i.target.annotated for i in pairs[:80]],
                [i.target.annotated for i in pairs[80:]],
            ),
        }
    else:
        banks = {
            name: (language, [s for file in train for s in conllu.read(UD / file)], list(conllu.read(UD / test)))
            for name, (language, train, test) in SYNTAX.items()
            if language not in without
        }
    for name, (language, train, test) in banks.items():
        model, seconds = trained(folder, f"{language}-syntax", "syntax", train, **({"epochs": 2} if small else {}))
        given, speed = annotated(model, test)
        row: dict[str, Any] = {"treebank": name, "system": "dragoman", **figures_of(score(test, given), LAYERS)}
        row |= dict(zip(("LAS from", "LAS to"), interval_of(test, given, "LAS"), strict=True))
        raw = list(annotate_lines(model, [sentence.text for sentence in test]))
        row |= {"words from raw text": 100 * score(test, raw)["words"].f1}
        rows.append(row | {"training, CPU s": seconds, "sentences / CPU s": speed})
        rows[-1]["peak memory, MiB"] = memory_of(folder / f"{language}-syntax", test)
        print(rows[-1], flush=True)
        if name == "English-EWT":
            rows.append(
                dict.fromkeys(rows[-1], math.nan) | {"treebank": name, "system": "UDPipe 1.2, published", **PUBLISHED}
            )
        if language == "de" and not small:
            rows += hanta_rows(name, test, list(rows[-1]))
    return rows


def beam_rows(folder: Path) -> list[dict[str, Any]]:
    """What the width of the beam is worth when parsing, on the development part, where settings are chosen."""
    gold = list(conllu.read(UD / "en_ewt-ud-dev.conllu.gz"))
    rows = []
    for beam in (4, 8, 16):
        scores, speed = measure(Syntax.read_parts(folder / "en-syntax", {"beam": beam}), gold)
        rows.append({"beam": beam, "UAS": 100 * scores["UAS"].f1, "LAS": 100 * scores["LAS"].f1})
        rows[-1]["sentences / CPU s"] = speed
        print(rows[-1], flush=True)
    return rows


def hanta_rows(name: str, gold: list[Sentence], columns: list[str]) -> list[dict[str, Any]]:
    """HanTa has German tags of the same set and lemmas by other conventions; no trees."""
    try:
        scores, speed = measure(HanTa("de"), gold)
    except MissingDependency as error:
        print(error, flush=True)
        return []
    row = {"treebank": name, "system": "HanTa, its own model", "sentences / CPU s": speed}
    return [dict.fromkeys(columns, math.nan) | row | {layer: 100 * scores[layer].f1 for layer in ("XPOS", "lemmas")}]


def projection_rows(folder: Path, captions: int = 2_000) -> list[dict[str, Any]]:
    """German trees made of English ones, and a parser that learnt from them."""
    found = project_german(DATA, open_model(folder / "en-syntax"), captions)
    treebank = as_treebank(found.captions)
    model, seconds = trained(folder, "de-projected", "syntax", treebank)
    rows = []

    def add(
        what: str, part: str, scores: LayerScores, sentences: int, took: float = math.nan, p: float = math.nan
    ) -> None:
        row = {"system": what, "measured on": part, "sentences learnt from": sentences}
        row |= {layer: 100 * scores[layer].f1 for layer in ("UPOS", "UAS", "LAS")}
        rows.append(row | {"p against projected": p, "training, CPU s": took})
        print(rows[-1], flush=True)

    add("projected trees themselves", "German-PUD", score(found.gold, [each.sentence for each in found.pud]), 0)
    gsd = [lowered(sentence) for sentence in conllu.read(UD / "de_gsd-ud-test.conllu.gz")]
    add("trained on projected captions", "German-GSD test", measure(model, gsd)[0], len(treebank), seconds)
    add("trained on projected captions", "German-PUD", measure(model, found.gold)[0], len(treebank), seconds)
    gold = open_model(folder / "de-syntax")
    p = compared(gold, model, gsd, "LAS")
    add("trained on gold trees (LIT + GSD dev)", "German-GSD test, lower case", measure(gold, gsd)[0], 2719, p=p)
    return rows


def role_part(part: str) -> list[Sentence]:
    trees = UD / f"en_ewt-ud-{part}.conllu.gz"
    return read_treebank("roles", [DATA / f"treebanks/srl/ewt-props.{part}.conll.gz"], trees=[trees])


def other_rows(folder: Path, small: bool, without: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def add(
        task: str, system: str, layer: str, scores: LayerScores, seconds: float = math.nan, p: float = math.nan
    ) -> None:
        found = scores[layer]
        row = {"task": task, "system": system, "precision": 100 * found.precision, "recall": 100 * found.recall}
        rows.append(row | {"F1": 100 * found.f1, "p against rules": p, "training, CPU s": seconds})
        print(rows[-1], flush=True)

    syntax = open_model(folder / "en-syntax")
    if small:
        made = [i.source.annotated for i in synthetic.pair("en-de").generate(120, seed=2)]
        train = [sentence.with_layers(tags=sentence.pos) for sentence in made[:80]]
        test = [sentence.with_layers(tags=sentence.pos) for sentence in made[80:]]
        role_parts = tree_parts = (train, test)
        chunk_parts = None
    else:
        role_parts = role_part("train"), role_part("dev")
        penn = DATA / "treebanks" / "penn-sample"
        tree_parts = (
            read_treebank("constituents", [penn / "train.trees.gz"]),
            read_treebank("constituents", [penn / "test.trees"]),
        )
        chunk_parts = tuple(
            read_treebank("chunks", [DATA / f"treebanks/chunking/conll2000-{part}.txt.gz"])
            for part in ("train", "test")
        )
    train, test = role_parts
    labeler, seconds = trained(folder, "en-roles", "roles", train)
    p = compared(labeler, RoleRules(), test, "roles")
    add("roles, gold trees", "trained", "roles", measure(labeler, test)[0], seconds, p)
    add("roles, gold trees", "rules", "roles", measure(RoleRules(), test)[0])
    parsed, ruled = AnnotatorChain([syntax, labeler]), AnnotatorChain([syntax, RoleRules()])
    p = compared(parsed, ruled, test, "roles")
    add("roles, own trees", "trained", "roles", measure(parsed, test)[0], seconds, p)
    add("roles, own trees", "rules", "roles", measure(ruled, test)[0])
    add("predicates, own trees", "trained", "predicates", measure(parsed, test)[0], seconds)
    train, test = tree_parts
    settings = {"epochs": 2} if small else {}
    if "constituents" not in without:
        parser, seconds = trained(folder, "en-constituents", "constituents", train, **settings)
        add("constituents, gold tags", "trained", "constituents", measure(parser, test)[0], seconds)
        if not small:
            own = AnnotatorChain([syntax, parser])
            add("constituents, own tags", "trained", "constituents", measure(own, test)[0], seconds)
    if chunk_parts is not None:
        train, test = chunk_parts
        chunker, seconds = trained(folder, "en-chunks", "chunks", train)
        add("chunks, tags as given", "trained", "chunks", measure(chunker, test)[0], seconds)
    return rows


def with_names(sentence: Sentence, named: Sequence[bool]) -> Sentence:
    """A sentence whose neighbours that are named are one name."""
    return sentence.with_layers(entities=from_labels(["I-NAME" if each else "O" for each in named]))


def marked(sentence: Sentence) -> Sentence:
    """The names of a sentence of German-GSD."""
    misc = sentence.layers.misc or ("_",) * len(sentence)
    return with_names(sentence, ["NamedEntity=Yes" in each.split("|") for each in misc])


def name_rows(folder: Path, small: bool) -> list[dict[str, Any]]:
    """Names by the recogniser and by tags alone, with tags by hand and with our own."""
    if small:
        made = [i.source.annotated for i in synthetic.pair("en-de").generate(240, seed=4)]
        made = [each.with_layers(tags=each.pos) for each in made]
        made = [with_names(each, [pos == "PROPN" for pos in each.pos]) for each in made]
        train, test = made[:200], made[200:]
        tagger, _ = trained(folder, "en-made", "syntax", train, epochs=2)
    else:
        train, test = ([marked(each) for each in conllu.read(UD / f"de_gsd-ud-{part}.conllu.gz")] for part in PARTS)
        tagger = open_model(folder / "de-syntax")
    namer, seconds = trained(folder, "de-names", "entities", train)
    rows = []
    for tags, tagged in (("by hand", test), ("own", annotated(tagger, test)[0])):
        alone = [with_names(each, [tag in ("NE", "PROPN") for tag in each.tags]) for each in tagged]
        found = {"trained": annotated(namer, tagged)[0], "tags alone": alone}
        p = p_value(test, found["trained"], alone, "entities")
        for name, given in found.items():
            names = score(test, given)["entities"]
            row = {"tags": tags, "system": name, "names": names.gold, "precision": 100 * names.precision}
            row |= {"recall": 100 * names.recall, "F1": 100 * names.f1}
            first = name == "trained"
            rows.append(row | {"p": p if first else math.nan, "training, CPU s": seconds if first else math.nan})
            print(rows[-1], flush=True)
    return rows


def offset_rows(folder: Path, small: bool) -> list[dict[str, Any]]:
    """Annotation of raw text laid over tokens as translation models have them, and what found no place."""
    if small:
        texts = {"synthetic English": ("en", [i.source.text for i in synthetic.pair("en-de").generate(50, seed=5)])}
    else:
        debian = DATA / "debian"
        texts = {
            f"package descriptions, {name}": (language, list(read_lines(debian / file)))
            for name, language, file in (
                ("English", "en", "en-de/test.en"),
                ("German", "de", "en-de/test.de"),
                ("French", "fr", "en-fr/test.fr"),
            )
            if (folder / f"{language}-syntax").is_dir()
        }
    rows = []
    for name, (language, lines) in texts.items():
        annotations = list(annotate_lines(annotator_chain.load(str(folder / f"{language}-syntax")), lines))
        tokens = Tokenizer(language, escape=True).tokenize([each.text for each in annotations])
        counts = Counter[str]()
        for sentence, words in zip(annotations, tokens, strict=True):
            if not len(sentence):
                counts["lines without annotation"] += 1
                continue
            laid = transfer(sentence, locate_loosely(words, sentence.text))
            whole = laid.sentence.dependencies.heads.count(-1) == 1 and laid.sentence.words == tuple(words)
            differ = tuple(words) != sentence.words
            counts.update({"tokens": len(words), "words": len(sentence), "tokens without a place": laid.unplaced})
            counts.update({"lines divided otherwise": differ, "lines without one whole tree": not whole})
        row: dict[str, Any] = {"text": name, "lines": len(lines)}
        row |= {what: counts[what] for what in OFFSETS}
        rows.append(row | {"without a place, %": 100 * counts["tokens without a place"] / counts["tokens"]})
        print(rows[-1], flush=True)
    return rows


def cache_rows(folder: Path, small: bool) -> list[dict[str, Any]]:
    """A corpus annotated twice: the second time from the cache."""
    if small:
        lines = [item.source.text for item in synthetic.pair("en-de").generate(200, seed=3)]
    else:
        lines = [line for _, line in zip(range(10_000), read_lines(DATA / "multi30k" / "train.en.gz"), strict=False)]
    rows = []
    with tempfile.TemporaryDirectory() as place, AnnotationCache(Path(place) / "cache") as cache:
        for run in ("first", "second"):
            started = time.process_time()
            chain = annotator_chain.load(str(folder / "en-syntax"))
            count = sum(1 for _ in render_lines(chain, lines, as_json, form="json", tokenized=True, cache=cache))
            del chain  # or the second run would pay for letting go of the first one's model
            rows.append({"run": run, "sentences": count, "CPU s": time.process_time() - started})
    return rows


CLAIMS_PROJECTION = [
    Claim(
        "half of all words have the right head in trees that were projected",
        holds=lambda t: t.rows[0]["UAS"] > 50,
    ),
    Claim(
        "a few thousand gold trees of other genres are better than projected ones (LAS), p < 0.05",
        holds=lambda t: t.rows[3]["LAS"] > t.rows[1]["LAS"] and t.rows[3]["p against projected"] < 0.05,
    ),
]


CLAIMS_NAMES = [
    Claim(
        "the trained recogniser finds more names than the tags alone (F1), with our own tags, p < 0.05",
        holds=lambda t: (
            t.where(tags="own", system="trained")[0]["F1"] > t.where(tags="own", system="tags alone")[0]["F1"]
            and t.where(tags="own", system="trained")[0]["p"] < 0.05
        ),
    )
]
CLAIMS_OFFSETS = [
    Claim(
        "at most one token in a thousand finds no place, in every language",
        holds=lambda t: all(row["without a place, %"] <= 0.1 for row in t.rows),
    ),
    Claim(
        "every line that is annotated has one whole tree over the other tokens",
        holds=lambda t: not any(row["lines without one whole tree"] for row in t.rows),
    ),
]


def main() -> None:
    args = arguments(__doc__, out="docs/experiments/annotators", cache="", without="", small=False)
    without = args.without.split(",")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(args.cache or place)
        folder.mkdir(parents=True, exist_ok=True)
        syntax = Table(("treebank", "system"), tuple(syntax_rows(folder, args.small, without)))
        tables: dict[str, tuple[Table, list[Claim]]] = {}
        if not args.small:
            tables["Width of the beam, English-EWT, development part"] = (
                Table(("beam",), tuple(beam_rows(folder))),
                [
                    Claim(
                        "twice the default width is worth less than half a point (LAS)",
                        holds=lambda t: t.rows[2]["LAS"] < t.rows[1]["LAS"] + 0.5,
                    )
                ],
            )
        if not args.small and not {"de", "projection"} & set(without):
            projected = Table(("system", "measured on"), tuple(projection_rows(folder)))
            tables["German without a treebank"] = (projected, CLAIMS_PROJECTION)
        others = Table(("task", "system"), tuple(other_rows(folder, args.small, without)))
        if args.small or "de" not in without:
            names = Table(("tags", "system"), tuple(name_rows(folder, args.small)))
            tables["Names, German-GSD" if not args.small else "Names, synthetic"] = names, CLAIMS_NAMES
        placed = Table(("text",), tuple(offset_rows(folder, args.small)))
        tables["Offsets: annotation over tokens as translation models have them"] = placed, CLAIMS_OFFSETS
        cached = Table(("run",), tuple(cache_rows(folder, args.small)))

    def f1(table: Table, task: str, system: str) -> float:
        return float(next(row["F1"] for row in table.rows if row["task"] == task and row["system"] == system))

    claims_syntax = [
        Claim(
            "tags, lemmas and trees for at least 250 sentences a CPU second, 500 a second on two cores",
            holds=lambda t: all(not row["sentences / CPU s"] < 250 for row in t.rows if row["system"] == "dragoman"),
        )
    ]
    if not args.small:
        claims_syntax.append(
            Claim(
                "on English-EWT, trees (LAS) are at least as good as those of the published models of UDPipe 1.2",
                holds=lambda t: t.rows[0]["LAS"] >= PUBLISHED["LAS"],
            )
        )
        claims_syntax.append(
            Claim(
                "and better than these: the interval of our LAS is above the published figure",
                holds=lambda t: t.rows[0]["LAS from"] > PUBLISHED["LAS"],
            )
        )
    claims_others = [
        Claim(
            "a trained role labeller is more than five points above the rules, with the parser's own trees, p < 0.05",
            holds=lambda t: (
                f1(t, "roles, own trees", "trained") > f1(t, "roles, own trees", "rules") + 5
                and t.where(task="roles, own trees", system="trained")[0]["p against rules"] < 0.05
            ),
        )
    ]
    if not args.small:
        claims_others.append(
            Claim(
                "chunk F1 on CoNLL-2000 is at least 93", holds=lambda t: f1(t, "chunks, tags as given", "trained") >= 93
            )
        )
    publish(
        "Annotators",
        __doc__,
        {
            "Syntax": (syntax, claims_syntax),
            **tables,
            "Roles, chunks and constituents": (others, claims_others),
            "The cache": (
                cached,
                [
                    Claim(
                        "the cache makes a second run at least 50 times faster",
                        holds=lambda t: t.rows[0]["CPU s"] >= 50 * t.rows[1]["CPU s"],
                    )
                ],
            ),
        },
        pictures={"f1": dot_plot(others, label=lambda row: f"{row['task']}, {row['system']}", figure="F1")},
        out=args.out,
        settings={"small": args.small, "without": args.without},
    )


if __name__ == "__main__":
    main()
