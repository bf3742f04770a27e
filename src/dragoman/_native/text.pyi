"""
Tokenisation, detokenisation and normalisation of punctuation, with offsets into the raw text; data selection.
"""

from collections.abc import Sequence

from numpy import float64, int64
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
