"""Metrics as people write them: `bleu`, `bleu:2`, `chrf:beta=1,lowercase=true`, `bleu - 2*ter`.

    expression  =  [sign] term { sign term }        sign  =  "+" | "-"
    term        =  [number "*"] name [":" options]
    options     =  option { "," option }            option  =  [setting "="] value

Names may hold signs themselves (`bleu+1`, `meteor-rank`), so the longest name that a name may be is taken; values are
read by what their setting allows, so `bleu:smooth=add-k-ter` is a blend of two metrics and no riddle.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, fields
from typing import Any

from dragoman.errors import SettingError, UnknownName
from dragoman.metrics.base import Metric
from dragoman.metrics.blend import Blend
from dragoman.registry import Registry

__all__ = ["parse"]

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COEFFICIENT = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*\*\s*")
_END = re.compile(r"[,\s]")
_WORD = re.compile(r"\w+")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse(text: str, metrics: Registry[Metric]) -> Metric:
    """The metric that the text describes, made of these."""
    return _Reader(text, metrics).expression()


class _Reader:
    """Reads from left to right; `at` is where it is."""

    def __init__(self, text: str, metrics: Registry[Metric]) -> None:
        self.text, self.metrics, self.at = text, metrics, 0

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
        known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
        if self.text[self.at : self.at + 1] == ":":
            while not settings or self.text[self.at : self.at + 1] == ",":
                self.at += 1
                word = _WORD.match(self.text, self.at)
                if word and self.text[word.end() : word.end() + 1] == "=":
                    setting = word[0]
                    self.at = word.end() + 1
                else:
                    setting = kind.positional
                if setting not in known:
                    said = f"no setting {setting!r}" if setting else "no setting for a bare value"
                    raise SettingError(f"{name} has {said}", remedy=f"choose from {', '.join(known)}")
                settings[setting] = self.value(name, known[setting])
        return kind(**settings)

    def value(self, metric: str, field: Field[Any]) -> Any:
        kind = str(field.type)
        allowed: tuple[str, ...] | None = field.metadata.get("choices")
        rest = self.text[self.at :]
        wrong = f"{metric}: {field.name} cannot be {_END.split(rest)[0]!r}"
        if kind.startswith("tuple[str"):
            assert allowed is not None
            several = re.match(
                rf"({'|'.join(map(re.escape, allowed))})(\+({'|'.join(map(re.escape, allowed))}))*", rest
            )
            if not several:
                raise SettingError(wrong, remedy=f"one or more of {', '.join(allowed)}, joined by '+'")
            self.at += several.end()
            return tuple(several[0].split("+"))
        if allowed is not None:
            for choice in sorted(allowed, key=len, reverse=True):
                if rest.startswith(choice):
                    self.at += len(choice)
                    return choice
            raise SettingError(wrong, remedy=f"choose from {', '.join(allowed)}")
        if kind == "bool":
            word = _WORD.match(rest)
            if not word or word[0].lower() not in _TRUTH:
                raise SettingError(wrong, remedy="choose from true, false")
            self.at += word.end()
            return _TRUTH[word[0].lower()]
        if kind.endswith("None") and rest.startswith("none"):
            self.at += len("none")
            return None
        if kind.startswith(("int", "float")):
            number = _NUMBER.match(rest)
            if not number or (kind.startswith("int") and not re.fullmatch(r"[-+]?\d+", number[0])):
                raise SettingError(wrong, remedy="a whole number" if kind.startswith("int") else "a number")
            self.at += number.end()
            return int(number[0]) if kind.startswith("int") else float(number[0])
        if field.default is MISSING or not kind.startswith("str"):
            raise SettingError(wrong, remedy="set it from Python")
        path = re.match(r"[^,\s]+", rest)
        if not path:
            raise SettingError(wrong, remedy="a file name")
        self.at += path.end()
        return path[0]

    def wrong(self, what: str) -> SettingError:
        return SettingError(f"cannot read the metric {self.text!r}: {what} before {self.text[self.at :]!r}")
