"""Morphs: words in the smallest pieces that a text repeats, stems and affixes among them.

The pieces are those that describe the words of a text in the least space: a list of pieces plus each word as a row of
them (Creutz and Lagus 2007, the baseline method, as Morfessor has it; learned natively, in a fraction of its time). The
learned pieces with their counts are kept, and any word is cut by the most probable row. For a model, words that the
text repeats often stay whole: it knows them better than their pieces.

    >>> stems, endings = ["walk", "jump", "call", "play"], ["", "s", "ed", "ing"]
    >>> morphs = Morphs.train([stem + ending for stem in stems for ending in endings] * 3)
    >>> morphs.segment("jumped"), morphs.segment("calling")
    (('jump', 'ed'), ('call', 'ing'))
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from dragoman._native import text as native
from dragoman.errors import FormatError, InputError
from dragoman.files import display_name, read_lines, writing
from dragoman.settings import check_argument

__all__ = ["JOINER", "Morphs"]

JOINER = "￭"
"""Begins every piece of a word but the first: a character that text does not have."""

WHOLE_FROM = 20
"""Occurrences from which on a word stays whole: better than cutting all words on dev sets of Swahili and Ukrainian."""
LONGEST = 64
"""Letters of a word that is learned from; what is longer is no word."""


class Morphs:
    """Pieces of words and how often each is used; `segment` cuts a word."""

    def __init__(self, counts: Mapping[str, int], *, whole: Iterable[str] = ()) -> None:
        if not counts or any(count < 1 or not piece for piece, count in counts.items()):
            raise InputError("pieces of words need positive counts", remedy="train them on a text")
        self.counts, self.whole = dict(counts), frozenset(whole)
        self._total = math.log(sum(self.counts.values()))
        self._longest = max(map(len, self.counts))
        self._known: dict[str, tuple[str, ...]] = {}

    @classmethod
    def train(
        cls,
        lines: Iterable[str],
        *,
        weight: float = 1.0,
        min_count: int = 1,
        by_types: bool = True,
        whole_from: int = WHOLE_FROM,
        seed: int = 1,
    ) -> Morphs:
        """Learn pieces from tokenised lines.

        A greater `weight` of the text against the list cuts less. With `by_types` a word counts once however often it
        occurs, which cuts inflected words better. Words that occur `whole_from` times or more stay whole for
        a model.
        """
        check_argument("weight", weight, float, above=0)
        check_argument("whole_from", whole_from, int, label="morphs", least=1)
        words = Counter(token for line in lines for token in line.split() if token.isalpha())
        kept = sorted(word for word, count in words.items() if count >= min_count and len(word) <= LONGEST)
        if not kept:
            raise InputError("no words to learn from", remedy="give tokenised text")
        counts = np.array([1 if by_types else words[word] for word in kept], np.int64)
        pieces, _, _ = native.learn_morphs(kept, counts, weight=weight, seed=seed)
        return cls(dict(pieces), whole=[word for word, count in words.items() if count >= whole_from])

    def segment(self, word: str) -> tuple[str, ...]:
        """The pieces of a word; a word that no pieces make up stays whole."""
        if word not in self._known:
            self._known[word] = self._best(word)
        return self._known[word]

    def pieces(self, word: str) -> tuple[str, ...]:
        """The pieces of a word as a model translates them: all but the first carry a mark, so that a word that stays
        whole looks as it always does."""
        first, *rest = (word,) if word in self.whole else self.segment(word)
        return (first, *(JOINER + piece for piece in rest))

    @staticmethod
    def continues(piece: str) -> bool:
        """Whether a piece belongs to the word before it."""
        return piece.startswith(JOINER)

    @staticmethod
    def word(pieces: Sequence[str]) -> str:
        """The word of a row of pieces."""
        return "".join(piece.removeprefix(JOINER) for piece in pieces)

    @staticmethod
    def undo(pieces: Sequence[str]) -> list[str]:
        """The words that pieces make.

        >>> Morphs.undo(["ali", "￭po", "kuja"])
        ['alipo', 'kuja']
        """
        words: list[str] = []
        for piece in pieces:
            if piece.startswith(JOINER) and words:
                words[-1] += piece.removeprefix(JOINER)
            else:
                words.append(piece.removeprefix(JOINER))
        return words

    def stem(self, word: str) -> str:
        """The longest piece; of equal ones the rarest."""
        pieces = self.segment(word)
        return max(pieces, key=lambda piece: (len(piece), -self.counts.get(piece, 0)))

    def _best(self, word: str) -> tuple[str, ...]:
        best: list[tuple[float, tuple[str, ...]] | None] = [None] * (len(word) + 1)
        best[0] = (0.0, ())
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - self._longest), end):
                before, count = best[start], self.counts.get(word[start:end], 0)
                if before is None or not count:
                    continue
                cost = before[0] + self._total - math.log(count)
                kept = best[end]
                if kept is None or cost < kept[0] - 1e-12:
                    best[end] = (cost, (*before[1], word[start:end]))
        found = best[len(word)]
        return found[1] if found and found[1] else (word,)

    def save(self, path: Path | str) -> None:
        """Lines of piece, tab, count; then lines of a word that stays whole and a tab."""
        with writing(path) as file:
            for piece, count in sorted(self.counts.items(), key=lambda entry: (-entry[1], entry[0])):
                file.write(f"{piece}\t{count}\n")
            for word in sorted(self.whole):
                file.write(f"{word}\t\n")

    @classmethod
    def open(cls, path: Path | str) -> Morphs:
        """Read what `save` wrote."""
        counts: dict[str, int] = {}
        whole = []
        for number, line in enumerate(read_lines(path), 1):
            piece, tab, count = line.partition("\t")
            if piece and tab and not count:
                whole.append(piece)
                continue
            if not piece or not count.isdigit() or int(count) < 1:
                raise FormatError("not a piece, a tab and a count", where=f"{display_name(path)}, line {number}")
            counts[piece] = int(count)
        return cls(counts, whole=whole)
