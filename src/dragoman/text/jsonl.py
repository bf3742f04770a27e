"""JSON lines: one object a line, with the two sides in fields.

Without instructions the sides are looked for as `source` and `target`, then under the language codes, then under the
codes inside `translation` (as many published corpora have them). `references` is a list of further translations; all
other fields become metadata and are written back. JSON can spell what no text may hold (`\\ud800`, `\\u0000`); such a
line is refused as it would be in a plain file.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dragoman.errors import EncodingError, FormatError
from dragoman.files import display_name, read_lines, writing
from dragoman.plain_data import parse_json
from dragoman.text.formats import BitextLayout, Format, Put, SegmentPair, write_line

__all__ = ["JsonLines", "parse_object"]

_MISSING = object()
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_object(line: str, *, where: str) -> dict[str, Any]:
    """One JSON object, holding only what is text."""
    value = parse_json(line, where=where)
    if not isinstance(value, dict):
        raise FormatError("not a JSON object", where=where, remedy="each line must be an object, as in {...}")
    if "\\u" in line:
        _check_texts(value, where=where)
    return value


def _check_texts(value: Any, *, where: str) -> None:
    """Refuse what an escape can spell and no text may hold, anywhere in a JSON value."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            pending += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            pending += part
        elif isinstance(part, str):
            if _SURROGATE.search(part):
                raise EncodingError("a lone surrogate", where=where, remedy="write the character itself")
            if "\x00" in part:
                raise EncodingError("a NUL character", where=where)


def _value(record: dict[str, Any], path: str) -> Any:
    if path in record:
        return record[path]
    value: Any = record
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return _MISSING
        value = value[name]
    return value


def _choose_fields(record: dict[str, Any], layout: BitextLayout, *, where: str) -> tuple[str, str]:
    """Find the sides in the first object."""
    candidates = [("source", "target")]
    if layout.languages is not None:
        source, target = layout.languages
        candidates += [(source, target), (f"translation.{source}", f"translation.{target}")]
    for pair in candidates:
        if all(_value(record, name) is not _MISSING for name in pair):
            return pair
    raise FormatError(
        f"no field is called {' or '.join(repr(name) for name in candidates[-1])}"
        if layout.languages
        else "no fields are called 'source' and 'target'",
        where=where,
        remedy=f"name two of these: {', '.join(record)}" if record else "",
    )


class JsonLines(Format):
    """One file, an object a line."""

    def read(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[SegmentPair]:
        name = display_name(paths[0])
        fields: tuple[str, str] | None = None
        if layout.fields is not None:
            fields = (str(layout.fields[0]), str(layout.fields[1]))
        for number, line in enumerate(read_lines(paths[0]), start=1):
            if not line.strip():
                continue
            where = f"{name}, line {number}"
            record = parse_object(line, where=where)
            if fields is None:
                fields = _choose_fields(record, layout, where=where)
            sides = [_value(record, field) for field in fields]
            for field, side in zip(fields, sides, strict=True):
                if not isinstance(side, str):
                    what = "is missing" if side is _MISSING else "is not text"
                    raise FormatError(f"field {field!r} {what}", where=where)
            references = record.pop("references", [])
            if not isinstance(references, list) or not all(isinstance(text, str) for text in references):
                raise FormatError("'references' is not a list of texts", where=where)
            for field in fields:
                record.pop(field if field in record else field.partition(".")[0], None)
            yield SegmentPair(sides[0], sides[1], tuple(references), record)

    @contextlib.contextmanager
    def writing(self, paths: Sequence[Path | str], layout: BitextLayout) -> Iterator[Put]:
        source, target = layout.fields or ("source", "target")
        name = display_name(paths[0])
        number = 0
        with writing(paths[0]) as file:

            def put(pair: SegmentPair) -> None:
                nonlocal number
                number += 1
                where = f"{name}, line {number}"
                record: dict[str, Any] = {str(source): pair.source, str(target): pair.target}
                if pair.references:
                    record["references"] = list(pair.references)
                clash = record.keys() & pair.metadata.keys()
                if clash:
                    raise FormatError(f"metadata is called {sorted(clash)[0]!r}, as a side is", where=where)
                record |= pair.metadata
                _check_texts(record, where=where)
                write_line(file, [json.dumps(record, ensure_ascii=False)], where=where)

            yield put
