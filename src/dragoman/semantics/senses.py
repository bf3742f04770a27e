"""Sense tags: what an occurrence of a phrase is translated to, and paraphrases that fit its sentence.

A translation into another language tells senses apart without a dictionary of senses. The tag of a stretch of a
sentence is the other side of the smallest phrase pair around it that agrees with the word alignment, be that of a
human translation or of a decoder's (Aziz and Specia 2013). In the sentence, a language model has a say too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dragoman.align.alignment import Alignment
from dragoman.errors import InputError, SettingError
from dragoman.lm.model import NgramModel
from dragoman.semantics.pivot import PivotParaphrase

__all__ = ["InContext", "SenseTag", "TaggedOccurrence", "rerank", "sense_tag", "smallest_pair", "tag_text"]

TokenRange = tuple[int, int]


class SenseTag(NamedTuple):
    """The translation of a stretch, and whether the stretch had to grow to have one."""

    tag: str
    source: TokenRange
    target: TokenRange
    expanded: bool


def smallest_pair(span: TokenRange, links: Iterable[tuple[int, int]]) -> tuple[TokenRange, TokenRange] | None:
    """The smallest spans (half-open) around a source span that no link leaves; None if it has no link.

    >>> links = [(0, 0), (1, 2), (2, 1), (3, 1)]
    >>> smallest_pair((1, 2), links), smallest_pair((2, 3), links)
    (((1, 2), (2, 3)), ((2, 4), (1, 2)))
    """
    start, end = span
    points = list(links)
    while True:
        targets = [j for i, j in points if start <= i < end]
        if not targets:
            return None
        low, high = min(targets), max(targets) + 1
        sources = [i for i, j in points if low <= j < high]
        if start <= min(sources) and max(sources) < end:
            return (start, end), (low, high)
        start, end = min(start, *sources), max(end, max(sources) + 1)


def sense_tag(
    source: Sequence[str], span: TokenRange, target: Sequence[str], alignment: Alignment | str, *, strict: bool = False
) -> SenseTag | None:
    """The tag of a stretch of a sentence; None if it is not aligned, or, with `strict`, if it had to grow."""
    if not 0 <= span[0] < span[1] <= len(source):
        raise InputError(f"span {span} of a sentence of {len(source)} tokens", remedy="give start and end, from 0")
    links = alignment if isinstance(alignment, Alignment) else Alignment.parse(alignment)
    for i, j in links:
        if i >= len(source) or j >= len(target):
            raise InputError(f"link {i}-{j} points outside the sentences", remedy="is this their alignment?")
    found = smallest_pair(span, links)
    if found is None or (strict and found[0] != span):
        return None
    (low, high) = found[1]
    return SenseTag(" ".join(target[low:high]), found[0], found[1], found[0] != span)


class TaggedOccurrence(NamedTuple):
    """A phrase in a line of a text (from 1), from this token of it on (from 0), with its tag."""

    line: int
    start: int
    tag: str
    expanded: bool


def tag_text(
    source: Iterable[str],
    target: Iterable[str],
    alignments: Iterable[Alignment | str],
    phrases: Collection[str],
    *,
    strict: bool = False,
) -> dict[str, list[TaggedOccurrence]]:
    """The tags of all occurrences of some phrases in an aligned text; those that are not aligned are left out.

    >>> tag_text(["la forma"], ["the form"], ["0-0 1-1"], ["forma"])
    {'forma': [TaggedOccurrence(line=1, start=1, tag='form', expanded=False)]}
    """
    found: dict[str, list[TaggedOccurrence]] = {phrase: [] for phrase in phrases}
    lengths = sorted({len(phrase.split()) for phrase in phrases})
    for number, (first, second, links) in enumerate(zip(source, target, alignments, strict=True), 1):
        tokens, others = first.split(), second.split()
        for start in range(len(tokens)):
            for length in lengths:
                occurrences = found.get(" ".join(tokens[start : start + length]))
                if occurrences is None or start + length > len(tokens):
                    continue
                tag = sense_tag(tokens, (start, start + length), others, links, strict=strict)
                if tag is not None:
                    occurrences.append(TaggedOccurrence(number, start, tag.tag, tag.expanded))
    return found


@dataclass(frozen=True, slots=True)
class InContext:
    """A paraphrase in a sentence: its own probability, that of the words around it, and both together."""

    paraphrase: PivotParaphrase
    logprob: float
    score: float


def rerank(
    sentence: Sequence[str],
    span: TokenRange,
    candidates: Sequence[PivotParaphrase],
    model: NgramModel,
    *,
    weight: float = 1.0,
    length_norm: bool = False,
    top: int | None = 3,
) -> list[InContext]:
    """Paraphrases in the order in which they fit the sentence: ln p + `weight` times ln p of the language model.

    The model scores as many words to both sides as its order reaches. Without `length_norm` short ones are favoured.
    """
    if not 0 <= span[0] < span[1] <= len(sentence):
        raise InputError(f"span {span} of a sentence of {len(sentence)} tokens", remedy="give start and end, from 0")
    if not math.isfinite(weight):
        raise SettingError(f"weight={weight}", remedy="give a number")
    reach = model.order - 1
    before, after = sentence[max(0, span[0] - reach) : span[0]], sentence[span[1] : span[1] + reach]
    begin, end = span[0] <= reach, span[1] + reach > len(sentence)
    windows = [" ".join([*before, *found.phrase.split(), *after]) for found in candidates]
    scored: list[float] = model.score(windows, begin=begin, end=end).tolist() if windows else []
    ranked = []
    for found, window, logprob in zip(candidates, windows, scored, strict=True):
        share = logprob / (len(window.split()) if length_norm else 1)
        ranked.append(InContext(found, logprob, math.log(found.probability) + weight * share))
    return sorted(ranked, key=lambda entry: (-entry.score, entry.paraphrase.phrase))[:top]
