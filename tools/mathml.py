"""Formulas of the docs as MathML, made when the docs are built: browsers show it without any script.

A hook of mkdocs (see `hooks` in `mkdocs.yml`). The Markdown extension arithmatex marks formulas; this turns what it
marked, `\\(...\\)` in a line and `\\[...\\]` on lines of its own, into `<math>`. Broken formulas fail the
build.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<formula>.*?)\\[)\]]</(?P=tag)>', re.S)


def on_page_content(page_html: str, **_: Any) -> str:
    """Called by mkdocs with the HTML of each page."""

    def drawn(match: re.Match[str]) -> str:
        display = "block" if match["tag"] == "div" else "inline"
        return str(convert(html.unescape(match["formula"]).strip(), display=display))

    return _FORMULA.sub(drawn, page_html)
