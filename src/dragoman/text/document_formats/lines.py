"""Plain text: lines stay lines, and paragraphs that were wrapped are translated as a whole and wrapped again."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded

__all__ = ["PlainText", "Wrapped", "has_words", "is_wrapped", "rewrapped"]

_LEAST, _MOST = 40, 120
_ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")


def has_words(text: str) -> bool:
    """Whether there is anything to translate."""
    return any(character.isalnum() for character in text)


def is_wrapped(lines: list[str]) -> bool:
    """Whether lines are one paragraph that somebody, or an editor, broke at a width.

    All but the last are nearly as long as the longest, and at least one of them ends within a sentence.
    """
    if len(lines) < 2:
        return False
    longest = max(map(len, lines))
    if not _LEAST <= longest <= _MOST:
        return False
    indents = {line[: len(line) - len(line.lstrip())] for line in lines[1:]}
    full = all(
        len(line) + 1 + len((following.split() or [""])[0]) > 0.9 * longest for line, following in pairwise(lines)
    )
    return full and len(indents) == 1 and not all(_ENDS.search(line.rstrip()) for line in lines[:-1])


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def rewrapped(text: str, width: int, *, first: str = "", rest: str = "") -> str:
    """A paragraph broken at a width; tags and placeholders without blanks are never cut."""
    lines, line = [], first
    fresh = True
    for word in text.split():
        if not fresh and _width(line) + 1 + _width(word) > width:
            lines.append(line)
            line, fresh = rest, True
        line += word if fresh else f" {word}"
        fresh = False
    return "\n".join([*lines, line])


class Wrapped:
    """A paragraph of lines: as one text if it was wrapped, else line by line."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.whole = is_wrapped(lines)

    @property
    def texts(self) -> list[str]:
        """What there is to translate."""
        if self.whole:
            return [" ".join(line.strip() for line in self.lines)]
        return [line.strip() for line in self.lines if has_words(line)]

    def put(self, texts: list[str]) -> str:
        """The paragraph with these texts in their places."""
        if self.whole:
            indents = [line[: len(line) - len(line.lstrip())] for line in self.lines[:2]]
            return rewrapped(texts[0], max(map(len, self.lines)), first=indents[0], rest=indents[1])
        new = iter(texts)
        made = []
        for line in self.lines:
            start, end = len(line) - len(line.lstrip()), len(line.rstrip())
            made.append(line[:start] + next(new) + line[end:] if has_words(line) else line)
        return "\n".join(made)


class PlainText(DocumentFormat):
    """Plain text (.txt), by lines and wrapped paragraphs."""

    name = "text"
    suffixes = (".txt",)

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        text = decoded(content, where=where)
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = text.replace("\r\n", "\n").split("\n")
        parts: list[Wrapped | str] = []
        paragraph: list[str] = []
        for line in [*lines, ""]:
            if line.strip():
                paragraph.append(line)
                continue
            if paragraph:
                parts.append(Wrapped(paragraph))
                paragraph = []
            parts.append(line)
        parts.pop()
        texts = [each for part in parts if isinstance(part, Wrapped) for each in part.texts]
        found = iter(translate(texts) if texts else ())
        made = [part if isinstance(part, str) else part.put([next(found) for _ in part.texts]) for part in parts]
        return TranslatedDocument("\n".join(made).replace("\n", newline).encode(), len(texts), len(texts))
