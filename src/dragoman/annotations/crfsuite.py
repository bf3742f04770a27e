"""The library of conditional random fields, when it is there."""

from __future__ import annotations

from typing import Any

from dragoman.errors import MissingDependency

__all__ = ["crfsuite"]


def crfsuite(what: str) -> Any:
    """The module `pycrfsuite`; `what` needs it."""
    try:
        import pycrfsuite
    except ImportError:
        raise MissingDependency(f"{what} needs python-crfsuite", remedy="pip install 'dragoman[parsers]'") from None
    return pycrfsuite
