"""What certificates state of features that look at the phrases before: how these lie to each other, and anything else.

How a phrase lies to the one before it, or to the largest block that ends with it, follows from spans alone, so only the
scores of the four orders are stated; the verifier finds the orders itself (Galley and Manning 2008). Any other feature
is stated as an automaton whose steps are options.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["REORDERING", "PhraseStates", "State", "StatedFeature", "covering"]

REORDERING = ("none", "phrase", "hierarchical")
"""Whether orders count, and whether to the last phrase or to the largest block that ends with it."""

_MONOTONE, _SWAP, _LEFT, _RIGHT = range(4)
Block = tuple[int, int]
State = tuple[tuple[Block, ...], int, tuple[int, ...]]
"""Blocks, the last one first; the last option, or one that looks the same; states of other features."""


class Stated(Protocol):
    """An option as far as it matters here."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def previous(self) -> tuple[float, ...]: ...
    @property
    def next(self) -> tuple[float, ...]: ...


@dataclass(frozen=True, slots=True)
class StatedFeature:
    """A feature as an automaton over options, whose state 0 is the start; rows that several states share stand once."""

    name: str
    after: tuple[tuple[int, ...], ...]
    """Rows of the states after each option."""
    scores: tuple[tuple[tuple[int, float], ...], ...]
    """Rows of options with what they score; those that are not there score nothing."""
    states: tuple[tuple[int, int, float], ...]
    """Per state its row of `after`, its row of `scores`, and what it scores at the end."""

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> StatedFeature:
        return cls(
            str(given["name"]),
            tuple(tuple(map(int, row)) for row in given["after"]),
            tuple(tuple((int(option), float(score)) for option, score in row) for row in given["scores"]),
            tuple((int(after), int(scores), float(end)) for after, scores, end in given["states"]),
        )

    def problems(self, options: int) -> list[str]:
        """What makes it no automaton over so many options."""
        rows, count = len(self.after), len(self.states)
        whole = all(len(row) == options and all(0 <= state < count for state in row) for row in self.after)
        known = all(0 <= option < options and math.isfinite(score) for row in self.scores for option, score in row)
        placed = all(
            0 <= after < rows and 0 <= scores < len(self.scores) and math.isfinite(end)
            for after, scores, end in self.states
        )
        return [] if count and whole and known and placed else [f"{self.name} is no automaton over the options"]


def covering(start: int, end: int) -> int:
    """A span as a set of positions, bit by bit."""
    return (1 << end) - (1 << start)


class PhraseStates:
    """What options score after others, and the most that they can."""

    def __init__(self, reordering: str, options: Sequence[Stated], features: Sequence[StatedFeature]) -> None:
        self.options, self.hierarchical = options, reordering == "hierarchical"
        self.any = reordering != "none" or bool(features)
        self._features = [
            ([features[at].after[after] for after, _, _ in features[at].states], _scores(features[at]), features[at])
            for at in range(len(features))
        ]
        alike: dict[tuple[int, int, tuple[float, ...]], int] = {}
        self._last = [
            alike.setdefault((each.start, each.end, each.next), number) if reordering != "none" else -1
            for number, each in enumerate(options)
        ]
        self.start: State = ((), -1, (0,) * len(features))
        self._most = [
            sum(max(row.get(number, 0.0) for row in scores) for _, scores, _ in self._features)
            + max(each.previous, default=0.0)
            for number, each in enumerate(options)
        ]
        self.most_at_end = sum(max(end for _, _, end in feature.states) for feature in features)

    def most(self, number: int, *, completes: bool) -> float:
        """The most that an option can score whatever stands before it, and after it unless it is the last."""
        return self._most[number] + (0.0 if completes else max(self.options[number].next, default=0.0))

    def extend(self, state: State, number: int, covered: int) -> tuple[float, State]:
        """What an option scores after a state, where so much is covered, and the state after it."""
        blocks, last, others = state
        option, score = self.options[number], 0.0
        span = option.start, option.end
        if option.previous:
            score += option.previous[self._with_previous(blocks, last, span)]
        if last >= 0 and (following := self.options[last].next):
            score += following[self._with_next(last, span, covered)]
        for (_, scores, _), each in zip(self._features, others, strict=True):
            score += scores[each].get(number, 0.0)
        after = tuple(after[each][number] for (after, _, _), each in zip(self._features, others, strict=True))
        return score, (_reduced(span, blocks) if self.hierarchical else (), self._last[number], after)

    def finish(self, state: State) -> float:
        return sum(feature.states[each][2] for (_, _, feature), each in zip(self._features, state[2], strict=True))

    def _with_previous(self, blocks: tuple[Block, ...], last: int, span: Block) -> int:
        if last < 0:
            return _MONOTONE if span[0] == 0 else _RIGHT
        before = self.options[last].start, self.options[last].end
        near = blocks[0] if self.hierarchical else before
        if span[0] == near[1]:
            return _MONOTONE
        if span[1] == near[0]:
            return _SWAP
        return _LEFT if span[1] <= before[0] else _RIGHT

    def _with_next(self, last: int, span: Block, covered: int) -> int:
        """Blocks of what comes later are not known: contiguous is what has nothing translated between it."""
        before = self.options[last].start, self.options[last].end
        free: Callable[[int, int], bool] = (
            (lambda start, end: not covered & covering(start, end)) if self.hierarchical else (lambda a, b: a == b)
        )
        if span[0] >= before[1] and free(before[1], span[0]):
            return _MONOTONE
        if span[1] <= before[0] and free(span[1], before[0]):
            return _SWAP
        return _LEFT if span[1] <= before[0] else _RIGHT


def _scores(feature: StatedFeature) -> list[dict[int, float]]:
    rows = [dict(row) for row in feature.scores]
    return [rows[scores] for _, scores, _ in feature.states]


def _reduced(span: Block, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Blocks after a phrase: as many of the last ones as together leave no hole become one."""
    taken, joined = 0, span
    low, high, words = span[0], span[1], span[1] - span[0]
    for count, (start, end) in enumerate(blocks, start=1):
        low, high, words = min(low, start), max(high, end), words + end - start
        if high - low == words:
            taken, joined = count, (low, high)
    return (joined, *blocks[taken:])
