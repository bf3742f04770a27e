"""Markdown within text: code that is not translated, and marks that follow the words around them, as tags do.

Text that was never meant to be Markdown has stars, brackets and backquotes, too. So only what is beyond doubt counts:
marks of emphasis come in pairs on one line, close to words on their inner sides and apart from words on their outer
ones; brackets belong to a link with an address; and a backquote that an apostrophe answers (`` `so' ``) is a quote.

    >>> text = "- see **the [manual](x.html)** of `ls -l`"
    >>> [text[start:end] for start, end in (*mark_ranges(text), *code_ranges(text))]
    ['- ', '[', '](x.html)', '**', '**', '`ls -l`']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["FENCE", "MARKS", "closes_fence", "code_ranges", "mark_ranges"]

Range = tuple[int, int]

MARKS = frozenset("#>-*+]_~")
"""What has none of them has no marks."""

FENCE = re.compile(r"^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})", re.M)
"""A line that begins a block of code; it ends at a line that has as many of the same marks, or more, and no more."""
_TICKS = re.compile(r"(?<!\\)`+")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|_{1,3}|~~)")
_BEGINNING = re.compile(r"^[ \t]*(?:#{1,6}|>(?:[ \t]*>)*|[-*+])[ \t]+(?=[^\s])", re.M)
_LINK_END = re.compile(
    r"\]\((?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:[ \t]+\"[^\"\n]*\")?\)|\]\[[^\[\]\n]*\]"
)
_INNER_LEFT, _INNER_RIGHT = frozenset("`[(\"'“„«<!*_~"), frozenset(".,;:!?)]\"'”»`>*_~%")
"""What may stand inside marks of emphasis, next to them, besides letters and digits."""
_BRACKET = re.compile(r"!?\[|\]|\n")


def closes_fence(line: str, fence: str) -> bool:
    """Whether a line ends the block of code that such marks began."""
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def code_ranges(text: str) -> Iterator[Range]:
    """Blocks between fences, and code within lines."""
    at = 0
    for start, end in _fenced(text):
        yield start, end
        yield from _inline(text, at, start)
        at = end
    yield from _inline(text, at, len(text))


def _fenced(text: str) -> Iterator[Range]:
    """Blocks with their fences; one that is not closed goes to the end."""
    at = 0
    while match := FENCE.search(text, at):
        if match.start(1) < at:
            return
        place = text.find("\n", match.end())
        end = len(text)
        while place >= 0:
            following = text.find("\n", place + 1)
            last = len(text) if following < 0 else following
            if closes_fence(text[place + 1 : last], match[1]):
                end = last
                break
            place = following
        yield match.start(1), end
        at = end


def _inline(text: str, start: int, end: int) -> Iterator[Range]:
    """Code between backquotes, as many on one side as on the other, on one line."""
    opened: dict[str, int] = {}
    line = start
    for ticks in _TICKS.finditer(text, start, end):
        if "\n" in text[line : ticks.start()]:
            opened = {}
        line = ticks.start()
        run = ticks.group()
        begin = opened.pop(run, None)
        inside = "" if begin is None else text[begin + len(run) : ticks.start()]
        if begin is not None and inside.strip() and (len(run) > 1 or _is_code(inside)):
            yield begin, ticks.end()
            opened = {}
        else:
            opened[run] = ticks.start()


def _is_code(inside: str) -> bool:
    """Not a quotation of the old kind, `so' and `so'."""
    return not inside[0].isspace() and not inside[-1].isspace() and inside.count("'") % 2 == 0


def mark_ranges(text: str) -> Iterator[Range]:
    """What begins lines, links and emphasis, each mark by itself."""
    if any(mark in text for mark in "#>-*+"):
        yield from (match.span() for match in _BEGINNING.finditer(text))
    if "](" in text or "][" in text:
        yield from _links(text)
    if "*" in text or "_" in text or "~~" in text:
        yield from _emphasis(text)


def _links(text: str) -> Iterator[Range]:
    """Both brackets of each link, the second with its address."""
    opened: list[tuple[int, int]] = []
    at = 0
    while bracket := _BRACKET.search(text, at):
        at = bracket.end()
        if bracket.group() == "\n":
            opened = []
        elif bracket.group() != "]":
            opened.append(bracket.span())
        elif opened:
            begin = opened.pop()
            end = _LINK_END.match(text, bracket.start())
            if end is not None and text[begin[1] : bracket.start()].strip():
                yield begin
                yield end.span()
                at = end.end()


def _emphasis(text: str) -> Iterator[Range]:
    """Pairs of stars, underscores and tildes that embrace words of a line."""
    opened: dict[str, tuple[int, int]] = {}
    at = 0
    for mark in _EMPHASIS.finditer(text):
        if "\n" in text[at : mark.start()]:
            opened = {}
        at = mark.end()
        before = text[mark.start() - 1 : mark.start()]
        after = text[mark.end() : mark.end() + 1]
        run = mark.group()
        begin = opened.get(run)
        closes = (before.isalnum() or before in _INNER_RIGHT) and not after.isalnum() and after != run[0]
        if begin is not None and closes:
            del opened[run]
            inside = text[begin[1] : mark.start()]
            if not (run[0] == "_" and len(run) > 1 and re.fullmatch(r"\w+", inside)):  # __init__
                yield begin
                yield mark.span()
        elif (after.isalnum() or after in _INNER_LEFT) and not before.isalnum() and run[0] not in (before, after):
            opened[run] = mark.span()
