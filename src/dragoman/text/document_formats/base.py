"""What every format of documents does: find the text, hand it to a translator, and put back what comes.

A format knows nothing of models. It calls a function with all its texts at once, each as a person would read it, with
tags for what is inside a line; whoever translates them gives every tag and placeholder back exactly once. Formats that
hold two languages (PO, XLIFF, TMX) fill what is empty or marked as doubtful, and leave the work of people alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

from dragoman.errors import EncodingError, UnknownName
from dragoman.registry import Registry

__all__ = [
    "DOCUMENT_FORMATS",
    "DocumentFormat",
    "Filling",
    "TranslateTexts",
    "TranslatedDocument",
    "decoded",
    "document_format",
    "suffixes",
]

TranslateTexts = Callable[[Sequence[str]], Sequence[str]]
"""Translates texts, in order; tags and placeholders in them come back exactly once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """What is translated in documents of two languages, and how it is marked."""

    source: str = ""
    """Language codes, for formats that name their languages."""
    target: str = ""
    everything: bool = False
    """Also what has a translation that nobody doubts."""
    final: bool = False
    """Do not mark what was filled as in need of review."""


@dataclass(frozen=True, slots=True)
class TranslatedDocument:
    """A document, with how many of its units there are and how many were translated."""

    content: bytes
    units: int
    translated: int
    remembered: int = 0
    """Texts of these that somebody had translated before, where a translation memory was asked first."""


class DocumentFormat(ABC):
    """A kind of documents."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    """Of file names, the usual one first."""
    markup: ClassVar[bool] = False
    """Whether texts are handed over as markup, with entities for `<` and `&`."""

    @abstractmethod
    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        """The document with its text translated; `where` is its name, for errors."""


_FOLDER = "dragoman.text.document_formats"

DOCUMENT_FORMATS: Registry[DocumentFormat] = Registry(
    "document-format",
    {
        "text": f"{_FOLDER}.lines:PlainText",
        "markdown": f"{_FOLDER}.markdown:Markdown",
        "html": f"{_FOLDER}.html:Html",
        "po": f"{_FOLDER}.po:Po",
        "xliff": f"{_FOLDER}.xliff:Xliff",
        "tmx": f"{_FOLDER}.tmx:TmxDocument",
        "json": f"{_FOLDER}.json_strings:JsonStrings",
        "docx": f"{_FOLDER}.docx:Docx",
        "odt": f"{_FOLDER}.odt:Odt",
        "usfm": f"{_FOLDER}.usfm:Usfm",
        "srt": f"{_FOLDER}.srt:Subtitles",
    },
)
"""All formats by name."""


def suffixes() -> dict[str, str]:
    """Endings of file names, with the format of each."""
    return {suffix: name for name in DOCUMENT_FORMATS for suffix in DOCUMENT_FORMATS.get(name).suffixes}


def document_format(name: str = "", *, file: str = "") -> DocumentFormat:
    """A format by its name, or by the ending of a file's."""
    if name:
        return DOCUMENT_FORMATS.get(name)()
    known = suffixes()
    ending = PurePath(file).suffix.lower()
    if ending not in known:
        raise UnknownName(
            f"no format of documents ends with {ending or 'nothing'!r}",
            where=file,
            remedy=f"name one of {', '.join(DOCUMENT_FORMATS)}, or a file that ends with {', '.join(sorted(known))}",
        )
    return DOCUMENT_FORMATS.get(known[ending])()


def decoded(content: bytes, *, where: str) -> str:
    """The text of a file; a mark of its byte order stays where it is."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise EncodingError(
            f"a byte that is not UTF-8 (0x{content[error.start]:02x})",
            where=f"{where}, line {line}",
            remedy="convert the file to UTF-8",
        ) from None
