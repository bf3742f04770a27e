"""Alignments within one language: which words of two sentences say the same, how surely, and why.

Aligners of paraphrases (METEOR's stages, graph alignments of parses, words with their neighbours) differ in what they
look at, not in what they find: pairs of words, each with a score and a reason. They all give this value, so that
whoever scores, decides or draws a pair of sentences need not know which aligner it was.

    >>> found = MonolingualAlignment.of([WordMatch(1, 0, 0.9, "paraphrase"), WordMatch(0, 1, 1.0, "same")])
    >>> found.links()
    Alignment('0-1 1-0')
    >>> found.match_of(1).reason
    'paraphrase'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dragoman.align.alignment import Alignment
from dragoman.align.picture import AlignmentPicture
from dragoman.errors import InputError

__all__ = ["MonolingualAlignment", "WordMatch"]


class WordMatch(NamedTuple):
    """Positions of two words that say the same, from 0, how surely (0 to 1), and why."""

    first: int
    second: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class MonolingualAlignment:
    """The matches of two sentences, sorted, each pair of positions once."""

    matches: tuple[WordMatch, ...] = ()

    def __post_init__(self) -> None:
        pairs = [match[:2] for match in self.matches]
        if pairs != sorted(set(pairs)):
            raise InputError("matches must be sorted and each pair of words once", remedy="use MonolingualAlignment.of")
        for match in self.matches:
            if min(match.first, match.second) < 0 or not 0 <= match.score <= 1:
                raise InputError(f"match {tuple(match)} has a negative position or a score outside 0 to 1")

    @classmethod
    def of(cls, matches: Iterable[WordMatch]) -> MonolingualAlignment:
        """Matches in any order; of several of the same two words the surest stays, of equals the first."""
        best: dict[tuple[int, int], WordMatch] = {}
        for match in matches:
            known = best.get((match.first, match.second))
            if known is None or match.score > known.score:
                best[match.first, match.second] = match
        return cls(tuple(best[pair] for pair in sorted(best)))

    def __len__(self) -> int:
        return len(self.matches)

    def __iter__(self) -> Iterator[WordMatch]:
        return iter(self.matches)

    def __contains__(self, pair: object) -> bool:
        return any(match[:2] == pair for match in self.matches)

    def match_of(self, first: int) -> WordMatch | None:
        """The surest match of a word of the first sentence, the leftmost of equals."""
        found = [match for match in self.matches if match.first == first]
        return max(found, key=lambda match: (match.score, -match.second), default=None)

    def positions(self, side: int) -> frozenset[int]:
        """The matched words of the first (0) or second (1) sentence."""
        return frozenset(match.second if side else match.first for match in self.matches)

    def links(self) -> Alignment:
        """The pairs of positions alone."""
        return Alignment(tuple((match.first, match.second) for match in self.matches))

    def transposed(self) -> MonolingualAlignment:
        """The same with the two sentences exchanged."""
        return MonolingualAlignment.of(
            WordMatch(match.second, match.first, match.score, match.reason) for match in self.matches
        )

    def check(self, first: int, second: int) -> None:
        """Raise when a match lies outside sentences of these lengths."""
        self.links().check(first, second)

    def picture(self, first: Sequence[str], second: Sequence[str]) -> AlignmentPicture:
        """The matrix of matches, which shows itself in terminals and notebooks."""
        return self.links().picture(first, second)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain values for JSON; `from_dict` reads them back."""
        return [match._asdict() for match in self.matches]

    @classmethod
    def from_dict(cls, plain: Iterable[Mapping[str, Any]]) -> MonolingualAlignment:
        """The alignment that `to_dict` described; anything else is an `InputError`."""
        try:
            return cls.of(
                WordMatch(int(one["first"]), int(one["second"]), float(one["score"]), str(one["reason"]))
                for one in plain
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"not an alignment ({type(error).__name__}: {error})") from None
