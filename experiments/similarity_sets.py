"""What the experiments on similarity share: sets of the tasks, annotators trained once, text for vectors of words."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.annotator_chain import AnnotatorChain
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.corpus import as_json, render_lines
from dragoman.annotations.layers import Span
from dragoman.annotations.model import open_model
from dragoman.annotations.sentence import Sentence
from dragoman.annotations.training import train_annotator
from dragoman.annotations.treebanks import read_treebank
from dragoman.files import read_lines
from dragoman.similarity import PairSet, TextPair, read_task
from dragoman.similarity.base import Scores
from dragoman.text import synthetic

T = TypeVar("T")
DATA = Path(os.environ.get("DRAGOMAN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
TREEBANKS = {
    "syntax": ("ud/en_ewt-ud-train.conllu", "", None),
    "chunks": ("chunking/conll2000-train.txt", "", 3000),
    "roles": ("srl/ewt-props.train.conll", "ud/en_ewt-ud-train.conllu", 3000),
}
"""What teaches each kind of annotator, trees for what has none of its own, and how many sentences (None for all)."""
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
        treebank, trees, sentences = TREEBANKS[kind]
        folder = DATA / "treebanks"
        given = [existing(folder / trees)] if trees else []
        read = read_treebank(kind, [existing(folder / treebank)], trees=given)
        train_annotator(kind, list(islice(read, sentences))).save(place, language="en")
    return open_model(place)


class ProperNouns(Annotator):
    """Names where nobody has taught them: neighbouring proper nouns, all of one class."""

    name = identity = "proper-nouns"
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


def real_sets(
    year: str, part: str, annotator: Annotator | None = None, cache: Path | None = None, threads: int = 0
) -> tuple[PairSet, ...]:
    """The sets of a year that are at hand, with layers if an annotator is given; the folder keeps what it found."""
    found = read_task(sorted((DATA / "sts" / year).glob(f"*.{part}.tsv*")))
    if annotator is None:
        return tuple(found)
    return tuple(one.with_pairs(annotated(one.pairs, annotator, cache, threads)) for one in found)


def annotated(pairs: Sequence[TextPair], annotator: Annotator, cache: Path | None, threads: int) -> list[TextPair]:
    """The pairs with layers; the folder keeps what the annotator found."""
    lines = [printed(text) for pair in pairs for text in pair.texts]
    with AnnotationCache(cache / "annotations.sqlite" if cache is not None else ":memory:") as kept:
        texts = list(render_lines(annotator, lines, as_json, form="json", cache=kept, threads=threads))
    sides = [Sentence.from_dict(json.loads(text)) for text in texts]
    return [TextPair(*sides[at : at + 2]) for at in range(0, len(sides), 2)]


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


def write_text(path: Path, sets: Sequence[PairSet] = (), texts: Mapping[str, int] = TEXTS) -> Path:
    """Text for vectors of words: the sides of these pairs, or files, the first so many lines of each."""
    if sets:
        lines = [side.text for one in sets for pair in one.pairs for side in (pair.first, pair.second)]
    else:
        lines = [line for name, most in texts.items() for line in islice(read_lines(existing(DATA / name)), most)]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def set_names(sets: Sequence[PairSet]) -> list[str]:
    """The set of each pair of `joined`; sets of several years that have one name are of one kind."""
    return [one.name for one in sets for _ in one.pairs]


def joined(sets: Sequence[PairSet]) -> tuple[list[TextPair], Scores]:
    """All pairs of several sets, and what people gave them, of 1."""
    gold = np.concatenate([one.scores() / one.scale[1] for one in sets])
    return [pair for one in sets for pair in one.pairs], gold


def remembered(function: Callable[[TextPair], T]) -> Callable[[TextPair], T]:
    """A function of a pair that is worked out once for each; the sets keep the pairs alive."""
    known: dict[int, T] = {}

    def answer(pair: TextPair) -> T:
        if id(pair) not in known:
            known[id(pair)] = function(pair)
        return known[id(pair)]

    return answer
