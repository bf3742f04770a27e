"""Checks: what is wrong with a segment pair, each kind of fault under a name.

Corpora from the wild hold pairs that are no translations: empty, copied, shifted, in another script. A check is made
from the limits that the user sets, and is a function of the two sides, true when the pair is to be removed; users see
checks by name, choose among them and learn how many pairs each removed, with examples. Fixes come first: they change
white space and Unicode form and remove nothing. (The kinds of noise, and what each does to a model: Khayrallah and
Koehn 2018.)

    >>> too_long = length(CleaningLimits(max_words=3))
    >>> too_long("ein Haus", "a house"), too_long("ein Haus", "a house with a garden")
    (False, True)
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any

import regex

from dragoman.errors import SettingError
from dragoman.registry import Registry
from dragoman.settings import Settings, check_argument, setting
from dragoman.text.formats import language_pair

__all__ = ["CHECKS", "FIXES", "REMEMBERING", "Check", "CleaningLimits", "Fix", "word_count"]

Check = Callable[[str, str], bool]
"""True when the pair is to be removed."""

Fix = Callable[[str], str]
"""The text, mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningLimits(Settings):
    """The numbers behind the checks."""

    languages: tuple[str, str] | None = setting(
        None, "Of the two sides.", parse=language_pair, wanted="a pair of languages, as in de-en"
    )
    min_words: int = setting(1, "Words of the shortest sides.", least=0)
    max_words: int = setting(150, "Words of the longest sides.", least=1)
    max_ratio: float = setting(3.0, "How many times as long one side may be as the other.", least=1)
    ratio_slack: int = setting(8, "Words that one side may always have more than the other.", least=0)
    max_shared: float = setting(
        0.8, "Share of the shorter side's words that may also be on the other side.", least=0, most=1
    )
    min_script: float = setting(0.5, "Share of letters that are in the script of the language.", least=0, most=1)
    min_letters: float = setting(0.4, "Share of characters that are letters.", least=0, most=1)
    min_other: float = setting(0.95, "Probability of another language from which on it is believed.", least=0, most=1)

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        check_argument("max_words", self.max_words, int, label="limits", least=self.min_words)


_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)


@lru_cache(maxsize=8)  # several checks ask for the same two sides, one after the other
def word_count(text: str) -> int:
    """Words between white space; in scripts written without it (Chinese, Thai, ...) two characters count as a word."""
    if text.isascii() or not _UNSPACED.search(text):
        return len(text.split())
    spaced, unspaced = _UNSPACED.subn(" ", text)
    return len(spaced.split()) + ceil(unspaced / 2)


# Checks, cheapest first. A pair is counted under the first check that removes it.


def empty(limits: CleaningLimits) -> Check:
    """A side has nothing in it."""
    return lambda source, target: not source.strip() or not target.strip()


def control(limits: CleaningLimits) -> Check:
    """A side has a control character or U+FFFD, the trace of a failed conversion."""
    found = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff]").search
    return lambda source, target: bool(found(source) or found(target))


def identical(limits: CleaningLimits) -> Check:
    """Both sides are the same, but for case and white space."""
    return lambda source, target: source == target or source.casefold().split() == target.casefold().split()


def length(limits: CleaningLimits) -> Check:
    """A side has fewer than `min_words` or more than `max_words` words."""
    low, high = limits.min_words, limits.max_words
    return lambda source, target: not (low <= word_count(source) <= high and low <= word_count(target) <= high)


def ratio(limits: CleaningLimits) -> Check:
    """One side has `max_ratio` times the words of the other, and over `ratio_slack` words more."""
    most, slack = limits.max_ratio, limits.ratio_slack

    def removes(source: str, target: str) -> bool:
        short, long = sorted((word_count(source), word_count(target)))
        return long - short > slack and long > most * short

    return removes


def symbols(limits: CleaningLimits) -> Check:
    """Less than `min_letters` of a side is letters: numbers, punctuation, code."""
    least = limits.min_letters
    letters_and_marks = regex.compile(r"[\p{L}\p{M}]").findall

    def bare(text: str) -> bool:
        needed = least * (len(text) - text.count(" "))
        if sum(map(str.isalpha, text)) >= needed:
            return False
        return len(letters_and_marks(text)) < needed  # vowel signs of Indic scripts are marks, not letters

    return lambda source, target: bare(source) or bare(target)


def script(limits: CleaningLimits) -> Check:
    """Less than `min_script` of a side's letters are in the script of its language; needs `languages`."""
    from dragoman.text.scripts import script_share

    if limits.languages is None:
        raise SettingError("the check 'script' needs to know the languages", remedy="name them, as in `de-en`")
    source_share, target_share = map(script_share, limits.languages)
    least = limits.min_script
    return lambda source, target: source_share(source) < least or target_share(target) < least


def language(limits: CleaningLimits) -> Check:
    """A side is more likely in another language than its own, with a probability of at least `min_other`."""
    from dragoman.text.languages import Identifier, known_languages

    if limits.languages is None:
        raise SettingError("the check 'language' needs to know the languages", remedy="name them, as in `de-en`")
    source_code, target_code = (re.split("[-_@]", code)[0].lower() for code in limits.languages)
    Identifier([source_code, target_code])  # refuses what the identifier does not know
    identifier, least = Identifier(known_languages()), limits.min_other

    def removes(source: str, target: str) -> bool:
        found = identifier.identify([source, target])
        return any(
            side.language != code and side.confidence >= least
            for side, code in zip(found, (source_code, target_code), strict=True)
        )

    return removes


_WORD = re.compile(r"\w+")


def untranslated(limits: CleaningLimits) -> Check:
    """More than `max_shared` of the words of the shorter side are also on the other side."""
    most = limits.max_shared

    def removes(source: str, target: str) -> bool:
        words, others = set(_WORD.findall(source.lower())), set(_WORD.findall(target.lower()))
        fewer = min(len(words), len(others))
        return fewer > 0 and len(words & others) > most * fewer

    return removes


_MARKER = re.compile(r"(?:[-*+•·–—−o]|\(?\d{1,2}[.)])\s")


def marker(limits: CleaningLimits) -> Check:
    """One side begins with a list marker and the other does not."""
    marked = _MARKER.match
    return lambda source, target: (marked(source) is None) != (marked(target) is None)


def _seen(key: Callable[[str, str], str]) -> Check:
    """True from the second time on. Keeps 64 bits of each key, whatever its length."""
    seen: set[int] = set()

    def removes(source: str, target: str) -> bool:
        digest = hashlib.blake2b(key(source, target).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        if number in seen:
            return True
        seen.add(number)
        return False

    return removes


def duplicate(limits: CleaningLimits) -> Check:
    """The same pair was there before."""
    return _seen(lambda source, target: f"{source}\n{target}")


def duplicate_source(limits: CleaningLimits) -> Check:
    """The same source was there before, with whatever target."""
    return _seen(lambda source, target: source)


def duplicate_target(limits: CleaningLimits) -> Check:
    """The same target was there before, with whatever source."""
    return _seen(lambda source, target: target)


# Fixes.


def whitespace(text: str) -> str:
    """Runs of white space become one blank; none at the ends."""
    return " ".join(text.split())


def printable(text: str) -> str:
    """Control characters, byte-order marks and soft hyphens are taken out."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)


_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\ufeff]")

_HERE = "dragoman.text.checks:"
CHECKS = Registry[Any](
    "check",
    {
        "empty": f"{_HERE}empty",
        "control": f"{_HERE}control",
        "identical": f"{_HERE}identical",
        "length": f"{_HERE}length",
        "ratio": f"{_HERE}ratio",
        "symbols": f"{_HERE}symbols",
        "script": f"{_HERE}script",
        "untranslated": f"{_HERE}untranslated",
        "marker": f"{_HERE}marker",
        "language": f"{_HERE}language",
        "duplicate": f"{_HERE}duplicate",
        "duplicate-source": f"{_HERE}duplicate_source",
        "duplicate-target": f"{_HERE}duplicate_target",
    },
)
"""All checks, in the order in which they are tried."""
REMEMBERING = ("duplicate", "duplicate-source", "duplicate-target")
"""Checks whose answer depends on the pairs before; they are tried last."""

FIXES = Registry[Any](
    "fix", {"printable": f"{_HERE}printable", "nfc": "dragoman.text.composing:nfc", "whitespace": f"{_HERE}whitespace"}
)
"""All fixes, in the order in which they are done."""
