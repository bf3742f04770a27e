"""A picture of a translation: two lines of words, a band for each phrase, a thread for each word link.

Colours tell phrases apart; one with gaps has a box for each run of its words. Below each target phrase stands what it
cost. A translation by rules inside rules is drawn as their tree instead. The picture has its own background, light or
dark as the screen is; all words are escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from dragoman.search.synchronous_tree import is_hierarchical, tree_svg
from dragoman.search.told_sentence import ToldSentence, shown

__all__ = ["phrase_colour", "translation_svg"]

_COLOURS = ("#2f8fb0", "#d0644c", "#5f9a5e", "#a07a9c", "#b08900", "#5f82b5", "#c05a65", "#2a9d8f")
_SIZE, _MARGIN, _GAP = 15, 16, 14
_SOURCE, _TARGET = 44, 150
_HEIGHT = 190


_STYLE = (
    "<style>.dm-back{fill:#fff}.dm-word{fill:#1d2433}"
    "@media(prefers-color-scheme:dark){.dm-back{fill:#14181f}.dm-word{fill:#e8eaee}}</style>"
)


def phrase_colour(number: int) -> str:
    """The colour of the phrase of this number, in target order."""
    return _COLOURS[number % len(_COLOURS)]


def translation_svg(translation: ToldSentence) -> str:
    """The words of both sides, joined by phrases and links, as SVG; where rules stand inside rules, their tree."""
    if is_hierarchical(translation):
        return tree_svg(translation) + "\n"
    source_words, target_words = (
        shown(translation.protected, side) for side in (translation.source, translation.target)
    )
    source, source_width = _places(source_words)
    target, target_width = _places(target_words, _least_widths(translation))
    shift = (target_width - source_width) / 2
    if shift > 0:
        source = [(left + shift, right + shift) for left, right in source]
    else:
        target = [(left - shift, right - shift) for left, right in target]
    width = round(max(source_width, target_width) + 2 * _MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" width="{width}" height="{_HEIGHT}" '
        f'font-family="sans-serif" font-size="{_SIZE}">{_STYLE}'
        f'<rect class="dm-back" width="{width}" height="{_HEIGHT}" rx="6"/>'
    ]
    for number, phrase in enumerate(translation.phrases):
        colour = phrase_colour(number)
        top = source[phrase.source_span[0]][0] - 5, source[phrase.source_span[1] - 1][1] + 5
        for start, end in _runs(phrase.positions or range(*phrase.source_span)):
            parts.append(_box((source[start][0] - 5, source[end - 1][1] + 5), _SOURCE, colour))
        if phrase.target:
            bottom = target[phrase.target_span[0]][0] - 5, target[phrase.target_span[1] - 1][1] + 5
            parts.append(_band(top, bottom, colour))
            for start, end in _runs(_written(translation, number)):
                parts.append(_box((target[start][0] - 5, target[end - 1][1] + 5), _TARGET, colour))
            middle = (bottom[0] + bottom[1]) / 2
            parts.append(
                f'<text x="{middle:.0f}" y="{_TARGET + 26}" font-size="11" fill="{colour}" text-anchor="middle">'
                f"{phrase.score:.2f}</text>"
            )
        for i, j in phrase.links:
            x, y = sum(source[i]) / 2, sum(target[j]) / 2
            parts.append(
                f'<line x1="{x:.0f}" y1="{_SOURCE + 6}" x2="{y:.0f}" y2="{_TARGET - 17}" stroke="{colour}" '
                'stroke-width="1.5" stroke-opacity="0.8"/>'
            )
    for words, places, height in ((source_words, source, _SOURCE), (target_words, target, _TARGET)):
        for word, place in zip(words, places, strict=True):
            at = f'x="{sum(place) / 2:.0f}" y="{height}"'
            parts.append(f'<text class="dm-word" {at} text-anchor="middle">{escape(word)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _runs(positions: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbouring positions as spans: a phrase with gaps has several."""
    found: list[tuple[int, int]] = []
    for position in positions:
        if found and found[-1][1] == position:
            found[-1] = found[-1][0], position + 1
        else:
            found.append((position, position + 1))
    return found


def _written(translation: ToldSentence, number: int) -> list[int]:
    """Target positions of a phrase: all of its span but what others write into its gaps."""
    first, last = translation.phrases[number].target_span
    inside = [
        other.target_span
        for i, other in enumerate(translation.phrases)
        if i != number and other.target and first < other.target_span[0] and other.target_span[1] < last
    ]
    return [at for at in range(first, last) if not any(start <= at < end for start, end in inside)]


def _least_widths(translation: ToldSentence) -> dict[int, float]:
    """Of target words that are a phrase by themselves: so wide that the number below has room."""
    phrases = (phrase for phrase in translation.phrases if len(phrase.target) == 1)
    return {phrase.target_span[0]: 6.5 * len(f"{phrase.score:.2f}") - _GAP / 2 for phrase in phrases}


def _places(words: Sequence[str], least: Mapping[int, float] | None = None) -> tuple[list[tuple[float, float]], float]:
    """Left and right edge of each word, some of them at `least` so wide, and where the line ends."""
    places = []
    at = float(_MARGIN)
    for number, word in enumerate(words):
        width = _SIZE * 0.58 * sum(1.7 if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in word)
        width = max(width, (least or {}).get(number, 0.0))
        places.append((at, at + width))
        at += width + _GAP
    return places, at - _GAP


def _box(span: tuple[float, float], baseline: float, colour: str) -> str:
    return (
        f'<rect x="{span[0]:.0f}" y="{baseline - 17:.0f}" width="{span[1] - span[0]:.0f}" height="24" rx="4" '
        f'fill="{colour}" fill-opacity="0.14" stroke="{colour}"/>'
    )


def _band(top: tuple[float, float], bottom: tuple[float, float], colour: str) -> str:
    upper, lower = _SOURCE + 7, _TARGET - 17
    middle = (upper + lower) / 2
    return (
        f'<path d="M{top[0]:.0f} {upper} C{top[0]:.0f} {middle} {bottom[0]:.0f} {middle} {bottom[0]:.0f} {lower} '
        f'L{bottom[1]:.0f} {lower} C{bottom[1]:.0f} {middle} {top[1]:.0f} {middle} {top[1]:.0f} {upper} Z" '
        f'fill="{colour}" fill-opacity="0.08"/>'
    )
