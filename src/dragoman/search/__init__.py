"""Search: decoders, and the translations they find."""

from dragoman.registry import Registry
from dragoman.search.base import Decoder

__all__ = ["DECODERS", "Decoder"]

DECODERS = Registry[Decoder]("decoder", {"phrase": "dragoman.search.phrase:PhraseDecoder"})
