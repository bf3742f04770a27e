"""The annotated sentence: tokens with offsets into the raw text, and any number of layers above them.

Tools disagree about what an analysis looks like; what they have in common is a sequence of tokens. So a layer is either
one value per token (lemmas, parts of speech, heads) or a structure over token positions (constituents, frames), each
checked when the sentence is built, so that whoever reads it later need not check again. A layer that nobody provided is
not an empty layer: asking for it is a `MissingLayer` error that names it. Positions are 0-based, spans half-open, the
root's head is -1. Dependency labels are those of Universal Dependencies version 2 (Nivre et al. 2020) unless the file
that was read used others; the layer keeps what was read.

    >>> from dragoman.annotations import Dependencies, Sentence
    >>> sentence = Sentence.of(["Dogs", "bark"], lemmas=["dog", "bark"], dependencies=([1, -1], ["nsubj", "root"]))
    >>> sentence.text, sentence.tokens[1].start, sentence.dependencies.children(1)
    ('Dogs bark', 5, (0,))
    >>> sentence.frames
    Traceback (most recent call last):
    dragoman.annotations.sentence.MissingLayer: the sentence has no layer 'frames'; annotate it first...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from dragoman.annotations.layers import (
    NO_LAYERS,
    Chain,
    Constituent,
    Dependencies,
    EmptyNode,
    Frame,
    Layers,
    LayerValue,
    Morphology,
    Multiword,
    Span,
)
from dragoman.errors import InputError

__all__ = ["MissingLayer", "Sentence", "Token"]

Words: TypeAlias = Iterable[str]


class MissingLayer(InputError):
    """A layer was asked for that the sentence does not carry."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it stands in the raw text (`text[start:end]`)."""

    text: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not self.text:
            raise InputError("an empty token")
        if not 0 <= self.start <= self.end:
            raise InputError(f"token {self.text!r} spans {self.start} to {self.end}")

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Sentence:
    """Raw text, its tokens, and the layers that somebody provided."""

    text: str
    tokens: tuple[Token, ...]
    layers: Layers = NO_LAYERS
    comments: tuple[str, ...] = ()
    """Whatever the file said about the sentence, in order, without the `#`."""

    def __post_init__(self) -> None:
        last = 0
        for token in self.tokens:
            if token.start < last or token.end > len(self.text):
                raise InputError(
                    f"token {token.text!r} at {token.start}-{token.end} is out of order or out of the text"
                )
            last = token.start  # words of one multiword token share its span
        self.layers.check(len(self.tokens))

    @classmethod
    def of(
        cls,
        tokens: Words,
        *,
        text: str | None = None,
        lemmas: Words | None = None,
        pos: Words | None = None,
        tags: Words | None = None,
        morphology: Iterable[str | Morphology] | None = None,
        dependencies: Dependencies | tuple[Sequence[int], Sequence[str]] | None = None,
        constituents: Constituent | None = None,
        frames: Iterable[Frame] | None = None,
        chunks: Iterable[Span] | None = None,
        entities: Iterable[Span] | None = None,
        nodes: Iterable[Span] | None = None,
        comments: Words = (),
    ) -> Sentence:
        """Build from plain values; without `text`, the tokens are joined by spaces.

        With `text`, tokens are found in it from left to right.
        """
        words = tuple(tokens)
        if text is None:
            text = " ".join(words)
        if dependencies is not None and not isinstance(dependencies, Dependencies):
            dependencies = Dependencies(tuple(dependencies[0]), tuple(dependencies[1]))
        layers = Layers(
            lemmas=_tuple(lemmas),
            pos=_tuple(pos),
            tags=_tuple(tags),
            morphology=None if morphology is None else tuple(map(Morphology.of, morphology)),
            dependencies=dependencies,
            constituents=constituents,
            frames=None if frames is None else tuple(frames),
            chunks=None if chunks is None else tuple(chunks),
            entities=None if entities is None else tuple(entities),
            nodes=None if nodes is None else tuple(nodes),
        )
        return cls(text, locate(words, text), layers, tuple(comments))

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __str__(self) -> str:
        return self.text

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens' texts."""
        return tuple(token.text for token in self.tokens)

    def has(self, *names: str) -> bool:
        """Whether all these layers are there."""
        return all(_layer(self.layers, name) is not None for name in names)

    def require(self, *names: str, needed_by: str = "") -> None:
        """Raise `MissingLayer`, naming the layer and who needs it, unless all are there."""
        for name in names:
            if _layer(self.layers, name) is None:
                asked = f", which {needed_by} needs" if needed_by else ""
                raise MissingLayer(
                    f"the sentence has no layer {name!r}{asked}",
                    remedy="annotate it first, or read a format that carries it",
                )

    def with_layers(self, **layers: LayerValue) -> Sentence:
        """A copy with these layers added or replaced (None removes one)."""
        unknown = set(layers) - {field.name for field in fields(Layers)}
        if unknown:
            raise InputError(f"no layer is called {min(unknown)!r}", remedy=f"choose from {', '.join(LAYERS)}")
        return replace(self, layers=replace(self.layers, **layers))  # type: ignore[arg-type]

    @property
    def lemmas(self) -> tuple[str, ...]:
        self.require("lemmas")
        return self.layers.lemmas or ()

    @property
    def pos(self) -> tuple[str, ...]:
        """Universal parts of speech."""
        self.require("pos")
        return self.layers.pos or ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The language's own part-of-speech tags (Penn, STTS, ...)."""
        self.require("tags")
        return self.layers.tags or ()

    @property
    def morphology(self) -> tuple[Morphology, ...]:
        self.require("morphology")
        return self.layers.morphology or ()

    @property
    def dependencies(self) -> Dependencies:
        self.require("dependencies")
        assert self.layers.dependencies is not None
        return self.layers.dependencies

    @property
    def constituents(self) -> Constituent:
        self.require("constituents")
        assert self.layers.constituents is not None
        return self.layers.constituents

    @property
    def frames(self) -> tuple[Frame, ...]:
        self.require("frames")
        return self.layers.frames or ()

    @property
    def chunks(self) -> tuple[Span, ...]:
        self.require("chunks")
        return self.layers.chunks or ()

    @property
    def entities(self) -> tuple[Span, ...]:
        self.require("entities")
        return self.layers.entities or ()

    @property
    def nodes(self) -> tuple[Span, ...]:
        self.require("nodes")
        return self.layers.nodes or ()

    @property
    def coreference(self) -> tuple[Chain, ...]:
        self.require("coreference")
        return self.layers.coreference or ()

    @property
    def f_structure(self) -> Mapping[str, Any]:
        """Attributes and values of lexical-functional grammar, as nested mappings."""
        self.require("f_structure")
        return self.layers.f_structure or {}

    @property
    def multiwords(self) -> tuple[Multiword, ...]:
        self.require("multiwords")
        return self.layers.multiwords or ()

    @property
    def empty_nodes(self) -> tuple[EmptyNode, ...]:
        self.require("empty_nodes")
        return self.layers.empty_nodes or ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `from_dict` reads them back."""
        plain: dict[str, Any] = {"text": self.text, "tokens": [[t.text, t.start, t.end] for t in self.tokens]}
        if self.comments:
            plain["comments"] = list(self.comments)
        return {**plain, **self.layers.to_dict()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Sentence:
        """The sentence that `to_dict` described; anything else is an `InputError`."""
        try:
            layers = {k: v for k, v in plain.items() if k not in ("text", "tokens", "comments")}
            tokens = tuple(Token(str(text), int(start), int(end)) for text, start, end in plain["tokens"])
            return cls(str(plain["text"]), tokens, Layers.from_dict(layers), tuple(plain.get("comments", ())))
        except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise InputError(
                f"not an annotated sentence ({type(error).__name__}: {error})", remedy="see Sentence.to_dict"
            ) from None


LAYERS: tuple[str, ...] = tuple(field.name for field in fields(Layers))
"""The names of all layers."""


def locate(words: Sequence[str], text: str) -> tuple[Token, ...]:
    """Tokens found in the text from left to right."""
    tokens = []
    position = 0
    for word in words:
        start = text.find(word, position)
        if start < 0:
            raise InputError(f"token {word!r} is not in the text after position {position}", where=repr(text))
        position = start + len(word)
        tokens.append(Token(word, start, position))
    return tuple(tokens)


def _layer(layers: Layers, name: str) -> object:
    if name not in LAYERS:
        raise InputError(f"no layer is called {name!r}", remedy=f"choose from {', '.join(LAYERS)}")
    found: object = getattr(layers, name)
    return found


def _tuple(words: Words | None) -> tuple[str, ...] | None:
    return None if words is None else tuple(words)
