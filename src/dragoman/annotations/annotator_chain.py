"""Chains of annotators, each building on the layers of those before it, as people write them: `MODEL+role-rules`.

Chains check, before any work, that every link finds the layers it needs.

    >>> from dragoman.annotations import Sentence, annotator_chain
    >>> chain = annotator_chain.load("role-rules")
    >>> chain.needs, chain.gives
    (('pos', 'dependencies'), ('frames',))
    >>> parsed = Sentence.of(["Dogs", "bark"], pos=["NOUN", "VERB"], dependencies=([1, -1], ["nsubj", "root"]))
    >>> [frame.roles() for frame in chain.annotate([parsed])[0].frames]
    [{'A0': (0,)}]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.annotations.annotator import ANNOTATORS, Annotator
from dragoman.annotations.model import open_model
from dragoman.annotations.sentence import Sentence
from dragoman.errors import SettingError, UnknownName

__all__ = ["AnnotatorChain", "load", "of_parts", "parts_of"]


class AnnotatorChain(Annotator):
    """Annotators one after another, each building on the layers of those before it."""

    name = "chain"

    def __init__(self, links: Iterable[Annotator]) -> None:
        self.links = tuple(links)
        if not self.links:
            raise SettingError("a chain without annotators", remedy="name at least one")
        needs: list[str] = []
        gives: list[str] = []
        for link in self.links:
            needs += [layer for layer in link.needs if layer not in gives and layer not in needs]
            gives += [layer for layer in link.gives if layer not in gives]
        self.needs, self.gives = tuple(needs), tuple(gives)
        self.identity = "+".join(link.identity for link in self.links)
        self.tokenizes = self.links[0].tokenizes
        self.language = next((link.language for link in self.links if link.language), "")

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return load(argument)

    def tokenize(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        return self.links[0].tokenize(lines, threads=threads)

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        done = list(sentences)
        for link in self.links:
            done = link.annotate(done, threads=threads)
        return done


def load(chain: str) -> AnnotatorChain:
    """The chain that `PART+PART+...` names; a part is a model folder, or `NAME` or `NAME:ARGUMENT` of the registry.

    A part that ends in a path may hold `+` only inside `command:...` or `columns:...`, which must be the last.
    """
    return of_parts(parts_of(chain))


def parts_of(chain: str) -> list[str]:
    """The parts of a chain, as they were written."""
    parts: list[str] = []
    rest = chain
    while rest:
        part, rest = (rest, "") if rest.startswith(_TO_THE_END) else rest.partition("+")[::2]
        parts.append(part)
    return parts


def of_parts(parts: Iterable[str]) -> AnnotatorChain:
    """The chain of these parts; see `load`."""
    links: list[Annotator] = []
    for part in parts:
        name, _, argument = part.partition(":")
        if name in ANNOTATORS:
            links.append(ANNOTATORS.get(name).from_argument(argument))
        elif Path(part).is_dir():
            links.append(open_model(part))
        else:
            raise UnknownName(
                f"{part!r} is neither a model folder nor an annotator",
                remedy=f"train one with `dragoman annotate train TREEBANK -o {part}`,"
                f" or choose from {', '.join(ANNOTATORS)}",
            )
    return AnnotatorChain(links)


_TO_THE_END = ("command:", "columns:")
"""Parts whose argument is a command line, which may hold anything."""
