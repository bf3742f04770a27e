"""Protected spans: what must come through translation untouched.

Tags, placeholders, addresses and a user's own terms are found in the raw text, before anything else happens to it, as
ranges that do not overlap, each with a kind. Where two finds compete, the one that begins first wins, then the longer
one. Every search takes time linear in the text, whatever the text is.

    >>> for span in Finder().find("<b>%d</b> files for {name}, see https://a.org."):
    ...     print(span.kind, span.start, span.end)
    tag 0 3
    printf 3 5
    tag 5 9
    brace 20 26
    url 32 45
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dragoman.errors import SettingError, UnknownName
from dragoman.text.composing import composed, nfc
from dragoman.text.markdown import MARKS, code_ranges, mark_ranges

__all__ = ["KINDS", "MASK", "TAG_KINDS", "Finder", "ProtectedSpan"]

KINDS = {
    "tag": "XML and HTML tags, comments, processing instructions, CDATA marks",
    "entity": "character references: &nbsp; &#8217;",
    "url": "addresses of web pages and the like",
    "email": "e-mail addresses",
    "printf": "%s, %1$s, %-5.2f, %(name)s, %%",
    "brace": "{name}, {0:>3}, {}, {{ template }}, {% tag %}",
    "icu": "ICU messages: {n, plural, one {# file} other {# files}}, as a whole",
    "variable": "${name}, %{name}, #{name}",
    "mask": "what another tool has masked already: [X12X]",
    "code": "Markdown's `code`, and blocks between ``` or ~~~",
    "markdown": "Markdown's marks: **, _, ~~, [ and ](address), and what begins a line: #, >, -",
    "path": "file names with folders: /usr/bin/env, ~/.profile, C:\\Temp",
    "term": "the user's own list of words and patterns",
}
"""Kinds of protected spans, and what they are."""

TAG_KINDS = frozenset(["tag", "markdown"])
"""Kinds that are no words: models neither learn nor translate them, and they follow the words around them."""

MASK = re.compile(r"⟦[a-z]+:\d+⟧")
"""Our own masks (see `dragoman.text.preprocessor`); in raw text they are protected like anything else."""


@dataclass(frozen=True, slots=True)
class ProtectedSpan:
    """A half-open range of raw code points and why it is protected."""

    start: int
    end: int
    kind: str


_NAME = r"(?:[A-Za-z_][\w:.\-]*+|\d++)"
_VALUE = r"""(?:"[^"<]*+"|'[^'<]*+'|[^\s"'=<>`]++)"""
_FLAGS = (
    "allowfullscreen|async|autofocus|autoplay|checked|controls|default|defer|disabled|hidden|inert|ismap|loop|multiple"
    "|muted|nomodule|novalidate|open|playsinline|readonly|required|reversed|selected"
)
_ATTRIBUTE = rf"\s++(?:{_NAME}\s*+=\s*+{_VALUE}|(?:{_FLAGS})\b)"
_TAG = re.compile(rf"</{_NAME}\s*+>|<{_NAME}(?:{_ATTRIBUTE})*+\s*+/?>|<!DOCTYPE[^<>]*+>|<!\[CDATA\[|\]\]>", re.I)
_LONG_TAGS = (("<!--", "-->"), ("<?", "?>"))
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_URL = re.compile(
    r"(?<![^\W_])(?:(?:https?|ftps?|sftp|ssh|git|svn|rsync|file|ircs?|gopher|nfs|smb|wss?|ldaps?)://|www\.(?=\w))"
    r"[^\s<>\"“”„«»`|\\^⟦⟧]++",
    re.I,
)
_EMAIL = re.compile(r"(?<![\w.+\-])[\w.+\-]++@(?:[\w\-]++\.)+(?!\d)[\w\-]{2,}+(?!@)")
_PRINTF = re.compile(
    r"%(?:%|\([\w.\-]+\)[-+#0']*(?:[1-9]\d*)?(?:\.\d+)?[diouxXeEfFgGcrsa]"
    r"|(?:\d+\$)?[-+#0']*(?:\*|[1-9]\d*)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcspn@])"
)
_SPEC = r"(?:(?:.?[<>=^])?[-+ ]?z?\#?0?(?:\d+|\{\w*\})?[_,]?(?:\.(?:\d+|\{\w*\}))?[a-zA-Z%]?|%[^{}\n]*)"
_BRACE = re.compile(rf"\{{\s?[\w.\-]*(?:\[\w+\])*(?:\.\w+)*(?:![rsa])?(?::{_SPEC})?\s?\}}")
_ICU = re.compile(
    r"\{\s*+[\w.\-]++\s*+,\s*+(?:plural|select|selectordinal|number|date|time|spellout|ordinal|duration|choice|list)\b"
)
_WEBLATE = re.compile(r"\[X\d+X\]")
_PATH = re.compile(
    r"(?<![\w./\\])(?:~|\.{1,2})?(?:/[\w.+@%\-]+){2,}/?|(?<![\w./\\])~/[\w.+@%\-]+(?:/[\w.+@%\-]+)*/?"
    r"|(?<!\w)[A-Za-z]:\\(?:[\w.+@%\-]++\\?)++"
)
_WORD = re.compile(r"\w+|[^\w\s]")
_LONGEST_TEMPLATE = 1000


class Finder:
    """Finds protected spans of the given kinds; `terms` are literal strings, `patterns` regular expressions.

    A term is matched as written, case included, and only where it is not part of a longer word. Both lists are of kind
    `term`, and are used even if `kinds` does not name it.
    """

    def __init__(
        self, kinds: Sequence[str] = tuple(KINDS), *, terms: Sequence[str] = (), patterns: Sequence[str] = ()
    ) -> None:
        for kind in kinds:
            if kind not in KINDS:
                raise UnknownName(
                    f"no kind of protected span is called {kind!r}", remedy=f"choose from {', '.join(KINDS)}"
                )
        self.kinds, self.terms, self.patterns = tuple(kinds), tuple(terms), tuple(patterns)
        self._terms: dict[str, list[str]] = {}
        for term in sorted({nfc(term.strip()) for term in terms}, key=lambda term: (-len(term), term)):
            if not term:
                raise SettingError("a term to protect is empty", remedy="remove the empty line from the list")
            first = _WORD.match(term)
            assert first is not None
            self._terms.setdefault(first.group(), []).append(term)
        self._patterns = []
        for pattern in patterns:
            try:
                self._patterns.append(re.compile(pattern))
            except re.error as error:
                raise SettingError(f"{pattern!r} is no regular expression: {error}") from None

    def find(self, text: str) -> list[ProtectedSpan]:
        """The protected spans of a text, in order, without overlaps; a term is found however it is spelt (NFC, NFD)."""
        line = composed(text)
        found = sorted(self._candidates(line.text), key=lambda span: (span.start, -span.end))
        chosen: list[ProtectedSpan] = []
        for span in found:
            if not chosen or span.start >= chosen[-1].end:
                chosen.append(span)
        if line.places is None:
            return chosen
        raw = line.raw_spans((span.start, span.end) for span in chosen)
        return [ProtectedSpan(start, end, span.kind) for (start, end), span in zip(raw, chosen, strict=True)]

    def _candidates(self, text: str) -> Iterator[ProtectedSpan]:
        kinds = self.kinds
        if "⟦" in text:
            yield from _all(MASK, text, "mask")
        if "tag" in kinds and ("<" in text or "]]>" in text):
            yield from _all(_TAG, text, "tag")
            for opening, closing in _LONG_TAGS:
                yield from _delimited(text, opening, closing)
        if "entity" in kinds and "&" in text:
            yield from _all(_ENTITY, text, "entity")
        if "url" in kinds and ("://" in text or "www." in text.lower()):
            yield from _urls(text)
        if "email" in kinds and "@" in text:
            yield from _all(_EMAIL, text, "email")
        if "mask" in kinds and "[X" in text:
            yield from _all(_WEBLATE, text, "mask")
        if "printf" in kinds and "%" in text:
            yield from _printf(text)
        if "{" in text:
            yield from _braces(text, kinds)
        if "code" in kinds and ("`" in text or "~~~" in text):
            yield from (ProtectedSpan(start, end, "code") for start, end in code_ranges(text))
        if "markdown" in kinds and not MARKS.isdisjoint(text):
            yield from (ProtectedSpan(start, end, "markdown") for start, end in mark_ranges(text))
        if "path" in kinds and ("/" in text or "\\" in text):
            for match in _PATH.finditer(text):
                yield ProtectedSpan(match.start(), match.start() + len(match.group().rstrip(".")), "path")
        if self._terms:
            yield from self._listed(text)
        for pattern in self._patterns:
            yield from _all(pattern, text, "term")

    def _listed(self, text: str) -> Iterator[ProtectedSpan]:
        for word in _WORD.finditer(text):
            for term in self._terms.get(word.group(), ()):
                end = word.start() + len(term)
                inside = _is_word(term[-1]) and end < len(text) and _is_word(text[end])
                if not inside and text.startswith(term, word.start()):
                    yield ProtectedSpan(word.start(), end, "term")
                    break


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _all(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[ProtectedSpan]:
    for match in pattern.finditer(text):
        if match.end() > match.start():
            yield ProtectedSpan(match.start(), match.end(), kind)


def _delimited(text: str, opening: str, closing: str) -> Iterator[ProtectedSpan]:
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            return
        yield ProtectedSpan(start, end + len(closing), "tag")
        start = text.find(opening, end)


def _urls(text: str) -> Iterator[ProtectedSpan]:
    """Addresses without the punctuation of the sentence around them; a bracket belongs if its partner does."""
    for match in _URL.finditer(text):
        url = match.group()
        opened = {")": url.count("(") - url.count(")"), "]": url.count("[") - url.count("]")}
        end = len(url)
        while end:
            last = url[end - 1]
            if last in ".,;:!?'’*_…、。，！？；：»›" or (last in opened and opened[last] < 0):
                if last in opened:
                    opened[last] += 1
                end -= 1
            else:
                break
        if end > len("www."):
            yield ProtectedSpan(match.start(), match.start() + end, "url")


def _printf(text: str) -> Iterator[ProtectedSpan]:
    """Conversions; `100%ig` is a word, and so is the percent sign of `5%d` followed by letters."""
    for match in _PRINTF.finditer(text):
        after_digit = match.start() > 0 and text[match.start() - 1].isdigit()
        before_letter = match.end() < len(text) and text[match.end()].isalpha()
        if not (after_digit and (before_letter and match.group() != "%%")):
            yield ProtectedSpan(match.start(), match.end(), "printf")


def _partners(text: str) -> dict[int, int]:
    """Each opening brace with its closing one; a brace in ICU's quotes (`'{'`) is a letter."""
    partners: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"'[{}]'|[{}]", text):
        if match.group() == "{":
            stack.append(match.start())
        elif match.group() == "}" and stack:
            partners[stack.pop()] = match.start()
    return partners


def _braces(text: str, kinds: Iterable[str]) -> Iterator[ProtectedSpan]:
    partners = _partners(text)
    for start, last in partners.items():
        if "icu" in kinds and _ICU.match(text, start, last):
            yield ProtectedSpan(start, last + 1, "icu")
        if last - start > _LONGEST_TEMPLATE:
            continue
        if "variable" in kinds and start > 0 and text[start - 1] in "$%#" and _is_variable(text[start + 1 : last]):
            yield ProtectedSpan(start - 1, last + 1, "variable")
        elif "brace" in kinds and (
            partners.get(start + 1) == last - 1  # {{ template }}
            or (text.startswith("{%", start) and text[last - 1] == "%" and last > start + 3)
            or _BRACE.fullmatch(text, start, last + 1)
        ):
            yield ProtectedSpan(start, last + 1, "brace")


def _is_variable(name: str) -> bool:
    return bool(name) and "\n" not in name
