"""Search: decoders, and the translations they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.registry import Registry

if TYPE_CHECKING:
    from dragoman.search.base import Decoder

__all__ = ["DECODERS"]

DECODERS: Registry[Decoder] = Registry(
    "decoder",
    {
        "phrase": "dragoman.search.phrase:PhraseDecoder",
        "gappy": "dragoman.search.gappy:GappyDecoder",
        "hiero": "dragoman.search.hiero:HieroDecoder",
        "lr-hiero": "dragoman.search.left_to_right:LeftToRightDecoder",
    },
)
"""All decoders by name: the kinds of model that there are."""
