"""XML of documents: read without following anything outside of it, and written as it was declared."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from dragoman.errors import FormatError

__all__ = ["local_name", "read_xml", "write_xml"]


def read_xml(content: bytes, *, where: str) -> Any:
    """The tree of a document; entities that it defines, and what lies outside, are not looked at."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(content, parser).getroottree()
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = re.sub(r", line \d+, column \d+.*$", "", getattr(error, "msg", None) or str(error))
        raise FormatError(f"not XML: {reason}", where=f"{where}, line {line}") from None


def write_xml(tree: Any, original: bytes) -> bytes:
    """A tree with the declaration that the original had, and its last line end."""
    declared = re.match(rb"(?:\xef\xbb\xbf)?<\?xml[^>]*\?>", original)
    body: bytes = etree.tostring(tree, encoding="UTF-8", xml_declaration=False)
    if declared is None:
        return body
    head = re.sub(rb"encoding=([\"'])[^\"']*\1", b'encoding="UTF-8"', declared[0])
    between = original[declared.end() : declared.end() + 2]
    newline = b"\r\n" if between == b"\r\n" else b"\n" if between[:1] == b"\n" else b""
    end = b"\n" if original.endswith(b"\n") and not body.endswith(b"\n") else b""
    return head + newline + body + end


def local_name(element: Any) -> str:
    """The name of an element without its name space; empty for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
