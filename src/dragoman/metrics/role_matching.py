"""Who did what to whom, in two sentences: predicates that correspond, and arguments that were kept.

Predicates come from the layer of frames, arguments are bags of words by role: what a relative pronoun repeats is left
out, what is continued is joined, and equal roles of one predicate are one bag. Where the words of two arguments differ,
both bags may be widened by words that occur in the same contexts before they are compared (Rios, Aziz and Specia 2011,
2012). The metric TINE and the similarity of roles are both made of these parts; they differ in which predicates
correspond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dragoman.annotations.sentence import Sentence

__all__ = [
    "PredicateRoles",
    "RoleMatch",
    "argument_score",
    "assignment",
    "predicates",
    "set_cosine",
    "verb_score",
]

Neighbors = Callable[[str], Iterable[str]]
"""Words that occur in the same contexts as a word."""


@dataclass(frozen=True, slots=True)
class PredicateRoles:
    """A predicate: where it stands, its lemma, the lower-cased words of its arguments by role, and where these are."""

    position: int
    lemma: str
    roles: Mapping[str, frozenset[str]]
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """A role of two predicates that correspond: why they do, the words on both sides, and how much they share."""

    first_predicate: str
    second_predicate: str
    reason: str
    role: str
    first: str
    second: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def predicates(sentence: Sentence, *, needed_by: str = "") -> tuple[PredicateRoles, ...]:
    """The predicates of a sentence with their arguments."""
    sentence.require("frames", needed_by=needed_by)
    words = [word.lower() for word in sentence.words]
    return tuple(
        PredicateRoles(
            frame.predicate,
            frame.lemma.lower(),
            {role: frozenset(words[at] for at in places) for role, places in frame.roles().items()},
            frame.roles(),
        )
        for frame in sentence.frames
    )


def set_cosine(first: Set[str], second: Set[str], *, both_empty: float = 0.0) -> float:
    """Words in common over the root of the product of both numbers; 0 if one side is empty."""
    if not first and not second:
        return both_empty
    return len(first & second) / math.sqrt(len(first) * len(second)) if first and second else 0.0


def argument_score(
    first: frozenset[str], second: frozenset[str], neighbors: Neighbors | None = None, *, expand: str = "always"
) -> float:
    """How much two arguments share, after the words that differ were widened by their neighbours.

    Widening may lower the score: new words on one side that the other does not have count too. `expand="max"` takes the
    better of both; `"always"` is what was published.

    >>> near = {"stays": ["remain", "journey"], "holidays": ["vacations", "trips", "journey"]}.get
    >>> round(argument_score(frozenset(["ski", "stays"]), frozenset(["ski", "holidays"]), near), 5)
    0.44721
    """
    if first == second:
        return 1.0
    plain = set_cosine(first, second)
    if neighbors is None:
        return plain
    wide = [
        own | {near for word in sorted(own - other) for near in neighbors(word)}
        for own, other in ((first, second), (second, first))
    ]
    widened = set_cosine(wide[0], wide[1])
    return max(plain, widened) if expand == "max" else widened


def verb_score(
    first: PredicateRoles, second: PredicateRoles, neighbors: Neighbors | None = None, *, expand: str = "always"
) -> float:
    """Scores of the roles that both have, over the number of roles of the second, the reference; 0 if it has none."""
    if not second.roles:
        return 0.0
    shared = first.roles.keys() & second.roles.keys()
    scores = [
        argument_score(first.roles[role], second.roles[role], neighbors, expand=expand) for role in sorted(shared)
    ]
    return sum(scores) / len(second.roles)


def assignment(
    weights: Sequence[Sequence[float]], distances: Sequence[Sequence[int]] | None = None
) -> list[tuple[int, int]]:
    """Pairs of a row and a column, each used once, whose weights sum to the most.

    Of equal assignments the one whose words stand nearer to each other, then the leftmost.

    >>> assignment([[0.9, 0.8], [0.85, 0.1], [0.0, 0.0]])
    [(0, 1), (1, 0)]
    """
    from scipy.optimize import linear_sum_assignment

    table = np.array(weights, np.float64)
    if table.size == 0:
        return []
    near = np.zeros_like(table) if distances is None else np.array(distances, np.float64)
    order = np.add.outer(np.arange(table.shape[0]), np.arange(table.shape[1]))
    tie = near / (1 + near.max()) + order / (1e3 * (1 + order.max()))
    rows, columns = linear_sum_assignment(table - 1e-9 * tie, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]
