"""The stop at the end: clients of LibreTranslate may rely on it that none is added, and none lost.

A model has seen headings with a stop in one language and without one in the other, and writes what it has seen. Here a
translation ends as its source does. Only a stop that is a token of its own counts: that of an abbreviation belongs to
its word.
"""

from __future__ import annotations

from typing import NamedTuple

from dragoman.text.languages import primary
from dragoman.text.preprocessor import Preprocessor

__all__ = ["FinalStop"]

_STOPS = ".。．｡।۔։።။។"
_MARKS = _STOPS + "!?！？…:;：；؟՞"
_CLOSING = "\"'”’»›)]}"
_USUAL = {
    "zh": "。", "ja": "。", "hi": "।", "bn": "।", "as": "।", "ne": "।", "or": "।", "pa": "।", "ur": "۔", "hy": "։",
    "am": "።", "ti": "።", "my": "။", "km": "។", "th": "", "lo": "",
}  # fmt: skip
"""The stop of languages that have another one than most, or none."""


class _Ending(NamedTuple):
    """A text, cut around the marks at its end; behind them are quotes, brackets, tags and blanks that close."""

    body: str
    marks: str
    behind: str


def _ending(text: str) -> _Ending:
    end = len(text)
    while end:
        if text[end - 1].isspace() or text[end - 1] in _CLOSING:
            end -= 1
        elif text[end - 1] == ">" and "<" in text[:end]:
            end = text.rindex("<", 0, end)
        else:
            break
    start = end
    while start and text[start - 1] in _MARKS:
        start -= 1
    return _Ending(text[:start], text[start:end], text[end:])


def _is_stop(marks: str) -> bool:
    return bool(marks) and all(mark in _STOPS for mark in marks)


class FinalStop:
    """Gives translations between two languages the stop of their sources."""

    def __init__(self, source: Preprocessor, target: Preprocessor, *, language: str) -> None:
        """`language` is that of the target."""
        self._source, self._target = source, target
        self._usual = _USUAL.get(primary(language), ".")

    def kept(self, source: str, translation: str) -> str:
        """The translation with the stop of the source, or without one."""
        before, after = _ending(source), _ending(translation)
        if not after.body.strip():
            return translation
        lost = _is_stop(before.marks) and not after.marks
        added = _is_stop(after.marks) and not _is_stop(before.marks)
        if lost and self._stands_alone(self._source, source, before):
            stop = self._usual if len(before.marks) == 1 else before.marks
            return after.body + stop + after.behind
        if added and self._stands_alone(self._target, translation, after):
            return after.body + before.marks + after.behind
        return translation

    def _stands_alone(self, prepare: Preprocessor, text: str, ending: _Ending) -> bool:
        """Whether the stop is a token of its own."""
        tokens = [token for sentence in prepare.prepare(text).sentences for token in sentence.tokens]
        return any(token == ending.marks for token in tokens[-1 - len(ending.behind) :])
