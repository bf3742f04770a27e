"""Formats of bitexts: what one segment pair is, and who reads and writes which kind of file.

A format is found by name or by the end of the file name (`.gz`, `.xz` and `.bz2` are looked through), so that training,
cleaning and converting take whatever people have. Readers give one `SegmentPair` at a time and never hold a file in
memory; writers take one at a time and put the finished file in its place at the end.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from dragoman.errors import EncodingError, SettingError
from dragoman.registry import Registry

__all__ = [
    "FORMATS",
    "BitextLayout",
    "Format",
    "Put",
    "SegmentPair",
    "format_name",
    "language_pair",
    "resolve",
    "write_line",
]


@dataclass(frozen=True, slots=True)
class SegmentPair:
    """A segment and its translation, with further translations (`references`) and whatever else its file says of it.

    It unpacks into its two sides: `for source, target in bitext`.
    """

    source: str
    target: str
    references: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        return iter((self.source, self.target))


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextLayout:
    """Where the two sides are in a file; each format uses what it has need of.

    `languages`: codes of source and target; a file of many languages is read by them.
    `fields`: names, or numbers counted from 1, of the source and target columns (TSV) or fields (JSON lines; a dot
    steps into an object, as in `translation.de`).
    `markup`: whether the native codes inside inline tags (TMX) are dropped or kept as text.
    """

    languages: tuple[str, str] | None = None
    fields: tuple[str, str] | tuple[int, int] | None = None
    markup: Literal["drop", "keep"] = "drop"


def language_pair(text: str) -> tuple[str, str]:
    """Two language codes written with a hyphen between them; regions and scripts are joined by `_`.

    >>> language_pair("de-en"), language_pair("en-pt_BR")
    (('de', 'en'), ('en', 'pt_BR'))
    """
    source, hyphen, target = text.partition("-")
    if not hyphen or not all(_CODE.fullmatch(code) for code in (source, target)) or source == target:
        raise SettingError(f"{text!r} is not a pair of languages", remedy="write it as in `de-en` or `en-pt_BR`")
    return source, target


_CODE = re.compile(r"[A-Za-z]{2,8}([_@][A-Za-z0-9]+)*")

Put = Callable[[SegmentPair], None]
"""Writes one pair."""


class Format(ABC):
    """Reads and writes bitexts of one kind."""

    paths: int = 1
    """How many files make one bitext."""

    @abstractmethod
    def read(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[SegmentPair]:
        """The pairs, one at a time."""

    @abstractmethod
    def writing(self, paths: Sequence[Path | str], layout: BitextLayout) -> AbstractContextManager[Put]:
        """A function that writes one pair; the files appear when the block ends without an error."""


FORMATS = Registry[Format](
    "format",
    {
        "jsonl": "dragoman.text.jsonl:JsonLines",
        "plain": "dragoman.text.plain:Plain",
        "tmx": "dragoman.text.documents:Tmx",
        "tsv": "dragoman.text.tsv:Tsv",
    },
)

_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".tmx": "tmx", ".tsv": "tsv", ".tab": "tsv"}
_COMPRESSION = {".gz", ".xz", ".bz2"}


def resolve(paths: Sequence[Path | str], format: str | None = None) -> tuple[Format, str]:  # noqa: A002
    """The format for these files, with its name: the one asked for, or the one that their names tell."""
    name = format or format_name(paths)
    found = FORMATS.get(name)()
    if len(paths) != found.paths:
        if found.paths == 1:
            raise SettingError(f"format {name!r} has both sides in one file, and {len(paths)} were given")
        if len(paths) > found.paths:
            raise SettingError(f"{len(paths)} files for two sides", remedy="give two")
        raise SettingError(
            "one file of plain text has one side only",
            where=str(paths[0]),
            remedy="give two files, or one `.tsv`, `.jsonl` or `.tmx`, or say which format it is",
        )
    return found, name


def format_name(paths: Sequence[Path | str]) -> str:
    """The format that the names of files tell."""
    suffixes = [suffix for suffix in Path(paths[0]).suffixes if suffix not in _COMPRESSION]
    return _SUFFIXES.get(suffixes[-1].lower(), "plain") if suffixes and len(paths) == 1 else "plain"


_BLANKS = re.compile(r"\s+")


def _without_breaks(cell: str) -> str:
    return _BLANKS.sub(lambda found: " " if any(c in found[0] for c in "\n\r\t") else found[0], cell)


def write_line(file: IO[str], cells: Sequence[str], *, where: str) -> None:
    """Write cells as one line with tabs between them.

    In a file of lines a segment is one line and a cell has no tab, so these become blanks. What no reader would take
    back (NUL, lone surrogates) is refused.
    """
    for cell in cells:
        if "\x00" in cell:
            raise EncodingError("a NUL character in a segment", where=where)
    if len(cells) == 1:
        line = _without_breaks(cells[0]) if "\n" in cells[0] or "\r" in cells[0] else cells[0]
    else:
        line = "\t".join([_without_breaks(cell) for cell in cells])
    try:
        file.write(line + "\n")
    except UnicodeEncodeError:
        raise EncodingError("a lone surrogate in a segment", where=where) from None
