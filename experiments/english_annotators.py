"""Annotators of English that experiments train once and keep: tags and trees, chunks, roles, and their figures.

Syntax learns from English-EWT, chunks from CoNLL-2000, roles from PropBank over EWT; each from its first so many
sentences, and is measured on parts that it has not seen. With `small` they learn from the gold trees of the synthetic
pair, where every word is a chunk of its class and roles are found by rule.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dragoman.annotations import Sentence, Span
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.annotator_chain import AnnotatorChain
from dragoman.annotations.model import open_model
from dragoman.annotations.role_rules import RoleRules
from dragoman.annotations.scoring import score
from dragoman.annotations.training import stripped, train_annotator
from dragoman.annotations.treebanks import read_treebank
from dragoman.text import synthetic
from experiments.recipes import DATA

__all__ = ["english_annotators"]

_KINDS = {
    "syntax": (("ud/en_ewt-ud-train.conllu.gz", ""), ("ud/en_ewt-ud-dev.conllu.gz", ""), ("XPOS", "LAS")),
    "chunks": (("chunking/conll2000-train.txt.gz", ""), ("chunking/conll2000-test.txt.gz", ""), ("chunks",)),
    "roles": (
        ("srl/ewt-props.train.conll.gz", "ud/en_ewt-ud-train.conllu.gz"),
        ("srl/ewt-props.dev.conll.gz", "ud/en_ewt-ud-dev.conllu.gz"),
        ("roles",),
    ),
}
"""What teaches each kind, what it is measured on, and by which figures (F1)."""


class ClassChunks(Annotator):
    """Every word is a chunk of its class, for made-up sentences."""

    name = "class-chunks"
    needs = ("pos",)
    gives = ("chunks", "tags")

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [
            sentence.with_layers(
                chunks=tuple(Span(f"{one[0]}P", at, at + 1) for at, one in enumerate(sentence.pos)), tags=sentence.pos
            )
            for sentence in sentences
        ]


def english_annotators(folder: Path, *, sentences: int, small: bool = False) -> tuple[Annotator, dict[str, Any]]:
    """The chain, and its figures; models that are in the folder already are taken from there."""
    if small:
        items = list(synthetic.pair("en-qsv").generate(60, seed=9))
        model = train_annotator("syntax", [item.target.annotated for item in items], epochs=2)
        return AnnotatorChain([model, ClassChunks(), RoleRules()]), {}
    links: list[Annotator] = []
    figures: dict[str, Any] = {}
    for kind, (train, test, wanted) in _KINDS.items():
        place = folder / f"en-{kind}-{sentences}"
        if not place.is_dir():
            train_annotator(kind, _read(kind, *train)[:sentences]).save(place, language="en")
        links.append(open_model(place))
        record = folder / f"en-{kind}-{sentences}.json"
        if not record.is_file():
            gold = _read(kind, *test)[:1000]
            own = links[-1:] if kind != "roles" else [links[0], links[-1]]
            chain = AnnotatorChain(own)
            found = score(gold, chain.annotate([stripped(each, chain) for each in gold]))
            record.write_text(json.dumps({name: round(100 * found[name].f1, 1) for name in wanted}), "utf-8")
        figures |= json.loads(record.read_text("utf-8"))
    return AnnotatorChain(links), {**figures, "training sentences": sentences}


def _read(kind: str, treebank: str, trees: str) -> list[Sentence]:
    folder = DATA / "treebanks"
    return list(read_treebank(kind, [folder / treebank], trees=[folder / trees] if trees else []))
