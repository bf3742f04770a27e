"""PO files of gettext: messages without a translation, or with a fuzzy one, get one, and are fuzzy until they are read.

The parser is that of translate-toolkit: comments, flags, contexts, obsolete messages and the wrapping of what is not
touched stay as they are. What is filled in is wrapped as gettext would do it, or not at all in a file that never wraps.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from dragoman.errors import FormatError, MissingDependency
from dragoman.text.document_formats.base import DocumentFormat, Filling, TranslatedDocument, TranslateTexts
from dragoman.text.document_formats.lines import has_words

__all__ = ["Po"]

_PLURALS = re.compile(r"nplurals\s*=\s*(\d+)")
_LONG = 100
"""Letters of a line that nobody would leave who wraps lines."""
_AT_LINE_ENDS_ONLY = 65535


class Po(DocumentFormat):
    """Messages of gettext (.po); plural forms are filled as their header counts them."""

    name = "po"
    suffixes = (".po", ".pot")

    def translate(
        self, content: bytes, translate: TranslateTexts, filling: Filling, *, where: str
    ) -> TranslatedDocument:
        try:
            from translate.misc.multistring import multistring
            from translate.storage import pypo
        except ImportError:
            raise MissingDependency(
                "PO files need translate-toolkit", remedy="pip install 'dragoman[documents]'"
            ) from None
        try:
            reader: Any = pypo.pofile
            file = reader.parsestring(content)
            if _is_never_wrapped(content):
                file.wrapper.width = _AT_LINE_ENDS_ONLY
        except Exception as error:  # the parser has many ways to say that it cannot read something
            raise FormatError(f"not a PO file: {error}", where=where) from None
        units = [unit for unit in file.units if not unit.isheader() and not unit.isobsolete() and unit.source]
        if not units and content.strip() and not file.units:
            raise FormatError("not a PO file: it has no messages", where=where)
        header = file.header()
        counted = _PLURALS.search(str(header.target)) if header is not None else None
        forms = int(counted[1]) if counted else 2
        chosen = [unit for unit in units if _wanted(unit, filling)]
        texts: list[str] = []
        for unit in chosen:
            texts += [str(each) for each in unit.source.strings] if unit.hasplural() else [str(unit.source)]
        found = iter(translate(texts) if texts else ())
        for unit in chosen:
            if unit.hasplural():
                one, *rest = [next(found) for _ in unit.source.strings]
                many = rest[0] if rest else one
                unit.target = multistring([one, *[many] * (forms - 1)] if forms > 1 else [many])
            else:
                unit.target = next(found)
            unit.markfuzzy(not filling.final)
        return TranslatedDocument(bytes(file), len(units), len(chosen))


def _is_never_wrapped(content: bytes) -> bool:
    """Whether messages are longer than a line, and no line ends within one."""
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines() if not line.startswith("#")]
    quoted = [line.removeprefix('msgid "').removeprefix('msgstr "') for line in lines if line.endswith('"')]
    within = (
        not first.endswith(('\\n"', '""')) and second.startswith('"') for first, second in pairwise(lines) if first
    )
    return max(map(len, quoted), default=0) > _LONG and not any(within)


def _wanted(unit: Any, filling: Filling) -> bool:
    targets = unit.target.strings if unit.hasplural() and hasattr(unit.target, "strings") else [unit.target]
    missing = not all(str(each or "").strip() for each in targets) or not targets
    return has_words(str(unit.source)) and (missing or unit.isfuzzy() or filling.everything)
