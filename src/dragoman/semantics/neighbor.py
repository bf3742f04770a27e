"""What whoever looks for similar words or phrases finds."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Neighbor"]


class Neighbor(NamedTuple):
    """A phrase that is like the one asked for, and how much."""

    phrase: str
    value: float
