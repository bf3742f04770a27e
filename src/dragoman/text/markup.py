"""Markup of a user in the source text: how words are to be translated, what is kept, and in which order.

The format is that of Moses' XML input (Moses manual, "advanced features"): any tag with an attribute `translation`
(or, as of old, `english`) gives translations for the words inside, several with `||` between them, with their
probabilities in `prob`; `<zone>` is translated as a block, and nothing is reordered across `<wall/>`; `<ne
entity="42">` stands around one word that becomes its entity. `translate="no"`, as in HTML, keeps text as it is. Other
tags are text of the user and stay where they are.

    >>> marked = read_markup('das ist ein <n translation="small||little" prob="0.7||0.3">kleines</n> <wall/> Haus')
    >>> marked.text
    'das ist ein kleines  Haus'
    >>> [(marked.text[span.start : span.end], span.targets) for span in marked.spans]
    [('kleines', (('small', 0.7), ('little', 0.3)))]
    >>> marked.walls
    (20,)
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from dragoman.errors import InputError
from dragoman.text.placeholders import ProtectedSpan

__all__ = ["Marked", "MarkedSpan", "read_markup"]

_TRANSLATION = ("translation", "english")
_REFUSED = ("update", "weight-overwrite", "coord")
_OWN = ("wall", "zone", "ne")
_SEPARATOR = "||"

_TAG = re.compile(r"""<(/?)([A-Za-z_][\w:.\-]*)((?:\s+[\w:.\-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(/?)>""")
_ATTRIBUTE = re.compile(r"""(?<![\w:.\-])([\w:.\-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_BROKEN = re.compile(r"<(?:/?(?:wall|zone|ne)\b|[A-Za-z_][\w:.\-]*\s[^<>]*?\b(?:translation|english)\s*=)")


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A range of characters of the text, and what it may become: texts and their probabilities."""

    start: int
    end: int
    targets: tuple[tuple[str, float], ...]
    exclusive: bool = False
    """Whatever the policy is, nothing else will do."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text without its markup, and what the markup said; all places are characters of this text."""

    text: str
    spans: tuple[MarkedSpan, ...] = ()
    walls: tuple[int, ...] = ()
    zones: tuple[tuple[int, int], ...] = ()
    kept: tuple[ProtectedSpan, ...] = ()


@dataclass(slots=True)
class _Open:
    name: str
    attributes: dict[str, str]
    start: int
    """In the text without markup."""
    at: int
    """In the text with markup."""
    inner: int = 0
    """Tags of the user's own with the same name that are open inside."""


class _Reader:
    def __init__(self, raw: str, where: str) -> None:
        self.raw, self.where = raw, where
        self.pieces: list[str] = []
        self.length = 0
        self.open: list[_Open] = []
        self.spans: list[MarkedSpan] = []
        self.walls: list[int] = []
        self.zones: list[tuple[int, int]] = []
        self.kept: list[ProtectedSpan] = []

    def read(self) -> Marked:
        at = 0
        for tag in _TAG.finditer(self.raw):
            self._text(at, tag.start())
            at = tag.end()
            closing, name, attributes, empty = tag.groups()
            if closing:
                self._close(tag)
            else:
                self._begin(tag, name, self._attributes(attributes, tag.start(3)), bool(empty))
        self._text(at, len(self.raw))
        if self.open:
            last = self.open[-1]
            raise self._error(f"<{last.name}> is never closed", last.at, f"write </{last.name}> behind its words")
        text = "".join(self.pieces)
        spans = tuple(self._placed(span, text) for span in self.spans)
        return Marked(text, spans, tuple(self.walls), tuple(self.zones), tuple(self.kept))

    def _error(self, what: str, at: int, remedy: str) -> InputError:
        place = f"character {at + 1}"
        return InputError(
            f"broken markup: {what}", where=f"{self.where}, {place}" if self.where else place, remedy=remedy
        )

    def _text(self, start: int, end: int) -> None:
        if broken := _BROKEN.search(self.raw, start, end):
            raise self._error("a tag that does not end", broken.start(), "close its quotes, and write >")
        self._keep(self.raw[start:end])

    def _keep(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def _attributes(self, text: str, at: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(text):
            name, double, single = match.groups()
            if name in found:
                raise self._error(f"two attributes {name}", at + match.start(), "leave one out")
            found[name] = html.unescape(double if double is not None else single)
        return found

    def _begin(self, tag: re.Match[str], name: str, attributes: dict[str, str], empty: bool) -> None:
        at = tag.start()
        if name in _REFUSED:
            raise self._error(f"<{name}> speaks of what only Moses has inside", at, "leave it out")
        own = name in _OWN or any(each in attributes for each in _TRANSLATION) or attributes.get("translate") == "no"
        if not own:
            for each in self.open:
                each.inner += each.name == name and not empty
            self._keep(tag.group())
        elif name == "wall":
            if not empty:
                raise self._error("<wall> has no words inside", at, "write <wall/>")
            self.walls.append(self.length)
        elif empty and "span" not in attributes:
            raise self._error(f"<{name}/> has no words inside", at, f"write <{name} ...>words</{name}>, or give span=")
        else:
            opened = _Open(name, attributes, self.length, at)
            if empty:
                self._finish(opened)
            else:
                self.open.append(opened)

    def _close(self, tag: re.Match[str]) -> None:
        name = tag.group(2)
        if not any(each.name == name for each in self.open):
            if name in _OWN:
                raise self._error(f"</{name}> closes nothing", tag.start(), f"write <{name}> in front of its words")
            self._keep(tag.group())
            return
        last = self.open[-1]
        if last.name == name and not last.inner:
            self._finish(self.open.pop())
        elif any(each.name == name and each.inner for each in self.open):
            for each in self.open:
                each.inner -= each.name == name and each.inner > 0
            self._keep(tag.group())
        else:
            raise self._error(f"</{name}> where <{last.name}> is open", tag.start(), "let tags lie inside each other")

    def _finish(self, tag: _Open) -> None:
        start, end = tag.start, self.length
        inside = "".join(self.pieces)[start:end]
        if "span" not in tag.attributes and not inside.strip():
            raise self._error(f"<{tag.name}> has no words inside", tag.at, "put it around some, or leave it out")
        start, end = start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())
        if tag.name == "zone":
            self.zones.append((start, end))
        elif tag.name == "ne":
            if "entity" not in tag.attributes or len(inside.split()) != 1:
                raise self._error("<ne> needs an entity and one word", tag.at, 'write <ne entity="42">@num@</ne>')
            self.spans.append(MarkedSpan(start, end, ((tag.attributes["entity"], 1.0),), exclusive=True))
        elif tag.attributes.get("translate") == "no":
            self.kept.append(ProtectedSpan(start, end, "term"))
        else:
            self.spans.append(MarkedSpan(*self._span(tag, start, end), self._targets(tag)))

    def _targets(self, tag: _Open) -> tuple[tuple[str, float], ...]:
        text = next(tag.attributes[name] for name in _TRANSLATION if name in tag.attributes)
        texts = [each.strip() for each in text.split(_SEPARATOR)]
        if not all(texts):
            raise self._error(f"<{tag.name}> has an empty translation", tag.at, "give its words")
        given = tag.attributes.get("prob")
        if given is None:
            return tuple((each, 1.0) for each in texts)
        try:
            probabilities = [float(each) for each in given.split(_SEPARATOR)]
        except ValueError:
            raise self._error(f"prob is {given!r}", tag.at, "give numbers, with || between them") from None
        if len(probabilities) != len(texts):
            what = f"{len(probabilities)} probabilities for {len(texts)} translations"
            raise self._error(what, tag.at, "give one for each")
        if not all(0 < each <= 1 for each in probabilities):
            raise self._error(f"prob is {given!r}", tag.at, "probabilities are more than 0 and at most 1")
        return tuple(zip(texts, probabilities, strict=True))

    def _span(self, tag: _Open, start: int, end: int) -> tuple[int, int]:
        """As the text stands, or words by number: these are looked up when all of the text is known."""
        given = tag.attributes.get("span")
        if given is None:
            return start, end
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", given)
        if match is None:
            raise self._error(f"span is {given!r}", tag.at, "give the first and the last word, counted from 0: 2-3")
        first, last = int(match[1]), int(match[2] or match[1])
        return -1 - first, -1 - last

    def _placed(self, span: MarkedSpan, text: str) -> MarkedSpan:
        if span.start >= 0:
            return span
        words = [(word.start(), word.end()) for word in re.finditer(r"\S+", text)]
        first, last = -1 - span.start, -1 - span.end
        if not first <= last < len(words):
            raise self._error(f"span {first}-{last} of {len(words)} words", 0, "count words from 0")
        return MarkedSpan(words[first][0], words[last][1], span.targets)


def read_markup(raw: str, *, where: str = "") -> Marked:
    """Take the markup out of a text; what is wrong with it is told with its character."""
    return _Reader(raw, where).read()
