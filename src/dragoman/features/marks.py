"""What is known of a source sentence besides its words: its domain, its tags, its dependency tree.

A `MarkedSentence` is a string, so that everything that takes sentences takes it: decoders, tuners, batches. Templates
that look at domains or annotations find them on it. Marks belong to this string alone; what string methods return is
plain text again.

    >>> sentence = MarkedSentence("dogs bark", domain="web", tags=("NNS", "VBP"), heads=(1, -1))
    >>> sentence == "dogs bark", sentence.domain, sentence.tags[1]
    (True, 'web', 'VBP')
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dragoman.annotations import Sentence
from dragoman.errors import InputError, LengthMismatch

__all__ = ["MarkedSentence", "with_domains"]

_TOKEN = re.compile(r"[^ \t\n\v\f\r]+")


def with_domains(texts: Sequence[str], domains: Sequence[str] | None) -> Sequence[str]:
    """Texts with a domain each, as they are without domains; an empty domain is the model's default."""
    if domains is None:
        return texts
    if len(domains) != len(texts):
        raise LengthMismatch(
            f"{len(texts)} segments, but {len(domains)} domains", remedy="name the domain of each segment, one a line"
        )
    return [MarkedSentence(text, domain=domain.strip()) for text, domain in zip(texts, domains, strict=True)]


class MarkedSentence(str):
    """Tokenised text with a domain and layers, each of which may be missing; the root's head is -1."""

    __slots__ = ("domain", "heads", "tags")
    domain: str
    tags: tuple[str, ...]
    heads: tuple[int, ...]

    def __new__(
        cls, text: str, *, domain: str = "", tags: Sequence[str] = (), heads: Sequence[int] = ()
    ) -> MarkedSentence:
        made = super().__new__(cls, text)
        made.domain, made.tags, made.heads = domain, tuple(tags), tuple(heads)
        length = len(_TOKEN.findall(text))
        for kind, layer in (("tags", made.tags), ("heads", made.heads)):
            if layer and len(layer) != length:
                raise InputError(f"{len(layer)} {kind} for {length} tokens", where=repr(text),
                                 remedy="annotate the text as it is tokenised")  # fmt: skip
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        return (str(self),), {"domain": self.domain, "tags": self.tags, "heads": self.heads}

    @staticmethod
    def of(sentence: Sentence, *, domain: str = "") -> MarkedSentence:
        """An annotated sentence with the layers it has: `tags` (or else `pos`) and dependencies."""
        tags = next((getattr(sentence, name) for name in ("tags", "pos") if sentence.has(name)), ())
        heads = sentence.dependencies.heads if sentence.has("dependencies") else ()
        return MarkedSentence(" ".join(sentence.words), domain=domain, tags=tags, heads=heads)
