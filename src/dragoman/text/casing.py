"""Capital letters: what truecasing leaves alone, and which words of a translation get one.

Case means something in options, paths, names in programs and acronyms: `-v` is not `-V`. Whoever meets them leaves them
as they are. A word of a translation that was copied is written as in the source; a capital that only marks the
beginning of a sentence goes to the beginning of a sentence, and nowhere else.

    >>> [is_code(chunk) for chunk in ("-v", "/etc/fstab", "x86_64", "fooBar", "house", "well-known", "(ls)")]
    [True, True, True, True, False, False, False]
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from dragoman.text.composing import CharacterRange
from dragoman.text.prepared import PreparedSentence, is_mask
from dragoman.text.splitting import Masked
from dragoman.text.tags import Link, is_tag

__all__ = ["is_code", "recased", "untouchable"]

_CHUNK = re.compile(rf"[^\s{Masked.STAND_IN}]+")
_CODE = re.compile(
    r"-{1,2}[^\W\d_]"  # -v, --verbose
    r"|.*[/\\_=~@#$|^*+<>{}\d]"
    r"|.*\w[.:]\w"
    r"|.*[a-z][A-Z]"
)
_EDGES = ".,;:!?()[]\"'“”„‘’«»…`"
_MARKS = frozenset(".:?!")
_NOUNS = frozenset(["de", "lb"])
"""Languages that write nouns with a capital, which says nothing about another language."""


@lru_cache(maxsize=1 << 16)
def is_code(chunk: str) -> bool:
    """Whether what stands between blanks looks like something of a program: an option, a path, a name with digits."""
    return "()" in chunk or _CODE.match(chunk.strip(_EDGES)) is not None


def untouchable(text: str, spans: Sequence[CharacterRange]) -> list[bool]:
    """Which words of a sentence keep their case: those in code, and acronyms, unless all of the sentence is shouted."""
    if not spans:
        return []
    start, end = spans[0][0], max(last for _, last in spans)
    surfaces = [text[first:last] for first, last in spans]
    if text.isascii() and text[start:end].islower() and text[start:end].replace(" ", "").isalpha():
        return [False] * len(spans)
    capitals = [len(surface) > 1 and surface.isupper() for surface in surfaces]
    if any(capitals) and _shouted([surface for surface in surfaces if surface.lower() != surface.upper()]):
        capitals = [False] * len(capitals)
    code = [False] * (end - start + 1)
    for chunk in _CHUNK.finditer(text, start, end):
        if is_code(chunk.group()):
            code[chunk.start() - start : chunk.end() - start] = [True] * len(chunk.group())
    return [code[first - start] or capital for (first, _), capital in zip(spans, capitals, strict=True)]


def _shouted(cased: Sequence[str]) -> bool:
    """Whether a text, by its words that have a case, is written in capitals throughout."""
    return len(cased) > 1 and all(surface.isupper() for surface in cased) and sum(map(len, cased)) > 3


def recased(
    words: Sequence[str],
    sentence: PreparedSentence,
    raw: str,
    links: Sequence[Link],
    *,
    language: str,
    is_known: Callable[[str], bool],
) -> list[str]:
    """Target words with the capitals that the source asks for; `language` is the source's.

    `is_known` says of a word whether the target language has it: an unknown one that was copied is left alone even at
    the beginning.
    """
    plain = [index for index in range(len(sentence.words)) if index not in sentence.protected]
    surfaces = {index: raw[slice(*sentence.word_spans[index])] for index in plain}
    cased = [index for index in plain if surfaces[index].lower() != surfaces[index].upper()]
    if _shouted([surfaces[index] for index in cased]) and any(
        sentence.words[index] != surfaces[index] for index in cased
    ):
        return [word if is_mask(word) else word.upper() for word in words]
    begins, after = _beginnings(plain, surfaces, cased)
    result = list(words)
    copied: set[int] = set()
    keeps: set[int] = set()
    for source, target in links:
        surface = surfaces.get(source)
        if surface is None or target in copied or words[target] != sentence.words[source]:
            continue
        capital = surface[:1].isupper() and not surface[1:2].isupper()
        if capital and (source in begins or language in _NOUNS):
            continue
        result[target] = surface
        copied.add(target)
        if surface[:1].islower() and (sentence.untouchable[source] or not is_known(surface)):
            keeps.add(target)
    keeps |= {place for place, word in enumerate(result) if is_code(word)}
    first = not cased or not surfaces[cased[0]][:1].islower()
    tags = frozenset(kept.mask for kept in sentence.protected.values() if is_tag(kept))
    return _with_capitals(result, keeps, tags, first, after)


def _beginnings(
    plain: Sequence[int], surfaces: dict[int, str], cased: Sequence[int]
) -> tuple[set[int], dict[str, list[bool]]]:
    """The source words that begin a sentence, and for each mark whether a capital follows, in turn."""
    begins = set(cased[:1])
    after: dict[str, list[bool]] = defaultdict(list)
    for mark, following in pairwise(plain):
        if surfaces[mark] in _MARKS:
            capital = surfaces[following][:1].isupper()
            after[surfaces[mark]].append(capital)
            if capital:
                begins.add(following)
    return begins, after


def _with_capitals(
    words: list[str], keeps: set[int], tags: frozenset[str], first: bool, after: dict[str, list[bool]]
) -> list[str]:
    """A capital at the start, if `first`, and after those marks that have one after them in the source."""
    inner: dict[str, int] = defaultdict(int)
    for word in words[:-1]:
        inner[word] += word in _MARKS
    seen: dict[str, int] = defaultdict(int)
    start = first
    result = []
    for place, word in enumerate(words):
        if word in tags:
            result.append(word)
            continue
        result.append(word[:1].upper() + word[1:] if start and place not in keeps else word)
        if word in _MARKS:
            asked = after.get(word, [])
            turn, seen[word] = seen[word], seen[word] + 1
            start = asked[turn] if len(asked) == inner[word] and turn < len(asked) else bool(asked) and all(asked)
        elif any(character.isalnum() for character in word):
            start = False
    return result
