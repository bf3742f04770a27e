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
from collections.abc import Mapping, Sequence

from dragoman.annotations import Sentence
from dragoman.errors import InputError

__all__ = ["MarkedSentence", "with_domains"]

_TOKEN = re.compile(r"[^ \t\n\v\f\r]+")


def with_domains(texts: Sequence[str], domains: Mapping[str, Sequence[int]]) -> list[str]:
    """Texts with the domain that lists their number (from 0); those that none lists are of the model's default."""
    found = list(texts)
    for domain, numbers in domains.items():
        for number in numbers:
            if number >= len(found):
                raise InputError(f"{domain!r} has line {number + 1}, but there are {len(found)}",
                                 remedy="lines must be those of this text")  # fmt: skip
            if isinstance(found[number], MarkedSentence):
                raise InputError(f"line {number + 1} has two domains", remedy="a sentence is of one")
            found[number] = MarkedSentence(found[number], domain=domain)
    return found


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
