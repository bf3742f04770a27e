"""
Tokenisation, detokenisation and normalisation of punctuation, with offsets into the raw text; data selection.
"""

import os
from collections.abc import Sequence

from numpy import float64, int64, uint32
from numpy.typing import NDArray

class Normalizer:
    """An ordered list of substitutions."""

    def __init__(
        self, rules: Sequence[tuple[str, str]], *, digits: Sequence[tuple[int, int]], spaces: Sequence[tuple[int, int]]
    ) -> None: ...
    def normalize(self, lines: list[str], *, threads: int = 0) -> list[str]: ...
    def trace(self, line: str) -> tuple[str, list[tuple[int, int]]]:
        """The normalised line, and the raw range behind each of its code points."""

class Tokenizer:
    """The Moses tokenizer, with rules handed in."""

    def __init__(
        self,
        *,
        clean: Sequence[tuple[str, str]],
        separate: Sequence[tuple[str, str]],
        punctuate: Sequence[tuple[str, str]],
        finish: Sequence[tuple[str, str]],
        escape: Sequence[tuple[str, str]],
        alpha: Sequence[tuple[int, int]],
        lower: Sequence[tuple[int, int]],
        marks: Sequence[tuple[int, int]],
        pictographs: Sequence[tuple[int, int]],
        prefixes: Sequence[str],
        numeric_prefixes: Sequence[str],
        digits: Sequence[tuple[int, int]],
        spaces: Sequence[tuple[int, int]],
    ) -> None: ...
    def tokenize(
        self,
        lines: list[str],
        *,
        normalizer: Normalizer | None = None,
        kept: Sequence[tuple[str, Sequence[str]]] = (),
        threads: int = 0,
    ) -> list[list[str]]:
        """Tokens of each line."""

    def trace(
        self,
        lines: list[str],
        *,
        normalizer: Normalizer | None = None,
        kept: Sequence[tuple[str, Sequence[str]]] = (),
        threads: int = 0,
    ) -> list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]]:
        """Tokens of each line with their raw ranges."""

class Detokenizer:
    """The Moses detokenizer, with rules handed in."""

    def __init__(
        self,
        *,
        language: str,
        join: Sequence[tuple[str, str]],
        unescape: Sequence[tuple[str, str]],
        currency: str,
        punctuation: str,
        open_quote: str,
        apostrophe_first: str,
        apostrophe_last: str,
        alpha_first: str,
        cjk: Sequence[tuple[int, int]],
        digits: Sequence[tuple[int, int]],
        spaces: Sequence[tuple[int, int]],
    ) -> None: ...
    def detokenize(self, lines: list[list[str]], *, threads: int = 0) -> list[str]: ...
    def trace(self, lines: list[list[str]], *, threads: int = 0) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
        """The text of each line, and where every token lies in it."""

class FeatureDecay:
    """Picks lines of a corpus by feature decay."""

    def __init__(self, domain: list[str], *, order: int, decay: float, length_power: float) -> None: ...
    def add(self, lines: list[str], *, threads: int = 0) -> None:
        """The next lines of the corpus."""

    def take(self, count: int) -> tuple[NDArray[int64], NDArray[float64]]:
        """Numbers (from 0) and scores of the next best lines."""

    @property
    def lines(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def coverage(self) -> list[tuple[int, int, int]]:
        """
        Different n-grams by length: of the domain, of these in the corpus, of these in the lines taken.
        """

def in_common(
    first: list[str], second: list[str], *, words: bool = False, stretch: bool = False, threads: int = 0
) -> NDArray[int64]:
    """
    For each pair the length of the longest common subsequence, or stretch, and of both texts.
    """

def learn_morphs(
    words: list[str], counts: NDArray[int64], *, weight: float = 1.0, seed: int = 1
) -> tuple[list[tuple[str, int]], float, int]:
    """
    Pieces of words with their counts, the length of the description in nats, and the passes it took.
    """

class CorpusIndex:
    """A corpus with a suffix array over its tokens."""

    @staticmethod
    def build(lines: list[str], *, threads: int = 0) -> CorpusIndex: ...
    @staticmethod
    def open(path: str | os.PathLike[str]) -> CorpusIndex: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @property
    def tokens(self) -> int: ...
    @property
    def sentences(self) -> int: ...
    def __len__(self) -> int:
        """Words in the vocabulary, with <unk>."""

    def id(self, word: str) -> int: ...
    def word(self, id: int) -> str: ...
    def counts(self) -> NDArray[int64]:
        """How often each word occurs, by id."""

    def encode(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]:
        """
        Ids of all tokens, and where each line ends in them; unknown tokens are 0.
        """

    def count(self, phrase: NDArray[uint32]) -> int: ...
    def occurrences(self, phrase: NDArray[uint32], limit: int = 0) -> NDArray[uint32]:
        """
        Places of a phrase; of more than `limit` (0: no limit) so many at a uniform stride.
        """

    @property
    def text(self) -> NDArray[uint32]:
        """
        Ids of all places of the text, 0 before, between and after sentences: a view, not a copy.
        """

    def sentence_of(self, place: int) -> int: ...
    def sentence(self, number: int) -> NDArray[uint32]: ...
    def sentence_start(self, number: int) -> int: ...
    def between(
        self,
        words: NDArray[uint32],
        left_ends: NDArray[int64],
        right_ends: NDArray[int64],
        limits: NDArray[int64],
        *,
        longest: int,
        threads: int = 0,
    ) -> tuple[NDArray[uint32], NDArray[int64]]:
        """
        Places and lengths of what stands between the two phrases of each frame, and where each frame's end.
        """
