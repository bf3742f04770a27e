"""Two HMMs that learn to agree: the count of a link is the product of what both directions think of it.

A word pair then only counts when both directions want it, which rids each of its favourite mistakes (rare words that
collect what nobody else explains). (Liang, Taskar and Klein 2006.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dragoman.align.hmm import Hmm

__all__ = ["Joint"]


@dataclass(kw_only=True, eq=False)
class Joint(Hmm):
    """HMMs of both directions trained to agree."""

    name: ClassVar[str] = "joint"
    agreement: bool = True
