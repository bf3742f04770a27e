"""A source text with what is known of it besides its words: its domain, and the annotation of its sentence.

Everything that translates takes plain strings, or this where more is known. Templates that look at domains, tags or
heads find them here. At the door of a model the text is raw, and the annotation has a word for each token that the
model makes of it; at the door of a decoder the text is those tokens, with blanks between them.

    >>> from dragoman.annotations import Sentence
    >>> known = SourceText.annotated(Sentence.of(["dogs", "bark"], tags=["NNS", "VBP"]), domain="web")
    >>> known.text, known.domain, known.tags
    ('dogs bark', 'web', ('NNS', 'VBP'))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from dragoman.annotations import Sentence
from dragoman.annotations.offsets import locate_loosely, same_letters, transfer
from dragoman.errors import InputError, LengthMismatch
from dragoman.text.markdown import FENCE, closes_fence

__all__ = ["Source", "SourceText", "with_annotations", "with_domains", "with_fences"]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text, its domain (empty: the default), and its annotation if there is one."""

    text: str
    domain: str = ""
    annotation: Sentence | None = field(default=None, repr=False, hash=False)
    where: str = field(default="", repr=False, compare=False)
    """Where it stands, for errors about its annotation."""
    fixed: bool = field(default=False, repr=False)
    """Not translated at all."""

    @staticmethod
    def of(given: Source) -> SourceText:
        """A plain string as a text of which nothing is known; what is one already stays as it is."""
        return given if isinstance(given, SourceText) else SourceText(given)

    @staticmethod
    def annotated(sentence: Sentence, *, domain: str = "") -> SourceText:
        """The words of an annotated sentence, with blanks between them."""
        return SourceText(" ".join(sentence.words), domain, sentence)

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of its tokens (the layer `tags`, or else `pos`); empty if it has none."""
        known = self.annotation
        if known is None:
            return ()
        return next((getattr(known, name) for name in ("tags", "pos") if known.has(name)), ())

    @property
    def heads(self) -> tuple[int, ...]:
        """Head of each token, -1 for the root; empty if it has none."""
        known = self.annotation
        return known.dependencies.heads if known is not None and known.has("dependencies") else ()

    @property
    def relations(self) -> tuple[str, ...]:
        """Relation of each token to its head; empty if it has none."""
        known = self.annotation
        return known.dependencies.labels if known is not None and known.has("dependencies") else ()

    def tokenized(self, tokens: str) -> SourceText:
        """The tokens that were made of the text, with all that is known of it.

        An annotation of other words of the same letters is laid over the tokens (see `annotations.offsets`).
        """
        if self.annotation is None:
            return replace(self, text=tokens)
        words, found = self.annotation.words, tokens.split()
        if len(words) == len(found):
            return replace(self, text=tokens)
        if same_letters(words, found):
            laid = transfer(self.annotation, locate_loosely(found, self.annotation.text))
            if not laid.unplaced:
                return replace(self, text=tokens, annotation=laid.sentence)
        pairs = enumerate(zip(words, found, strict=False))
        differs = next((place for place, (a, b) in pairs if a != b), min(len(words), len(found)))
        raise InputError(
            f"{len(words)} annotated words for {len(found)} tokens, {tokens!r}; word {differs + 1} is the first "
            "that differs",
            where=self.where or repr(self.text),
            remedy="annotate each line as one sentence, of the same letters as the text",
        )


Source: TypeAlias = str | SourceText
"""What can be translated."""


def with_fences(lines: Iterable[str]) -> Iterator[SourceText]:
    """Lines as they come; those of blocks of code, between Markdown's fences, are not translated."""
    fence = ""
    for line in lines:
        opened = FENCE.match(line)
        yield SourceText(line, fixed=bool(fence or opened))
        if fence:
            fence = "" if closes_fence(line, fence) else fence
        elif opened:
            fence = opened[1]


def with_domains(
    texts: Iterable[Source], domains: Mapping[str, Sequence[int]], *, default: str = ""
) -> Iterator[SourceText]:
    """Texts, as they come, with the domain that lists their number (from 0); others are of `default`, or the model's.

    Lines that are listed and never came are told at the end.
    """
    listed = {name: lines if isinstance(lines, range) else frozenset(lines) for name, lines in domains.items()}
    count = 0
    for number, given in enumerate(texts):
        count = number + 1
        text = SourceText.of(given)
        found = [name for name, lines in listed.items() if number in lines] + ([text.domain] if text.domain else [])
        if len(found) > 1:
            raise InputError(f"line {count} has two domains", remedy="a sentence is of one")
        yield replace(text, domain=found[0] if found else default)
    for name, lines in listed.items():
        if lines and max(lines) >= count:
            raise InputError(
                f"{name!r} has line {max(lines) + 1}, but there are {count}", remedy="lines must be those of this text"
            )


def with_annotations(
    texts: Iterable[Source], sentences: Iterable[Sentence], *, name: str = "annotations"
) -> Iterator[SourceText]:
    """Raw texts, as they come, each with the annotation of its sentence; a blank text has none. Domains stay."""
    annotated = iter(sentences)
    number = 0
    for number, given in enumerate(texts, 1):
        text = SourceText.of(given)
        if not text.text.strip():
            yield text
            continue
        sentence = next(annotated, None)
        if sentence is None:
            raise LengthMismatch(
                f"no annotation for line {number}", where=name, remedy="annotate each line that has text"
            )
        yield replace(text, annotation=sentence, where=f"{name}, line {number} of the text")
    if next(annotated, None) is not None:
        raise LengthMismatch(
            f"more annotations than the {number} lines of the text",
            where=name,
            remedy="annotate each line as one sentence",
        )
