"""Language identification: which of a few languages a text is in, how sure, and whether its letters fit.

Corpora from the web contain lines in other languages; what matters there is the choice among the few that can occur,
so the identifier (py3langid: naive Bayes over byte n-grams, Lui and Baldwin 2012) is restricted to a set. Its
confidence is a probability within that set. The script check needs no model and catches most of what goes wrong.

    >>> Identifier(["de", "en", "fr"]).identify(["Das ist ein Haus."])[0].language
    'de'
    >>> round(script_share("Привет, world", "ru"), 2)
    0.55
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

from dragoman.errors import UnknownName

__all__ = ["Identified", "Identifier", "known_languages", "script_share", "scripts", "scripts_of"]

_SCRIPTS: dict[str, tuple[str, ...]] = {
    "Arabic": ("ar", "ary", "arz", "fa", "ps", "sd", "sdh", "ug", "ur", "uzs"),
    "Armenian": ("hy",),
    "Bengali": ("as", "bn"),
    "Cyrillic": ("ba", "be", "bg", "kk", "ky", "mk", "mn", "ru", "tg", "tt", "uk", "sr", "bs"),
    "Devanagari": ("gom", "hi", "mr", "ne", "sa"),
    "Ethiopic": ("am", "ti"),
    "Georgian": ("ka",),
    "Greek": ("el", "grc"),
    "Gujarati": ("gu",),
    "Gurmukhi": ("pa",),
    "Han": ("ja", "wuu", "yue", "zh"),
    "Hangul": ("ko",),
    "Hebrew": ("hbo", "he", "yi"),
    "Hiragana": ("ja",),
    "Kannada": ("kn",),
    "Katakana": ("ja",),
    "Khmer": ("km",),
    "Lao": ("lo",),
    "Latin": ("bs", "ku", "sr", "uz"),  # and every language that is named nowhere else
    "Malayalam": ("ml",),
    "Meetei_Mayek": ("mni",),
    "Myanmar": ("my",),
    "Oriya": ("or",),
    "Sinhala": ("si",),
    "Tamil": ("ta",),
    "Telugu": ("te",),
    "Thai": ("th",),
    "Tibetan": ("bo", "dz"),
}


@dataclass(frozen=True, slots=True)
class Identified:
    """The likeliest language of a text and its probability; a text without letters gets `confidence` 0."""

    language: str
    confidence: float


class Identifier:
    """Identifies the language of lines among `languages` (all that the model knows when it is None)."""

    def __init__(self, languages: Sequence[str] | None = None) -> None:
        known = known_languages()
        for language in languages or ():
            if language not in known:
                raise UnknownName(
                    f"no language is called {language!r} by the identifier", remedy=f"it knows {', '.join(known)}"
                )
        self.languages = tuple(languages) if languages else known
        self._model = copy(_model())
        self._model.set_languages(list(languages) if languages else None)

    def identify(self, lines: Iterable[str]) -> list[Identified]:
        """The likeliest language of each line."""
        found = []
        for line in lines:
            language, confidence = self._model.classify(line)
            letters = any(character.isalpha() for character in line)
            found.append(Identified(language, round(confidence, 6) if letters else 0.0))
        return found


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def known_languages() -> tuple[str, ...]:
    """All languages that the identifier knows."""
    return tuple(sorted(_model().labels))


@cache
def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts a language is written in."""
    return tuple(script for script, languages in _SCRIPTS.items() if language in languages) or ("Latin",)


@cache
def _letters() -> Any:
    import regex

    named = "|".join(f"(?P<{script}>(?:(?=\\p{{L}})\\p{{Script={script}}})+)" for script in _SCRIPTS)
    return regex.compile(rf"{named}|(?P<other>\p{{L}})")


def scripts(text: str) -> dict[str, int]:
    """How many letters of each script a text has; letters of rare scripts count as `other`."""
    counts: dict[str, int] = {}
    for match in _letters().finditer(text):
        counts[match.lastgroup] = counts.get(match.lastgroup, 0) + match.end() - match.start()
    return counts


def script_share(text: str, language: str) -> float:
    """The share of a text's letters that belong to the language's scripts; 1 when it has no letters."""
    counts = scripts(text)
    total = sum(counts.values())
    return sum(counts.get(script, 0) for script in scripts_of(language)) / total if total else 1.0
