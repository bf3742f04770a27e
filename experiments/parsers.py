"""Parsers that experiments on syntax train on the treebanks at hand, and how good they are.

English has a treebank of 12,544 sentences (EWT) and a sample of the Penn Treebank, French one of 2,231 (Sequoia). Of
German only the dev and test parts of GSD and the sentences of PUD are at hand: a parser of German learns from the dev
part and PUD, in lower case as Multi30k is unless it is said to be `cased`, and is measured on the test part. With
`small` all learn from the gold trees of the synthetic pair."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.annotator_chain import AnnotatorChain, load
from dragoman.annotations.model import open_model
from dragoman.annotations.scoring import score
from dragoman.annotations.training import stripped, train_annotator
from dragoman.annotations.treebanks import read_treebank
from dragoman.cache import StageCache
from dragoman.text import synthetic
from experiments.recipes import DATA

__all__ = ["RememberingAnnotator", "parser"]

_UD = DATA / "treebanks" / "ud"


class RememberingAnnotator(Annotator):
    """Annotates each sentence once, whoever asks for it, and counts what that cost."""

    def __init__(self, annotator: Annotator) -> None:
        self.annotator = annotator
        self.needs, self.gives, self.identity = annotator.needs, annotator.gives, annotator.identity
        self.language, self.tokenizes = annotator.language, annotator.tokenizes
        self.seconds = 0.0
        """Processor time, of all threads."""
        self._known: dict[Sentence, Sentence] = {}

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls(load(argument))

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        started = time.process_time()
        if new := [each for each in dict.fromkeys(sentences) if each not in self._known]:
            self._known |= zip(new, self.annotator.add_layers(new, threads=threads), strict=True)
        found = [self._known[each] for each in sentences]
        self.seconds += time.process_time() - started
        return found


def _lowered(sentence: Sentence) -> Sentence:
    layers = sentence.layers
    return Sentence.of(
        [word.lower() for word in sentence.words],
        lemmas=layers.lemmas,
        pos=layers.pos,
        tags=layers.tags,
        morphology=layers.morphology,
        dependencies=layers.dependencies,
    )


_FILES = {
    "en": (("en_ewt-ud-train",), "en_ewt-ud-test"),
    "de": (("de_gsd-ud-dev", "de_pud-ud-test"), "de_gsd-ud-test"),
    "fr": (("fr_sequoia-ud-train",), "fr_sequoia-ud-test"),
}


def _treebank(language: str, sentences: int, cased: bool) -> tuple[list[Sentence], list[Sentence]]:
    files, test_file = _FILES[language]
    train = [sentence for name in files for sentence in conllu.read(_UD / f"{name}.conllu.gz")][:sentences]
    test = list(conllu.read(_UD / f"{test_file}.conllu.gz"))
    if language == "de" and not cased:
        return [*map(_lowered, train)], [*map(_lowered, test)]
    return train, test


def _synthetic(side: str) -> tuple[list[Sentence], list[Sentence]]:
    items = list(synthetic.pair("en-qsv").generate(80, seed=9))
    gold = [(item.target if side == "source" else item.source).annotated for item in items]
    return gold[:60], gold[60:]


def parser(
    language: str,
    stages: Path,
    *,
    small: str = "",
    sentences: int = 6000,
    epochs: int = 6,
    constituents: bool = False,
    cased: bool = False,
) -> tuple[Annotator, dict[str, Any]]:
    """A parser of a language, trained once and kept, and its figures; `small` names a side of the synthetic pair."""
    kept = StageCache(stages / "parsers")

    def work(folder: Path) -> None:
        train, test = _synthetic(small) if small else _treebank(language, sentences, cased)
        model = train_annotator("syntax", train, epochs=2 if small else epochs)
        model.save(folder / "syntax", language=language)
        figures = _figures(model, test)
        if constituents and not small:
            trees = read_treebank("constituents", [DATA / "treebanks" / "penn-sample" / "train.trees.gz"])
            brackets = train_annotator("constituents", trees, epochs=epochs)
            brackets.save(folder / "constituents", language=language)
        figures |= {"language": language, "training sentences": len(train), "test sentences": len(test)}
        (folder / "figures.json").write_text(json.dumps(figures), "utf-8")

    settings = {
        "language": language,
        "small": small,
        "sentences": sentences,
        "epochs": epochs,
        "constituents": constituents,
        **({"cased": True} if cased else {}),
    }
    found = kept.run("parser", work=work, settings=settings, rooms=("annotations",))
    links: list[Annotator] = [open_model(found.path / "syntax")]
    if (found.path / "constituents").is_dir():
        links.append(open_model(found.path / "constituents"))
    figures: dict[str, Any] = json.loads(found.file("figures.json").read_text("utf-8"))
    return AnnotatorChain(links), figures


def _figures(model: Annotator, gold: Sequence[Sentence]) -> dict[str, Any]:
    found = score(gold, model.annotate([stripped(sentence, model) for sentence in gold]))
    return {name: round(100 * found[name].f1, 1) for name in ("UPOS", "UAS", "LAS")}
