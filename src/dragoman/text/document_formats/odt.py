"""Text documents of OpenDocument: paragraphs and headings are translated, styles, notes and pictures stay."""

from __future__ import annotations

from typing import Any

from dragoman.errors import FormatError
from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts
from dragoman.text.document_formats.inline_xml import InlineText
from dragoman.text.document_formats.xml_files import local_name, read_xml, write_xml
from dragoman.text.document_formats.zip_files import read_members, with_members

__all__ = ["Odt"]

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_INLINE = frozenset(["span", "a", "bookmark-start", "bookmark-end", "s", "tab", "line-break", "soft-page-break"])


def _is_opaque(element: Any) -> bool:
    """Notes, frames and fields: paragraphs inside of them are found by themselves."""
    return local_name(element) not in _INLINE


class Odt(DocumentFormat):
    """Text documents (.odt) of LibreOffice and others, paragraph by paragraph."""

    name = "odt"
    suffixes = (".odt",)
    markup = True

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        members = read_members(content, where=where)
        if "content.xml" not in members:
            raise FormatError("not a text document: it has no content.xml", where=where)
        trees: dict[str, Any] = {
            name: read_xml(members[name], where=f"{where}, {name}")
            for name in ("content.xml", "styles.xml")
            if name in members
        }
        lines = [
            InlineText(paragraph, opaque=_is_opaque)
            for tree in trees.values()
            for paragraph in tree.getroot().iter(*_PARAGRAPHS)
        ]
        wanted = [line for line in lines if line.has_words]
        found = list(translate([line.text for line in wanted]) if wanted else ())
        for line, text in zip(wanted, found, strict=True):
            line.put(text)
        changed = {name: write_xml(tree, members[name]) for name, tree in trees.items()}
        return TranslatedDocument(with_members(content, changed), len(wanted), len(wanted))
