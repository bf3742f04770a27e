"""The feature contract: what a feature may look at, and what it must say about itself.

A feature is `name -> value`. A `RuleFeature` looks at one option, a rule matched to a span of this sentence, and is
asked once per option and sentence. A `StateFeature` also looks at the translation so far, but only through a state of
its own: what it needs to know of the past, as a small hashable value. Partial translations with equal states are
recombined, so a state that forgets something makes scores wrong, and one that remembers too much makes search slow.
Features written in Python and in C++ obey the same contract and give the same scores. (Green, Cer and Manning 2014.)

    >>> class LongWords(RuleFeature):
    ...     "Counts target words of more than twelve letters."
    ...     def rule(self, sentence, option, fire):
    ...         fire("long_words", sum(len(word) > 12 for word in option.target))
    >>> option = Option((0, 1), ("Zug",), ("railway", "transportation"), ((0, 0), (0, 1)))
    >>> LongWords().rules(SourceSentence(0, ("Zug",)), [option])
    [[('long_words', 1)]]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Fire", "Option", "RuleFeature", "SourceSentence", "StateFeature"]

Fire = Callable[[str, float], None]
"""Receives the name and value of what a feature has to say."""

Values = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """The sentence at hand; `number` counts from 0 within its batch. The rest is empty where it is not known."""

    number: int
    tokens: tuple[str, ...]
    domain: str = ""
    tags: tuple[str, ...] = ()
    """Part of speech of each token."""
    heads: tuple[int, ...] = ()
    """Governor of each token, negative for the root."""


class Option(NamedTuple):
    """A rule matched to the span `[start, end)` of the sentence; links count within its own symbols.

    A tuple, because each sentence has hundreds of them, and nothing immutable is made faster. Nonterminals are spelt
    `[X1]`, numbered in source order; `slots` says where they stand in the target: pairs of a position and the number,
    from 0, of the part that fills it.
    """

    span: tuple[int, int]
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    slots: tuple[tuple[int, int], ...] = ()


class RuleFeature(ABC):
    """A feature of a rule in its place."""

    def __str__(self) -> str:
        return type(self).__name__

    @abstractmethod
    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        """Fire what this option is worth."""

    def rules(self, sentence: SourceSentence, options: Sequence[Option]) -> list[Values]:
        """All options of a sentence in one call; override it where a batch can be computed faster."""
        found: list[Values] = []
        values: Values

        def fire(name: str, value: float) -> None:
            values.append((name, value))

        for option in options:
            values = []
            self.rule(sentence, option, fire)
            found.append(values)
        return found


class StateFeature(ABC):
    """A feature of the translation so far, through a hashable state."""

    def __str__(self) -> str:
        return type(self).__name__

    @abstractmethod
    def start(self, sentence: SourceSentence) -> Hashable:
        """The state before anything is translated."""

    @abstractmethod
    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        """Fire what appending the option is worth, and give the state after it."""

    def finish(self, state: Hashable, fire: Fire) -> None:
        """Fire what completing the translation is worth."""
        return

    def combine(self, option: Option, parts: Sequence[Hashable], fire: Fire) -> Hashable:
        """As `extend` for decoders that build a translation from its parts, such as `hiero`.

        `parts` are the states of what fills the nonterminals of the option, in source order (`Option.slots` says where
        they stand). The state is one of a text whose neighbours on both sides are not known yet; `finish` gets that of
        the whole. A feature without this method cannot be used by such decoders.
        """
        raise NotImplementedError(f"{self} cannot combine states")

    @classmethod
    def can_combine(cls) -> bool:
        """Whether decoders that build a translation from its parts can use it."""
        return cls.combine is not StateFeature.combine

    def isolated(self, option: Option) -> float:
        """The weighted score expected of the option by itself: it orders options and enters the future cost only."""
        return 0.0

    def extensions(self, state: Hashable, options: Sequence[Option]) -> list[tuple[Values, Hashable]]:
        """The options of one span after one state, in one call; override it where a batch can be computed faster."""
        found: list[tuple[Values, Hashable]] = []
        values: Values

        def fire(name: str, value: float) -> None:
            values.append((name, value))

        for option in options:
            values = []
            found.append((values, self.extend(state, option, fire)))
        return found

    def combination(self, option: Option, parts: Sequence[Hashable]) -> tuple[Values, Hashable]:
        """What `combine` fires, and the state that it gives."""
        values: Values = []
        after = self.combine(option, parts, lambda name, value: values.append((name, value)))
        return values, after

    def completion(self, state: Hashable) -> Values:
        """What `finish` fires."""
        values: Values = []
        self.finish(state, lambda name, value: values.append((name, value)))
        return values
