"""Unknown words in the letters of the target language: a hook for decoders that maps pieces of words by a table.

Names are what most unknown words are, and between scripts a copy is no translation. A table says what becomes of which
letters; of several that fit at a place the longest counts, `^` and `$` hold at the edges of a word, and what no entry
knows stays as it is. A word of which nothing is known is left to the decoder's own policy.

    >>> made = LetterTable({"и": "i", "в": "v", "а": "a", "н": "n", "^И": "I", "ан$": "an"})
    >>> made.word("Иван"), made.word("x")
    ('Ivan', None)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.errors import InputError
from dragoman.features.base import SourceSentence
from dragoman.files import read_lines

__all__ = ["TRANSLITERATED", "LetterTable"]

TRANSLITERATED = "transliterated"
"""The feature that counts words which were transliterated."""


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
