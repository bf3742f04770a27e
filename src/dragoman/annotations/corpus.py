"""Annotating a corpus: batches in order, the cache asked first, the same number of sentences out as lines in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from dragoman.annotations.annotator import Annotator, raw_sentences
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.sentence import Sentence, locate
from dragoman.progress import Progress, Report

__all__ = ["annotate_lines", "annotate_sentences"]

T = TypeVar("T")

BATCH = 2000
"""Sentences that are annotated together; memory grows with it, results do not depend on it."""


def annotate_lines(
    annotator: Annotator,
    lines: Iterable[str],
    *,
    tokenized: bool = False,
    cache: AnnotationCache | None = None,
    threads: int = 0,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """An annotated sentence for each line; `tokenized` lines have their tokens between spaces.

    The cache is asked with the raw line, so that a second run does not even divide it into tokens.
    """

    def divide(batch: list[str]) -> list[Sentence]:
        if tokenized or not annotator.tokenizes:
            return raw_sentences(batch, lambda some: [Sentence(line, locate(line.split(), line)) for line in some])
        return annotator.tokenize(batch, threads=threads)

    def annotate(batch: list[Sentence]) -> list[Sentence]:
        return annotator.annotate(divide([sentence.text for sentence in batch]), threads=threads)

    identity = f"{annotator.identity}{'|tokenized' if tokenized else ''}"
    done = 0
    for batch in _batches(lines):
        raw = [Sentence(line, ()) for line in batch]
        yield from _cached(identity, raw, annotate, cache)
        done += len(batch)
        if report is not None:
            report(Progress("sentences", done))


def annotate_sentences(
    annotator: Annotator,
    sentences: Iterable[Sentence],
    *,
    cache: AnnotationCache | None = None,
    threads: int = 0,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """The sentences with the annotator's layers, tokens as they are."""
    done = 0
    for batch in _batches(sentences):
        yield from _cached(annotator.identity, batch, lambda some: annotator.annotate(some, threads=threads), cache)
        done += len(batch)
        if report is not None:
            report(Progress("sentences", done))


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    stream = iter(items)
    while batch := list(islice(stream, BATCH)):
        yield batch


def _cached(
    identity: str,
    batch: list[Sentence],
    annotate: Callable[[list[Sentence]], list[Sentence]],
    cache: AnnotationCache | None,
) -> list[Sentence]:
    """What the cache has, and the rest annotated and put there."""
    if cache is None:
        return annotate(batch)
    found = cache.get(identity, batch)
    missing = [at for at, sentence in enumerate(found) if sentence is None]
    if missing:
        wanted = [batch[at] for at in missing]
        fresh = annotate(wanted)
        cache.put(identity, wanted, fresh)
        for at, sentence in zip(missing, fresh, strict=True):
            found[at] = sentence
    return [sentence for sentence in found if sentence is not None]
