"""Language identification: which of a few languages a text is in, and how sure.

Corpora from the web contain lines in other languages; what matters there is the choice among the few that can occur,
so the identifier (py3langid: naive Bayes over byte n-grams, Lui and Baldwin 2012) is restricted to a set. Its
confidence is a probability within that set. The script check (`dragoman.text.scripts`) needs no model and catches
most of what goes wrong.

    >>> Identifier(["de", "en", "fr"]).identify(["Das ist ein Haus."])[0].language
    'de'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dragoman.errors import UnknownName

__all__ = ["Identified", "Identifier", "known_languages", "language_in_name", "primary"]

_ENDINGS = frozenset(["txt", "tok", "src", "tgt", "trg", "ref", "in", "out", "raw", "tsv", "csv", "tmx", "xml", "one"])
"""Endings of file names that are no languages."""
_PACKED = frozenset([".gz", ".xz", ".bz2", ".zst"])


def primary(language: str) -> str:
    """The language itself of a code with a region or a script: `pt` of `pt_BR`, `zh` of `zh-Hant`."""
    return re.split("[-_@]", language.lower())[0]


def language_in_name(name: Path | str) -> str:
    """The code that a file name ends with, if it is one: `de` of `train.de.gz`.

    >>> language_in_name("news/dev.pt_BR"), language_in_name("out.txt")
    ('pt_BR', '')
    """
    path = Path(name)
    if path.suffix in _PACKED:
        path = path.with_suffix("")
    code = path.suffix.removeprefix(".")
    return code if re.fullmatch(r"[a-z]{2,3}([_-][A-Za-z]{2,4})?", code) and code not in _ENDINGS else ""


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

    def ranked(self, text: str) -> list[Identified]:
        """All languages that a text may be in, the likeliest first; none for a text without letters."""
        if not any(character.isalpha() for character in text):
            return []
        return [Identified(language, round(float(chance), 6)) for language, chance in self._model.rank(text)]


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def known_languages() -> tuple[str, ...]:
    """All languages that the identifier knows."""
    return tuple(sorted(_model().labels))
