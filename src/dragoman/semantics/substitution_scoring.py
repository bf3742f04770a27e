"""Scores of lexical substitution, as the shared tasks give them.

An item counts if it has at least two votes. Its *mode* is the answer with strictly the most votes, if there is one.
`best` shares the credit of an item among all that was answered, and its mode score looks at the first answer; `oot`
(out of ten) does not share, looks for the mode anywhere, cuts lists at ten, and counts an answer as often as it is
repeated, a known flaw, which is reported and can be switched off. Precision is over items that were answered, recall
over all. (McCarthy and Navigli 2007.)

    >>> gold = {("bank.n", "1"): {"banco": 3, "orilla": 1, "ribera": 1}}
    >>> score_answers({("bank.n", "1"): ("banco",)}, gold).precision
    0.6
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from dragoman.settings import check_argument

__all__ = ["TASKS", "SubstitutionScores", "mode_of", "score_answers"]

TASKS = ("best", "oot")
_MOST = 10

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SubstitutionScores:
    """Scores of a system, from 0 to 1 (above, where answers are repeated)."""

    task: str
    precision: float
    recall: float
    mode_precision: float
    mode_recall: float
    items: int
    """Items that count."""
    attempted: int
    modes: int
    """Items with a mode."""
    repeated: int
    """Items whose answers have a repetition."""
    strange: int
    """Answers to items that are not in the gold file."""
    per_item: Mapping[Key, tuple[float, float]] = field(repr=False, default_factory=dict)
    """Credit and mode credit of each item that counts, 0 where nothing was answered."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "precision": self.precision,
            "recall": self.recall,
            "mode_precision": self.mode_precision,
            "mode_recall": self.mode_recall,
            "items": self.items,
            "attempted": self.attempted,
            "modes": self.modes,
            "repeated": self.repeated,
            "strange": self.strange,
        }

    def lines(self) -> list[str]:
        """As the official program prints them: percentages, rounded half up to two places."""
        return [
            f"precision = {_percent(self.precision)}, recall = {_percent(self.recall)}",
            f"Mode precision = {_percent(self.mode_precision)}, recall = {_percent(self.mode_recall)}",
        ]


def _percent(share: float) -> str:
    return str((Decimal(repr(round(share, 12))) * 100).quantize(Decimal("0.01"), ROUND_HALF_UP))


def mode_of(votes: Mapping[str, int]) -> str | None:
    """The answer with strictly the most votes.

    >>> mode_of({"barco": 2, "nave": 2}) is None
    True
    """
    most = max(votes.values(), default=0)
    best = [answer for answer, count in votes.items() if count == most]
    return best[0] if len(best) == 1 else None


def score_answers(
    answers: Mapping[Key, Sequence[str]],
    gold: Mapping[Key, Mapping[str, int]],
    *,
    task: str = "best",
    most: int = _MOST,
    dedupe: bool = False,
    ignore_case: bool = False,
) -> SubstitutionScores:
    """Score answers; lists are cut at `most` for `oot`, and repetitions dropped if `dedupe`."""
    check_argument("task", task, choices=TASKS)
    fold = str.lower if ignore_case else str
    credit = mode_credit = 0.0
    items = attempted = modes = modes_attempted = repeated = 0
    per_item: dict[Key, tuple[float, float]] = {}
    for key, votes in gold.items():
        folded: dict[str, int] = {}
        for answer, count in votes.items():
            folded[fold(answer)] = folded.get(fold(answer), 0) + count
        total = sum(folded.values())
        if total < 2:
            continue
        items += 1
        mode = mode_of(folded)
        modes += mode is not None
        given = [fold(answer) for answer in answers.get(key, ())]
        repeated += len(set(given)) < len(given)
        given = list(dict.fromkeys(given)) if dedupe else given
        given = given[:most] if task == "oot" else given
        if not given:
            per_item[key] = (0.0, 0.0)
            continue
        attempted += 1
        earned = sum(folded.get(answer, 0) for answer in given) / total
        if task == "best":
            earned /= len(given)
            found = mode is not None and given[0] == mode
        else:
            found = mode is not None and mode in given
        credit += earned
        mode_credit += found
        modes_attempted += mode is not None
        per_item[key] = (earned, float(found))
    return SubstitutionScores(
        task,
        credit / attempted if attempted else 0.0,
        credit / items if items else 0.0,
        mode_credit / modes_attempted if modes_attempted else 0.0,
        mode_credit / modes if modes else 0.0,
        items,
        attempted,
        modes,
        repeated,
        sum(key not in gold for key in answers),
        per_item,
    )
