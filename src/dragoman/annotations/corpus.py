"""Annotating a corpus: batches in order, the cache asked first, the same number of sentences out as lines in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from dragoman.annotations import brackets, conllu, moses_xml
from dragoman.annotations.annotator import Annotator, raw_sentences
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.layers import Span
from dragoman.annotations.sentence import Sentence, locate
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines
from dragoman.plain_data import parse_json
from dragoman.progress import Progress, ProgressCallback

__all__ = [
    "annotate_batch",
    "annotate_lines",
    "annotate_sentences",
    "as_json",
    "batches",
    "read_annotations",
    "render_lines",
    "render_sentences",
]

T = TypeVar("T")

BATCH = 2000
"""Sentences that are annotated together; memory grows with it, results do not depend on it."""


def as_json(sentence: Sentence) -> str:
    """The sentence as one line of JSON."""
    return json.dumps(sentence.to_dict(), ensure_ascii=False) + "\n"


def read_annotations(path: Path | str) -> Iterator[Sentence]:
    """Annotated sentences of a file: JSON lines (`.jsonl`), Penn brackets (`.mrg`, `.ptb`), trees in the
    form of Moses, which become the layer `nodes` (`.xml`), or else CoNLL-U.

    A bracket that holds nothing, for a sentence that could not be parsed, is refused: nobody knows its words.
    """
    suffix = Path(path).suffix
    if suffix == ".jsonl":
        for number, line in enumerate(read_lines(path), 1):
            where = f"{path}, line {number}"
            try:
                sentence = Sentence.from_dict(parse_json(line, where=where))
            except InputError as error:
                raise FormatError(error.what, where=error.where or where, remedy=error.remedy) from None
            yield sentence
    elif suffix in (".mrg", ".ptb"):
        for number, tree in enumerate(brackets.read(path), 1):
            if tree is None:
                raise FormatError(
                    f"tree {number} is empty", where=str(path), remedy="write the words of the sentence as (X word)"
                )
            yield tree
    elif suffix == ".xml":
        for bracketed in moses_xml.read(path):
            yield Sentence.of(bracketed.words, nodes=[Span(*node) for node in bracketed.nodes])
    else:
        yield from conllu.read(path)


def annotate_lines(
    annotator: Annotator,
    lines: Iterable[str],
    *,
    tokenized: bool = False,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Iterator[Sentence]:
    """An annotated sentence for each line; `tokenized` lines have their tokens between spaces."""
    for batch in batches(lines, BATCH, progress):
        yield from annotate_batch(annotator, batch, tokenized, threads)


def annotate_sentences(
    annotator: Annotator, sentences: Iterable[Sentence], *, threads: int = 0, progress: ProgressCallback | None = None
) -> Iterator[Sentence]:
    """The sentences with the annotator's layers, tokens as they are."""
    for batch in batches(sentences, BATCH, progress):
        yield from annotator.annotate(batch, threads=threads)


def render_lines(
    annotator: Annotator,
    lines: Iterable[str],
    render: Callable[[Sentence], str],
    *,
    form: str,
    tokenized: bool = False,
    cache: AnnotationCache | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Iterator[str]:
    """What `render` makes of each annotated line; `form` names it, so that the cache keeps forms apart."""
    identity = f"{annotator.identity}|{form}|{tokenized}"
    for batch in batches(lines, BATCH, progress):
        yield from _cached(
            identity, batch, batch, lambda some: annotate_batch(annotator, some, tokenized, threads), render, cache
        )


def render_sentences(
    annotator: Annotator,
    sentences: Iterable[Sentence],
    render: Callable[[Sentence], str],
    *,
    form: str,
    cache: AnnotationCache | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Iterator[str]:
    """The same for sentences that have their tokens, and perhaps layers."""
    identity = f"{annotator.identity}|{form}|sentences"
    for batch in batches(sentences, BATCH, progress):
        keys = [as_json(sentence) for sentence in batch] if cache is not None else []
        yield from _cached(identity, batch, keys, lambda some: annotator.annotate(some, threads=threads), render, cache)


def annotate_batch(annotator: Annotator, lines: list[str], tokenized: bool, threads: int) -> list[Sentence]:
    """The lines of one batch, annotated."""
    if tokenized or not annotator.tokenizes:
        divided = raw_sentences(lines, lambda some: [Sentence(line, locate(line.split(), line)) for line in some])
    else:
        divided = annotator.tokenize(lines, threads=threads)
    return annotator.annotate(divided, threads=threads)


def batches(items: Iterable[T], size: int, progress: ProgressCallback | None = None) -> Iterator[list[T]]:
    """Lists of so many items, the last of what is left; `progress` hears how many were taken."""
    stream = iter(items)
    done = 0
    while batch := list(islice(stream, size)):
        yield batch
        done += len(batch)
        if progress is not None:
            progress(Progress("sentences", done))


def _cached(
    identity: str,
    batch: list[T],
    keys: list[str],
    annotate: Callable[[list[T]], list[Sentence]],
    render: Callable[[Sentence], str],
    cache: AnnotationCache | None,
) -> list[str]:
    """What the cache has, and the rest annotated and put there."""
    if cache is None:
        return [render(sentence) for sentence in annotate(batch)]
    found = cache.get(identity, keys)
    missing = [at for at, text in enumerate(found) if text is None]
    if missing:
        fresh = [render(sentence) for sentence in annotate([batch[at] for at in missing])]
        cache.put(identity, [keys[at] for at in missing], fresh)
        for at, text in zip(missing, fresh, strict=True):
            found[at] = text
    return [text for text in found if text is not None]
