"""Unknown words in the letters of the target language: hooks for decoders that rewrite words piece by piece.

Names are what most unknown words are, and between scripts a copy is no translation. A table says what becomes of which
letters; of several that fit at a place the longest counts, `^` and `$` hold at the edges of a word, and what no entry
knows stays as it is. A word of which nothing is known is left to the decoder's own policy. What pieces become may also
be learned from pairs of names (`dragoman.semantics.transliteration`); then there are several proposals a word.

    >>> made = LetterTable({"и": "i", "в": "v", "а": "a", "н": "n", "^И": "I", "ан$": "an"})
    >>> made.word("Иван"), made.word("x")
    ('Ivan', None)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.errors import InputError
from dragoman.features.base import SourceSentence
from dragoman.files import read_lines
from dragoman.semantics.transliteration import Transliterator

__all__ = ["LIKELIHOOD", "TRANSLITERATED", "LearnedLetters", "LetterTable"]

TRANSLITERATED = "transliterated"
"""The feature that counts words which were transliterated."""
LIKELIHOOD = "transliterated.logprob"
"""How probable what was learned says that they are."""


class LetterTable:
    """Pieces of words and what they become."""

    def __init__(self, pieces: Mapping[str, str]) -> None:
        self.pieces = dict(pieces)
        self._longest = max((len(piece) for piece in self.pieces), default=0)
        if "" in self.pieces or not self.pieces:
            raise InputError("an empty table of letters", remedy="give pieces of words and what they become")

    @staticmethod
    def parse(lines: Iterable[str], *, name: str = "table of letters") -> LetterTable:
        """A table of lines: letters, a tab, what they become; blank lines and those that begin with # say nothing."""
        pieces: dict[str, str] = {}
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            piece, tab, becomes = line.partition("\t")
            where = f"{name}, line {number}"
            if not tab or not piece or "\t" in becomes:
                what = "no letters, tab and what they become"
                raise InputError(what, where=where, remedy="write them like щ<tab>shch")
            if pieces.get(piece, becomes) != becomes:
                raise InputError(f"{piece!r} becomes {pieces[piece]!r} and {becomes!r}", where=where)
            pieces[piece] = becomes
        return LetterTable(pieces)

    @staticmethod
    def read(path: Path | str) -> LetterTable:
        """The same of a file."""
        return LetterTable.parse(read_lines(path), name=str(path))

    def word(self, word: str) -> str | None:
        """A word in other letters; None if no entry has any of its letters."""
        marked, at, out, known = f"^{word}$", 0, [], False
        while at < len(marked):
            size = min(self._longest, len(marked) - at)
            while size and marked[at : at + size] not in self.pieces:
                size -= 1
            if size:
                out.append(self.pieces[marked[at : at + size]])
                known = known or bool(marked[at : at + size].strip("^$"))
                at += size
            else:
                if 0 < at < len(marked) - 1:
                    out.append(marked[at])
                at += 1
        found = "".join(out)
        return found if known and found.split() == [found] else None

    def __call__(
        self, sentence: SourceSentence, positions: tuple[int, ...]
    ) -> Sequence[Sequence[tuple[str, Mapping[str, float]]]]:
        """As a hook for unknown words."""
        found = (self.word(sentence.tokens[position]) for position in positions)
        return [[(text, {TRANSLITERATED: 1.0})] if text is not None else [] for text in found]


class LearnedLetters:
    """What was learned from pairs of names, as a hook for unknown words: the likeliest ways to write each.

    Words are rewritten whose letters all stood in the names; they are learned in lower case, and a capital at the
    beginning is kept.

    >>> pairs = [("петр", "petr"), ("тор", "tor"), ("порт", "port"), ("ретро", "retro"), ("топор", "topor")]
    >>> LearnedLetters(Transliterator.train(pairs), top=1).word("Перо")[0][0]
    'Pero'
    """

    def __init__(self, transliterator: Transliterator, *, top: int = 3) -> None:
        self._transliterator, self._top = transliterator, top
        self._known = {letter for piece in transliterator.choices for letter in piece}

    def word(self, word: str) -> list[tuple[str, float]]:
        """Ways to write a word, and their log probabilities; none if some letter of it was never seen."""
        if not set(word.lower()) <= self._known:
            return []
        found = self._transliterator.best(word.lower(), top=self._top)
        capital = word[:1].isupper()
        return [
            (each.target[:1].upper() + each.target[1:] if capital else each.target, math.log(each.probability))
            for each in found
            if each.target.split() == [each.target] and each.probability > 0
        ]

    def __call__(
        self, sentence: SourceSentence, positions: tuple[int, ...]
    ) -> Sequence[Sequence[tuple[str, Mapping[str, float]]]]:
        """As a hook for unknown words."""
        words = (self.word(sentence.tokens[position]) for position in positions)
        return [[(text, {TRANSLITERATED: 1.0, LIKELIHOOD: logprob}) for text, logprob in found] for found in words]
