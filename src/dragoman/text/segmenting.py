"""Words of languages that are written without blanks: found before translation, joined again after it.

Chinese, Japanese, Thai, Lao, Khmer and Burmese sentences are one long word to a tokenizer that looks for blanks. Their
words are found by the dictionaries of ICU (annex 29 of Unicode, tailored by language), or every character is a token.
What comes out is joined without blanks. A blank that stands between two words of such a script means something (it
ends a clause in Thai), so it is a token of its own; between such a word and a Latin one it is a habit of the text, and
training learns which.

ICU comes with an optional package: `pip install dragoman[segment]`.

    >>> WordBreaker("ja", "characters").pieces("本を読む")
    ['本', 'を', '読', 'む']
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

import regex

from dragoman.errors import MissingDependency
from dragoman.text.composing import CharacterRange
from dragoman.text.languages import primary
from dragoman.text.scripts import UNSPACED
from dragoman.text.tokenizer import Tokenized

__all__ = [
    "BLANK",
    "Segmentation",
    "WordBreaker",
    "habit_of_blanks",
    "joined_words",
    "segmentation_of",
    "unspaced_gaps",
]

Segmentation = Literal["auto", "none", "words", "characters"]

BLANK = "␣"
"""The token for a blank between two words that need none."""

_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\u3000-\u303f\u30fc\uff00-\uffef]"
)
_HABIT = regex.compile(
    r"(?:[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}](\s?)[A-Za-z0-9])"
    r"|(?:[A-Za-z0-9](\s?)[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}])"
)


def segmentation_of(language: str, wanted: Segmentation) -> Segmentation:
    """What `auto` means for a language: words for those without blanks, nothing for others."""
    if wanted != "auto":
        return wanted
    return "words" if primary(language) in UNSPACED else "none"


def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        raise MissingDependency(
            "words of text without blanks are found by the package icu4py",
            remedy="pip install 'dragoman[segment]', or take characters for words: segment=characters",
        ) from None
    return WordBreaker


class WordBreaker:
    """Cuts tokens of text without blanks into words or characters."""

    def __init__(self, language: str, kind: str) -> None:
        self.language, self.kind = language, kind
        cut = _characters if kind == "characters" else _words(_breaker(), primary(language))
        self.pieces: Callable[[str], Sequence[str]] = lru_cache(maxsize=1 << 16)(cut)

    def apply(self, line: str, tokenized: Tokenized) -> Tokenized:
        """The tokens of a line in pieces, with their places, and a token for each blank between two pieces."""
        tokens: list[str] = []
        spans: list[CharacterRange] = []
        for token, (start, end) in zip(tokenized.tokens, tokenized.spans, strict=True):
            if tokens and _joins(tokens[-1], token):
                before = spans[-1][1]
                if before < start and line[before:start].isspace():
                    tokens.append(BLANK)
                    spans.append((before, start))
            if token.isascii() or not _UNSPACED.search(token):
                tokens.append(token)
                spans.append((start, end))
                continue
            at = start
            for piece in self.pieces(token):
                tokens.append(piece)
                spans.append((at, at + len(piece)) if end - start == len(token) else (start, end))
                at += len(piece)
        return Tokenized(tuple(tokens), tuple(spans))


def _characters(token: str) -> list[str]:
    """Characters with their marks; what is written with blanks elsewhere stays whole."""
    found: list[str] = []
    for cluster in regex.findall(r"\X", token):
        if found and not _UNSPACED.match(cluster) and not _UNSPACED.search(found[-1]):
            found[-1] += cluster
        else:
            found.append(cluster)
    return found


def _words(breaker: Any, language: str) -> Callable[[str], list[str]]:
    def cut(token: str) -> list[str]:
        ranges = breaker(token, language).segments()
        if max(token) <= "\uffff":
            return [token[start:end] for start, end in ranges]
        wide = token.encode("utf-16-le")  # ICU counts in these units
        return [wide[2 * start : 2 * end].decode("utf-16-le") for start, end in ranges]

    return cut


def _joins(left: str, right: str) -> bool:
    """Whether two words are of scripts that put no blank between them."""
    return bool(_UNSPACED.match(left[-1:]) and _UNSPACED.match(right[:1]))


def unspaced_gaps(
    words: Sequence[str], surfaces: Sequence[str], guessed: Sequence[str], tags: Container[str], *, mixed: bool
) -> list[str]:
    """The blank before each target word; `tags` are words that stand between others as if they were not there."""
    result = list(guessed)
    left = [""] * len(words)  # the last word before each place that is no tag
    right = [""] * len(words)
    for places, found, step in ((range(1, len(words)), left, -1), (range(len(words) - 1, -1, -1), right, 0)):
        for place in places:
            at = place + step
            beyond = found[place - 1] if step else found[place + 1] if place + 1 < len(words) else ""
            found[place] = beyond if words[at] in tags else surfaces[at]
    for place in range(1, len(words)):
        if BLANK in (words[place - 1], words[place]):
            result[place] = ""
        elif words[place - 1] in tags or words[place] in tags:
            result[place] = "" if _joins(left[place], right[place]) else guessed[place]
        else:
            result[place] = _gap(left[place], right[place], guessed[place], mixed=mixed)
    return result


def joined_words(words: Sequence[str], text: str, places: Sequence[CharacterRange], *, mixed: bool = True) -> str:
    """Words as text, from what a detokenizer that knows nothing of such languages made of them, and their places there.

    >>> joined_words(["本", "を", "読む", "。"], "本 を 読む 。", [(0, 1), (2, 3), (4, 6), (7, 8)])
    '本を読む。'
    """
    guessed = [text[before[1] : here[0]] for before, here in zip(((0, 0), *places), places, strict=False)]
    surfaces = [text[start:end] for start, end in places]
    blanks = unspaced_gaps(words, surfaces, guessed, (), mixed=mixed)
    shown = (" " if word == BLANK else surface for word, surface in zip(words, surfaces, strict=True))
    return "".join(blank + surface for blank, surface in zip(blanks, shown, strict=True)).strip()


def _gap(left: str, right: str, guessed: str, *, mixed: bool) -> str:
    """The blank between two target words of such a language; `mixed` if the text has one beside Latin words."""
    ours = bool(_UNSPACED.match(left[-1:])), bool(_UNSPACED.match(right[:1]))
    if all(ours):
        return ""
    if any(ours):
        other = right[:1] if ours[0] else left[-1:]
        return (" " if mixed else "") if other.isalnum() else guessed if guessed == "" or not ours[1] else ""
    return guessed


def habit_of_blanks(texts: Iterable[str]) -> bool:
    """Whether most places where words of such a script meet Latin letters or digits have a blank."""
    blanks = total = 0
    for text in texts:
        for match in _HABIT.finditer(text, overlapped=True):
            total += 1
            blanks += bool(match[1] or match[2])
    return 2 * blanks > total
