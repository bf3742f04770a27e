"""Tokenisation: raw text to tokens and back, as Moses does it, with every token's place in the raw text.

The Moses conventions are what the field's models, tables and scores are made with, and sacremoses is their maintained
Python form (Koehn et al. 2007; Post's port of the Perl scripts). These classes give the same tokens and the same text,
character for character, natively and over threads, and keep for each token the half-open range of code points it came
from, through normalisation, splitting and escaping.

    >>> Tokenizer("en").tokenize(["Mr. Smith's dog doesn't bite."])
    [['Mr.', 'Smith', "'s", 'dog', 'doesn', "'t", 'bite', '.']]
    >>> Tokenizer("en").trace(["It's  here!"])[0].spans
    ((0, 2), (2, 4), (6, 10), (10, 11))
    >>> Detokenizer("en").detokenize([["Hello", ",", "world", "!"]])
    ['Hello, world!']

One thing differs on purpose. To Moses a combining mark, a joiner or the skin tone of an emoji is punctuation, and is
cut off unless it happens to count as a letter; here they stay with the character before them, as Unicode has it (annex
29), whether or not the two together have a code point of their own.

    >>> Tokenizer("yo").tokenize(["ọ̀rẹ́ 👍🏽!"])
    [['ọ̀rẹ́', '👍🏽', '!']]

Where sacremoses stops with an error of its own (a Czech word with apostrophe, dash and `li` or `mail`, which its
detokenizer cannot join), the rule of the Perl script is followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dragoman._native import text as native
from dragoman.errors import InputError, SettingError
from dragoman.text.composing import CharacterRange
from dragoman.text.moses import (
    Substitutions,
    marks,
    matching,
    pictographs,
    ranges_of,
    remembered,
    substitutions_of,
    unicode_sets,
)

__all__ = ["Detokenizer", "Normalizer", "Tokenized", "Tokenizer"]


@dataclass(frozen=True, slots=True)
class Tokenized:
    """The tokens of a line, and the half-open range of raw code points behind each.

    Ranges of neighbouring tokens may touch, overlap or (where normalisation swaps a quotation mark and a comma) change
    places; an escaped or normalised token points at the raw characters it stands for.
    """

    tokens: tuple[str, ...]
    spans: tuple[CharacterRange, ...]


class Normalizer:
    """Moses' punctuation normalisation: typographic quotes, dashes and spaces become plain ones.

    The options are those of sacremoses. `perl_parity` follows the Perl script where the two differ.
    """

    def __init__(
        self,
        language: str = "en",
        *,
        penn: bool = True,
        quote_commas: bool = True,
        numbers: bool = True,
        replace_unicode_punctuation: bool = False,
        remove_control_characters: bool = False,
        perl_parity: bool = False,
    ) -> None:
        def read() -> dict[str, Any]:
            from sacremoses import MosesPunctNormalizer

            theirs = MosesPunctNormalizer(
                lang=language,
                penn=penn,
                norm_quote_commas=quote_commas,
                norm_numbers=numbers,
                perl_parity=perl_parity,
            )
            substitutions: Substitutions = []
            if replace_unicode_punctuation:
                substitutions += substitutions_of(theirs.REPLACE_UNICODE_PUNCTUATION)
            substitutions += substitutions_of(theirs.substitutions)
            if remove_control_characters:
                substitutions.append((_control_characters(), ""))
            return {"rules": substitutions, **unicode_sets()._asdict()}

        options = (penn, quote_commas, numbers, replace_unicode_punctuation, remove_control_characters, perl_parity)
        self.language = language
        self.native = native.Normalizer(**remembered(f"normalizer {language} {options}", read))

    def normalize(self, lines: Iterable[str], *, threads: int = 0) -> list[str]:
        """Each line with plain punctuation."""
        return self.native.normalize(list(lines), threads=threads)

    def trace(self, line: str) -> tuple[str, list[CharacterRange]]:
        """A line normalised, and the range of raw code points behind each code point of the result."""
        return self.native.trace(line)


@cache
def _control_characters() -> str:
    import regex

    found = matching(regex.compile(r"\p{C}+"))
    return "[" + "".join(f"{_quoted(first)}-{_quoted(last)}" for first, last in found) + "]"


def _quoted(point: int) -> str:
    # An expression travels as UTF-8, which has no surrogates; nor has any text that it will meet.
    if 0xD800 <= point < 0xE000:
        point = 0xD7FF if point == 0xD800 else 0xE000
    return re.escape(chr(point)) if point >= 0x20 else f"\\{point:03o}"


class Tokenizer:
    """Moses' tokenizer for one language; a language that sacremoses does not know is treated like English by it.

    `escape` writes the characters that mean something in Moses files as entities (`&amp;`, `&#124;`, ...).
    `protected_patterns` are regular expressions, case-insensitive, whose matches stay whole.
    """

    def __init__(
        self,
        language: str = "en",
        *,
        aggressive_dash_splits: bool = False,
        escape: bool = False,
        protected_patterns: Sequence[str] = (),
    ) -> None:
        self.language = language
        self.aggressive_dash_splits, self.escape = aggressive_dash_splits, escape
        self.protected_patterns = tuple(protected_patterns)
        try:
            self._protected = [re.compile(pattern, re.IGNORECASE) for pattern in protected_patterns]
        except re.error as error:
            raise SettingError(f"the protected pattern {error.pattern!r} is no regular expression: {error}") from None
        self.native = _native_tokenizer(language, aggressive_dash_splits, escape)

    def tokenize(
        self, lines: Iterable[str], *, threads: int = 0, normalizer: Normalizer | None = None
    ) -> list[list[str]]:
        """The tokens of each line; the normalizer, if any, works first. Results do not depend on `threads`."""
        lines = list(lines)
        first = normalizer.native if normalizer else None
        kept = self._kept(lines, normalizer) if self._protected else []
        return self.native.tokenize(lines, normalizer=first, kept=kept, threads=threads)

    def trace(self, lines: Iterable[str], *, threads: int = 0, normalizer: Normalizer | None = None) -> list[Tokenized]:
        """The tokens of each line with their places in it."""
        lines = list(lines)
        first = normalizer.native if normalizer else None
        kept = self._kept(lines, normalizer) if self._protected else []
        traced = self.native.trace(lines, normalizer=first, kept=kept, threads=threads)
        return [Tokenized(tokens, spans) for tokens, spans in traced]

    def _kept(self, lines: list[str], normalizer: Normalizer | None) -> list[tuple[str, list[str]]]:
        """What the protected patterns match in each line, with a stand-in that does not occur in it."""
        from sacremoses import MosesTokenizer

        theirs = MosesTokenizer(self.language)
        kept = []
        for number, line in enumerate(normalizer.normalize(lines) if normalizer else lines, 1):
            for expression, replacement in (theirs.DEDUPLICATE_SPACE, theirs.ASCII_JUNK):
                line = expression.sub(replacement, line)
            found = [match.group() for pattern in self._protected for match in pattern.finditer(line)]
            if len(found) > theirs.MAX_PROTECTED_TOKENS:
                raise InputError(
                    f"the protected patterns match {len(found)} times, more than {theirs.MAX_PROTECTED_TOKENS}",
                    where=f"line {number}",
                    remedy="make the patterns narrower or split the line",
                )
            if "" in found:
                raise SettingError("a protected pattern matches nothing at all", remedy="use + instead of *")
            kept.append((theirs.unused_protect_marker(line), found))
        return kept


@cache
def _native_tokenizer(language: str, aggressive_dash_splits: bool, escape: bool) -> native.Tokenizer:
    def read() -> dict[str, Any]:
        from sacremoses import MosesTokenizer

        theirs = MosesTokenizer(language)
        if language == "en":
            apostrophes = theirs.ENGLISH_SPECIFIC_APOSTROPHE
        elif language in ("fr", "it"):
            apostrophes = theirs.FR_IT_SPECIFIC_APOSTROPHE
        else:
            apostrophes = [theirs.NON_SPECIFIC_APOSTROPHE]
        separate = [theirs.PAD_NOT_ISALNUM, *([theirs.AGGRESSIVE_HYPHEN_SPLIT] if aggressive_dash_splits else [])]
        commas = [theirs.COMMA_SEPARATE_1, theirs.COMMA_SEPARATE_2, theirs.COMMA_SEPARATE_3]
        return {
            "clean": substitutions_of([theirs.DEDUPLICATE_SPACE, theirs.ASCII_JUNK]),
            "separate": substitutions_of(separate),
            "punctuate": substitutions_of([*commas, *apostrophes]),
            "finish": substitutions_of([theirs.TRAILING_DOT_APOSTROPHE]),
            "escape": substitutions_of(theirs.MOSES_ESCAPE_XML_REGEXES if escape else []),
            "alpha": ranges_of(theirs.IsAlpha),
            "lower": ranges_of(theirs.IsLower),
            "marks": marks(),
            "pictographs": pictographs(),
            "prefixes": theirs.NONBREAKING_PREFIXES,
            "numeric_prefixes": theirs.NUMERIC_ONLY_PREFIXES,
            **unicode_sets()._asdict(),
        }

    return native.Tokenizer(**remembered(f"tokenizer {language} {aggressive_dash_splits} {escape}", read))


class Detokenizer:
    """Moses' detokenizer for one language; `unescape` also turns Moses' entities back into characters."""

    def __init__(self, language: str = "en", *, unescape: bool = True) -> None:
        def read() -> dict[str, Any]:
            from sacremoses import MosesDetokenizer
            from sacremoses.util import CJKChars

            theirs = MosesDetokenizer
            return {
                "join": substitutions_of([theirs.AGGRESSIVE_HYPHEN_SPLIT]),
                "unescape": substitutions_of(theirs.MOSES_UNESCAPE_XML_REGEXES if unescape else []),
                "currency": theirs.IS_CURRENCY_SYMBOL.pattern,
                "punctuation": theirs.IS_PUNCT.pattern,
                "open_quote": theirs.IS_OPEN_QUOTE.pattern,
                "apostrophe_first": theirs.IS_ENGLISH_CONTRACTION.pattern,
                "apostrophe_last": theirs.IS_FRENCH_CONRTACTION.pattern,
                "alpha_first": theirs.STARTS_WITH_ALPHA.pattern,
                "cjk": list(CJKChars.ranges),
                **unicode_sets()._asdict(),
            }

        self.language, self.unescape = language, unescape
        self.native = native.Detokenizer(language=language, **remembered(f"detokenizer {unescape}", read))

    def detokenize(self, lines: Iterable[Sequence[str]], *, threads: int = 0) -> list[str]:
        """The text of each line of tokens."""
        return self.native.detokenize([list(tokens) for tokens in lines], threads=threads)

    def trace(
        self, lines: Iterable[Sequence[str]], *, threads: int = 0
    ) -> list[tuple[str, tuple[CharacterRange, ...]]]:
        """The text of each line, with the place of each token in it."""
        return self.native.trace([list(tokens) for tokens in lines], threads=threads)
