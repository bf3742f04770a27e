"""Intersection: the derivations of a forest whose target an automaton accepts, as a forest.

Forced decoding asks for the derivations of one string; exact decoding refines an optimistic forest by an automaton that
knows one more context; both are the same operation. It works top-down, as Earley (1970) parsed and Dyer (2010)
intersected, so no node is built for an automaton state that no target reaches at that place. The automaton must be
deterministic: then the result has exactly the accepted derivations, each once, with the automaton's scores added.

    >>> from dragoman.forest import ForestBuilder
    >>> build = ForestBuilder()
    >>> goal = build.add_node()
    >>> for text in ["a b", "b a", "a a"]:
    ...     _ = build.add_edge(goal, text)
    >>> forest = build.finish(goal)
    >>> constrain(forest, "b a").count()
    1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError
from dragoman.forest.forest import Forest

__all__ = ["Automaton", "Intersection", "constrain", "intersect", "word_ids"]

_FOREIGN = 0x7FFFFFFE  # an id that no vocabulary gives out


def word_ids(words: Vocabulary, tokens: str | Sequence[str]) -> NDArray[np.uint32]:
    """Ids of tokens; a token that the vocabulary lacks gets an id that equals no other word's."""
    parts = tokens.split() if isinstance(tokens, str) else tokens
    return np.array([words.id(token) if token in words else _FOREIGN for token in parts], dtype=np.uint32)


class Automaton:
    """A deterministic weighted automaton over the words of a vocabulary; state 0, there from the start, is initial."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.native = native.Automaton()
        self.native.add_state()

    @property
    def states(self) -> int:
        return self.native.states

    def add_state(self) -> int:
        return self.native.add_state()

    def add_arc(self, from_state: int, word: str, to_state: int, score: float = 0.0) -> None:
        """One word, one arc. Words that the vocabulary lacks occur in no forest over it and are ignored."""
        if word in self.words:
            self.native.add_arc(from_state, self.words.id(word), to_state, score)

    def set_otherwise(self, from_state: int, to_state: int, score: float = 0.0) -> None:
        """An arc for all words that have none of their own here; without it they are refused."""
        self.native.set_otherwise(from_state, to_state, score)

    def set_final(self, state: int, score: float = 0.0) -> None:
        """Accept strings that end here."""
        self.native.set_final(state, score)

    @classmethod
    def of_strings(cls, words: Vocabulary, strings: Iterable[str | Sequence[str]]) -> Automaton:
        """Accepts exactly these strings."""
        automaton = cls(words)
        children: dict[tuple[int, str], int] = {}
        for string in strings:
            state = 0
            for word in string.split() if isinstance(string, str) else string:
                if (state, word) not in children:
                    children[state, word] = automaton.add_state()
                    automaton.add_arc(state, word, children[state, word])
                state = children[state, word]
            automaton.set_final(state)
        return automaton

    @classmethod
    def after(
        cls, words: Vocabulary, context: str | Sequence[str], scores: Mapping[str, float], *, otherwise: float = 0.0
    ) -> Automaton:
        """Accepts everything and adds `scores[word]` (or `otherwise`) to each word that follows the context.

        A state is how much of the context has just been read (Knuth, Morris and Pratt 1977), so overlapping occurrences
        count, and the automaton has one state more than the context has words.
        """
        pattern = tuple(context.split() if isinstance(context, str) else context)
        length = len(pattern)
        automaton = cls(words)
        for _ in pattern:
            automaton.add_state()

        def reached(read: tuple[str, ...]) -> int:
            return max(j for j in range(min(length, len(read)) + 1) if read[len(read) - j :] == pattern[:j])

        for state in range(length + 1):
            automaton.set_final(state)
            at_end = state == length
            automaton.set_otherwise(state, 0, otherwise if at_end else 0.0)
            for word in dict.fromkeys((*pattern, *(scores if at_end else ()))):
                score = scores.get(word, otherwise) if at_end else 0.0
                automaton.add_arc(state, word, reached((*pattern[:state], word)), score)
        return automaton


@dataclass(frozen=True, slots=True)
class Intersection:
    """The accepted derivations; for each node its original and the states before and after it, for each edge its
    original. The goal gathers all accepting states, so its exit state means nothing.
    """

    forest: Forest
    nodes: NDArray[np.uint32]
    edges: NDArray[np.uint32]
    entry: NDArray[np.uint32]
    exit: NDArray[np.uint32]


def intersect(
    forest: Forest,
    automaton: Automaton,
    *,
    feature: str | None = None,
    weight: float = 1.0,
    most_edges: int = 50_000_000,
) -> Intersection:
    """The derivations that the automaton accepts, with its scores added to the edges that write the words.

    With `feature`, the automaton's scores become values of that feature, and count `weight` times: reweighting then
    keeps them. An intersection of more than `most_edges` is refused.
    """
    if automaton.words is not forest.words:
        raise InputError(
            "the automaton and the forest number words differently", remedy="build the automaton with `forest.words`"
        )
    number = None if feature is None else forest.features.intern(feature)
    found, nodes, edges, entry, exit_ = native.intersect(forest.native, automaton.native, most_edges, number, weight)
    return Intersection(
        Forest(found, words=forest.words, features=forest.features, source=forest.source), nodes, edges, entry, exit_
    )


def constrain(forest: Forest, target: str | Sequence[str]) -> Forest:
    """The derivations whose target is exactly this; an empty forest if there are none."""
    found = native.constrained(forest.native, word_ids(forest.words, target))
    return Forest(found, words=forest.words, features=forest.features, source=forest.source)
