"""How often a guesser of functions is right, and whether one is better than another.

Two questions are asked of a test set: each function in turn is missing, all its siblings being known (`single`), or all
functions of a parent are missing together (`all`). Answers are counted by subsets: parents are dealt to ten of about
the same number of functions, a parent's functions staying together, and the ten accuracies of two guessers are compared
by a paired t-test, as Bryl, van Genabith and Graham (2009) do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dragoman.annotations.fstructure import FStructure
from dragoman.annotations.function_guesser import FunctionGuesser
from dragoman.annotations.functions import UNKNOWN, by_parent, cases
from dragoman.errors import InputError, LengthMismatch
from dragoman.settings import check_argument

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["MISSING", "FunctionScores", "evaluate_functions", "paired_t_test"]

MISSING = ("single", "all")


@dataclass(frozen=True, slots=True)
class FunctionScores:
    """Right answers by subset, and what was taken for what."""

    right: tuple[int, ...]
    asked: tuple[int, ...]
    confusions: Counter[tuple[str, str]] = field(repr=False)
    """Wrong answers: the true function and the guess."""
    unseen: Counter[str] = field(repr=False)
    """True functions that training did not have; they count as wrong."""

    @property
    def accuracy(self) -> float:
        return sum(self.right) / sum(self.asked)

    @property
    def by_subset(self) -> list[float]:
        return [right / asked for right, asked in zip(self.right, self.asked, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy,
            "functions": sum(self.asked),
            "by_subset": self.by_subset,
            "unseen": dict(self.unseen.most_common()),
            "confusions": [
                {"function": true, "guess": guess, "count": count}
                for (true, guess), count in self.confusions.most_common(20)
            ],
        }

    def __rich__(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        title = f"{100 * self.accuracy:.2f} % of {sum(self.asked):,} functions"
        table = Table("function", "guess", "times", title=title, title_justify="left", box=None, pad_edge=False)
        for (true, guess), count in self.confusions.most_common(10):
            table.add_row(Text(true), Text(guess), str(count))
        return table


def evaluate_functions(
    guesser: FunctionGuesser,
    structures: Iterable[FStructure],
    *,
    missing: str = "single",
    joint: bool = True,
    subsets: int = 10,
) -> FunctionScores:
    """Ask for the functions of structures that have them all."""
    check_argument("missing", missing, choices=MISSING)
    check_argument("subsets", subsets, int, least=1)
    right, asked = [0] * subsets, [0] * subsets
    confusions: Counter[tuple[str, str]] = Counter()
    unseen: Counter[str] = Counter()
    known = set(guesser.functions)
    for structure in structures:
        for found in by_parent(cases(structure, left_out=guesser.left_out)).values():
            if any(case.function == UNKNOWN for case in found):
                raise InputError(
                    f"a function is {UNKNOWN}", where=structure.name, remedy="measure on complete structures"
                )
            seen = [guesser.describe(structure, case.dependent) for case in found]
            gold = [case.function for case in found]
            if missing == "all":
                answers = guesser.guess_parent(seen, joint=joint)
            else:
                answers = [
                    guesser.guess_parent([each], [*gold[:at], *gold[at + 1 :]])[0] for at, each in enumerate(seen)
                ]
            subset = asked.index(min(asked))
            asked[subset] += len(gold)
            for true, guess in zip(gold, answers, strict=True):
                right[subset] += true == guess
                if true != guess:
                    confusions[true, guess] += 1
                if true not in known:
                    unseen[true] += 1
    if not all(asked):
        raise InputError(
            f"{sum(asked)} functions for {subsets} subsets", remedy="give more sentences, or fewer subsets"
        )
    return FunctionScores(tuple(right), tuple(asked), confusions, unseen)


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p-value that two lists of accuracies of the same subsets differ by chance; 1 where they are the same.

    >>> round(paired_t_test([0.7, 0.8, 0.75], [0.6, 0.72, 0.66]), 4)
    0.0041
    """
    from scipy.stats import ttest_rel

    if len(first) != len(second):
        raise LengthMismatch(f"{len(first)} and {len(second)} accuracies")
    if list(first) == list(second):
        return 1.0
    return float(ttest_rel(first, second).pvalue)
