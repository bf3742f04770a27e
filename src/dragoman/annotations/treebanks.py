"""Treebanks: files that annotators are trained and measured on, by what they are to teach.

Each kind of annotator has the files that its field uses: CoNLL-U for syntax, three columns for chunks (word, tag,
chunk) and entities (word, tag, entity), propositions for roles, Penn brackets for constituents. Propositions say words
and arguments but no dependencies; given the treebank of the same sentences, the two are joined by the sentences' names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from dragoman.annotations import brackets, conllu, frames
from dragoman.annotations.sentence import Sentence
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines
from dragoman.settings import check_argument

__all__ = ["KINDS", "join", "read_treebank", "sentence_id"]

KINDS = ("syntax", "chunks", "entities", "roles", "constituents")
"""What can be taught."""

_CHUNKS = frames.ColumnLayout(("word", "tag", "chunk"), spans="iobes", separator=" ")
_ENTITIES = frames.ColumnLayout(("word", "tag", "entity"), spans="iobes", separator=" ")
_ENTITIES_WITH_CHUNKS = frames.ColumnLayout(("word", "tag", "chunk", "entity"), spans="iobes", separator=" ")


def read_treebank(kind: str, paths: Sequence[Path | str], *, trees: Sequence[Path | str] = ()) -> list[Sentence]:
    """The sentences of files that teach this kind; `trees` are CoNLL-U for propositions without dependencies."""
    check_argument("kind", kind, choices=KINDS)
    found = [sentence for path in paths for sentence in _read(kind, path)]
    if not found:
        raise InputError("no sentences", where=", ".join(map(str, paths)))
    return join(found, [tree for path in trees for tree in conllu.read(path)]) if trees else found


def _read(kind: str, path: Path | str) -> list[Sentence]:
    first = next((line for line in read_lines(path) if line.strip() and not line.startswith("#")), "")
    columns = len(first.split())
    if kind == "syntax":
        return list(conllu.read(path))
    if kind == "roles":
        if "\t" in first and columns >= 10 and re.match(r"\d+(-\d+)?\t", first) and first.split("\t")[6].isdecimal():
            return list(conllu.read(path, propositions=True))
        return list(frames.read(path, frames.PROPBANK))
    if kind == "constituents":
        if first.lstrip().startswith("("):
            return [tree for tree in brackets.read(path) if tree is not None]
        return list(frames.read(path, frames.PROPBANK))
    layout = _CHUNKS if kind == "chunks" else _ENTITIES if columns == 3 else _ENTITIES_WITH_CHUNKS
    if columns != len(layout.leading):
        remedy = f"it needs {len(layout.leading)}: {', '.join(layout.leading)}"
        raise FormatError(f"{columns} columns", where=str(path), remedy=remedy)
    return list(frames.read(path, layout))


def sentence_id(sentence: Sentence) -> str:
    """The name of a sentence (`# sent_id = ...`), empty without one."""
    found = (re.match(r"\s*sent_id\s*=\s*(\S+)", comment) for comment in sentence.comments)
    return next((match[1] for match in islice((m for m in found if m), 1)), "")


def join(propositions: Sequence[Sentence], trees: Sequence[Sentence]) -> list[Sentence]:
    """The trees with the frames and constituents of the propositions; sentences without a partner are left out.

    Partners have the same name and the same words.
    """
    by_name = {sentence_id(tree): tree for tree in trees}
    joined = []
    for sentence in propositions:
        tree = by_name.get(sentence_id(sentence))
        if tree is not None and tree.words == sentence.words:
            layers = {name: getattr(sentence.layers, name) for name in ("frames", "constituents")}
            joined.append(tree.with_layers(**{name: layer for name, layer in layers.items() if layer is not None}))
    if not joined:
        raise InputError(
            "no proposition has a tree", remedy="both files need the same `# sent_id = ` comments and words"
        )
    return joined
