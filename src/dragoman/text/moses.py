"""What sacremoses knows, in the form that the native passes take.

Character classes, abbreviations and regular expressions are maintained in the sacremoses package; they are read from
it when a tokenizer is made, so that the native code follows the installed version. Only the order of the steps and the
few that are no substitutions are our own (`native/text`). What was read is remembered between runs, because to import
the package, whose classes compile expressions over all of Unicode, takes longer than to translate a sentence.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.errors import FileError, FormatError
from dragoman.files import user_cache, write_bytes
from dragoman.plain_data import parse_json

__all__ = [
    "Ranges",
    "Substitutions",
    "UnicodeSets",
    "languages",
    "marks",
    "matching",
    "pictographs",
    "ranges_of",
    "remembered",
    "substitutions_of",
    "unicode_sets",
]

Ranges = list[tuple[int, int]]
"""Code points as inclusive ranges."""
Substitutions = list[tuple[str, str]]
"""Regular expressions with their replacements, in order."""


class UnicodeSets(NamedTuple):
    """What `\\d` and `\\s` mean to Python's regular expressions."""

    digits: Ranges
    spaces: Ranges


def remembered(name: str, read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `read` returns, or what it returned in another run with the same package, the same code and the same Python.

    What cannot be kept is read again the next time; that is slower and nothing else.
    """
    try:
        digest = hashlib.sha256(f"{name} {_installed()} {sys.version}".encode()).hexdigest()
        place = user_cache("moses") / f"{digest[:32]}.json"
        kept: dict[str, Any] = parse_json(place.read_bytes(), where=str(place))
        return kept
    except RuntimeError:  # a user without a home
        return read()
    except (OSError, FormatError):
        found = read()
        with contextlib.suppress(FileError, OSError):
            write_bytes(place, json.dumps(found).encode())
        return found


@cache
def _installed() -> str:
    """Which package is installed, and which code reads it, by their files, without importing anything."""
    spec = find_spec("sacremoses")
    theirs = sorted(Path(spec.origin).parent.glob("*.py")) if spec and spec.origin else []
    ours = [Path(__file__), Path(__file__).with_name("tokenizer.py")]
    return repr([(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in (*theirs, *ours)])


def ranges_of(characters: Iterable[str]) -> Ranges:
    """A set of characters as inclusive ranges of code points."""
    ranges: Ranges = []
    for point in sorted({ord(character) for character in characters}):
        if ranges and ranges[-1][1] + 1 == point:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return ranges


def matching(pattern: re.Pattern[str] | Any) -> Ranges:
    """All characters that an expression (one that matches runs of them) matches."""
    # In a text of all code points in order, the position of a match is the character itself.
    return [(match.start(), match.end() - 1) for match in pattern.finditer(_everything())]


@cache
def _everything() -> str:
    import numpy as np

    return np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def unicode_sets() -> UnicodeSets:
    """The named classes, asked of Python itself."""
    return UnicodeSets(matching(re.compile(r"\d+")), matching(re.compile(r"\s+")))


@cache
def marks() -> Ranges:
    """What belongs to the character before it: combining marks, zero-width joiners, skin tones, tags of flags."""
    import regex

    return matching(regex.compile(r"[\p{M}\p{Grapheme_Extend}\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]+"))


@cache
def pictographs() -> Ranges:
    """Emoji that a zero-width joiner may join, and the letters that flags are made of."""
    import regex

    return matching(regex.compile(r"[\p{Extended_Pictographic}\U0001f1e6-\U0001f1ff]+"))


def substitutions_of(substitutions: Iterable[tuple[Any, str]]) -> Substitutions:
    """Substitutions as text, whether their expressions are compiled or not."""
    return [(getattr(expression, "pattern", expression), replacement) for expression, replacement in substitutions]


@cache
def languages() -> tuple[str, ...]:
    """Codes of the languages whose abbreviations sacremoses knows; any other is treated with the English ones."""
    from sacremoses.corpus import NonbreakingPrefixes

    return tuple(sorted(set(NonbreakingPrefixes().available_langs.values())))
