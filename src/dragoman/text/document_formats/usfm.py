"""USFM, the format of scripture translation: verses, headings and paragraphs are translated, markers stay.

Footnotes and cross references travel as placeholders, styles of characters (`add`, `w`) as tags; what identifies the
book and its files is not text.
"""

from __future__ import annotations

import re

from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded
from dragoman.text.document_formats.lines import has_words

__all__ = ["Usfm"]

_NOT_TEXT = frozenset(["id", "ide", "usfm", "rem", "sts", "c", "cp", "ca", "va", "vp", "fig"])
_NOTE = re.compile(r"\\(f|fe|x|ef|ex|fig|rq|pro|vp|va|ca)\s.*?\\\1\*", re.S)
_STYLE = re.compile(r"\\(\+?[a-z]+\d?)\s(.*?)(\|[^\\]*)?\\\1\*", re.S)
_MARKER = re.compile(r"\\(v\s+\S+|[a-z]+\d?(?:-[se])?(?:\\\*)?)[ \t]*(?=\s|$|\S)")
_PLACE = re.compile(r"\[X(9\d{5})\s*X\]")
_TAG = re.compile(r"<(/?)g(\d+)>")


class _Line:
    """A piece of text between markers, with what is inside it kept aside."""

    def __init__(self, raw: str) -> None:
        self.raw, self.notes, self.styles = raw, list[str](), list[tuple[str, str]]()
        start, end = len(raw) - len(raw.lstrip()), len(raw.rstrip())
        self.before, self.after = raw[:start], raw[max(start, end) :]
        text = _NOTE.sub(self._note, raw[start:end])
        while (styled := _STYLE.sub(self._style, text)) != text:
            text = styled
        self.text = " ".join(text.split())

    def _note(self, found: re.Match[str]) -> str:
        self.notes.append(found[0])
        return f"[X{900000 + len(self.notes) - 1}X]"

    def _style(self, found: re.Match[str]) -> str:
        self.styles.append((f"\\{found[1]} ", f"{found[3] or ''}\\{found[1]}*"))
        number = len(self.styles)
        return f"<g{number}>{found[2]}</g{number}>"

    @property
    def has_words(self) -> bool:
        return has_words(_TAG.sub("", _PLACE.sub("", self.text)))

    def put(self, text: str) -> str:
        text = _TAG.sub(lambda found: self.styles[int(found[2]) - 1][bool(found[1])], text)
        return self.before + _PLACE.sub(lambda found: self.notes[int(found[1]) - 900000], text) + self.after


def _cut(text: str) -> list[str | _Line]:
    """Markers, and the text behind each."""
    parts: list[str | _Line] = []
    at = 0
    shielded = _NOTE.sub(lambda found: "\0" * len(found[0]), text)
    shielded = re.sub(
        r"\\(\+?[a-z]+\d?)(?=\s)(?:(?!\\v\s).)*?\\\1\*", lambda found: "\0" * len(found[0]), shielded, flags=re.S
    )
    markers = list(_MARKER.finditer(shielded))
    for number, marker in enumerate(markers):
        if number == 0 and marker.start():
            parts.append(text[: marker.start()])
        end = markers[number + 1].start() if number + 1 < len(markers) else len(text)
        parts.append(text[marker.start() : marker.end()])
        at = end
        name = marker[1].split()[0]
        behind = text[marker.end() : end]
        line = _Line(behind)
        parts.append(behind if name in _NOT_TEXT or not line.has_words else line)
    if not markers:
        return [text]
    return [*parts, text[at:]]


class Usfm(DocumentFormat):
    """Scripture in USFM (.usfm, .sfm), verse by verse."""

    name = "usfm"
    suffixes = (".usfm", ".sfm")

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        parts = _cut(decoded(content, where=where))
        lines = [part for part in parts if isinstance(part, _Line)]
        found = iter(translate([line.text for line in lines]) if lines else ())
        made = [part if isinstance(part, str) else part.put(next(found)) for part in parts]
        return TranslatedDocument("".join(made).encode(), len(lines), len(lines))
