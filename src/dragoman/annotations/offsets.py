"""Offsets: annotation of one tokenisation laid over another, through the raw text that both divide.

Translation tokens are not the words of a treebank: one says `don't` and `&apos;s`, the other `do`, `n't`. Both point
into the same raw text, so a token here belongs to the tokens there whose letters it shares. `locate_loosely` finds
tokens that were changed on the way (case, Moses' entities, quotation marks); `transfer` lays the layers over them. What
could not be placed is counted.

    >>> from dragoman.annotations import Sentence
    >>> parsed = Sentence.of(["I", "do", "n't"], text="I don't", lemmas=["I", "do", "not"], pos=["PRON", "AUX", "PART"],
    ...                      dependencies=([-1, 0, 1], ["root", "aux", "advmod"]))
    >>> laid = transfer(parsed, locate_loosely(["i", "don", "&apos;t"], "I don't"))
    >>> laid.sentence.pos, laid.sentence.dependencies.heads, laid.unplaced
    (('PRON', 'AUX', 'PART'), (-1, 0, 1), 0)
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.annotations.layers import Argument, Constituent, Frame, Layers, Span
from dragoman.annotations.projection import UNKNOWN_LABEL, UNKNOWN_TAG, whole_tree
from dragoman.annotations.sentence import Sentence, Token

__all__ = ["Laid", "locate_loosely", "same_letters", "transfer"]

_ALIKE = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "`": "'", "–": "-", "—": "-"}
)
_AHEAD = 40
"""How many letters may be passed over to find a token again."""


def _plain(letter: str) -> str:
    return unicodedata.normalize("NFKC", letter).translate(_ALIKE).casefold()


def _letters(words: Iterable[str]) -> str:
    return "".join(_plain(letter) for word in words for letter in html.unescape(word)).replace(" ", "")


def same_letters(words: Iterable[str], others: Iterable[str]) -> bool:
    """Whether both are made of the same letters, divided in whatever way; case, entities and quotation marks aside.

    >>> same_letters(["I", "don", "&apos;t"], ["i", "do", "n’t"])
    True
    """
    return _letters(words) == _letters(others)


def locate_loosely(words: Sequence[str], text: str) -> tuple[Token, ...]:
    """Tokens with their places in the text, case, entities and kinds of quotation marks aside.

    A token that is nowhere to be found has an empty place where it was looked for.
    """
    plain: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(text):
        for part in _plain(letter):
            if not part.isspace():
                plain.append(part)
                places.append(at)
    line = "".join(plain)
    tokens, cursor = [], 0
    for word in words:
        wanted = "".join(_plain(letter) for letter in html.unescape(word)).replace(" ", "")
        wanted = wanted if len(word) == 1 else wanted.removeprefix("@").removesuffix("@") if word == "@-@" else wanted
        at = line.find(wanted, cursor, cursor + len(wanted) + _AHEAD) if wanted else -1
        if at < 0:
            place = places[cursor] if cursor < len(places) else len(text)
            tokens.append(Token(word, place, place))
            continue
        cursor = at + len(wanted)
        tokens.append(Token(word, places[at], places[cursor - 1] + 1))
    return tuple(tokens)


@dataclass(frozen=True, slots=True)
class Laid:
    """The sentence over the other tokens, and what got lost."""

    sentence: Sentence
    unplaced: int
    """Tokens that share no letter with the annotated ones."""
    dropped: int
    """Spans and arguments that cover none of the tokens."""


def transfer(annotated: Sentence, tokens: Sequence[Token]) -> Laid:
    """The layers of a sentence laid over other tokens of the same text.

    A token takes the values of the uppermost annotated token it shares letters with; spans become the tokens they
    touch; a token that shares nothing is an unknown word that hangs on the root. In a constituent tree a token of
    several annotated ones stands where the one does with which it shares most, the last of those, and the others are
    taken out; a token of which there are several becomes several: so phrases still nest.
    """
    behind = _overlaps(annotated.tokens, tokens)
    layers = annotated.layers
    depth = layers.dependencies.depths() if layers.dependencies else (0,) * len(annotated)
    tops = [min(found, key=lambda at: (depth[at], at)) if found else -1 for found in behind]
    ahead: list[list[int]] = [[] for _ in annotated.tokens]
    for at, found in enumerate(behind):
        for each in found:
            ahead[each].append(at)

    def values(layer: Sequence[str] | None, unknown: str) -> tuple[str, ...] | None:
        return None if layer is None else tuple(layer[top] if top >= 0 else unknown for top in tops)

    dropped = 0

    def stretch(start: int, end: int) -> tuple[int, int] | None:
        nonlocal dropped
        touched = [at for each in range(start, end) for at in ahead[each]]
        if not touched:
            dropped += 1
            return None
        return min(touched), max(touched) + 1

    def spans(found: Iterable[Span] | None) -> tuple[Span, ...] | None:
        if found is None:
            return None
        placed = ((span.label, stretch(span.start, span.end)) for span in found)
        return tuple(Span(label, *place) for label, place in placed if place)

    frames = None
    if layers.frames is not None:
        kept = []
        for frame in layers.frames:
            predicate = stretch(frame.predicate, frame.predicate + 1)
            if predicate is None:
                continue
            placed = [(argument.role, stretch(argument.start, argument.end)) for argument in frame.arguments]
            arguments = tuple(Argument(role, *place) for role, place in placed if place)
            kept.append(Frame(predicate[0], frame.sense, arguments, stem=frame.stem))
        frames = tuple(kept)
    dependencies = None
    if layers.dependencies is not None and tokens:
        heads, labels = [], []
        for at, top in enumerate(tops):
            node = top
            while node >= 0 and (at in ahead[node] or not ahead[node]):
                node = layers.dependencies.heads[node]
            heads.append(-2 if top < 0 else ahead[node][0] if node >= 0 else -1)
            labels.append(layers.dependencies.labels[top] if top >= 0 else UNKNOWN_LABEL)
        root = heads.index(-1) if -1 in heads else 0
        dependencies = whole_tree(
            [root if head == -2 and at != root else head for at, head in enumerate(heads)], labels
        )
    sentence = Sentence(
        annotated.text,
        tuple(tokens),
        Layers(
            lemmas=None
            if layers.lemmas is None
            else tuple(layers.lemmas[top] if top >= 0 else token.text for top, token in zip(tops, tokens, strict=True)),
            pos=values(layers.pos, UNKNOWN_TAG),
            tags=values(layers.tags, UNKNOWN_TAG),
            dependencies=dependencies,
            constituents=_laid_tree(layers.constituents, _hosts(annotated.tokens, tokens)),
            chunks=spans(layers.chunks),
            entities=spans(layers.entities),
            nodes=spans(layers.nodes),
            frames=frames,
        ),
        annotated.comments,
    )
    return Laid(sentence, sum(1 for top in tops if top < 0), dropped)


def _hosts(first: Sequence[Token], second: Sequence[Token]) -> list[int]:
    """For each token of the second that of the first with which it shares most letters, the last if several; or -1."""
    refined = _refined(first)
    found = []
    for token in second:
        shared = [(min(end, token.end) - max(start, token.start), at) for at, (start, end) in enumerate(refined)]
        most, at = max(shared, default=(0, -1))
        found.append(at if most > 0 else -1)
    return found


def _laid_tree(tree: Constituent | None, hosts: Sequence[int]) -> Constituent | None:
    """The tree with the tokens that stand for its words in their places; None if none does."""
    if tree is None:
        return None
    children: list[Constituent | int] = []
    for child in tree.children:
        if isinstance(child, int):
            children += [at for at, host in enumerate(hosts) if host == child]
        elif isinstance(child, Constituent) and (laid := _laid_tree(child, hosts)) is not None:
            children.append(laid)
    return Constituent(tree.label, tuple(children)) if children else None


def _overlaps(first: Sequence[Token], second: Sequence[Token]) -> list[list[int]]:
    """For each token of the second, those of the first that share letters with it.

    Words of one written token share its place; a token that covers a part of it takes the words of that part, as far
    as their letters tell.
    """
    refined = _refined(first)
    return [
        [at for at, (start, end) in enumerate(refined) if start < token.end and token.start < end] for token in second
    ]


def _refined(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Places of tokens; words that share one divide it by their lengths where these add up."""
    places: list[tuple[int, int]] = []
    at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and (tokens[end].start, tokens[end].end) == (tokens[at].start, tokens[at].end):
            end += 1
        together = tokens[at:end]
        if sum(len(token.text) for token in together) == tokens[at].end - tokens[at].start:
            cursor = tokens[at].start
            for token in together:
                places.append((cursor, cursor + len(token.text)))
                cursor += len(token.text)
        else:
            places += [(token.start, token.end) for token in together]
        at = end
    return places
