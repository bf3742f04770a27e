"""Word classes: clusters of words that are predicted alike, and models over class strings.

Classes are found by the exchange algorithm with a one-sided class bigram, p(w | v) = p(w | c(w)) p(c(w) | v), whose
histories are words (Whittaker and Woodland 2001), with digits folded to 0 and rare words taken together, in threads
(Green, Cer and Manning 2014). A class model is an ordinary n-gram model over class names: text is mapped word by word,
sentence marks are never mapped, and words without a class take that of `<unk>`. For decoders no mapping happens at run
time at all: `ClassMap.map_words` gives the array from their word ids straight to the class model's ids.

    >>> text = ["the dog runs", "the cat runs", "a dog sleeps"] * 5
    >>> classes = train_classes(text, classes=3, seed=1)
    >>> sorted(set(classes.apply("the dog runs").split())) == sorted(classes.apply("a cat sleeps").split())
    True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman._native import common
from dragoman._native import lm as native
from dragoman.errors import FormatError, InputError
from dragoman.files import read_lines, writing
from dragoman.lm.model import NgramModel
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

__all__ = ["UNKNOWN", "ClassMap", "fold_digits", "train_classes"]

UNKNOWN = "<unk>"
_DIGIT = re.compile(r"[0-9]")


def fold_digits(text: str) -> str:
    """Digits become 0: numbers of one shape are one word."""
    return _DIGIT.sub("0", text)


@dataclass(frozen=True, slots=True)
class ClassMap:
    """Words to classes; what is not listed has the class of `<unk>`."""

    classes: Mapping[str, str]

    def __post_init__(self) -> None:
        if UNKNOWN not in self.classes:
            raise InputError("no class for <unk>", remedy=f"add a line `{UNKNOWN}<TAB>class`")

    def __len__(self) -> int:
        return len(self.classes)

    def of(self, word: str) -> str:
        """The class of a word."""
        found = self.classes.get(word)
        if found is None:
            found = self.classes.get(fold_digits(word), self.classes[UNKNOWN])
        return found

    def apply(self, sentence: str) -> str:
        """A sentence as a string of classes."""
        return " ".join(map(self.of, sentence.split()))

    def apply_all(self, sentences: Iterable[str]) -> Iterator[str]:
        return map(self.apply, sentences)

    def map_words(self, words: common.Vocabulary, model: NgramModel) -> NDArray[uint32]:
        """For each id of a vocabulary, the class model's id of its class: a class model at no cost per query."""
        import numpy as np

        names = map(words.word, range(len(words)))
        return np.fromiter((model.native.id(self.of(name)) for name in names), np.uint32, len(words))

    @classmethod
    def read(cls, path: Path | str) -> ClassMap:
        """Lines `word<TAB>class`."""
        found: dict[str, str] = {}
        for number, line in enumerate(read_lines(path), 1):
            word, tab, name = line.partition("\t")
            where = f"{path}, line {number}"
            if not tab or not word.strip() or not name.strip() or len(name.split()) != 1:
                raise FormatError("not `word<TAB>class`", where=where, remedy="write one word and its class a line")
            if word in found:
                raise FormatError(f"{word!r} has a class already", where=where, remedy="keep one of the two lines")
            found[word] = name.strip()
        try:
            return cls(found)
        except InputError as error:
            raise FormatError(error.what, where=str(path), remedy=error.remedy) from None

    def write(self, path: Path | str) -> None:
        with writing(path) as file:
            file.writelines(f"{word}\t{name}\n" for word, name in self.classes.items())


def train_classes(
    text: Path | str | Iterable[str],
    *,
    classes: int | None = None,
    min_count: int = 5,
    iterations: int = 30,
    digits: bool = True,
    threads: int = 0,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> ClassMap:
    """Cluster the words of a text.

    By default 512 classes, fewer (a tenth of the words) for small vocabularies. Words seen fewer than `min_count` times
    are one word, `<unk>`. The likelihood never falls, and the result depends on the seed but not
    on `threads`.
    """
    if classes is not None:
        check_argument("classes", classes, int, least=1)
    trainer = native.ClassTrainer(min_count)
    lines = iter(read_lines(text) if isinstance(text, (str, Path)) else text)
    while block := list(islice(lines, 10_000)):
        trainer.add_sentences([fold_digits(line) for line in block] if digits else block)
    trainer.start(classes or 0, seed)
    for iteration in range(iterations):
        trainer.iterate(threads)
        if progress is not None:
            progress(Progress("clustering", iteration + 1, iterations))
    return ClassMap({word: str(number) for word, number in trainer.classes()})
