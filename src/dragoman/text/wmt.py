"""WMT test sets: the SGML of mteval and the XML of the later shared tasks.

Both hold segments in documents; SGML has one file for sources, references and each system's output, XML holds them all.
The SGML was never quite SGML (bare ampersands, missing headers), so tags are picked out of the text rather than parsed
with a grammar; the same reader takes the XML, resolves no foreign entity and opens no other file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines

__all__ = ["MAX_CHARACTERS", "WmtSegment", "WmtSet", "looks_like_wmt", "parse_wmt", "read_wmt"]

MAX_CHARACTERS = 2**28
"""Larger files are refused: no test set is so large."""

_TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>[A-Za-z][\w.-]*)(?P<rest>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>]+))*)\s*/?>"""
    r"""|<!--.*?(?:-->|\Z)|<\?[^<>]*>|<![A-Za-z][^<>]*>""",
    re.S,
)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_BEFORE = re.compile(r"\s+|<\?xml[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->", re.S | re.I)
_START = re.compile(r"<(?:mteval|srcset|refset|tstset|dataset)\b", re.I)
_SETS = {"srcset": "source", "refset": "reference", "tstset": "hypothesis"}
_SIDES = {"src": "source", "ref": "reference", "hyp": "hypothesis"}
_KNOWN = {"mteval", "dataset", "collection", "doc", "p", "hl", "seg", "poster", *_SETS, *_SIDES}


@dataclass(frozen=True, slots=True)
class WmtSegment:
    """A segment, by its document and its number there."""

    document: str
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class WmtSet:
    """The source, one reference or one system's output; `name` is the system or translator."""

    kind: str
    name: str
    set_id: str
    source_language: str
    target_language: str
    segments: tuple[WmtSegment, ...]


@dataclass(slots=True)
class _Growing:
    set_id: str
    source_language: str
    target_language: str
    segments: dict[tuple[str, str], str] = field(default_factory=dict)


def looks_like_wmt(lines: Iterable[str]) -> bool:
    """Whether a text (its first lines suffice) is a WMT test set."""
    text = "\n".join(lines)
    at = 0
    while passed := _BEFORE.match(text, at):  # one after the other: as one expression they have exponentially many ways
        at = passed.end()
    return _START.match(text, at) is not None


def read_wmt(path: Path | str) -> list[WmtSet]:
    """All sets in a file (plain, gzip or xz; `-` is standard input), in order of appearance."""
    return parse_wmt("\n".join(read_lines(path)), where=str(path))


def parse_wmt(text: str, *, where: str = "WMT test set") -> list[WmtSet]:
    """All sets in a text, in order of appearance."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"a test set of more than {MAX_CHARACTERS // 2**20} Mi characters", where=where)
    reader = _Reader(text, where)
    for tag in _TAG.finditer(text):
        if tag["name"] and tag["name"].lower() in _KNOWN:
            reader.tag(tag)
    reader.finish()
    if not reader.sets:
        raise FormatError("no segments", where=where, remedy="expected <srcset>, <refset>, <tstset> or <dataset>")
    return [
        WmtSet(
            kind,
            name,
            made.set_id,
            made.source_language,
            made.target_language,
            tuple(WmtSegment(doc, number, segment) for (doc, number), segment in made.segments.items()),
        )
        for (kind, name), made in reader.sets.items()
    ]


class _Reader:
    """Follows the tags, and keeps what is open."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where
        self.sets: dict[tuple[str, str], _Growing] = {}
        self.outer: dict[str, str] = {}
        self.document: dict[str, str] | None = None
        self.side: tuple[str, dict[str, str]] | None = None
        self.segment: tuple[str, int] | None = None  # its number, and where its text starts
        self.unnumbered = 0

    def tag(self, tag: re.Match[str]) -> None:
        name, end = tag["name"].lower(), bool(tag["end"])
        if self.segment is not None and name != "seg":
            if name in ("doc", *_SETS, *_SIDES):
                raise self.wrong(tag.start(), f"<{tag['end']}{name}> inside a segment", "close it with </seg>")
            return
        attributes = {key.lower(): html.unescape(a or b or c) for key, a, b, c in _ATTRIBUTE.findall(tag["rest"] or "")}
        if name in _SETS or name == "dataset":
            self.outer = {} if end else {**attributes, "": name}
        elif name == "doc":
            if not end and self.document is not None:
                raise self.wrong(tag.start(), "a document inside a document", "close it with </doc>")
            self.document, self.unnumbered = (None if end else attributes), 0
        elif name in _SIDES:
            self.side, self.unnumbered = (None if end else (name, attributes)), 0
        elif name == "seg":
            self.close(tag) if end else self.open(tag, attributes)

    def open(self, tag: re.Match[str], attributes: dict[str, str]) -> None:
        if self.segment is not None:
            raise self.wrong(tag.start(), "a segment inside a segment", "close it with </seg>")
        if self.document is None:
            raise self.wrong(tag.start(), "a segment outside a document", "put it into <doc docid=...>")
        if self.outer.get("") == "dataset" and self.side is None:
            raise self.wrong(tag.start(), "a segment of no side", "put it into <src>, <ref> or <hyp>")
        self.unnumbered += 1
        self.segment = attributes.get("id", str(self.unnumbered)), tag.end()

    def close(self, tag: re.Match[str]) -> None:
        if self.segment is None:
            raise self.wrong(tag.start(), "</seg> without <seg>", "")
        assert self.document is not None
        number, start = self.segment
        self.segment = None
        if self.side is not None:
            side, own = self.side
            kind, name = _SIDES[side], own.get("system", own.get("translator", ""))
            language = own.get("lang", own.get("language", ""))
            source, target = (language, "") if kind == "source" else ("", language)
        else:
            kind = _SETS.get(self.outer.get("", ""), "")
            if not kind:
                raise self.wrong(tag.start(), "a segment outside a set", "expected <srcset>, <refset> or <tstset>")
            name = self.document.get("sysid", self.document.get("refid", self.outer.get("refid", "")))
            source, target = self.outer.get("srclang", ""), self.outer.get("trglang", "")
        made = self.sets.setdefault(
            (kind, name), _Growing(self.outer.get("setid", self.outer.get("id", "")), source, target)
        )
        key = self.document.get("docid", self.document.get("id", "")), number
        if key in made.segments:
            raise self.wrong(
                tag.start(), f"segment {number!r} of document {key[0]!r} appears twice", "give it another id"
            )
        made.segments[key] = " ".join(html.unescape(self.text[start : tag.start()]).split())

    def finish(self) -> None:
        if self.segment is not None:
            raise self.wrong(self.segment[1], "a segment that is never closed", "is the file complete?")

    def wrong(self, at: int, what: str, remedy: str) -> FormatError:
        return FormatError(what, where=f"{self.where}, line {self.text.count(chr(10), 0, at) + 1}", remedy=remedy)
