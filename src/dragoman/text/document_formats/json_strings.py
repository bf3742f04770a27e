"""Files of messages in JSON: strings that are values are translated; keys, numbers and layout stay byte for byte."""

from __future__ import annotations

import json
import re

from dragoman.plain_data import parse_json
from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts, decoded
from dragoman.text.document_formats.lines import has_words

__all__ = ["JsonStrings"]

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_KEY = re.compile(r"\s*:")


class JsonStrings(DocumentFormat):
    """Messages in JSON (.json), as programs for the web keep them."""

    name = "json"
    suffixes = (".json",)

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        text = decoded(content, where=where)
        parse_json(text.removeprefix("\ufeff"), where=where)
        ascii_only = text.isascii() and "\\u" in text
        places = [found for found in _STRING.finditer(text) if not _KEY.match(text, found.end())]
        values = [parse_json(found[0], where=where) for found in places]
        chosen = [(place, value) for place, value in zip(places, values, strict=True) if has_words(value)]
        made = iter(translate([value for _, value in chosen]) if chosen else ())
        pieces, at = [], 0
        for place, _ in chosen:
            pieces += [text[at : place.start()], json.dumps(next(made), ensure_ascii=ascii_only)]
            at = place.end()
        return TranslatedDocument("".join([*pieces, text[at:]]).encode(), len(values), len(chosen))
