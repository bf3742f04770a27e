"""Commands as people call them."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Run"]


class Run(Protocol):
    """Runs `dragoman` in an empty folder; gives its output, or what it says when it fails."""

    def __call__(self, *arguments: str, code: int = 0) -> str: ...
