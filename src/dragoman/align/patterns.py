"""Patterns over part-of-speech tags: which word sequences may be an expression.

Terms are mostly noun phrases, and what a noun phrase looks like is a matter of the language: French has a noun, a
preposition and a noun where English has two nouns. A pattern is a sequence of tags, `NOUN ADP NOUN`; a tag may have
alternatives (`NOUN|PROPN`), be left out (`DET?`) or be repeated (`ADJ*`, `NOUN+`). A file of patterns has one a line,
and comments after `#`. (Justeson and Katz 1995 for the idea; Okita et al. 2010 for its use here.)

    >>> patterns = TagPatterns.parse(["NOUN ADP NOUN", "ADJ* NOUN  # with or without adjectives"])
    >>> patterns.spans(["DET", "ADJ", "NOUN", "ADP", "NOUN"], max_words=5)
    [(1, 3), (2, 3), (2, 5), (4, 5)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.annotations import Sentence
from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.files import read_lines

__all__ = ["NOUN_PHRASES", "TagPatterns", "tags_of"]

_ELEMENT = re.compile(r"([^\s?*+]+)([?*+]?)")


@dataclass(frozen=True, slots=True)
class TagPatterns:
    """Patterns, any of which an expression may follow."""

    patterns: tuple[str, ...]
    _expression: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _known: dict[tuple[str, ...], bool] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        forms = []
        for pattern in self.patterns:
            parts = []
            for element in pattern.split():
                match = _ELEMENT.fullmatch(element)
                if match is None or not all(match[1].split("|")):
                    raise FormatError(f"{element!r} is no tag", remedy="write tags as NOUN, NOUN|PROPN, ADJ? or ADJ*")
                parts.append(f"(?:(?:{'|'.join(map(re.escape, match[1].split('|')))}) ){match[2]}")
            forms.append("".join(parts))
        if not any(forms):
            raise FormatError("no patterns", remedy="write one pattern a line, such as NOUN ADP NOUN")
        object.__setattr__(self, "_expression", re.compile("|".join(forms)))

    @classmethod
    def parse(cls, lines: Iterable[str], *, name: str = "patterns") -> TagPatterns:
        """Patterns from lines, with comments and empty ones."""
        kept = [text for line in lines if (text := line.partition("#")[0].strip())]
        try:
            return cls(tuple(kept))
        except FormatError as error:
            raise FormatError(error.what, where=name, remedy=error.remedy) from None

    @classmethod
    def read(cls, path: Path | str) -> TagPatterns:
        """Patterns from a file."""
        return cls.parse(read_lines(path), name=str(path))

    def matches(self, tags: Sequence[str]) -> bool:
        """Whether a sequence of tags follows a pattern."""
        key = tuple(tags)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = bool(key) and self._expression.fullmatch(" ".join(key) + " ") is not None
        return found

    def spans(self, tags: Sequence[str], *, max_words: int) -> list[tuple[int, int]]:
        """All spans of at most so many words whose tags follow a pattern."""
        return [
            (start, end)
            for start in range(len(tags))
            for end in range(start + 1, min(len(tags), start + max_words) + 1)
            if self.matches(tags[start:end])
        ]


NOUN_PHRASES = {
    "en": TagPatterns.parse(["ADJ* NOUN|PROPN+", "NOUN|PROPN ADP NOUN|PROPN", "NOUN ADP ADJ NOUN"]),
    "fr": TagPatterns.parse(["NOUN|PROPN+ ADJ*", "NOUN ADP NOUN|PROPN ADJ?", "ADJ NOUN"]),
    "de": TagPatterns.parse(["ADJ* NOUN|PROPN+", "NOUN DET NOUN", "NOUN ADP NOUN"]),
    "any": TagPatterns.parse(["ADJ* NOUN|PROPN+ ADJ*", "NOUN|PROPN ADP DET? ADJ? NOUN|PROPN ADJ?"]),
}
"""Noun phrases in the tags of Universal Dependencies; `any` for languages without patterns of their own."""


def tags_of(sentences: Iterable[Sentence], lines: Sequence[str], *, name: str = "annotations") -> list[tuple[str, ...]]:
    """The part-of-speech tags of annotated sentences, which must have the tokens of these lines."""
    found: list[tuple[str, ...]] = []
    for sentence in sentences:
        if len(found) == len(lines):
            raise LengthMismatch(f"more annotated sentences than the {len(lines)} of the text", where=name)
        if list(sentence.words) != lines[len(found)].split():
            raise InputError(
                "the annotated tokens are not those of the text",
                where=f"{name}, sentence {len(found) + 1}",
                remedy="annotate the tokenised text as it is, without splitting it again",
            )
        found.append(sentence.pos)
    if len(found) != len(lines):
        raise LengthMismatch(f"{len(found)} annotated sentences for {len(lines)} lines", where=name)
    return found
