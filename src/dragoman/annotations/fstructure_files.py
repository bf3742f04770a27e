"""Files of f-structures: Prolog as XLE writes it, JSON lines of our own, and CoNLL-U, viewed as such."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from dragoman.annotations import conllu, xle
from dragoman.annotations.fstructure import FStructure, of_sentence
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing
from dragoman.plain_data import parse_json

__all__ = ["is_file_of", "read", "write"]

_REMEDY = "see FStructure.to_dict for what a line holds"


def is_file_of(path: Path | str) -> bool:
    """Whether a file's name is that of f-structures."""
    return bool({".jsonl", ".json", ".pl"} & set(Path(path).suffixes))


def read(path: Path | str) -> Iterator[FStructure]:
    """The structures of a file: `.pl` is Prolog as XLE writes it, one sentence; `.conllu` is viewed as such; all others
    are JSON lines."""
    suffixes = Path(path).suffixes
    if ".pl" in suffixes:
        yield xle.read(path)
    elif ".conllu" in suffixes:
        yield from map(of_sentence, conllu.read(path))
    else:
        for number, line in enumerate(read_lines(path), 1):
            if line.strip():
                where = f"{path}, line {number}"
                try:
                    yield FStructure.from_dict(parse_json(line, where=where, remedy=_REMEDY))
                except InputError as error:
                    raise FormatError(error.what, where=where, remedy=error.remedy) from None


def write(structures: Iterable[FStructure], path: Path | str) -> int:
    """Write JSON lines; returns how many."""
    count = 0
    with writing(path) as file:
        for count, structure in enumerate(structures, 1):  # noqa: B007
            file.write(json.dumps(structure.to_dict(), ensure_ascii=False) + "\n")
    return count
