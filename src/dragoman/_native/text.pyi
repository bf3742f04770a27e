"""
Tokenisation, detokenisation and normalisation of punctuation, with offsets into the raw text.
"""

from collections.abc import Sequence

from numpy import int32, int64
from numpy.typing import NDArray

class Normalizer:
    """An ordered list of substitutions."""

    def __init__(
        self, rules: Sequence[tuple[str, str]], *, digits: Sequence[tuple[int, int]], spaces: Sequence[tuple[int, int]]
    ) -> None: ...
    def normalize(self, lines: list[str], *, threads: int = 1) -> list[str]: ...
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
        threads: int = 1,
    ) -> list[list[str]]:
        """Tokens of each line."""

    def trace(
        self,
        lines: list[str],
        *,
        normalizer: Normalizer | None = None,
        kept: Sequence[tuple[str, Sequence[str]]] = (),
        threads: int = 1,
    ) -> tuple[list[list[str]], NDArray[int32], NDArray[int64]]:
        """
        Tokens of each line, the raw range of every token, and where each line ends in those.
        """

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
    def detokenize(self, lines: list[list[str]], *, threads: int = 1) -> list[str]: ...
    def trace(self, lines: list[list[str]], *, threads: int = 1) -> tuple[list[str], NDArray[int32], NDArray[int64]]:
        """
        The text of each line, where every token lies in it, and where each line ends in those ranges.
        """
