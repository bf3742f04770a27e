"""Documents with structure: TMX translation memories.

A memory is read unit by unit and each unit is thrown away after use, so that one of gigabytes needs no more memory than
a small one. Memories come from strangers: nothing outside the file is fetched, entities defined in it are refused (they
are how a kilobyte becomes a gigabyte), and the parser's limits on depth and size stay on.

Units may have many languages. A wanted code matches itself and its regions (`de` matches `de`, `DE-AT`, `de_ch`), an
exact match first. Inline elements hold native codes of the document that was translated (`<bpt>&lt;b&gt;</bpt>`); they
are dropped, or kept as the text they stand for.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from dragoman.errors import EncodingError, FormatError, InputError, SettingError
from dragoman.files import DAMAGE, damaged, display_name, open_binary, writing
from dragoman.text.formats import BitextLayout, Format, Put, SegmentPair, write_line
from dragoman.version import __version__

__all__ = ["Tmx", "Units", "language_matches"]

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_NATIVE = {"bpt", "ept", "ph", "it", "ut"}
"""Inline elements whose content is code, not text (and texts inside code, `sub`); `hi` holds text."""
_LINE_ENDS = {"\n": "&#10;", "\r": "&#13;"}
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def language_matches(wanted: str, code: str) -> bool:
    """Whether a language code is the wanted one or a region of it."""
    wanted, code = _normal(wanted), _normal(code)
    return code == wanted or code.startswith(f"{wanted}-")


@lru_cache(maxsize=256)
def _normal(code: str) -> str:
    return code.lower().replace("_", "-")


def _local(element: Any) -> str:
    """The name of an element without its name space; empty for comments and instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


class Units:
    """The units of one memory, as (line, element); an element is empty once the next is asked for."""

    def __init__(self, path: Path | str) -> None:
        self.path, self.name, self.source_language = path, display_name(path), ""

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        with contextlib.closing(open_binary(self.path)) as file:
            try:
                yield from self._parse(file)
            except etree.XMLSyntaxError as error:
                line = error.lineno or 1
                reason = re.sub(r", line \d+, column \d+( \(.*\))?$", "", error.msg or "malformed")
                raise FormatError(f"not XML: {reason}", where=f"{self.name}, line {line}") from None
            except DAMAGE as error:
                raise damaged(error, where=self.name) from None

    def _parse(self, file: BinaryIO) -> Iterator[tuple[int, Any]]:
        events = etree.iterparse(
            file,
            events=("start", "end"),
            tag=("{*}tmx", "{*}header", "{*}tu"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        checked = False
        for event, element in events:
            if not checked:
                self._check_root(element.getroottree().getroot())
                checked = True
            if event == "start":
                if _local(element) == "header":
                    self.source_language = element.get("srclang", "")
            elif _local(element) == "tu":
                yield element.sourceline, element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        if not checked:
            self._check_root(events.root)

    def _check_root(self, root: Any) -> None:
        if _local(root) != "tmx":
            raise FormatError(
                f"not a TMX file: its root is <{_local(root)}>", where=f"{self.name}, line {root.sourceline}"
            )


class Tmx(Format):
    """A translation memory in XML."""

    def read(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[SegmentPair]:
        units = Units(paths[0])
        languages = layout.languages
        seen: dict[str, None] = {}
        found = False
        for line, unit in units:
            where = f"{units.name}, line {line}"
            variants = [
                (element.get(_XML_LANG) or element.get("lang") or "", element)
                for element in unit
                if _local(element) == "tuv"
            ]
            seen.update(dict.fromkeys(code for code, _ in variants))
            if languages is None:
                languages = _choose_languages(units.source_language, [code for code, _ in variants])
            if languages is None:
                continue
            chosen = [_variant(variants, wanted) for wanted in languages]
            if chosen[0] is None or chosen[1] is None:
                continue
            found = True
            source, target = (_segment(variant, layout.markup, where=where) for variant in chosen)
            yield SegmentPair(source, target, (), _facts(unit))
        if not found and seen:
            wanted = " and ".join(languages) if languages else "two languages"
            raise InputError(
                f"no unit has {wanted}",
                where=units.name,
                remedy=f"its languages are {', '.join(sorted(filter(None, seen))) or 'not stated'}",
            )

    @contextlib.contextmanager
    def writing(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[Put]:
        if layout.languages is None:
            raise SettingError("a memory names its languages", remedy="say which they are, as in `de-en`")
        name = display_name(paths[0])
        codes = [quoteattr(code) for code in layout.languages]
        number = 0
        with writing(paths[0]) as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n')
            file.write(
                f'<header creationtool="dragoman" creationtoolversion="{__version__}" segtype="block" o-tmf="dragoman"'
                f' adminlang="en" srclang={codes[0]} datatype="plaintext"/>\n<body>\n'
            )

            def put(pair: SegmentPair) -> None:
                nonlocal number
                number += 1
                where = f"{name}, unit {number}"
                for segment in pair:
                    if illegal := _ILLEGAL.search(segment):
                        raise EncodingError(f"character U+{ord(illegal[0]):04X}, which XML cannot hold", where=where)
                variants = "".join(
                    f"<tuv xml:lang={code}><seg>{escape(segment, _LINE_ENDS)}</seg></tuv>"
                    for code, segment in zip(codes, pair, strict=True)
                )
                write_line(file, [f"<tu>{variants}</tu>"], where=where)

            yield put
            file.write("</body>\n</tmx>\n")


def _choose_languages(header: str, codes: Sequence[str]) -> tuple[str, str] | None:
    """Source and target when nobody named them: the header's source language, or the first; then the next other one."""
    present = [code for code in codes if code]
    if not present:
        return None
    source = present[0] if header.lower() in {"", "*all*"} else header
    language = _normal(source).partition("-")[0]
    others = [code for code in present if not language_matches(source, code)]
    other = next((code for code in others if not language_matches(language, code)), others[0] if others else None)
    return (source, other) if other is not None else None


def _variant(variants: Sequence[tuple[str, Any]], wanted: str) -> Any | None:
    exact = [variant for code, variant in variants if _normal(code) == _normal(wanted)]
    matching = exact or [variant for code, variant in variants if language_matches(wanted, code)]
    return matching[0] if matching else None


def _segment(variant: Any, markup: str, *, where: str) -> str:
    segment = next((child for child in variant if _local(child) == "seg"), None)
    if segment is None:
        raise FormatError("a variant without a segment", where=where)
    if not len(segment):  # no inline elements, the usual case
        return segment.text or ""
    return "".join(_pieces(segment, keep=markup == "keep", where=where))


def _pieces(element: Any, *, keep: bool, where: str) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag is etree.Entity:
            raise FormatError(
                f"the entity {child.text}, defined in the file", where=where, remedy="write the character"
            )
        name = _local(child)
        if name not in _NATIVE or (keep and (child.text or len(child))):
            yield from _pieces(child, keep=keep, where=where)
        elif keep:
            attributes = "".join(f" {key.rpartition('}')[2]}={quoteattr(value)}" for key, value in child.items())
            yield f"<{name}{attributes}/>"
        yield child.tail or ""


def _facts(unit: Any) -> dict[str, str]:
    """The unit's id and properties."""
    facts = {"id": unit.get("tuid")} if unit.get("tuid") else {}
    for child in unit:
        if _local(child) == "prop" and child.get("type"):
            facts[child.get("type")] = child.text or ""
    return facts
