"""Subtitles: each cue is translated as one text and broken into as many lines as it had; numbers and times stay."""

from __future__ import annotations

import re

from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded
from dragoman.text.document_formats.lines import has_words

__all__ = ["Subtitles"]

_TIMES = re.compile(r"^[ \t]*\d+:\d\d:\d\d[,.]\d+[ \t]*-->[ \t]*\d+:\d\d:\d\d[,.]\d+.*$")


def _broken(text: str, count: int) -> list[str]:
    """A text in so many lines of about the same length.

    >>> _broken("one two three four five", 2)
    ['one two three', 'four five']
    """
    words = text.split()
    lines: list[str] = []
    for left in range(max(1, min(count, len(words))), 0, -1):
        goal = len(" ".join(words)) / left
        line = words.pop(0)
        while len(words) >= left and (left == 1 or len(line) + 1 + len(words[0]) / 2 <= goal):
            line += f" {words.pop(0)}"
        lines.append(line)
    return lines


class Subtitles(DocumentFormat):
    """Subtitles (.srt), cue by cue; a speech with dashes keeps a line for each speaker."""

    name = "srt"
    suffixes = (".srt",)

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        text = decoded(content, where=where)
        newline = "\r\n" if "\r\n" in text else "\n"
        parts: list[str | list[str]] = []
        cue: list[str] | None = None
        for line in text.replace("\r\n", "\n").split("\n"):
            if _TIMES.match(line):
                parts.append(line)
                cue = []
            elif cue is None or not line.strip():
                if cue:
                    parts.append(cue)
                cue = None
                parts.append(line)
            else:
                cue.append(line)
        if cue:
            parts.append(cue)
        cues = [part for part in parts if isinstance(part, list)]
        texts = [each for part in cues for each in _texts(part)]
        found = iter(translate(texts) if texts else ())
        made: list[str] = []
        for part in parts:
            if isinstance(part, str):
                made.append(part)
                continue
            own = [next(found) for _ in _texts(part)]
            made += part if not own else own if len(own) == len(part) else _broken(own[0], len(part))
        return TranslatedDocument("\n".join(made).replace("\n", newline).encode(), len(texts), len(texts))


def _texts(lines: list[str]) -> list[str]:
    """What there is to translate in a cue: its lines as one text, unless each is somebody else's."""
    if not any(map(has_words, lines)):
        return []
    if all(has_words(line) and line.lstrip().startswith(("-", "–", "—")) for line in lines):
        return lines
    return [" ".join(line.strip() for line in lines)]
