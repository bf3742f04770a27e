"""Blanks: text that is tokenised already, cut at white space and joined by single blanks.

Corpora are often shipped tokenised. Tokenising them again would change them, so a preprocessor can be told to leave
them alone (`Preprocessing(tokenize=False)`); these two then stand where the tokenizer and the detokenizer stand.
White space is what ends a token in the native readers: the ASCII kinds, and no others.

    >>> Blanks().trace(["it 's  fine"])[0].spans
    ((0, 2), (3, 5), (7, 11))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dragoman.text.composing import CharacterRange
from dragoman.text.tokenizer import Normalizer, Tokenized

__all__ = ["Blanks", "Joined"]

_TOKEN = re.compile(r"[^ \t\n\v\f\r]+")


class Blanks:
    """Tokens are what stands between white space."""

    def trace(self, lines: Iterable[str], *, threads: int = 0, normalizer: Normalizer | None = None) -> list[Tokenized]:
        """Tokens of each line with their ranges in it; nothing is normalised."""
        texts = []
        for line in lines:
            spans = tuple(match.span() for match in _TOKEN.finditer(line))
            texts.append(Tokenized(tuple(line[start:end] for start, end in spans), spans))
        return texts


class Joined:
    """Text is its tokens with a blank between them."""

    def trace(
        self, lines: Iterable[Sequence[str]], *, threads: int = 0
    ) -> list[tuple[str, tuple[CharacterRange, ...]]]:
        """Text of each line, and the range of each token in it."""
        texts = []
        for tokens in lines:
            spans, at = [], 0
            for token in tokens:
                spans.append((at, at + len(token)))
                at += len(token) + 1
            texts.append((" ".join(tokens), tuple(spans)))
        return texts
