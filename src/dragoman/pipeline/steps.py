"""Steps of stages that any executor can work on: text to tokens, pairs to links.

Each is a function of a slice of the text and of a model, so that it gives the same wherever it runs
(`dragoman.executors`); stages put the results one after the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dragoman.align.base import Aligner
from dragoman.annotations import Sentence
from dragoman.executors import Shard, ShardPlace, ShardStep, Shared
from dragoman.pipeline.tags import token_line
from dragoman.text.prepared import Prepared
from dragoman.text.preprocessor import Preprocessor
from dragoman.text.source_text import SourceText

__all__ = ["LINKS", "TOKENS", "annotation_line", "cut", "shared_aligner", "shared_preprocessors"]

SLICE_LINES = 10_000
"""Lines of a shard. Nothing depends on it but how much is in memory at once, and how well the work is spread."""

Columns = tuple[Sequence[Any], ...]


def cut(*columns: Sequence[Any]) -> Iterator[Shard[Columns]]:
    """Slices of columns of the same length."""
    for first in range(0, len(columns[0]), SLICE_LINES):
        yield Shard(tuple(column[first : first + SLICE_LINES] for column in columns))


# Tokens


def annotation_line(raw: str, known: Any, prepared: Prepared) -> str:
    """What is known of a source, as JSON, with the end of the line, laid over the tokens that we find."""
    if not known:
        return "\n"
    laid = SourceText(raw, annotation=Sentence.from_dict(known)).tokenized(token_line(prepared)).annotation
    assert laid is not None, "it was known"
    return json.dumps(laid.to_dict(), ensure_ascii=False) + "\n"


def _tokens(shard: Shard[Columns], made: tuple[Preprocessor, Preprocessor], place: ShardPlace) -> dict[str, str]:
    """Lines of tokens of both sides, and of annotations: sources, targets, and what is known of sources."""
    sources, targets, known = shard.value
    source, target = (
        each.prepare_all(texts, threads=place.threads) for each, texts in zip(made, (sources, targets), strict=True)
    )
    target = [theirs.matched_to(ours) for theirs, ours in zip(target, source, strict=True)]
    source = [ours.parted_from(theirs) for theirs, ours in zip(target, source, strict=True)]
    return {
        "source": "".join(f"{token_line(text)}\n" for text in source),
        "target": "".join(f"{token_line(text)}\n" for text in target),
        "annotations": "".join(map(annotation_line, sources, known, source)),
    }


def shared_preprocessors(source: Preprocessor, target: Preprocessor) -> Shared[tuple[Preprocessor, Preprocessor]]:
    """The preprocessors of both sides."""

    def save(folder: Path) -> None:
        for side, each in (("source", source), ("target", target)):
            (folder / side).mkdir()
            each.save(folder / side)

    return Shared((source, target), None, save, _load_preprocessors)


def _load_preprocessors(_: None, folder: Path) -> tuple[Preprocessor, Preprocessor]:
    return Preprocessor.load(folder / "source"), Preprocessor.load(folder / "target")


TOKENS = ShardStep("tokenizing", _tokens, wide=True)


# Links


def _links(shard: Shard[Columns], shared: tuple[Aligner, str], place: ShardPlace) -> tuple[str, int]:
    """Lines of links of pairs of token lines, and how many links there are."""
    aligner, symmetrize = shared
    found = aligner.align(*shard.value, symmetrize=symmetrize, threads=place.threads)
    return "".join(f"{alignment}\n" for alignment in found), sum(map(len, found))


def shared_aligner(aligner: Aligner, symmetrize: str) -> Shared[tuple[Aligner, str]]:
    """A trained aligner, and how its two directions become one."""
    return Shared((aligner, symmetrize), symmetrize, lambda folder: aligner.save(folder / "aligner"), _load_aligner)


def _load_aligner(symmetrize: str, folder: Path) -> tuple[Aligner, str]:
    return Aligner.load(folder / "aligner"), symmetrize


LINKS = ShardStep("linking", _links, wide=True)
