"""HTML: text is translated paragraph by paragraph, and everything else stays byte for byte.

A page is not parsed into a tree and written again, which would change what nobody asked to change; it is cut where tags
stand. Tags within a line of text (`<b>`, `<a href>`) stay in the text, and whoever translates puts them back where
their words went; all others end a paragraph. Scripts, styles, comments between paragraphs, code, and whatever says
`translate="no"` are not touched; code within a line travels as a placeholder.

    >>> translate_html("<ul><li>a <b>b</b> &auml;<li><code>c</code></ul>", lambda texts: [t.upper() for t in texts])
    '<ul><li>A <B>B</B> Ä<li><code>c</code></ul>'
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded

__all__ = ["Html", "translate_html"]

_INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
        "code",
        "br",
    ]
)
_OPAQUE = frozenset(
    [
        "script",
        "style",
        "pre",
        "textarea",
        "code",
        "kbd",
        "samp",
        "var",
        "math",
        "svg",
        "noscript",
        "template",
        "object",
        "iframe",
    ]
)
_RAW = frozenset(["script", "style", "textarea"])
"""Elements in which nothing but their end is a tag."""
_OPEN_ENDED = frozenset(["li", "p", "td", "th", "dd", "dt", "option"])
"""Elements that end where the next one begins; those inside of them that are not in a line end them, too, here."""
_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[!?][^>]*>|</?[A-Za-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.S
)
_NAME = re.compile(r"</?([A-Za-z][\w:-]*)")
_KEPT = re.compile(r"\btranslate\s*=\s*[\"']?no\b", re.I)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_ENTITY = re.compile(
    r"&(?!(?:lt|gt|amp|#0*60|#0*62|#0*38|#x0*3c|#x0*3e|#x0*26);)(?:[A-Za-z]\w*|#\d+|#x[0-9a-f]+);", re.I
)
_BARE = re.compile(r"&(?!(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});)")
_MASK = re.compile(r"\[X(9\d{5})\s*X\]")


@dataclass(slots=True)
class _Paragraph:
    """Text with the tags inside it; `kept` are pieces that travel as placeholders."""

    pieces: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    has_text: bool = False

    def keep(self, piece: str) -> None:
        self.pieces.append(f"[X{900000 + len(self.kept)}X]")
        self.kept.append(piece)

    @property
    def raw(self) -> str:
        return "".join(self.pieces)

    def put_back(self, text: str) -> str:
        return _MASK.sub(lambda found: self.kept[min(int(found[1]) - 900000, len(self.kept) - 1)], text)


def _element_end(text: str, name: str, at: int) -> int:
    """Where the element ends that was opened before `at`; the end of the text if it is never closed."""
    if name in _OPEN_ENDED:
        for tag in _PIECE.finditer(text, at):
            found = _NAME.match(tag[0])
            if found is not None and found[1].lower() not in _INLINE:
                return tag.start()
    if name in _RAW:
        end = re.compile(f"</{name}>", re.I).search(text, at)
        return end.end() if end is not None else len(text)
    depth = 1
    for tag in _PIECE.finditer(text, at):
        found = _NAME.match(tag[0])
        if found is not None and found[1].lower() == name:
            depth += -1 if tag[0].startswith("</") else not tag[0].endswith("/>")
            if not depth:
                return tag.end()
    return len(text)


def _cut(text: str) -> list[str | _Paragraph]:
    """What stays as it is, as text, and paragraphs."""
    parts: list[str | _Paragraph] = []
    open_one = _Paragraph()

    def close() -> None:
        nonlocal open_one
        if open_one.pieces:
            parts.append(open_one if open_one.has_text else open_one.put_back(open_one.raw))
        open_one = _Paragraph()

    at = 0
    while at < len(text):
        tag = _PIECE.search(text, at)
        words = text[at : tag.start() if tag else len(text)]
        if words:
            readable = _ENTITY.sub(lambda found: html.unescape(found[0]), words)
            open_one.pieces.append(readable if words.strip() else words)
            open_one.has_text |= any(letter.isalnum() for letter in readable)
        if tag is None:
            break
        at = tag.end()
        found = _NAME.match(tag[0])
        name = found[1].lower() if found else ""
        opens = bool(name) and not tag[0].startswith("</") and not tag[0].endswith("/>") and name not in _VOID
        if opens and (name in _OPAQUE or _KEPT.search(tag[0])):
            at = _element_end(text, name, at)
            if name in _INLINE:
                open_one.keep(text[tag.start() : at])
            else:
                close()
                parts.append(text[tag.start() : at])
        elif name in _INLINE:
            open_one.pieces.append(tag[0])
        elif not name and open_one.has_text and tag[0].startswith("<!--"):
            open_one.keep(tag[0])
        else:
            close()
            parts.append(tag[0])
    close()
    return parts


def translate_html(text: str, translate: TranslateTexts) -> str:
    """A page, or a piece of one, with its text translated."""
    parts = _cut(text)
    paragraphs = [part for part in parts if isinstance(part, _Paragraph)]
    found = iter(translate([paragraph.raw.strip() for paragraph in paragraphs]) if paragraphs else ())
    pieces = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        raw = part.raw
        start, end = len(raw) - len(raw.lstrip()), len(raw.rstrip())
        pieces.append(raw[:start] + part.put_back(_BARE.sub("&amp;", next(found))) + raw[end:])
    return "".join(pieces)


class Html(DocumentFormat):
    """Pages (.html), paragraph by paragraph; everything that is not text stays byte for byte."""

    name = "html"
    suffixes = (".html", ".htm", ".xhtml")
    markup = True

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        count = 0

        def counted(texts: Sequence[str]) -> Sequence[str]:
            nonlocal count
            count += len(texts)
            return translate(texts)

        made = translate_html(decoded(content, where=where), counted)
        return TranslatedDocument(made.encode(), count, count)
