"""Word documents: paragraphs are translated, with the formatting of their runs; pictures, fields and notes stay.

The text of a paragraph is cut into runs, often in the middle of words, because each remembers when it was typed. Runs
that look the same are joined first; then each that looks different is a tag around its words.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from lxml import etree

from dragoman.errors import FormatError
from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts
from dragoman.text.document_formats.inline_xml import InlineText
from dragoman.text.document_formats.xml_files import local_name, read_xml, write_xml
from dragoman.text.document_formats.zip_files import read_members, with_members

__all__ = ["Docx"]

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_MEMBERS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$")


def _is_text_run(run: Any) -> bool:
    return run.tag == f"{_W}r" and all(local_name(child) in ("rPr", "t", "lastRenderedPageBreak") for child in run)


def _look(run: Any) -> bytes:
    """The formatting of a run."""
    properties = run.find(f"{_W}rPr")
    if properties is None:
        return b""
    copy = deepcopy(properties)
    for name in ("lang", "noProof"):
        for each in copy.findall(f"{_W}{name}"):
            copy.remove(each)
    return bytes(etree.tostring(copy, method="c14n")) if len(copy) else b""


def _text(run: Any) -> str:
    return "".join(each.text or "" for each in run.findall(f"{_W}t"))


def _split_run(run: Any) -> None:
    """Give breaks, tabs and the texts between them runs of their own."""
    properties, *content = run if len(run) and run[0].tag == f"{_W}rPr" else [None, *run]
    for child in reversed(content):
        part = etree.Element(run.tag, dict(run.attrib))
        if properties is not None:
            part.append(deepcopy(properties))
        part.append(child)
        run.addnext(part)
    run.getparent().remove(run)


def _join_runs(parent: Any) -> None:
    """Put runs that look the same together; marks of spelling checkers between them are dropped."""
    for child in list(parent):
        if child.tag == f"{_W}r" and not _is_text_run(child) and child.find(f"{_W}t") is not None:
            _split_run(child)
    last: Any = None
    for child in list(parent):
        if local_name(child) in ("proofErr", "lastRenderedPageBreak"):
            parent.remove(child)
        elif local_name(child) in ("hyperlink", "ins", "smartTag"):
            _join_runs(child)
            last = None
        elif _is_text_run(child):
            if last is not None and _look(last) == _look(child):
                _set_text(last, _text(last) + _text(child))
                parent.remove(child)
            else:
                last = child
        else:
            last = None


def _set_text(run: Any, text: str) -> None:
    for each in [each for each in run if each.tag != f"{_W}rPr"]:
        run.remove(each)
    written = etree.SubElement(run, f"{_W}t")
    written.text = text
    if text != text.strip() or "  " in text:
        written.set(_SPACE, "preserve")


class _Paragraph:
    """A paragraph as a line with tags: runs become elements that hold their text, and are runs again later."""

    def __init__(self, paragraph: Any) -> None:
        self._paragraph = paragraph
        _join_runs(paragraph)
        self._shadow = etree.Element("line")
        self._real: dict[Any, Any] = {}
        self._shade(paragraph, self._shadow)
        runs = [shadow for shadow in self._real if shadow.tag == "run"]
        looks = [_look(self._real[shadow]) for shadow in runs]
        self._usual = max(runs, key=lambda run: len(run.text or ""), default=None)
        usual = _look(self._real[self._usual]) if self._usual is not None else b""
        for shadow, look in zip(runs, looks, strict=True):
            if look == usual and shadow.getparent() is self._shadow:  # what most of it looks like needs no tag
                _dissolve(shadow)
        self.line = InlineText(self._shadow, opaque=lambda element: element.tag == "other")

    def _shade(self, parent: Any, shadow: Any) -> None:
        for child in parent:
            if child.tag == f"{_W}pPr":
                continue
            if _is_text_run(child):
                made = etree.SubElement(shadow, "run")
                made.text = _text(child)
            elif local_name(child) in ("hyperlink", "ins", "smartTag"):
                made = etree.SubElement(shadow, "group")
                self._shade(child, made)
            else:
                made = etree.SubElement(shadow, "other")
            self._real[made] = child

    def put(self, text: str) -> None:
        self.line.put(text)
        for child in list(self._paragraph):
            if child.tag != f"{_W}pPr":
                self._paragraph.remove(child)
        self._build(self._shadow, self._paragraph)

    def _build(self, shadow: Any, parent: Any) -> None:
        self._write(parent, shadow.text)
        for child in shadow:
            real = self._real[child]
            real.tail = None
            if child.tag == "run":
                _set_text(real, child.text or "")
            elif child.tag == "group":
                for each in list(real):
                    real.remove(each)
                self._build(child, real)
            parent.append(real)
            self._write(parent, child.tail)

    def _write(self, parent: Any, text: str | None) -> None:
        if not text:
            return
        run = etree.SubElement(parent, f"{_W}r")
        if self._usual is not None:
            properties = self._real[self._usual].find(f"{_W}rPr")
            if properties is not None:
                run.append(deepcopy(properties))
        _set_text(run, text)


def _dissolve(element: Any) -> None:
    """Leave the text of an element where it is, without the element."""
    parent, before = element.getparent(), element.getprevious()
    text = (element.text or "") + (element.tail or "")
    if before is None:
        parent.text = (parent.text or "") + text
    else:
        before.tail = (before.tail or "") + text
    element.tail = None
    parent.remove(element)


class Docx(DocumentFormat):
    """Word documents (.docx), paragraph by paragraph, with headers, footers and notes."""

    name = "docx"
    suffixes = (".docx",)
    markup = True

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        members = read_members(content, where=where)
        names = [name for name in members if _MEMBERS.match(name)]
        if "word/document.xml" not in names:
            raise FormatError("not a Word document: it has no word/document.xml", where=where)
        trees = {name: read_xml(members[name], where=f"{where}, {name}") for name in names}
        paragraphs = [_Paragraph(each) for tree in trees.values() for each in list(tree.getroot().iter(f"{_W}p"))]
        wanted = [each for each in paragraphs if each.line.has_words]
        found = list(translate([each.line.text for each in wanted]) if wanted else ())
        for paragraph, text in zip(wanted, found, strict=True):
            paragraph.put(text)
        changed = {name: write_xml(tree, members[name]) for name, tree in trees.items()}
        return TranslatedDocument(with_members(content, changed), len(wanted), len(wanted))
