"""USFM, the format of scripture translation: verses, headings and paragraphs are translated, markers stay.

Footnotes and cross references travel as placeholders, styles of characters (`add`, `w`) as tags; what identifies the
book and its files is not text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict

from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded
from dragoman.text.document_formats.lines import has_words

__all__ = ["Usfm"]

_NOT_TEXT = frozenset(["id", "ide", "usfm", "rem", "sts", "c", "cp", "ca", "va", "vp", "fig"])
_NOTES = frozenset(["f", "fe", "x", "ef", "ex", "fig", "rq", "pro", "vp", "va", "ca"])
"""Elements within a line that are kept as they are."""
_MARKER = re.compile(r"\\(\+?[a-z]+\d?)(\*?)")
_NUMBER = re.compile(r"[ \t]+\S+")
_PLACE = re.compile(r"\[X(9\d{5})X\]")
_TAG = re.compile(r"<(/?)g(\d+)>")


class _Line:
    """Text behind a marker, with what is inside it kept aside."""

    def __init__(self) -> None:
        self.raw = ""
        self._pieces: list[str] = []
        self._notes: list[str] = []
        self._styles: list[tuple[str, str]] = []
        self._open: list[int] = []

    def add(self, text: str) -> None:
        self.raw += text
        self._pieces.append(text)

    def keep(self, note: str) -> None:
        self.raw += note
        self._pieces.append(f"[X{900000 + len(self._notes)}X]")
        self._notes.append(note)

    def begin(self, marker: str) -> None:
        """A style of characters begins; the blank behind its marker belongs to it."""
        self.raw += marker
        self._styles.append((marker, ""))
        self._open.append(len(self._styles))
        self._pieces.append(f"<g{len(self._styles)}>")

    def end(self, marker: str) -> None:
        """It ends; what stands behind a bar before that describes it, and is no text."""
        self.raw += marker
        number = self._open.pop()
        text, bar, about = self._pieces[-1].partition("|")
        self._pieces[-1] = text
        self._styles[number - 1] = (self._styles[number - 1][0], f"{bar}{about}{marker}")
        self._pieces.append(f"</g{number}>")

    @property
    def has_open_style(self) -> bool:
        return bool(self._open)

    @property
    def text(self) -> str:
        return " ".join("".join(self._pieces).split())

    @property
    def has_words(self) -> bool:
        return has_words(_TAG.sub("", _PLACE.sub("", self.text)))

    def put(self, text: str) -> str:
        whole = "".join(self._pieces)
        start, end = len(whole) - len(whole.lstrip()), len(whole.rstrip())
        text = _TAG.sub(lambda found: self._styles[int(found[2]) - 1][bool(found[1])], text)
        text = _PLACE.sub(lambda found: self._notes[int(found[1]) - 900000], text)
        return whole[:start] + text + whole[max(start, end) :]


def _cut(text: str) -> list[str | _Line]:
    """Markers, and the text behind each; every character is looked at once."""
    markers = list(_MARKER.finditer(text))
    ends: defaultdict[str, list[int]] = defaultdict(list)
    walls = []
    for number, marker in enumerate(markers):
        if marker[2]:
            ends[marker[1]].append(number)
        elif marker[1] in ("c", "v", "p"):
            walls.append(number)

    def closing(number: int, *, within: bool) -> int | None:
        """Which marker ends the element that this one begins; `within` its verse."""
        own = ends[markers[number][1]]
        place = bisect_right(own, number)
        if place == len(own):
            return None
        wall = bisect_right(walls, number)
        return None if within and wall < len(walls) and walls[wall] < own[place] else own[place]

    parts: list[str | _Line] = [text[: markers[0].start()] if markers else text]
    line, number = _Line(), 0
    while number < len(markers):
        marker = markers[number]
        following = markers[number + 1].start() if number + 1 < len(markers) else len(text)
        behind = text[marker.end() : following]
        name = marker[1]
        end = closing(number, within=name not in _NOTES) if not marker[2] else None
        if marker[2] and line.has_open_style:
            line.end(marker[0])
            line.add(behind)
        elif end is not None and name in _NOTES:
            last = markers[end]
            following = markers[end + 1].start() if end + 1 < len(markers) else len(text)
            line.keep(text[marker.start() : last.end()])
            line.add(text[last.end() : following])
            number = end
        elif end is not None and end > number:
            blank = behind[:1] if behind[:1].isspace() else ""
            line.begin(marker[0] + blank)
            line.add(behind[len(blank) :])
        else:
            parts.append(line)
            verse = _NUMBER.match(behind) if name == "v" else None
            fixed = verse[0] if verse is not None else ""
            parts.append(marker[0] + fixed)
            line = _Line()
            if name in _NOT_TEXT:
                parts.append(behind)
            else:
                line.add(behind[len(fixed) :])
        number += 1
    parts.append(line)
    return [part if isinstance(part, str) or part.has_words else part.raw for part in parts]


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
