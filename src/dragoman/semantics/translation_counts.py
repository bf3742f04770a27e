"""Translations of words as counts of links: where a word's vector begins, and what it is kept near.

Of an aligned bitext it is counted how often each word is linked with each word of the other language. From the vectors
of one language those of the other begin as a mean of the vectors of their translations, each weighted by its count and
one more (Zou, Socher, Cer and Manning 2013); in training they are drawn to the plain mean. The two directions are not
each other's transpose: each row is divided by its own sum.

    >>> counts = TranslationCounts.of(["x", "x x", "x"], ["government", "government state", "government"],
    ...                               ["0-0", "0-0 1-1", "0-0"])
    >>> counts.of_word("x")
    {'government': 3, 'state': 1}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dragoman.align.alignment import Alignment
from dragoman.errors import FormatError, InputError
from dragoman.files import display_name, read_lines, writing
from dragoman.seeds import stream
from dragoman.semantics.vectors import WordVectors
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["NORMALIZERS", "TranslationCounts", "aligned_start", "translation_matrix"]

NORMALIZERS = ("links", "tokens")
"""What the counts of a word are divided by: all of its links, or how often it occurs; one is added per translation."""

_LEAST_KNOWN = 0.05


class TranslationCounts:
    """How often words of one language are linked with words of another."""

    def __init__(self, links: Mapping[str, Mapping[str, int]], tokens: Mapping[str, int] | None = None) -> None:
        self.links = {word: dict(row) for word, row in links.items()}
        self.tokens = dict(tokens) if tokens is not None else {word: sum(row.values()) for word, row in links.items()}

    @classmethod
    def of(
        cls, learned: Iterable[str], given: Iterable[str], alignments: Iterable[Alignment | str]
    ) -> TranslationCounts:
        """Counts of an aligned bitext; links have the position in the language that is learned first."""
        links: dict[str, Counter[str]] = {}
        tokens: Counter[str] = Counter()
        for number, (one, other, points) in enumerate(zip(learned, given, alignments, strict=True), 1):
            words, others = one.split(), other.split()
            tokens.update(words)
            parsed = points if isinstance(points, Alignment) else Alignment.parse(points, where=f"line {number}")
            for i, j in parsed.links:
                if i >= len(words) or j >= len(others):
                    raise InputError(
                        f"link {i}-{j} points outside its sentences of {len(words)} and {len(others)} words",
                        where=f"line {number}",
                        remedy="does the alignment belong to these files, and in this direction?",
                    )
                links.setdefault(words[i], Counter())[others[j]] += 1
        return cls(links, tokens)

    def transposed(self) -> TranslationCounts:
        """The same from the other side; tokens are then links."""
        found: dict[str, Counter[str]] = {}
        for word, row in self.links.items():
            for other, count in row.items():
                found.setdefault(other, Counter())[word] += count
        return TranslationCounts(found)

    def of_word(self, word: str) -> dict[str, int]:
        """Counts of one word, the greatest first."""
        return dict(sorted(self.links.get(word, {}).items(), key=lambda each: (-each[1], each[0])))

    def save(self, path: Path | str) -> None:
        """Lines of word, tab, translation, tab, count."""
        with writing(path) as file:
            for word in sorted(self.links):
                for other, count in self.of_word(word).items():
                    file.write(f"{word}\t{other}\t{count}\n")

    @classmethod
    def open(cls, path: Path | str) -> TranslationCounts:
        """Read what `save` wrote."""
        links: dict[str, dict[str, int]] = {}
        for number, line in enumerate(read_lines(path), 1):
            fields = line.split("\t")
            if len(fields) != 3 or not fields[2].isdecimal() or not fields[0] or not fields[1]:
                raise FormatError(
                    "not a word, a translation and a count between tabs", where=f"{display_name(path)}, line {number}"
                )
            links.setdefault(fields[0], {})[fields[1]] = int(fields[2])
        return cls(links)

    def require_known(self, given: WordVectors) -> None:
        """Refuse vectors that know hardly any of the translations: they are of the wrong language."""
        others = {other for row in self.links.values() for other in row}
        known = sum(other in given for other in others)
        if known < _LEAST_KNOWN * len(others):
            swapped = sum(word in given for word in self.links)
            raise InputError(
                f"of {len(others):,} translations {known:,} have vectors",
                remedy="swap the two sides of the bitext" if swapped > known else "are they of the same language?",
            )


def translation_matrix(counts: TranslationCounts, words: Sequence[str], given: WordVectors) -> csr_matrix:
    """Rows of words, columns of given words: shares of links among those that have vectors; a row sums to 1 or to 0."""
    from scipy.sparse import csr_matrix

    starts, columns, values = [0], list[int](), list[float]()
    for word in words:
        row = {given.row(other): count for other, count in counts.links.get(word, {}).items() if other in given}
        total = sum(row.values())
        for column in sorted(row):
            columns.append(column)
            values.append(row[column] / total)
        starts.append(len(columns))
    return csr_matrix((np.array(values), np.array(columns, np.int32), starts), shape=(len(words), len(given)))


def aligned_start(
    counts: TranslationCounts,
    words: Sequence[str],
    given: WordVectors,
    *,
    normalizer: str = "links",
    seed: int = 1,
) -> NDArray[np.float32]:
    """Vectors that words begin with: means of the vectors of their translations, with one added to each count.

    A word without a translation that has a vector begins at random, with the mean and the deviation of those given.
    """
    check_argument("normalizer", normalizer, choices=NORMALIZERS)
    counts.require_known(given)
    mean, deviation = given.values.mean(axis=0), given.values.std(axis=0)
    start = np.empty((len(words), given.dimensions), np.float32)
    for row, word in enumerate(words):
        linked = {other: count for other, count in counts.links.get(word, {}).items() if other in given}
        if not linked:
            start[row] = mean + deviation * stream(seed, "start of vectors", word).standard_normal(given.dimensions)
            continue
        total = sum(linked.values()) if normalizer == "links" else counts.tokens[word]
        weights = np.array([count + 1 for count in linked.values()], np.float64) / (total + len(linked))
        start[row] = weights @ given.values[[given.row(other) for other in linked]].astype(np.float64)
    return start
