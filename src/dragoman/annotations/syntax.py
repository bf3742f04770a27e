"""Syntax: tags, morphology, lemmas and dependency trees, learnt from any CoNLL-U treebank.

Four learners in a row. The segmenter divides raw text as the treebank does. One tagger gives universal tag, the
language's own tag and morphology as one label, so that they never contradict each other; a second gives the rule that
makes the lemma, knowing the tags. The parser builds trees with crossing arcs where the treebank has them. It is trained
on tags that the tagger gave to sentences it had not seen (in folds), because gold tags would teach it to trust them.

    >>> from dragoman.text import synthetic
    >>> from dragoman.annotations.syntax import SyntaxSettings, Syntax
    >>> treebank = [item.source.annotated for item in synthetic.pair("en-de").generate(60, seed=1)]
    >>> model = Syntax.train(treebank, SyntaxSettings(epochs=3))
    >>> [sentence] = model.annotate(treebank[:1])
    >>> sentence.lemmas == treebank[0].lemmas
    True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dragoman.annotations import lemmas
from dragoman.annotations.annotator import raw_sentences
from dragoman.annotations.layers import Dependencies, Morphology
from dragoman.annotations.learners import SequenceTagger, TreeParser
from dragoman.annotations.model import ModelAnnotator
from dragoman.annotations.segmenter import Segmenter
from dragoman.annotations.sentence import Sentence
from dragoman.errors import InputError
from dragoman.progress import ProgressCallback

__all__ = ["Syntax", "SyntaxSettings"]

_MOST_COPIES, _SEEN_IN_ALL, _SMALL = 4, 12_000, 3_000
_NONE = "_"
_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class SyntaxSettings:
    """How to learn.

    The parser's features, the width of its beam, and copies and folds for small treebanks were compared on the
    development part of English-EWT; the other values are what training in a few minutes on two cores allows, and were
    not searched for.
    """

    epochs: int = 8
    beam: int = 8
    copies: int = 0
    """Taggers and parsers that are trained and averaged; 0 stands for as many as see 12,000 sentences, at most four."""
    folds: int = 0
    """Tags for the parser's training come from taggers that did not see the sentence; 1 uses gold tags, and 0 stands
    for ten folds of a small treebank, whose taggers need every sentence, and four of one with more than 3,000."""
    least: float = 0.0
    """Weights nearer to zero are left out of the model."""
    seed: int = 1

    def for_treebank(self, sentences: int) -> SyntaxSettings:
        """These settings with the copies and folds that 0 stands for, given the size of a treebank."""
        copies = self.copies or max(1, min(_MOST_COPIES, _SEEN_IN_ALL // max(1, sentences)))
        return replace(self, copies=copies, folds=self.folds or (10 if sentences <= _SMALL else 4))


class Syntax(ModelAnnotator):
    """Tags, morphology, lemmas and dependencies, trained on a CoNLL-U treebank."""

    name = "syntax"
    gives = ("pos", "tags", "morphology", "lemmas", "dependencies")
    tokenizes = True

    def __init__(
        self, segmenter: Segmenter, tagger: SequenceTagger, lemmatizer: SequenceTagger, parser: TreeParser, beam: int
    ) -> None:
        super().__init__()
        self._segmenter, self._tagger, self._lemmatizer, self._parser = segmenter, tagger, lemmatizer, parser
        self.settings = {"beam": beam}

    @classmethod
    def train(
        cls,
        treebank: Sequence[Sentence],
        settings: SyntaxSettings | None = None,
        *,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Syntax:
        """Learn from annotated sentences."""
        for at, sentence in enumerate(treebank):
            try:
                sentence.require("pos", "lemmas", "dependencies", needed_by="training")
            except InputError as error:
                raise InputError(error.what, where=f"sentence {at + 1} of the treebank", remedy=error.remedy) from None
        usable = [sentence for sentence in treebank if len(sentence)]
        if not usable:
            raise InputError("a treebank without sentences", remedy="give CoNLL-U with tags, lemmas and heads")
        settings = (settings or SyntaxSettings()).for_treebank(len(usable))
        epochs, copies, folds = settings.epochs, settings.copies, settings.folds
        seed, least = settings.seed, settings.least
        words = [sentence.words for sentence in usable]
        gold = [_joined(sentence) for sentence in usable]
        segmenter = Segmenter.train(usable, epochs=max(1, epochs // 4), seed=seed, least=least, progress=progress)
        tagger = SequenceTagger.train(
            words, gold, epochs=epochs, copies=copies, seed=seed, least=least, progress=progress
        )
        rules = [
            [lemmas.rule(word, lemma) for word, lemma in zip(sentence.words, sentence.lemmas, strict=True)]
            for sentence in usable
        ]
        lemmatizer = SequenceTagger.train(
            words,
            rules,
            given=[gold],
            epochs=epochs,
            copies=copies,
            seed=seed,
            least=least,
            progress=progress,
            stage="lemmas",
        )
        trained_on: Sequence[Sequence[str]] = gold
        if folds > 1 and len(usable) >= 10 * folds:
            trained_on = _unseen_tags(words, gold, folds, max(1, epochs // 2), seed, progress)
        parser = TreeParser.train(
            words,
            _coarse_and_fine(trained_on),
            [(sentence.dependencies.heads, sentence.dependencies.labels) for sentence in usable],
            beam=settings.beam,
            epochs=epochs,
            copies=copies,
            seed=seed,
            least=least,
            threads=threads,
            progress=progress,
        )
        return cls(segmenter, tagger, lemmatizer, parser, settings.beam)

    def tokenize(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        return raw_sentences(lines, lambda some: self._segmenter.divide(some, threads=threads))

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        words = [sentence.words for sentence in sentences]
        joined = self._tagger.tag(words, threads=threads)
        rules = self._lemmatizer.tag(words, given=[joined], threads=threads)
        trees = self._parser.parse(words, _coarse_and_fine(joined), threads=threads)
        done = []
        for sentence, tags, made, (heads, labels) in zip(sentences, joined, rules, trees, strict=True):
            parts = [_parts(tag) for tag in tags]
            fine = tuple(part[1] for part in parts)
            done.append(
                sentence.with_layers(
                    pos=tuple(part[0] for part in parts),
                    tags=None if set(fine) <= {_NONE} else fine,
                    morphology=tuple(part[2] for part in parts),
                    lemmas=tuple(lemmas.apply(word, rule) for word, rule in zip(sentence.words, made, strict=True)),
                    dependencies=Dependencies(heads, labels),
                )
            )
        return done

    def write_parts(self, folder: Path) -> None:
        self._segmenter.save(folder)
        self._tagger.save(folder, "tagger")
        self._lemmatizer.save(folder, "lemmatizer")
        self._parser.save(folder, "parser")

    @classmethod
    def read_parts(cls, folder: Path, settings: Mapping[str, Any]) -> Syntax:
        beam = int(settings["beam"])
        return cls(
            Segmenter.load(folder),
            SequenceTagger.load(folder, "tagger"),
            SequenceTagger.load(folder, "lemmatizer"),
            TreeParser.load(folder, "parser", beam=beam),
            beam,
        )


def _joined(sentence: Sentence) -> list[str]:
    """Universal tag, own tag and morphology of each token as one label."""
    blank = (_NONE,) * len(sentence)
    fine, features = sentence.layers.tags or blank, sentence.layers.morphology or blank
    return [_SEPARATOR.join((pos, tag, str(each))) for pos, tag, each in zip(sentence.pos, fine, features, strict=True)]


_KNOWN: dict[str, tuple[str, str, Morphology]] = {}


def _parts(joined: str) -> tuple[str, str, Morphology]:
    if joined not in _KNOWN:
        pos, tag, features = joined.split(_SEPARATOR)
        _KNOWN[joined] = (pos, tag, Morphology.of(features))
    return _KNOWN[joined]


def _coarse_and_fine(joined: Sequence[Sequence[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """What the parser sees: universal tags; and own tags, or morphology for treebanks without them."""
    parts = [[tag.split(_SEPARATOR) for tag in sentence] for sentence in joined]
    coarse = [[pos for pos, _, _ in sentence] for sentence in parts]
    fine = [[tag if tag != _NONE else f"{pos} {features}" for pos, tag, features in sentence] for sentence in parts]
    return coarse, fine


def _unseen_tags(
    words: Sequence[Sequence[str]],
    gold: Sequence[Sequence[str]],
    folds: int,
    epochs: int,
    seed: int,
    progress: ProgressCallback | None,
) -> list[Sequence[str]]:
    """Tags of each sentence by a tagger that was trained on the others."""
    found: list[Sequence[str]] = [()] * len(words)
    for fold in range(folds):
        inside = [at for at in range(len(words)) if at % folds == fold]
        outside = [at for at in range(len(words)) if at % folds != fold]
        tagger = SequenceTagger.train(
            [words[at] for at in outside],
            [gold[at] for at in outside],
            epochs=epochs,
            seed=seed,
            progress=progress,
            stage=f"tags, fold {fold + 1} of {folds}",
        )
        for at, tags in zip(inside, tagger.tag([words[at] for at in inside]), strict=True):
            found[at] = tags
    return found
