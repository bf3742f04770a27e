"""Metrics as people write them: `bleu`, `bleu:2`, `chrf:beta=1,lowercase=true`, `bleu - 2*ter`.

    expression  =  [sign] term { sign term }        sign  =  "+" | "-"
    term        =  [number "*"] name [":" options]
    options     =  option { "," option }            option  =  [setting "="] value

Names may hold signs themselves (`bleu+1`, `meteor-rank`), so the longest name that a name may be is taken; values are
read by what their setting allows, so `bleu:smooth=add-k-ter` is a blend of two metrics and no riddle.
"""

from __future__ import annotations

import re
from typing import Any

from dragoman.errors import SettingError, UnknownName
from dragoman.metrics.base import Metric
from dragoman.metrics.blend import Blend
from dragoman.registry import Registry
from dragoman.settings import Declared, declared, unknown_setting

__all__ = ["parse"]

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_COEFFICIENT = re.compile(r"((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*\*\s*")
_END = re.compile(r"[,\s]")
_WORD = re.compile(r"\w+")


def parse(text: str, metrics: Registry[Metric], *, language: str = "", tokenize: str = "") -> Metric:
    """The metric that the text describes, made of these, for such text."""
    return _Reader(text, metrics, language, tokenize).expression()


class _Reader:
    """Reads from left to right; `at` is where it is."""

    def __init__(self, text: str, metrics: Registry[Metric], language: str, tokenize: str) -> None:
        self.text, self.metrics, self.at = text, metrics, 0
        self.language, self.tokenize = language, tokenize

    def expression(self) -> Metric:
        terms: list[tuple[float, Metric]] = []
        while True:
            sign = self.sign(optional=not terms)
            self.skip()
            coefficient = _COEFFICIENT.match(self.text, self.at)
            if coefficient:
                self.at = coefficient.end()
            terms.append((sign * float(coefficient[1] if coefficient else 1), self.metric()))
            self.skip()
            if self.at == len(self.text):
                break
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return Blend(terms)

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def sign(self, *, optional: bool) -> int:
        self.skip()
        if self.text[self.at : self.at + 1] in ("+", "-"):
            self.at += 1
            return -1 if self.text[self.at - 1] == "-" else 1
        if not optional:
            raise self.wrong("'+' or '-' was expected")
        return 1

    def metric(self) -> Metric:
        rest = self.text[self.at :]
        for name in sorted(self.metrics, key=len, reverse=True):
            follows = rest[len(name) : len(name) + 1]
            if rest.lower().startswith(name) and (follows in ("", ":", "+", "-") or follows.isspace()):
                self.at += len(name)
                return self.configured(name)
        word = re.match(r"[\w+.-]*", rest)
        self.metrics.get(word[0] if word and word[0] else rest)
        raise UnknownName(f"no metric is called {rest!r}", remedy="`dragoman list metrics` shows them all")

    def configured(self, name: str) -> Metric:
        kind = self.metrics.get(name)
        settings: dict[str, Any] = {}
        known = declared(kind)
        if self.text[self.at : self.at + 1] == ":":
            while not settings or self.text[self.at : self.at + 1] == ",":
                self.at += 1
                word = _WORD.match(self.text, self.at)
                if word and self.text[word.end() : word.end() + 1] == "=":
                    setting = word[0]
                    self.at = word.end() + 1
                else:
                    setting = kind.positional
                if not setting:
                    raise SettingError(f"{name} has no setting for a bare value", remedy=f"it has {', '.join(known)}")
                if setting not in known:
                    raise unknown_setting(kind, setting)
                settings[setting] = self.value(name, known[setting])
        return kind(**{**kind.fitting(self.language, self.tokenize), **settings})

    def value(self, metric: str, setting: Declared) -> Any:
        """The value of a setting: as much of the text as can be one."""
        found = _extent(setting).match(self.text, self.at)
        try:
            value = setting.read(found[0] if found else "")
        except ValueError:
            found = None
        if found is None:
            raise setting.refuse(_END.split(self.text[self.at :])[0], label=metric)
        self.at = found.end()
        return value

    def wrong(self, what: str) -> SettingError:
        return SettingError(f"cannot read the metric {self.text!r}: {what} before {self.text[self.at :]!r}")


def _extent(setting: Declared) -> re.Pattern[str]:
    """What a value of a setting looks like; a sign that follows it may begin the next term."""
    if names := setting.choices:
        one = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    else:
        one = {bool: r"\w+", int: _NUMBER, float: _NUMBER}.get(setting.kind, r"[^,\s]+")
    if setting.shape == "list":
        one = rf"(?:{one})(?:\+(?:{one}))*(?![*\w])"
    return re.compile(f"none|{one}" if setting.optional else one)
