"""Words by frequency: function words, very frequent words, and inverse document frequencies, for templates that ask.

Function words are taken to be the most frequent words that are neither punctuation nor numbers, which needs no list per
language (Green, Cer and Manning 2014). For inverse document frequencies a document is a sentence (Green et al. 2013).

    >>> text = ["the cat sat on the mat .", "the dog barked ."]
    >>> function_words(text, size=1)
    ('the',)
    >>> round(InverseFrequencies.of(text)["cat"], 4)
    0.6931
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing
from dragoman.lm.classes import UNKNOWN

__all__ = ["InverseFrequencies", "frequent_words", "function_words", "is_punctuation"]


def is_punctuation(word: str) -> bool:
    """Whether all characters of a word are punctuation."""
    return bool(word) and all(unicodedata.category(letter).startswith("P") for letter in word)


def frequent_words(text: Iterable[str], *, size: int = 100) -> tuple[str, ...]:
    """The most frequent words of tokenised text; ties in order of the alphabet."""
    counts = Counter(word for line in text for word in line.split())
    return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:size])


def function_words(text: Iterable[str], *, size: int = 25) -> tuple[str, ...]:
    """The most frequent words without punctuation and digits."""
    kept = (
        " ".join(word for word in line.split() if not is_punctuation(word) and not any(c.isdigit() for c in word))
        for line in text
    )
    return frequent_words(kept, size=size)


@dataclass(frozen=True, slots=True)
class InverseFrequencies(Mapping[str, float]):
    """ln(N / sentences that hold the word); a word never seen has ln N."""

    values_: Mapping[str, float]
    unseen: float

    def __getitem__(self, word: str) -> float:
        return self.values_.get(word, self.unseen)

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)

    @staticmethod
    def of(text: Iterable[str]) -> InverseFrequencies:
        """Count the sentences of a text in which each word stands."""
        size, counts = 0, Counter[str]()
        for line in text:
            size += 1
            counts.update(set(line.split()))
        if not size:
            raise InputError("no text to count words in")
        return InverseFrequencies({word: math.log(size / count) for word, count in counts.items()}, math.log(size))

    @staticmethod
    def read(path: Path | str) -> InverseFrequencies:
        """Lines `word<TAB>value`; that of `<unk>` is the value of words never seen."""
        found: dict[str, float] = {}
        for number, line in enumerate(read_lines(path), 1):
            word, _, text = line.partition("\t")
            try:
                found[word] = float(text)
            except ValueError:
                found[word] = math.nan
            if not word or not math.isfinite(found[word]):
                raise FormatError(
                    "not `word<TAB>number`",
                    where=f"{path}, line {number}",
                    remedy="write one word and its value a line",
                )
        if UNKNOWN not in found:
            raise FormatError("no value for <unk>", where=str(path), remedy=f"add a line `{UNKNOWN}<TAB>value`")
        unseen = found.pop(UNKNOWN)
        return InverseFrequencies(found, unseen)

    def write(self, path: Path | str) -> None:
        with writing(path) as file:
            for word, value in [(UNKNOWN, self.unseen), *((w, v) for w, v in self.items() if w != UNKNOWN)]:
                file.write(f"{word}\t{value!r}\n")
