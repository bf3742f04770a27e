"""XLIFF 1.2 and 2.0: segments without a target, or with one that waits for review, get one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from lxml import etree

from dragoman.errors import FormatError
from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts
from dragoman.text.document_formats.inline_xml import InlineText
from dragoman.text.document_formats.xml_files import local_name, read_xml, write_xml

__all__ = ["Xliff"]

_CODES = frozenset(["bpt", "ept", "ph", "it", "sub", "x", "bx", "ex"])
"""Elements of version 1.2 whose content is code of the original, not text."""
_DOUBTED = ("new", "needs-translation", "needs-adaptation", "needs-l10n", "needs-review-translation", "initial")


def _is_code(element: Any) -> bool:
    return local_name(element) in _CODES


def _child(element: Any, name: str) -> Any:
    return next((child for child in element if local_name(child) == name), None)


def _is_open(unit: Any) -> bool:
    """Whether nothing around a segment says that it is not translated."""
    while unit is not None:
        said = unit.get("translate")
        if said is not None:
            return bool(said != "no")
        unit = unit.getparent()
    return True


class Xliff(DocumentFormat):
    """XLIFF (.xlf, .xliff), versions 1.2 and 2.0; inline elements stay with their words."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")
    markup = True

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        tree = read_xml(content, where=where)
        root = tree.getroot()
        if local_name(root) != "xliff":
            raise FormatError(f"not an XLIFF file: its root is <{local_name(root)}>", where=where)
        new = str(root.get("version", "1.2")).startswith("2")
        name = "segment" if new else "trans-unit"
        units = [unit for unit in root.iter() if local_name(unit) == name]
        chosen = []
        for unit in units:
            source, target = _child(unit, "source"), _child(unit, "target")
            if source is None:
                raise FormatError("a segment without a source", where=f"{where}, line {unit.sourceline}")
            line = InlineText(source, opaque=_is_code)
            if _is_open(unit) and line.has_words and (filling.everything or _is_doubted(unit, target, new=new)):
                chosen.append((unit, target, line))
        found = iter(translate([line.text for *_, line in chosen]) if chosen else ())
        for unit, target, line in chosen:
            _fill(unit, target, line, next(found), filling, new=new)
        if new and filling.target and not root.get("trgLang"):
            root.set("trgLang", filling.target)
        return TranslatedDocument(write_xml(tree, content), len(units), len(chosen))


def _is_doubted(unit: Any, target: Any, *, new: bool) -> bool:
    if target is None or not "".join(target.itertext()).strip():
        return True
    if new:
        return bool(unit.get("state", "translated") == "initial")
    return unit.get("approved") != "yes" and target.get("state", "") in _DOUBTED


def _fill(unit: Any, target: Any, line: InlineText, text: str, filling: Filling, *, new: bool) -> None:
    """Write the target; the elements inside are copies of those of the source."""
    source = line.element
    if target is None:
        target = etree.SubElement(unit, source.tag[: -len("source")] + "target")
        unit.remove(target)
        target.tail = source.tail
        source.addnext(target)
    for child in list(target):
        target.remove(child)
    kept = deepcopy(source)
    InlineText(kept, opaque=_is_code).put(text, into=target)
    if new:
        unit.set("state", "translated")
    else:
        target.set("state", "translated" if filling.final else "needs-review-translation")
