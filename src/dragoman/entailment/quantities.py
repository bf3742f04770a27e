"""Numbers, amounts and dates as values that can be compared.

"two", "2" and "2.0" are one number; "2.5 million" is a number with its magnitude; "12 March 1986" and "March 1986" do
not contradict each other, "1986" and "1968" do. What a text leaves open stays open: a date is year, month, day and day
of the week, each perhaps missing, and two dates agree if no filled field differs.

    >>> read_quantity("two") == read_quantity("2"), read_quantity("1,500").value
    (True, 1500.0)
    >>> read_quantity("monday").date.weekday
    0
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Interval", "PartialDate", "Quantity", "quantity_of", "read_quantity"]

_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {
    **{word: float(at) for at, word in enumerate(_UNITS)},
    **{word: 20.0 + 10 * at for at, word in enumerate(_TENS)},
    "dozen": 12.0,
    "half": 0.5,
    "once": 1.0,
    "twice": 2.0,
    "thrice": 3.0,
}
_MAGNITUDES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "m": 1e6, "bn": 1e9}
_MONTHS = {
    name: at
    for at, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS = {
    name: at
    for at, names in enumerate(
        ("monday mon", "tuesday tue", "wednesday wed", "thursday thu", "friday fri", "saturday sat", "sunday sun")
    )
    for name in names.split()
}
_DIGITS = re.compile(r"([$€£]?)(\d{1,3}(?:,\d{3})+|\d+)((?:\.\d+)?)(%|m|bn|k)?")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DECADE = re.compile(r"(1[0-9]|20)(\d0)s")
_ISO_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float

    def inside(self, other: Interval) -> bool:
        return other.low <= self.low and self.high <= other.high


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date of which parts may be unknown."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def fields(self) -> tuple[int | None, ...]:
        return self.year, self.month, self.day, self.weekday

    def agrees(self, other: PartialDate) -> bool:
        """Whether no field that both fill differs."""
        pairs = zip(self.fields(), other.fields(), strict=True)
        return all(one is None or another is None or one == another for one, another in pairs)

    def joined(self, other: PartialDate) -> PartialDate:
        """What both say together, the first where both say something."""
        merged = [one if one is not None else two for one, two in zip(self.fields(), other.fields(), strict=True)]
        return PartialDate(*merged)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, percentage, amount of money, or date."""

    kind: str
    """number, percent, money or date."""
    value: float = 0.0
    date: PartialDate = PartialDate()


def quantity_of(word: str, pos: str) -> Quantity | None:
    """The quantity of a word of this part of speech: *march* the verb is no month."""
    return read_quantity(word.lower()) if pos in _QUANTITIES else None


_QUANTITIES = frozenset(["NUM", "NOUN", "PROPN", "SYM", "ADJ", "X", ""])


@lru_cache(maxsize=100_000)
def read_quantity(text: str) -> Quantity | None:
    """The quantity that a word, or the words of one node, stand for; None for any other word.

    Numbers between 1000 and 2100 without sign, comma or magnitude are years as well as numbers: they are read as
    dates, which compare the same way.
    """
    words = text.lower().replace("-", " ").split() if not _ISO_DATE.fullmatch(text) else [text]
    if not words:
        return None
    date = _date(words)
    if date is not None:
        return Quantity("date", float(date.year or 0), date)
    return _number(words)


def _date(words: list[str]) -> PartialDate | None:
    found = PartialDate()
    for word in words:
        iso = _ISO_DATE.fullmatch(word)
        decade = _DECADE.fullmatch(word)
        if iso:
            part = PartialDate(int(iso[1]), int(iso[2]), int(iso[3]))
        elif word.rstrip(".") in _MONTHS and (len(words) > 1 or word != "may"):
            part = PartialDate(month=_MONTHS[word.rstrip(".")])
        elif word.rstrip(".") in _WEEKDAYS and word not in ("sun", "sat"):
            part = PartialDate(weekday=_WEEKDAYS[word.rstrip(".")])
        elif decade:
            part = PartialDate(year=int(decade[1] + decade[2]))
        elif word.isdigit() and word.isascii() and len(word) == 4 and 1000 <= int(word) <= 2100:
            part = PartialDate(year=int(word))
        elif found != PartialDate() and word.rstrip(",").isdigit() and 1 <= int(word.rstrip(",")) <= 31:
            part = PartialDate(day=int(word.rstrip(",")))
        elif len(words) > 1 and word.isdigit() and 1 <= int(word) <= 31 and found == PartialDate():
            part = PartialDate(day=int(word))
        else:
            return None
        found = found.joined(part)
    return found if found.fields() != (None, None, found.day, None) else None


def _number(words: list[str]) -> Quantity | None:
    kind, total, part, seen = "number", 0.0, 0.0, False
    for word in words:
        match = _DIGITS.fullmatch(word)
        ordinal = _ORDINAL.fullmatch(word)
        if match:
            value = float(match[2].replace(",", "") + match[3])
            kind = "money" if match[1] else "percent" if match[4] == "%" else kind
            value *= {"m": 1e6, "bn": 1e9, "k": 1e3}.get(match[4] or "", 1.0)
            part, seen = part + value, True
        elif ordinal:
            part, seen = part + float(ordinal[1]), True
        elif word in _WORDS:
            part, seen = part + _WORDS[word], True
        elif word in _MAGNITUDES and (seen or len(words) == 1) and word not in ("m", "bn"):
            part = (part or 1.0) * _MAGNITUDES[word]
            total, part, seen = (total + part, 0.0, True) if word != "hundred" else (total, part, True)
        elif word in ("percent", "%"):
            kind = "percent"
        elif word in ("dollar", "dollars", "$", "euro", "euros", "€", "pound", "pounds", "£"):
            kind = "money"
        elif word == "and" and seen:
            continue
        else:
            return None
    return Quantity(kind, total + part) if seen else None
