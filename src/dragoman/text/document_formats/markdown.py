"""Markdown: the text of blocks is translated, their marks, code, addresses and tables' rules stay.

Marks within lines (emphasis, links, code) are left to whoever translates, who knows them as placeholders and tags; here
only blocks are told apart.
"""

from __future__ import annotations

import re

from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded
from dragoman.text.document_formats.lines import Wrapped, has_words, rewrapped
from dragoman.text.markdown import FENCE, closes_fence

__all__ = ["Markdown"]

_MARK = re.compile(r"[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\]]+\]:\s*\S")
_RULE = re.compile(r"[ ]{0,3}(?:[-*_=][ \t]*){2,}$")
_CELL = re.compile(r"(?<!\\)\|")
_BLOCK_TAG = re.compile(r"[ ]{0,3}</?(?:script|style|pre|div|table|details|summary|section)\b|[ ]{0,3}<!--", re.I)


def _is_table_rule(line: str) -> bool:
    """Whether a line stands between the head of a table and its rows."""
    bare = line.strip()
    return "|" in bare and "-" in bare and set(bare) <= set("|:- \t")


class _Block:
    """Lines of one block: where its mark ends, and its text."""

    def __init__(self, mark: str, lines: list[str]) -> None:
        self.mark, self.lines = mark, lines
        self.wrapped = Wrapped(lines)

    def put(self, texts: list[str]) -> str:
        if self.wrapped.whole:
            width = max(len(self.mark) + len(self.lines[0]), *map(len, self.lines[1:]))
            indent = self.lines[1][: len(self.lines[1]) - len(self.lines[1].lstrip())]
            return rewrapped(texts[0], width, first=self.mark, rest=indent)
        return self.mark + self.wrapped.put(texts)

    @property
    def texts(self) -> list[str]:
        return self.wrapped.texts


class _Row:
    """A row of a table: its cells are translated one by one."""

    def __init__(self, line: str) -> None:
        self.cells = _CELL.split(line)

    @property
    def texts(self) -> list[str]:
        return [cell.strip() for cell in self.cells if has_words(cell)]

    def put(self, texts: list[str]) -> str:
        new = iter(texts)
        made = []
        for cell in self.cells:
            start, end = len(cell) - len(cell.lstrip()), len(cell.rstrip())
            made.append(cell[:start] + next(new) + cell[end:] if has_words(cell) else cell)
        return "|".join(made)


def _blocks(lines: list[str]) -> list[str | _Block | _Row]:
    parts: list[str | _Block | _Row] = []
    block: list[str] = []
    fence, html = "", False
    at = 0
    if lines and lines[0].strip() == "---" and "---" in [line.strip() for line in lines[1:]]:
        at = 2 + [line.strip() for line in lines[1:]].index("---")
        parts += lines[:at]

    def close() -> None:
        if block:
            mark = _MARK.match(block[0])
            assert mark is not None
            parts.append(_Block(mark[0], [block[0][mark.end() :], *block[1:]]))
            block.clear()

    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        at += 1
        if fence:
            parts.append(line)
            fence = "" if closes_fence(line, fence) else fence
            continue
        opened = FENCE.match(line)
        if opened is not None:
            close()
            fence = opened[1]
            parts.append(line)
        elif html or _BLOCK_TAG.match(line):
            close()
            html = bool(line.strip())
            parts.append(line)
        elif (
            not line.strip() or _RULE.match(line) or _DEFINITION.match(line) or (not block and line.startswith("    "))
        ):
            close()
            parts.append(line)
        elif "|" in line and (
            _is_table_rule(following) or (parts and isinstance(parts[-1], _Row)) or _is_table_rule(line)
        ):
            close()
            parts.append(line if _is_table_rule(line) else _Row(line))
            if _is_table_rule(line):
                parts.append(_Row(""))  # rows go on behind the rule
        else:
            mark = _MARK.match(line)
            if mark is not None and mark[0].strip():
                close()
            block.append(line)
            if line.lstrip().startswith("#") or line.endswith("  "):
                close()
    close()
    return [part for part in parts if not (isinstance(part, _Row) and part.cells == [""])]


class Markdown(DocumentFormat):
    """Markdown (.md), by blocks; code, addresses and front matter stay."""

    name = "markdown"
    suffixes = (".md", ".markdown")

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        text = decoded(content, where=where)
        newline = "\r\n" if "\r\n" in text else "\n"
        parts = _blocks(text.replace("\r\n", "\n").split("\n"))
        texts = [each for part in parts if not isinstance(part, str) for each in part.texts]
        found = iter(translate(texts) if texts else ())
        made = [part if isinstance(part, str) else part.put([next(found) for _ in part.texts]) for part in parts]
        return TranslatedDocument("\n".join(made).replace("\n", newline).encode(), len(texts), len(texts))
