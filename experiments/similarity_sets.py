"""What the experiments on similarity share: sets of the tasks, annotators trained once, text for vectors of words."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.annotator_chain import AnnotatorChain
from dragoman.annotations.layers import Span
from dragoman.annotations.model import open_model
from dragoman.annotations.sentence import Sentence
from dragoman.annotations.training import train_annotator
from dragoman.annotations.treebanks import read_treebank
from dragoman.files import read_lines
from dragoman.similarity import PairSet, TextPair, annotate_pairs, read_task
from dragoman.similarity.base import Scores
from dragoman.text import synthetic

DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
TREEBANKS = {
    "syntax": ("ud/en_ewt-ud-train.conllu", ""),
    "chunks": ("chunking/conll2000-train.txt", ""),
    "roles": ("srl/ewt-props.train.conll", "ud/en_ewt-ud-train.conllu"),
}
"""What teaches each kind of annotator, and trees for what has none of its own."""
TEXTS = {
    "indian/ur-en/lm.en": 40_000,
    "multi30k/train.en": 29_000,
    "debian/mono.en": 40_000,
    "wmt/newstest2013/references/newstest2013.en": 3_000,
}
"""What words are learned from: files and the first so many lines of each."""


def existing(path: Path) -> Path:
    """The file, or its compressed form."""
    return path if path.exists() else path.with_name(path.name + ".gz")


def trained(kind: str, cache: Path) -> Annotator:
    """An annotator of English, trained unless a run before left it in the folder."""
    place = cache / f"en-{kind}"
    if not place.exists():
        treebank, trees = TREEBANKS[kind]
        folder = DATA / "treebanks"
        given = [existing(folder / trees)] if trees else []
        train_annotator(kind, read_treebank(kind, [existing(folder / treebank)], trees=given)).save(
            place, language="en"
        )
    return open_model(place)


class ProperNouns(Annotator):
    """Names where nobody has taught them: neighbouring proper nouns, all of one class."""

    name = "proper-nouns"
    needs = ("pos",)
    gives = ("entities",)

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [sentence.with_layers(entities=runs(sentence.pos)) for sentence in sentences]


def runs(classes: Sequence[str]) -> tuple[Span, ...]:
    """Stretches of proper nouns."""
    found: list[Span] = []
    for at, one in enumerate(classes):
        if one == "PROPN":
            start = found.pop().start if found and found[-1].end == at else at
            found.append(Span("NAME", start, at + 1))
    return tuple(found)


def english_chain(cache: Path) -> Annotator:
    """Trees, chunks, roles and names."""
    return AnnotatorChain([*(trained(kind, cache) for kind in TREEBANKS), ProperNouns()])


def named(sentence: Sentence) -> Sentence:
    """Made-up sentences have neither names nor chunks: every word is a chunk of its class."""
    chunks = tuple(Span(one, at, at + 1) for at, one in enumerate(sentence.pos))
    return sentence.with_layers(chunks=chunks, entities=runs(sentence.pos))


def real_sets(year: str, part: str, annotator: Annotator | None, threads: int) -> tuple[PairSet, ...]:
    """The sets of a year that are at hand, with layers if an annotator is given."""
    found = read_task(sorted((DATA / "sts" / year).glob(f"*.{part}.tsv*")))
    if annotator is None:
        return tuple(found)
    return tuple(
        one.with_pairs(
            annotate_pairs([TextPair.of(*map(printed, pair.texts)) for pair in one.pairs], annotator, threads=threads)
        )
        for one in found
    )


def printed(text: str) -> str:
    """Without control characters, which annotators refuse and a few sentences of the sets have."""
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cc")


def small_sets(names: Sequence[str], size: int = 20) -> list[PairSet]:
    """Made-up sentences with their layers, as alike as the words that they share."""
    draws = np.random.default_rng(1)
    sentences = [named(item.source.annotated) for item in synthetic.pair("en-de").generate(size * len(names), seed=2)]
    made = []
    for number, name in enumerate(names):
        pairs, gold = [], []
        for at in range(size * number, size * (number + 1)):
            other = at if draws.random() < 0.2 else int(draws.integers(len(sentences)))
            words = [set(sentences[k].words) for k in (at, other)]
            shared = len(words[0] & words[1]) / len(words[0] | words[1])
            pairs.append(TextPair(sentences[at], sentences[other]))
            gold.append(float(np.clip(5 * shared + draws.normal(0, 0.4), 0, 5)))
        made.append(PairSet(name, tuple(pairs), tuple(gold)))
    return made


def write_text(path: Path, sets: Sequence[PairSet] = ()) -> Path:
    """Text for vectors of words: the sides of these pairs, or the usual files."""
    if sets:
        lines = [side.text for one in sets for pair in one.pairs for side in (pair.first, pair.second)]
    else:
        lines = [line for name, most in TEXTS.items() for line in islice(read_lines(existing(DATA / name)), most)]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def joined(sets: Sequence[PairSet]) -> tuple[list[TextPair], Scores]:
    """All pairs of several sets, and what people gave them, of 1."""
    gold = np.concatenate([one.scores() / one.scale[1] for one in sets])
    return [pair for one in sets for pair in one.pairs], gold
