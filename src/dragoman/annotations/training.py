"""Training by kind: one door to the trainers of this room, for the command line and for recipes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dragoman.annotations.annotator import Annotator
from dragoman.annotations.layers import Layers
from dragoman.annotations.model import ModelAnnotator
from dragoman.annotations.sentence import Sentence
from dragoman.errors import SettingError
from dragoman.progress import ProgressCallback

__all__ = ["stripped", "train_annotator"]


def train_annotator(
    kind: str,
    sentences: Sequence[Sentence],
    *,
    epochs: int | None = None,
    beam: int = 8,
    copies: int = 0,
    seed: int = 1,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> ModelAnnotator:
    """The annotator of this kind (see `treebanks.KINDS`), trained on these sentences."""
    passes = {} if epochs is None else {"epochs": epochs}
    if kind == "syntax":
        from dragoman.annotations.syntax import Syntax, SyntaxSettings

        return Syntax.train(
            sentences,
            SyntaxSettings(beam=beam, copies=copies, seed=seed, **passes),
            threads=threads,
            progress=progress,
        )
    if kind in ("chunks", "entities"):
        from dragoman.annotations.spans import Chunker, EntityRecognizer

        learner = Chunker if kind == "chunks" else EntityRecognizer
        return learner.train(sentences, progress=progress, **passes)
    if kind == "roles":
        from dragoman.annotations.roles import RoleLabeler

        return RoleLabeler.train(sentences, seed=seed, progress=progress, **passes)
    if kind == "constituents":
        from dragoman.annotations.head_trees import ConstituentParser

        return ConstituentParser.train(sentences, beam=beam, seed=seed, threads=threads, progress=progress, **passes)
    raise SettingError(f"nothing can be taught as {kind!r}")


def stripped(sentence: Sentence, annotator: Annotator) -> Sentence:
    """The sentence as the annotator should find it: its tokens, and of the gold layers only what it needs."""
    kept = {name: getattr(sentence.layers, name) for name in annotator.needs}
    return replace(sentence, layers=Layers(**kept))
