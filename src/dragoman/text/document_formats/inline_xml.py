"""Text with elements inside it (mixed content of XML) as a line with tags, and back.

Elements within a line of an XLIFF segment, a paragraph of a text document or a unit of a memory become short tags
(`<g1>bold</g1>`, `<x2/>`), which whoever translates gives back exactly once, around the words that they belong to. The
elements themselves, with all their attributes, are put where their tags are.

    >>> from lxml import etree
    >>> paragraph = etree.fromstring('<p>see <b n="1">the house</b><br/> &amp; go</p>')
    >>> line = InlineText(paragraph)
    >>> line.text
    'see <g1>the house</g1><x2/> &amp; go'
    >>> line.put("siehe <x2/><g1>das Haus</g1> &amp; geh")
    >>> etree.tostring(paragraph).decode()
    '<p>siehe <br/><b n="1">das Haus</b> &amp; geh</p>'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from typing import Any

__all__ = ["InlineText"]

_TAG = re.compile(r"<(/?)([gx])(\d+)(/?)>")
_WHOLE = re.compile(r"<g(\d+)>((?:(?!</?g\1>).)*)</g\1>", re.S)


def _never(element: Any) -> bool:
    return False


class InlineText:
    """The text of an element, with tags for the elements inside."""

    def __init__(self, element: Any, *, opaque: Callable[[Any], bool] = _never) -> None:
        """`opaque` says of which elements the content is not text; comments and instructions never are."""
        self.element, self._opaque = element, opaque
        self._inner: list[Any] = []
        whole = "".join(self._pieces(element))
        found = _WHOLE.fullmatch(whole)
        self._around = int(found[1]) if found else 0
        self.text = found[2] if found else whole

    def _pieces(self, element: Any) -> list[str]:
        pieces = [escape(element.text or "", quote=False)]
        for child in element:
            self._inner.append(child)
            number = len(self._inner)
            if not isinstance(child.tag, str) or self._opaque(child) or not (child.text or len(child)):
                pieces.append(f"<x{number}/>")
            else:
                pieces += [f"<g{number}>", *self._pieces(child), f"</g{number}>"]
            pieces.append(escape(child.tail or "", quote=False))
        return pieces

    @property
    def has_words(self) -> bool:
        """Whether there is anything to translate."""
        return any(letter.isalnum() for letter in _TAG.sub("", self.text))

    def put(self, text: str, into: Any = None) -> None:
        """Write a translation of `text` into the element, or into another one that is empty."""
        if self._around:
            text = f"<g{self._around}>{text}</g{self._around}>"
        goal = self.element if into is None else into
        opaque = {number for number, child in enumerate(self._inner, 1) if self._is_leaf(child)}
        for child in self._inner:
            parent = child.getparent()
            if parent is not None:
                child.tail = None
                parent.remove(child)
        goal.text = None
        path = [goal]
        last: Any = None  # the sibling that text goes behind
        at = 0
        for tag in _TAG.finditer(text):
            self._write(path[-1], last, text[at : tag.start()])
            at = tag.end()
            number = int(tag[3])
            if not 1 <= number <= len(self._inner):
                continue
            child = self._inner[number - 1]
            if tag[1]:
                if len(path) > 1 and path[-1] is child:
                    last = path.pop()
                continue
            if number not in opaque:
                child.text = None
            path[-1].append(child)
            if number in opaque or tag[4]:
                last = child
            else:
                path.append(child)
                last = None
        self._write(path[-1], last, text[at:])
        for child in self._inner:  # a translator that lost a tag must not lose a picture
            if child.getparent() is None:
                goal.append(child)

    def _is_leaf(self, child: Any) -> bool:
        return not isinstance(child.tag, str) or self._opaque(child)

    @staticmethod
    def _write(parent: Any, last: Any, text: str) -> None:
        if not text:
            return
        words = unescape(text)
        if last is None:
            parent.text = (parent.text or "") + words
        else:
            last.tail = (last.tail or "") + words
