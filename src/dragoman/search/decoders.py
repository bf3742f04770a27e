"""Which decoders there are, by the kinds of model that they are for, and which of them can do a thing.

The contract asks this when it refuses something; so decoders are named here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dragoman.registry import Registry

__all__ = ["DECODERS", "kinds_that"]

DECODERS: Registry[Any] = Registry(
    "decoder",
    {
        "phrase": "dragoman.search.phrase:PhraseDecoder",
        "gappy": "dragoman.search.gappy:GappyDecoder",
        "hiero": "dragoman.search.hiero:HieroDecoder",
        "lr-hiero": "dragoman.search.left_to_right:LeftToRightDecoder",
    },
)


def kinds_that(can: Callable[[Any], bool]) -> str:
    """A remedy that names the kinds of model whose decoder can do what another cannot; nothing if there is none.

    >>> kinds_that(lambda decoder: decoder.has_gaps)
    'use a model of the kind hiero or lr-hiero'
    """
    names = [name for name in DECODERS if can(DECODERS.get(name))]
    said = " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return f"use a model of the kind {said}" if names else ""
