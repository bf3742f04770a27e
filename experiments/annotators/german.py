"""German as if it had no treebank: tags and trees carried over from English through word alignments (Hwa et al. 2005).

Captions of Multi30k and the sentences of PUD, which are translations of each other, are aligned together. The English
side is annotated by our model of English-EWT. Two questions: how good are projected trees themselves (on German-PUD,
whose gold trees were not used), and how good is a parser that learnt from nothing but projected trees (on the test part
of German-GSD). All German is in lower case, as Multi30k is. Lemmas are not projected.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dragoman.align import ALIGNERS
from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.projection import Projected, project
from dragoman.files import read_lines


@dataclass(frozen=True)
class ProjectedGerman:
    """Projected captions, and the projected sentences of PUD beside their gold trees."""

    captions: list[Projected]
    pud: list[Projected]
    gold: list[Sentence]


def lowered(sentence: Sentence) -> Sentence:
    """The words in lower case, with all that is known about them but the lemmas."""
    layers = sentence.layers
    return Sentence.of(
        [word.lower() for word in sentence.words],
        pos=layers.pos,
        tags=layers.tags,
        morphology=layers.morphology,
        dependencies=layers.dependencies,
    )


def project_german(data: Path, english: Annotator, captions: int) -> ProjectedGerman:
    """German sentences with the tags and trees of their English translations."""
    ud = data / "treebanks" / "ud"
    gold = [lowered(sentence) for sentence in conllu.read(ud / "de_pud-ud-test.conllu.gz")]
    words = [sentence.words for sentence in conllu.read(ud / "en_pud-ud-test.conllu.gz")]
    texts = [
        [line.split() for _, line in zip(range(captions), read_lines(data / "multi30k" / f"train.{side}.gz"))]  # noqa: B905
        for side in ("en", "de")
    ]
    source = [*texts[0], *words]
    target = [*texts[1], *(list(sentence.words) for sentence in gold)]
    aligner = ALIGNERS.get("bayes")()
    sides = [" ".join(word.lower() for word in each) for each in source], [" ".join(each) for each in target]
    aligner.train(*sides)
    links = aligner.align(*sides, symmetrize="posterior")
    annotated = english.annotate([Sentence.of(each) for each in source])
    done = [
        project(tree, each, found.links)
        for tree, each, found in zip(annotated, target, links, strict=True)
        if tree.words
    ]
    return ProjectedGerman(done[: len(texts[0])], done[len(texts[0]) :], gold)


def as_treebank(projected: list[Projected]) -> list[Sentence]:
    """What is worth learning from: sentences of four words or more of which at most a fifth has no link."""
    return [
        each.sentence.with_layers(lemmas=each.sentence.words)
        for each in projected
        if len(each.sentence) >= 4 and 5 * (each.unlinked + each.torn) <= len(each.sentence)
    ]
