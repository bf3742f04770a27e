"""Annotators: sentences in, layers added; one contract for what is trained here and what is brought along.

An annotator says which layers it needs and which it gives, takes sentences in batches and returns new ones, in the same
number and order; it never changes one in place. `identity` names the annotator and the content of its model, so that
what it gave can be kept and found again.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from dragoman.annotations.sentence import Sentence
from dragoman.errors import SettingError
from dragoman.registry import Registry

__all__ = ["ANNOTATORS", "LONGEST", "Annotator", "raw_sentences", "reason", "unannotated"]

LONGEST = 1000
"""Sentences of more tokens are not annotated: they are tables or binary data, and cost as much as a whole corpus."""

_REASON = " unannotated = "
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


class Annotator(ABC):
    """Adds layers to sentences."""

    name: ClassVar[str] = ""
    """As the registry has it."""
    needs: tuple[str, ...] = ()
    """Layers that must be there. An annotator that needs none can start from plain tokens."""
    gives: tuple[str, ...] = ()
    """Layers that are there afterwards."""
    identity: str = ""
    """Changes whenever the result could: the annotator, its version, the checksum of its model."""
    language: str = ""
    """Of what it was trained on, where that is known."""
    tokenizes: bool = False
    """Whether it divides raw text itself, by the conventions of what it was trained on."""

    @classmethod
    @abstractmethod
    def from_argument(cls, argument: str) -> Annotator:
        """What `NAME:ARGUMENT` stands for in a chain; the argument is empty where none was given."""

    @abstractmethod
    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        """The sentences with the layers added. All have tokens and the layers that are needed."""

    def annotate(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        """The sentences with the layers added; those that cannot be annotated come back with the reason.

        The result has as many sentences as came in, in order. See `reason` for what was left out and why.
        """
        done = [unannotated(sentence) for sentence in sentences]
        wanted = [at for at, sentence in enumerate(done) if reason(sentence) is None]
        for at in wanted:
            done[at].require(*self.needs, needed_by=self.name)
        added = self.add_layers([done[at] for at in wanted], threads=threads) if wanted else []
        for at, sentence in zip(wanted, added, strict=True):
            done[at] = sentence
        return done

    def tokenize(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        """Raw lines as sentences; only where `tokenizes`."""
        raise SettingError(f"{self.name} does not divide raw text", remedy="give tokens separated by spaces")


ANNOTATORS: Registry[Annotator] = Registry(
    "annotator",
    {
        "syntax": "dragoman.annotations.syntax:Syntax",
        "chunks": "dragoman.annotations.spans:Chunker",
        "entities": "dragoman.annotations.spans:EntityRecognizer",
        "roles": "dragoman.annotations.roles:RoleLabeler",
        "role-rules": "dragoman.annotations.role_rules:RoleRules",
        "constituents": "dragoman.annotations.head_trees:ConstituentParser",
        "spacy": "dragoman.annotations.brought:SpacyPipeline",
        "udpipe": "dragoman.annotations.brought:UdpipeModel",
        "hanta": "dragoman.annotations.brought:HanTa",
        "command": "dragoman.annotations.brought:Command",
        "columns": "dragoman.annotations.brought:ColumnCommand",
    },
)


def reason(sentence: Sentence) -> str | None:
    """Why a sentence was not annotated; None where it was, or where nobody tried."""
    found = (comment for comment in sentence.comments if comment.startswith(_REASON))
    return next((comment.removeprefix(_REASON) for comment in found), None)


def unannotated(sentence: Sentence) -> Sentence:
    """The sentence with the reason why it cannot be annotated among its comments, or as it is."""
    if reason(sentence) is not None:
        return sentence
    if not sentence.tokens:
        why = "no tokens"
    elif len(sentence) > LONGEST:
        why = f"{len(sentence):,} tokens, more than {LONGEST:,}"
    elif any(_CONTROL.search(token.text) for token in sentence.tokens):
        why = "control characters"
    else:
        return sentence
    return replace(sentence, comments=(*sentence.comments, _REASON + why))


def raw_sentences(
    lines: Sequence[str], divide: Callable[[list[str]], list[Sentence]], *, longest: int = 20 * LONGEST
) -> list[Sentence]:
    """Lines as sentences, divided by `divide` where they can be; the others have no tokens and say why."""
    done = []
    for line in lines:
        why = ""
        if not line.strip():
            why = "no tokens"
        elif len(line) > longest:
            why = f"{len(line):,} characters, more than {longest:,}"
        elif _CONTROL.search(line):
            why = "control characters"
        done.append(Sentence(line, (), comments=(_REASON + why,) if why else ()))
    wanted = [at for at, sentence in enumerate(done) if not sentence.comments]
    for at, sentence in zip(wanted, divide([lines[at] for at in wanted]), strict=True):
        done[at] = sentence
    return done
