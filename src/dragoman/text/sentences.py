"""Sentence splitting: where sentences lie in a text, never what they were turned into.

A document comes back with the line breaks, indentation and blank lines it had, so splitting yields ranges of the text
and leaves the text alone. Ends of sentences are found by sentencex (rules and abbreviations for some 250 languages);
the structure above them, lines and paragraphs, is found here.

    >>> text = "Dr. Ng came.  She sat.\\n\\n  New paragraph"
    >>> [text[s.start : s.end] for s in split(text, "en")]
    ['Dr. Ng came.', 'She sat.', 'New paragraph']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dragoman.settings import check_argument
from dragoman.text.composing import CharacterRange

__all__ = ["Breaks", "SentenceSpan", "blocks", "sentences_in", "split"]

Breaks = Literal["line", "paragraph"]
"""What always ends a sentence: the end of a line, or only an empty line (text that was wrapped)."""

_BREAKS = {"line": re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"), "paragraph": re.compile(r"\n[^\S\n]*\n\s*")}
_PARAGRAPH = _BREAKS["paragraph"]


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence as a half-open range of code points, without white space at its ends; `paragraph` counts from 0."""

    start: int
    end: int
    paragraph: int


def split(text: str, language: str = "en", *, breaks: Breaks = "line") -> list[SentenceSpan]:
    """The sentences of a text in order; what lies between them is white space."""
    check_argument("breaks", breaks, choices=_BREAKS)
    paragraphs = [match.start() for match in _PARAGRAPH.finditer(text)]
    found = []
    paragraph = 0
    for start, end in sentences_in(text, language, breaks):
        while paragraph < len(paragraphs) and paragraphs[paragraph] < start:
            paragraph += 1
        found.append(SentenceSpan(start, end, paragraph))
    return found


def sentences_in(text: str, language: str, breaks: Breaks) -> list[CharacterRange]:
    """Where the sentences of a text stand, in order."""
    return [found for start, end in blocks(text, breaks) for found in _sentences(text, start, end, language)]


def blocks(text: str, breaks: Breaks) -> list[CharacterRange]:
    """Ranges of the text between its hard breaks."""
    edges = [0, *(edge for match in _BREAKS[breaks].finditer(text) for edge in match.span()), len(text)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _sentences(text: str, start: int, end: int, language: str) -> list[CharacterRange]:
    from sentencex import segment

    block = text[start:end]
    if not block.strip():
        return []
    found = []
    at = start
    pieces: list[str] = segment(language, block)
    if "".join(pieces) != block:  # a piece of the text went missing: better one long sentence than a lost one
        pieces = [block]
    for piece in pieces:
        bare = piece.strip()
        if bare:
            first = at + piece.index(bare)
            found.append((first, first + len(bare)))
        at += len(piece)
    return found
