"""Word pairs: do a measure's values rank pairs of words as people did?

Rank correlation (Spearman's with average ranks, Kendall's tau-b) of a measure with the judgements of people, over
sets such as WordSim-353 and SimLex-999. What to do with pairs that a measure does not know is a choice that moves the
number: `zero` counts them as not alike (hence last, tied), `skip` leaves them out. Report coverage beside either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scipy.stats import kendalltau, spearmanr

from dragoman.errors import FormatError, InputError
from dragoman.files import display_name, read_lines
from dragoman.settings import check_argument

__all__ = ["PairReport", "WordPair", "evaluate_pairs", "read_pairs"]


class WordPair(NamedTuple):
    """Two words, and how alike people find them."""

    first: str
    second: str
    score: float

    @property
    def lowered(self) -> WordPair:
        """The same in lower case, as profiles have words."""
        return WordPair(self.first.lower(), self.second.lower(), self.score)


@dataclass(frozen=True, slots=True)
class PairReport:
    """How well the values of a measure rank pairs."""

    spearman: float
    p_value: float
    """Of that."""
    pairs: int
    """Pairs that counted."""
    known: int
    """Pairs that the measure knows."""
    total: int
    kendall: float = 0.0
    """Kendall's tau-b."""

    @property
    def coverage(self) -> float:
        return self.known / self.total

    def to_dict(self) -> dict[str, Any]:
        return {
            "spearman": self.spearman,
            "kendall": self.kendall,
            "p_value": self.p_value,
            "pairs": self.pairs,
            "known": self.known,
            "total": self.total,
            "coverage": self.coverage,
        }


def read_pairs(path: Path | str) -> list[WordPair]:
    """Lines of two words and a number between tabs; lines that start with `#` are remarks, a pair counts once."""
    found: dict[frozenset[str], WordPair] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        try:
            first, second, score = fields[0].strip(), fields[1].strip(), float(fields[2])
        except (IndexError, ValueError):
            raise FormatError(
                "not two words and a number between tabs", where=f"{display_name(path)}, line {number}"
            ) from None
        found.setdefault(frozenset((first.lower(), second.lower())), WordPair(first, second, score))
    return list(found.values())


def evaluate_pairs(
    pairs: Sequence[WordPair], measure: Callable[[str, str], float | None], *, unknown: str = "zero"
) -> PairReport:
    """Rank pairs by a measure (greater is more alike; None for a pair that it does not know)."""
    check_argument("unknown", unknown, choices=("zero", "skip"))
    values = [measure(first, second) for first, second, _ in pairs]
    known = sum(value is not None for value in values)
    rows = [
        (pair.score, 0.0 if value is None else value)
        for pair, value in zip(pairs, values, strict=True)
        if value is not None or unknown == "zero"
    ]
    if len(rows) < 3:
        raise InputError(f"{len(rows)} pairs are too few to rank", remedy="is the text in the language of the pairs?")
    scores, found = zip(*rows, strict=True)
    if len(set(scores)) < 2 or len(set(found)) < 2:
        return PairReport(0.0, 1.0, len(rows), known, len(pairs))
    result = spearmanr(scores, found)
    p_value = float(result.pvalue)
    return PairReport(
        float(result.statistic),
        1.0 if math.isnan(p_value) else p_value,
        len(rows),
        known,
        len(pairs),
        float(kendalltau(scores, found).statistic),
    )
