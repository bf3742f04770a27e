"""Facts about phrases for people: as text for the terminal, and as a piece of a page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Facts", "facts_html", "facts_text"]

Facts = tuple[str, Sequence[tuple[str, str]]]
"""What is said of a phrase: its heading, and facts with their names."""


def facts_text(phrases: Sequence[Facts], note: str) -> RenderableType:
    """Phrase by phrase, one fact a line."""
    from rich.console import Group
    from rich.text import Text

    lines = []
    for head, facts in phrases:
        lines.append(Text(head, style="bold"))
        lines += [Text.assemble("  ", (f"{name:10}", "dim"), fact) for name, fact in facts if fact]
    return Group(*lines, Text(note, style="dim"))


def facts_html(phrases: Sequence[Facts], note: str) -> str:
    """The same as a list; a click opens what lies behind a phrase."""
    parts = []
    for head, facts in phrases:
        items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(fact)}</dd>" for name, fact in facts if fact)
        parts.append(f"<details><summary>{html.escape(head)}</summary><dl>{items}</dl></details>")
    return f'<div class="reasons">{"".join(parts)}<p>{html.escape(note)}</p></div>'
