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
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dragoman.annotations import Sentence
from dragoman.errors import InputError

__all__ = ["MarkedSentence", "with_domains"]

_TOKEN = re.compile(r"[^ \t\n\v\f\r]+")


def with_domains(texts: Iterable[str], domains: Mapping[str, Sequence[int]], *, default: str = "") -> Iterator[str]:
    """Texts, as they come, with the domain that lists their number (from 0); others are of `default`, or the model's.

    Lines that are listed and never came are told at the end.
    """
    listed = {name: lines if isinstance(lines, range) else frozenset(lines) for name, lines in domains.items()}
    count = 0
    for number, text in enumerate(texts):
        count = number + 1
        found = [name for name, lines in listed.items() if number in lines]
        if isinstance(text, MarkedSentence):
            found.append(text.domain)
        elif found or default:
            text = MarkedSentence(text, domain=found[0] if found else default)
        if len(found) > 1:
            raise InputError(f"line {count} has two domains", remedy="a sentence is of one")
        yield text
    for name, lines in listed.items():
        if lines and max(lines) >= count:
            raise InputError(f"{name!r} has line {max(lines) + 1}, but there are {count}",
                             remedy="lines must be those of this text")  # fmt: skip


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
