"""Deep-syntax models: the probability of a tree of predicates, word by word after its ancestors.

The model (Graham and van Genabith 2010) is an ordinary back-off model over unusual n-grams: those that run down a tree.
Estimated from counts (`dragoman.lm.tree_events` says why not from lines of text), written as an ARPA file, it can be
queried by anything that reads such files, with the ancestors of a word as its history. Compared with a string model it
sees the verb of an argument however many words stand between them, and does not see where an adverb was put.

    >>> from dragoman.annotations.predicates import PredicateTree
    >>> tree = PredicateTree(("pass", "congress", "bill", "care"), (-1, 0, 0, 2))
    >>> model = DeepSyntaxModel.train([tree, tree])
    >>> found = model.score(tree)
    >>> found.events, found.unknown
    (6, 0)
    >>> model.score(PredicateTree(("pass", "bill", "congress", "care"), (-1, 0, 0, 1))).logprob == found.logprob
    True
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.annotations.predicates import PredicateTree
from dragoman.errors import InputError
from dragoman.lm.estimate import Estimate, estimate_from_counts
from dragoman.lm.model import NgramModel, Perplexity, State
from dragoman.lm.tree_events import MARKS, Event, TreeEvents, needed_contexts
from dragoman.progress import ProgressCallback

__all__ = ["DeepSyntaxModel", "FrequentNgram", "ScoredEvent", "TreeCoverage", "TreeScore", "estimate_trees"]


class ScoredEvent(NamedTuple):
    """A word of a tree with its log-probability, and the length of the n-gram that gave it (shorter: backed off)."""

    event: Event
    logprob: float
    ngram_length: int
    known: bool


@dataclass(frozen=True, slots=True)
class TreeScore:
    """The log-probability of a tree, and what it is the sum of."""

    logprob: float
    events: int
    unknown: int
    unknown_logprob: float
    end_logprob: float

    @property
    def mean(self) -> float:
        """Log-probability an event."""
        return self.logprob / self.events if self.events else 0.0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TreeCoverage:
    """How many events of a text end an n-gram of this order that training saw.

    Words near the root have too few ancestors for long n-grams. They count among all `events`; `full` counts only those
    that have enough. Publications rarely say which they divide by.
    """

    order: int
    hits: int
    events: int
    full: int

    @property
    def share(self) -> float:
        return self.hits / self.events if self.events else math.nan

    @property
    def full_share(self) -> float:
        """Among events whose context is long enough."""
        return self.hits / self.full if self.full else math.nan

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "share": self.share, "full_share": self.full_share}


@dataclass(frozen=True, slots=True)
class FrequentNgram:
    """An n-gram of a text, how often it is there, and what the model makes of its last word after the others."""

    ngram: str
    count: int
    probability: float


def estimate_trees(
    trees: Iterable[PredicateTree],
    events: TreeEvents | None = None,
    *,
    smoothing: str = "kneser-ney",
    prune: Sequence[int] = (),
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Estimate:
    """Estimate the n-grams of a model; `write_arpa` of the result writes them.

    Contexts that pruning would take from n-grams that stay are kept. `smoothing="katz", prune=(0, 0, 1)` is what SRILM
    does with counts unless it is told otherwise.
    """
    chosen = events or TreeEvents()
    counts = chosen.count(trees)
    if not counts:
        raise InputError("no trees to learn from", remedy="give at least one sentence with a predicate")
    return estimate_from_counts(
        ((" ".join(ngram), count) for ngram, count in counts.items()),
        order=chosen.order,
        smoothing=smoothing,
        prune=prune,
        required=[" ".join(ngram) for ngram in needed_contexts(counts, prune)],
        threads=threads,
        progress=progress,
    )


class DeepSyntaxModel:
    """An n-gram model over trees."""

    def __init__(self, ngrams: NgramModel, events: TreeEvents | None = None) -> None:
        self.ngrams = ngrams
        self.events = events or _events_of(ngrams)

    @classmethod
    def train(
        cls,
        trees: Iterable[PredicateTree],
        events: TreeEvents | None = None,
        *,
        smoothing: str = "kneser-ney",
        prune: Sequence[int] = (),
        threads: int = 0,
    ) -> DeepSyntaxModel:
        """Count, estimate and build; see `estimate_trees`."""
        chosen = events or TreeEvents()
        return cls(estimate_trees(trees, chosen, smoothing=smoothing, prune=prune, threads=threads).build(), chosen)

    @classmethod
    def load(cls, path: Path | str) -> DeepSyntaxModel:
        """An ARPA file or a binary model; its words say which events it predicts."""
        return cls(NgramModel.load(path))

    @property
    def order(self) -> int:
        return self.events.order

    @property
    def unknown_logprob(self) -> float:
        """Of a word that nobody knows, after a context that nobody knows."""
        return self.ngrams.native.step(self.ngrams.empty_state(), 0)[0]

    @cached_property
    def word_logprob(self) -> Callable[[str, tuple[str, ...]], float]:
        """A function from a word and its context, the furthest ancestor first, to its log-probability."""
        look = self._look_up()
        return lambda word, context: look(Event(context, word)).logprob

    def scored(self, trees: Iterable[PredicateTree]) -> Iterator[list[ScoredEvent]]:
        """Each tree, event by event."""
        look = self._look_up()
        for tree in trees:
            yield [look(event) for event in self.events.of(tree) if event.scored]

    def score(self, tree: PredicateTree) -> TreeScore:
        """The log-probability of a tree."""
        [found] = self.score_all([tree])
        return found

    def score_all(self, trees: Iterable[PredicateTree]) -> list[TreeScore]:
        """As `score`, of many trees."""
        return [
            TreeScore(
                math.fsum(found.logprob for found in tree),
                len(tree),
                sum(not found.known for found in tree),
                math.fsum(found.logprob for found in tree if not found.known),
                math.fsum(found.logprob for found in tree if found.event.word == "</s>"),
            )
            for tree in self.scored(trees)
        ]

    def perplexity(self, trees: Iterable[PredicateTree]) -> Perplexity:
        """Perplexity by event. A model without ends neither scores nor counts them."""
        scores = self.score_all(trees)
        return Perplexity(
            len(scores),
            sum(score.events for score in scores),
            sum(score.unknown for score in scores),
            math.fsum(score.logprob for score in scores),
            math.fsum(score.unknown_logprob for score in scores),
        )

    def coverage(self, trees: Iterable[PredicateTree]) -> list[TreeCoverage]:
        """Shares of events whose n-gram the model has, by order; without pruning, those that training saw."""
        hits: Counter[int] = Counter()
        reach: Counter[int] = Counter()
        events = 0
        for tree in self.scored(trees):
            for found in tree:
                events += 1
                reach[len(found.event.context) + 1] += 1
                hits[found.ngram_length if found.known else 0] += 1
        return [
            TreeCoverage(
                order,
                sum(count for length, count in hits.items() if length >= order),
                events,
                sum(count for length, count in reach.items() if length >= order),
            )
            for order in range(1, self.order + 1)
        ]

    def frequent(
        self, trees: Iterable[PredicateTree], *, order: int | None = None, most: int | None = 20
    ) -> list[FrequentNgram]:
        """The most frequent n-grams of a text, with the probability of the last word after the others."""
        size = order or self.order
        found: Counter[tuple[str, ...]] = Counter()
        for tree in self.scored(trees):
            found.update((*event.context, event.word)[-size:] for event, *_ in tree if len(event.context) + 1 >= size)
        look = self._look_up()
        listed = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:most]
        return [
            FrequentNgram(" ".join(ngram), count, math.exp(look(Event(ngram[:-1], ngram[-1])).logprob))
            for ngram, count in listed
        ]

    def _look_up(self) -> Callable[[Event], ScoredEvent]:
        """A function from events to their scores, which remembers contexts."""
        native = self.ngrams.native
        states: dict[tuple[str, ...], State] = {}

        def state_of(context: tuple[str, ...]) -> State:
            found = states.get(context)
            if found is None:
                if context and context[0] == "<s>":
                    start, words = native.begin_state(), context[1:]
                else:
                    start, words = self.ngrams.empty_state(), context
                found = native.step_phrase(start, [native.id(word) for word in words])[1]
                states[context] = found
            return found

        def look(event: Event) -> ScoredEvent:
            number = native.id(event.word)
            logprob, _, length = native.step(state_of(event.context), number)
            return ScoredEvent(event, logprob, length, number != 0)

        return look


def _events_of(model: NgramModel) -> TreeEvents:
    kind = next((kind for kind, mark in MARKS.items() if mark in model), "ancestors")
    return TreeEvents(model.order, "</s>" in model, kind)
