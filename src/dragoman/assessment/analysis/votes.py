"""Votes: all judgements of the same two outputs made one, and a test that counts items.

Three people who look at one sentence are not three sentences: a test over single judgements would claim too much. So an
item is given to the output with the greater weight of votes, where each assessor weighs as much as they agree with the
majority of the others who judged the same, and the exact one-sided binomial test counts items. (Cer, Manning and
Jurafsky 2010, who say that votes were weighted and not how.) Ties abstain; an item without a winner is left out.

    >>> from dragoman.assessment import Preference
    >>> looks = [Preference(who, "en", "t", "7", "A", "B", 1 if who in "xy" else -1) for who in "xyz"]
    >>> test, = vote_tests(looks)
    >>> test.better, test.won, test.lost, test.p
    ('A', 1, 0, 0.5)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.assessment.analysis.preferences import sign_test
from dragoman.assessment.ratings import Preference

__all__ = ["VoteTest", "assessor_weights", "vote_tests"]

ComparedOutputs = tuple[str, str, str, str, str]
"""Language pair, test set, segment, and the two systems in alphabetical order."""


@dataclass(frozen=True, slots=True)
class VoteTest:
    """Two systems over the items that both were judged on: `better` won more of them than `worse`.

    `p` is the probability of at least so many wins if every item with a winner were the toss of a coin.
    """

    better: str
    worse: str
    won: int
    lost: int
    tied: int
    judgements: int
    p: float

    @property
    def share(self) -> float:
        """Share of the items with a winner that the better system won; a half if there are none."""
        return self.won / (self.won + self.lost) if self.won + self.lost else 0.5

    def to_dict(self) -> dict[str, Any]:
        return {
            "better": self.better,
            "worse": self.worse,
            "won": self.won,
            "lost": self.lost,
            "tied": self.tied,
            "judgements": self.judgements,
            "share": self.share,
            "p": self.p,
        }


def assessor_weights(preferences: Iterable[Preference]) -> dict[str, float]:
    """How often each assessor chose as the majority of the others did, of the items where they have a majority.

    One item more of each kind is counted, so that nobody weighs nothing, or all, after a few items, and an item that is
    all that is known goes to the plain majority.
    """
    agreed: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for looks in _items(preferences).values():
        choices = Counter(looks.values())
        for assessor, choice in looks.items():
            seen[assessor] += 0
            others = (choices - Counter([choice])).most_common(2)
            if others and (len(others) == 1 or others[0][1] > others[1][1]):
                seen[assessor] += 1
                agreed[assessor] += others[0][0] == choice
    return {assessor: (agreed[assessor] + 1) / (seen[assessor] + 2) for assessor in sorted(seen)}


def vote_tests(
    preferences: Iterable[Preference], *, weights: Mapping[str, float] | None = None
) -> tuple[VoteTest, ...]:
    """A test for every two systems that were compared; `weights` of assessors are their agreement by default."""
    given = list(preferences)
    known = assessor_weights(given) if weights is None else weights
    tallies: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    judgements: Counter[tuple[str, str]] = Counter()
    for (_, _, _, first, second), looks in _items(given).items():
        sides = [sum(known[who] for who, choice in looks.items() if choice == side) for side in (1, -1)]
        tallies[first, second][(sides[0] > sides[1]) - (sides[0] < sides[1])] += 1
        judgements[first, second] += len(looks)
    found = []
    for (first, second), tally in sorted(tallies.items()):
        names = (first, second) if tally[1] >= tally[-1] else (second, first)
        won, lost = max(tally[1], tally[-1]), min(tally[1], tally[-1])
        found.append(VoteTest(*names, won, lost, tally[0], judgements[first, second], sign_test(won, lost)))
    return tuple(found)


def _items(preferences: Iterable[Preference]) -> dict[ComparedOutputs, dict[str, int]]:
    """What each assessor chose of each item the first time: 1, -1, or 0 for a tie."""
    found: dict[ComparedOutputs, dict[str, int]] = defaultdict(dict)
    for one in preferences:
        first, second, choice = one.ordered
        found[one.pair, one.testset, one.segment, first, second].setdefault(one.assessor, choice)
    return found
