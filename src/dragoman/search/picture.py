"""A picture of a translation: two lines of words, a band for each phrase, a thread for each word link.

Colours tell phrases apart; below each target phrase stands what it cost. A translation by rules inside rules is drawn
as their tree instead. A page (`.html`) adds the table of scores by feature. Both are plain text files without scripts;
all words are escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape
from pathlib import Path

from dragoman.errors import SettingError
from dragoman.files import writing
from dragoman.search.synchronous_tree import is_hierarchical, tree_svg
from dragoman.search.translation import SentenceTranslation

__all__ = ["save_picture", "translation_html", "translation_svg"]

_COLOURS = ("#1f6f8b", "#c8553d", "#588157", "#8e6c8a", "#b08900", "#3d5a80", "#a23e48", "#2a9d8f")
_SIZE, _MARGIN, _GAP = 15, 16, 14
_SOURCE, _TARGET = 44, 150
_HEIGHT = 190


def translation_svg(translation: SentenceTranslation) -> str:
    """The words of both sides, joined by phrases and links, as SVG; where rules stand inside rules, their tree."""
    if is_hierarchical(translation):
        return tree_svg(translation) + "\n"
    source, source_width = _places(translation.source)
    target, target_width = _places(translation.target)
    shift = (target_width - source_width) / 2
    if shift > 0:
        source = [(left + shift, right + shift) for left, right in source]
    else:
        target = [(left - shift, right - shift) for left, right in target]
    width = round(max(source_width, target_width) + 2 * _MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" width="{width}" height="{_HEIGHT}" '
        f'font-family="sans-serif" font-size="{_SIZE}">'
    ]
    for number, phrase in enumerate(translation.phrases):
        colour = _COLOURS[number % len(_COLOURS)]
        top = source[phrase.source_span[0]][0] - 5, source[phrase.source_span[1] - 1][1] + 5
        parts.append(_box(top, _SOURCE, colour))
        if phrase.target:
            bottom = target[phrase.target_span[0]][0] - 5, target[phrase.target_span[1] - 1][1] + 5
            parts.append(_band(top, bottom, colour))
            parts.append(_box(bottom, _TARGET, colour))
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
    for words, places, height in ((translation.source, source, _SOURCE), (translation.target, target, _TARGET)):
        for word, (left, _) in zip(words, places, strict=True):
            parts.append(f'<text x="{left:.0f}" y="{height}">{escape(word)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def translation_html(
    translations: Sequence[SentenceTranslation], *, title: str = "", further: Sequence[str] = ()
) -> str:
    """A page with a picture and a table for each translation, and what is further said of each."""
    body = "".join(
        f"<section>{translation_svg(translation)}{translation._repr_html_()}{more}</section>"
        for translation, more in zip(translations, further or [""] * len(translations), strict=True)
    )
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)}</title><style>'
        "body{font-family:sans-serif;margin:2em}section{margin-bottom:3em;overflow-x:auto}"
        "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}"
        "td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}"
        f"</style></head><body>{body}</body></html>\n"
    )


def save_picture(
    path: Path | str, translations: Sequence[SentenceTranslation], *, title: str = "", further: Sequence[str] = ()
) -> None:
    """Write `.svg` (of one sentence) or `.html`, with what is further said of each."""
    path = Path(path)
    if path.suffix not in (".svg", ".html"):
        raise SettingError(f"a picture called {path.name}", remedy="name it .svg or .html")
    if path.suffix == ".svg" and len(translations) != 1:
        raise SettingError(f"{len(translations)} sentences in one SVG picture", remedy="name it .html, or give one")
    with writing(path) as file:
        file.write(
            translation_svg(translations[0])
            if path.suffix == ".svg"
            else translation_html(translations, title=title, further=further)
        )


def _places(words: Sequence[str]) -> tuple[list[tuple[float, float]], float]:
    """Left and right edge of each word, and where the line ends."""
    places = []
    at = float(_MARGIN)
    for word in words:
        width = _SIZE * 0.58 * sum(1.7 if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in word)
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
