"""Pieces: sentences too long to translate at once, cut where it hurts least, and their translations joined again.

Time and memory of a search grow with the length of the sentence; a line of ten thousand tokens is a table or a lost
line break, not a sentence. It is cut after the last end of a sentence within the limit, else after a lesser mark, else
at the limit.

    >>> cut("a b . c d e , f g h i".split(), longest=5)
    [(0, 3), (3, 7), (7, 11)]
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.search.translation import Phrase, Translation

__all__ = ["LONGEST", "cut", "joined"]

LONGEST = 200
"""Tokens that are translated as one sentence."""

_ENDS = frozenset(".!?…。！？।؟")
_MARKS = frozenset(",;:–—)]}»”、，；：،")


def cut(tokens: Sequence[str], *, longest: int = LONGEST) -> list[tuple[int, int]]:
    """Half-open ranges of at most `longest` tokens that together are the whole."""
    ranges = []
    start = 0
    while len(tokens) - start > longest:
        limit = start + longest
        end = limit
        for marks in (_ENDS, _MARKS):
            found = next((at for at in range(limit, start, -1) if tokens[at - 1] in marks), None)
            if found is not None:
                end = found
                break
        ranges.append((start, end))
        start = end
    if start < len(tokens) or not ranges:
        ranges.append((start, len(tokens)))
    return ranges


def joined(parts: Sequence[Translation]) -> Translation:
    """One translation of the pieces of a sentence, in order; its score is their sum, its forest is not kept."""
    if len(parts) == 1:
        return parts[0]
    source: list[str] = []
    target: list[str] = []
    phrases: list[Phrase] = []
    final: dict[str, float] = {}
    statistics: dict[str, int] = {}
    for part in parts:
        before, behind = len(source), len(target)
        phrases += (_shifted(phrase, before, behind) for phrase in part.phrases)
        source += part.source
        target += part.target
        for name, value in part.final_features.items():
            final[name] = final.get(name, 0.0) + value
        for name, number in part.statistics.items():
            statistics[name] = statistics.get(name, 0) + number
    return Translation(
        tuple(source), tuple(target), sum(part.score for part in parts), tuple(phrases), final, parts[0].weights,
        statistics, sum(part.seconds for part in parts),
    )  # fmt: skip


def _shifted(phrase: Phrase, source: int, target: int) -> Phrase:
    return Phrase(
        (phrase.source_span[0] + source, phrase.source_span[1] + source),
        (phrase.target_span[0] + target, phrase.target_span[1] + target),
        phrase.source,
        phrase.target,
        phrase.score,
        phrase.features,
        tuple((i + source, j + target) for i, j in phrase.links),
        phrase.unknown,
    )
