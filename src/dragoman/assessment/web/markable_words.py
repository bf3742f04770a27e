"""Words on the page: the parts of a text that can be marked, and those in which two texts differ."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import Any

__all__ = ["differing", "units"]


def units(text: str) -> list[tuple[int, int]]:
    """The parts of a text that can be marked: words and punctuation, single characters where words are not spaced.

    >>> [text[a:b] for text in ("It's 5 °C, no?", "我们在这里。") for a, b in units(text)]
    ["It's", '5', '°', 'C', ',', 'no', '?', '我', '们', '在', '这', '里', '。']
    """
    return [match.span() for match in _unit_pattern().finditer(text)]


@cache
def _unit_pattern() -> Any:
    import regex

    unspaced = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    word = rf"[\p{{L}}\p{{N}}_--[{unspaced}]]"
    inner = rf"[\p{{L}}\p{{N}}\p{{M}}_\u200c\u200d'’\-\u05be--[{unspaced}]]"
    return regex.compile(rf"{word}(?:{inner}*[\p{{L}}\p{{N}}\p{{M}}])?|(?!\s)\X", regex.VERSION1)


def differing(first: str, second: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both texts cut into stretches, each with whether its words are missing from the other text at that place.

    >>> differing("the cat sat", "the sat down")
    ([('the ', False), ('cat', True), (' sat', False)], [('the sat ', False), ('down', True)])
    """
    texts, spans = (first, second), (units(first), units(second))
    words = [[text[start:end] for start, end in own] for text, own in zip(texts, spans, strict=True)]
    blocks = SequenceMatcher(None, words[0], words[1], autojunk=False).get_matching_blocks()
    shared = [{block[side] + at for block in blocks for at in range(block.size)} for side in (0, 1)]
    return _stretches(first, spans[0], shared[0]), _stretches(second, spans[1], shared[1])


def _stretches(text: str, spans: list[tuple[int, int]], shared: set[int]) -> list[tuple[str, bool]]:
    """Neighbouring words of one kind together; what stands between words of different kinds goes with shared ones."""
    found: list[tuple[str, bool]] = []
    done = 0
    for at, (start, end) in enumerate(spans):
        differs = at not in shared
        if found and found[-1][1] == differs:
            found[-1] = (found[-1][0] + text[done:end], differs)
        elif differs:
            _put(found, text[done:start], differs=False)
            found.append((text[start:end], True))
        else:
            found.append((text[done:end], False))
        done = end
    _put(found, text[done:], differs=False)
    return found


def _put(found: list[tuple[str, bool]], text: str, *, differs: bool) -> None:
    if text and found and found[-1][1] == differs:
        found[-1] = (found[-1][0] + text, differs)
    elif text:
        found.append((text, differs))
