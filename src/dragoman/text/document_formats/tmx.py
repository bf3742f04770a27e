"""Translation memories: units that lack the target language get a variant of it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from dragoman.errors import FormatError, SettingError
from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts
from dragoman.text.document_formats.inline_xml import InlineText
from dragoman.text.document_formats.xml_files import local_name, read_xml, write_xml
from dragoman.text.documents import language_matches

__all__ = ["TmxDocument"]

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = frozenset(["bpt", "ept", "ph", "it", "ut"])


def _is_code(element: Any) -> bool:
    return local_name(element) in _CODES


class TmxDocument(DocumentFormat):
    """Translation memories (.tmx): units without the target language are completed."""

    name = "tmx"
    suffixes = (".tmx",)
    markup = True

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        if not filling.source or not filling.target:
            raise SettingError("a memory of unknown languages", where=where, remedy="say which they are")
        tree = read_xml(content, where=where)
        if local_name(tree.getroot()) != "tmx":
            raise FormatError(f"not a TMX file: its root is <{local_name(tree.getroot())}>", where=where)
        units = [unit for unit in tree.getroot().iter() if local_name(unit) == "tu"]
        chosen = []
        for unit in units:
            source, target = (_variant(unit, code) for code in (filling.source, filling.target))
            if source is None:
                continue
            line = InlineText(_segment(source, where), opaque=_is_code)
            empty = target is None or not "".join(_segment(target, where).itertext()).strip()
            if line.has_words and (empty or filling.everything):
                chosen.append((unit, source, target, line))
        found = iter(translate([line.text for *_, line in chosen]) if chosen else ())
        for _, source, target, _ in chosen:
            made = deepcopy(source)
            made.set(_XML_LANG if source.get(_XML_LANG) else "lang", filling.target)
            InlineText(_segment(made, where), opaque=_is_code).put(next(found))
            made.tail = source.tail
            if target is None:
                source.addnext(made)
            else:
                made.tail = target.tail
                target.getparent().replace(target, made)
        return TranslatedDocument(write_xml(tree, content), len(units), len(chosen))


def _variant(unit: Any, code: str) -> Any:
    variants = [child for child in unit if local_name(child) == "tuv"]
    return next(
        (each for each in variants if language_matches(code, each.get(_XML_LANG) or each.get("lang") or "")), None
    )


def _segment(variant: Any, where: str) -> Any:
    segment = next((child for child in variant if local_name(child) == "seg"), None)
    if segment is None:
        raise FormatError("a variant without a segment", where=f"{where}, line {variant.sourceline}")
    return segment
