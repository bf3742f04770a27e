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
from dragoman.errors import InputError, LengthMismatch

__all__ = ["AnnotatedText", "MarkedSentence", "with_annotations", "with_domains"]

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
            raise InputError(
                f"{name!r} has line {max(lines) + 1}, but there are {count}", remedy="lines must be those of this text"
            )


def with_annotations(
    texts: Iterable[str], sentences: Iterable[Sentence], *, name: str = "annotations"
) -> Iterator[str]:
    """Raw texts, as they come, each with the annotation of its sentence; a blank text has none. Domains stay."""
    annotated = iter(sentences)
    number = 0
    for number, text in enumerate(texts, 1):
        if not text.strip():
            yield text
            continue
        sentence = next(annotated, None)
        if sentence is None:
            raise LengthMismatch(
                f"no annotation for line {number}", where=name, remedy="annotate each line that has text"
            )
        yield AnnotatedText(
            text,
            sentence,
            domain=text.domain if isinstance(text, MarkedSentence) else "",
            where=f"{name}, line {number} of the text",
        )
    if next(annotated, None) is not None:
        raise LengthMismatch(
            f"more annotations than the {number} lines of the text",
            where=name,
            remedy="annotate each line as one sentence",
        )


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
                raise InputError(
                    f"{len(layer)} {kind} for {length} tokens",
                    where=repr(text),
                    remedy="annotate the text as it is tokenised",
                )
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        return (str(self),), {"domain": self.domain, "tags": self.tags, "heads": self.heads}

    @staticmethod
    def of(sentence: Sentence, *, domain: str = "") -> MarkedSentence:
        """An annotated sentence with the layers it has: `tags` (or else `pos`) and dependencies."""
        tags = next((getattr(sentence, name) for name in ("tags", "pos") if sentence.has(name)), ())
        heads = sentence.dependencies.heads if sentence.has("dependencies") else ()
        return MarkedSentence(" ".join(sentence.words), domain=domain, tags=tags, heads=heads)


class AnnotatedText(MarkedSentence):
    """Raw text with the annotation of its only sentence, which has a word for each token that a model makes of it."""

    __slots__ = ("annotation", "where")
    annotation: Sentence
    where: str

    def __new__(cls, text: str, annotation: Sentence, *, domain: str = "", where: str = "") -> AnnotatedText:
        made = super().__new__(cls, text, domain=domain)
        assert isinstance(made, AnnotatedText)
        made.annotation, made.where = annotation, where
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str, Sentence], dict[str, object]]:  # type: ignore[override]
        return (str(self), self.annotation), {"domain": self.domain, "where": self.where}

    def tokenized(self, tokens: str) -> MarkedSentence:
        """The tokens of the text with the tags and heads of its words."""
        words, found = self.annotation.words, tokens.split()
        if len(words) != len(found):
            differs = next(
                (place for place, (a, b) in enumerate(zip(words, found, strict=False)) if a != b), len(words)
            )
            raise InputError(
                f"{len(words)} annotated words for {len(found)} tokens, {tokens!r}; word {differs + 1} is the first "
                "that differs",
                where=self.where or repr(str(self)),
                remedy="annotate each line as one sentence, and as the model tokenises it",
            )
        marks = MarkedSentence.of(self.annotation)
        return MarkedSentence(tokens, domain=self.domain, tags=marks.tags, heads=marks.heads)
