"""Rules for numbers and names that no table need have: made for each sentence, each kind with a feature of its own.

Text never shows all numbers and names, but how they are translated is known: a number is written as the target
language writes numbers (`1.234,5` becomes `1,234.5`), a name stays as it is, and so may any word. Such rules stand
beside those of the table, and tuning finds out how far each kind is to be trusted: number rules, name rules and
identity rules are counted apart, as in the hierarchical systems of Chiang, Marton and Resnik (2008).

    >>> translated_number("1.234,5", "de", "en"), translated_number("3,5", "en", "de")
    ('1,234.5', None)
    >>> made = ExtraRules(languages=("de", "en"), kinds=("numbers", "names"))
    >>> made.options(["Heinz", "hat", "3,5", "Liter"], ["PROPN", "VERB", "NUM", "NOUN"])
    [(2, 3, '3.5', 'extra:number'), (0, 1, 'Heinz', 'extra:name')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dragoman.features.template import Template, TemplateBuilder
from dragoman.settings import setting

__all__ = ["KINDS", "ExtraRule", "ExtraRules", "translated_number"]

KINDS = ("numbers", "names", "identity")
"""Kinds of rules: a feature `extra:number`, `extra:name` or `extra:identity` counts each."""

ExtraRule = tuple[int, int, str, str]
"""Where it begins and ends, what it becomes, and the feature that counts it."""

_POINT = frozenset({"en", "ja", "zh", "ko", "he", "th", "hi", "sw", "mt", "ga"})
"""Languages with a point before the decimals and commas between thousands."""
_COMMA = frozenset(
    {"de", "es", "it", "nl", "pt", "da", "tr", "el", "id", "ro", "hr", "sl", "sr", "is", "eu", "ca", "gl"}
)
"""Languages with a comma before the decimals and points between thousands."""
_SPACE = frozenset({"fr", "cs", "sk", "pl", "ru", "uk", "bg", "sv", "fi", "no", "nb", "nn", "hu", "lt", "lv", "et"})
"""Languages with a comma before the decimals, and between thousands spaces, which end a token, or nothing."""
_SIGN = r"(?P<sign>[+\-−]?)"
_NAMES = frozenset({"PROPN", "NNP", "NNPS", "NE"})
_CAPITAL_NOUNS = frozenset({"de", "lb"})
_LONGEST_NAME = 4


def _separators(language: str) -> tuple[str, str] | None:
    """What stands between thousands, and before decimals; None for a language that is not listed."""
    code = language.partition("-")[0]
    if code in _POINT:
        return ",", "."
    if code in _COMMA:
        return ".", ","
    return ("", ",") if code in _SPACE else None


def translated_number(word: str, source: str, target: str) -> str | None:
    """A number as the target language writes it; None if the word is none in the source language."""
    ours, theirs = _separators(source), _separators(target)
    if not any(letter.isdigit() for letter in word):
        return None
    if re.fullmatch(rf"{_SIGN}\d+(?P<unit>%?)", word):
        return word  # no separators: the same everywhere
    if ours is None or theirs is None:
        return None
    between, before = map(re.escape, ours)
    whole = rf"\d{{1,3}}(?:{between}\d{{3}})+|\d+" if between else r"\d+"
    found = re.fullmatch(rf"{_SIGN}(?P<whole>{whole})(?:{before}(?P<part>\d+))?(?P<unit>%?)", word)
    if found is None:
        return None
    grouped = theirs[0].join(found["whole"].split(ours[0])) if between else found["whole"]
    part = f"{theirs[1]}{found['part']}" if found["part"] is not None else ""
    return f"{found['sign']}{grouped}{part}{found['unit']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraRules(Template):
    """Rules for numbers, names and words that stay as they are, made for each sentence."""

    languages: tuple[str, ...] = setting(
        help="Source and target language.", valid=lambda given: len(given) == 2, wanted="two languages, such as de+en"
    )
    kinds: tuple[str, ...] = setting(KINDS, "Which kinds of rules.", choices=KINDS)
    name: ClassVar[str] = "extra"
    fires: ClassVar[str] = "`extra:number`, `extra:name`, `extra:identity` for rules that were made for the sentence"
    needs_sentence: ClassVar[bool] = True
    adds_options: ClassVar[bool] = True
    single: ClassVar[bool] = True

    def add_to(self, builder: TemplateBuilder) -> None:
        """Nothing fires but with the rules, which come with their features."""

    def options(self, words: Sequence[str], tags: Sequence[str]) -> list[ExtraRule]:
        """The rules of a sentence: numbers, then names, then words as they are."""
        found: list[ExtraRule] = []
        if "numbers" in self.kinds:
            for at, word in enumerate(words):
                if (number := translated_number(word, *self.languages)) is not None:
                    found.append((at, at + 1, number, f"{self.prefix}:number"))
        if "names" in self.kinds:
            for start, end in self._names(words, tags):
                found.append((start, end, " ".join(words[start:end]), f"{self.prefix}:name"))
        if "identity" in self.kinds:
            found += [(at, at + 1, word, f"{self.prefix}:identity") for at, word in enumerate(words)]
        return found

    def _names(self, words: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Each run of names, and each name of it by itself; without tags what begins with a capital, if that tells."""
        if len(tags) == len(words):
            named = [tag in _NAMES for tag in tags]
        elif self.languages[0] in _CAPITAL_NOUNS:
            return
        else:
            named = [at > 0 and word[:1].isupper() for at, word in enumerate(words)]
        start = 0
        while start < len(words):
            end = start
            while end < len(words) and named[end] and end - start < _LONGEST_NAME:
                end += 1
            if end - start > 1:
                yield start, end
            yield from ((at, at + 1) for at in range(start, end))
            start = max(end, start + 1)
