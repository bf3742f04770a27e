"""Protocols: what an assessor sees, what is asked, and what an answer looks like.

One translation at a time on an unlabelled line from 0 to 100 is direct assessment (Graham, Baldwin, Moffat and Zobel
2013): adequacy against the reference or the source, fluency on its own. Beside it stand the scales that it is compared
with: five labelled categories, ranking several outputs side by side, choosing one of two (Cer, Manning and Jurafsky
2010), error spans with a score (ESA; Kocmi et al. 2024) and graded similarity of two sentences from 0 to 5 (Agirre et
al. 2012), or from 0 to 4, as the Spanish sets have it (Agirre et al. 2014). A protocol holds no words: what is written
on the page comes from `dragoman.assessment.page_wording`, in the assessor's language.

    >>> get_protocol("adequacy").scale
    Scale(low=0, high=100, step=1)
    >>> get_protocol("fluency").shows
    ('candidate',)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from dragoman.assessment.json_fields import checked, tuple_of
from dragoman.errors import FormatError, InputError, UnknownName

__all__ = ["PROTOCOLS", "SIMILARITY", "AnswerKind", "Protocol", "Scale", "Shown", "get_protocol"]

AnswerKind = Literal["slider", "choices", "ranking", "spans"]
"""How an item is answered.

slider: a mark on a line, `Judgement.score`. choices: one of few labelled points, `Judgement.score`. ranking: a rank for
each candidate, `Judgement.ranks`. spans: marked errors, `Judgement.spans`, and a mark on a line, `Judgement.score`.
"""

Shown = Literal["source", "reference", "candidate"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers that a score may be: `low`, `low + step`, ..., `high`."""

    low: int
    high: int
    step: int = 1

    @property
    def points(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def check(self, score: float, *, where: str = "") -> None:
        """Refuse a number that is not on the scale (also nan, and booleans in disguise)."""
        whole = isinstance(score, (int, float)) and not isinstance(score, bool) and float(score).is_integer()
        if not whole or int(score) not in self.points:
            remedy = f"scores are {self.low} to {self.high} in steps of {self.step}"
            raise InputError(f"{score!r} is not on the scale", where=where, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Protocol:
    """How items of one kind are shown and answered.

    `shows` lists the texts of an item that the assessor sees, top to bottom: what is not listed must not be sent to the
    browser. `candidates` is the least and greatest number of candidates of an item. `going_back` allows changing
    earlier answers of the same task. `per_page` items stand on one page. `degrade` is how a candidate is worsened for
    control items (`dragoman.assessment.design.degrade`), `not_applicable` allows declining to judge, `seconds` is what
    one judgement takes in experience, for planning. `severities` are the grades of a marked error, mildest first.
    `ties` allows equal ranks; `emphasis` sets off the words in which two candidates differ from each other, which saves
    time and, unlike differences from the reference, favours neither (Cer, Manning and Jurafsky 2010).
    """

    name: str
    answer: AnswerKind
    shows: tuple[Shown, ...]
    scale: Scale | None = None
    candidates: tuple[int, int] = (1, 1)
    going_back: bool = False
    per_page: int = 1
    degrade: Literal["delete", "duplicate", "replace", "none"] = "none"
    severities: tuple[str, ...] = ()
    ties: bool = True
    emphasis: bool = False
    not_applicable: bool = False
    seconds: float = 18.0

    @property
    def scored(self) -> bool:
        """Whether a judgement has a number."""
        return self.scale is not None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, where: str = "") -> Protocol:
        """The inverse of `to_dict`."""
        if not isinstance(values, Mapping):
            raise FormatError("a protocol must be an object", where=where)
        scale = values.get("scale")
        found = checked(cls, {name: value for name, value in values.items() if name != "scale"}, where=where)
        for name, kind in {"shows": str, "candidates": int, "severities": str}.items():
            if name in found:
                found[name] = tuple_of(kind, found[name], where=where)
        made = cls(**found, scale=None if scale is None else Scale(**checked(Scale, scale, where=where)))
        if (
            made.answer not in get_args(AnswerKind)
            or not set(made.shows) <= set(get_args(Shown))
            or len(made.candidates) != 2
            or (made.scale is None) != (made.answer == "ranking")
            or (made.emphasis and made.candidates != (2, 2))
        ):
            raise FormatError(f"{made.name!r} is not a protocol that can be shown", where=where)
        return made


SIMILARITY = ("similarity", "similarity-4")
"""Protocols that score pairs of sentences, and not systems."""

_HUNDRED, _FIVE = Scale(0, 100), Scale(1, 5)

_SHIPPED = (
    (
        "the candidate says what the reference says (0-100)",
        Protocol("adequacy", "slider", ("reference", "candidate"), _HUNDRED, degrade="delete"),
    ),
    (
        "the candidate says what the source says (0-100; bilingual assessors)",
        Protocol("source-adequacy", "slider", ("source", "candidate"), _HUNDRED, degrade="delete"),
    ),
    (
        "the candidate is fluent (0-100; no source, no reference)",
        Protocol("fluency", "slider", ("candidate",), _HUNDRED, degrade="duplicate", seconds=13.0),
    ),
    (
        "adequacy in five labelled categories",
        Protocol("likert-adequacy", "choices", ("reference", "candidate"), _FIVE, degrade="delete", seconds=15.0),
    ),
    (
        "fluency in five labelled categories",
        Protocol("likert-fluency", "choices", ("candidate",), _FIVE, degrade="duplicate", seconds=11.0),
    ),
    (
        "two to five candidates ranked side by side, ties allowed",
        Protocol("ranking", "ranking", ("source", "reference", "candidate"), candidates=(2, 5), seconds=60.0),
    ),
    (
        "which of two candidates is better, their differences emphasised, no ties",
        Protocol(
            "pairwise",
            "ranking",
            ("reference", "candidate"),
            candidates=(2, 2),
            ties=False,
            emphasis=True,
            seconds=25.0,
        ),
    ),
    (
        "errors marked in the candidate as minor or major, then a score (0-100)",
        Protocol(
            "esa",
            "spans",
            ("source", "candidate"),
            _HUNDRED,
            going_back=True,
            degrade="replace",
            severities=("minor", "major"),
            seconds=40.0,
        ),
    ),
    (
        "how alike two sentences are in meaning (0-5)",
        Protocol("similarity", "choices", ("reference", "candidate"), Scale(0, 5), per_page=5, seconds=23.0),
    ),
    (
        "the same on five points (0-4), which leave open how important a difference is",
        Protocol("similarity-4", "choices", ("reference", "candidate"), Scale(0, 4), per_page=7, seconds=23.0),
    ),
)


class _Protocols:
    """The protocols that come with the program, by name."""

    def __init__(self) -> None:
        self._entries = {protocol.name: (what, protocol) for what, protocol in _SHIPPED}

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, name: str) -> Protocol:
        if name not in self._entries:
            near = difflib.get_close_matches(name, self._entries, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(self)}"
            raise UnknownName(f"no protocol is called {name!r}", remedy=remedy)
        return self._entries[name][1]

    def describe(self, name: str) -> str:
        self.get(name)
        return self._entries[name][0]


PROTOCOLS = _Protocols()


def get_protocol(name: str, **changes: Any) -> Protocol:
    """A shipped protocol, with some settings changed (`going_back=True`, say)."""
    return replace(PROTOCOLS.get(name), **changes)
