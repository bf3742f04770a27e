"""What a tree model predicts: each word of a tree once, after its ancestors.

A string model conditions a word on the words to its left, a deep-syntax model (Graham and van Genabith 2010) on its
head, its head's head, and so on: `<s>` stands above the root, and below each leaf `</s>`, which is predicted like a
word. In a string a context is followed once each time it occurs; in a tree by all dependents of its last word. So the
count of a context is not the sum over what follows it, and paths from the root to the leaves share their beginnings,
which must not be counted once a leaf. Visiting each node once gives just the right events.

Others have read trees otherwise, and their events are here to be compared: `paths` counts shared beginnings again
(Riezler and Maxwell 2006); `reverse` predicts heads from dependents and `joint` both together (Bojar and Hajič 2008);
`sides` predicts the dependents of a head outwards, left and right apart (Shen et al. 2008). Symbols in angle brackets
mark which is which, so that a model file says by its words what it predicts.

    >>> from dragoman.annotations.predicates import PredicateTree
    >>> tree = PredicateTree(("pass", "congress", "bill"), (-1, 0, 0))
    >>> [event.ngram for event in TreeEvents(order=3).of(tree)]
    ['<s> pass', '<s> pass congress', 'pass congress </s>', '<s> pass bill', 'pass bill </s>']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dragoman.annotations.predicates import PredicateTree
from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = ["KINDS", "MARKS", "Event", "TreeEvents", "all_orders", "needed_contexts"]

KINDS = ("ancestors", "paths", "reverse", "joint", "sides")
MARKS = {"reverse": "<governor>", "joint": "<arc>", "sides": "<top>"}
"""A symbol that only models of this kind know; it stands for what governs the root."""

_BEGIN, _END = "<s>", "</s>"
_LEFT, _RIGHT = "<left>", "<right>"
_SPECIAL = {_BEGIN, _END, "<unk>", *MARKS.values(), _LEFT, _RIGHT}


class Event(NamedTuple):
    """A word after its context, furthest word first. An event that is only counted is there for its word's sake: the
    word is a context of others, and models know contexts by having predicted them."""

    context: tuple[str, ...]
    word: str
    scored: bool = True

    @property
    def ngram(self) -> str:
        return " ".join((*self.context, self.word))


@dataclass(frozen=True, slots=True)
class TreeEvents:
    """Which events a tree has: how many words an n-gram spans, whether ends are predicted, and which reading."""

    order: int = 3
    ends: bool = True
    kind: str = "ancestors"

    def __post_init__(self) -> None:
        check_argument("order", self.order, int, least=1)
        check_argument("events", self.kind, choices=KINDS)

    def of(self, tree: PredicateTree) -> Iterator[Event]:
        """The events of one tree."""
        words = [as_token(word) for word in tree.words]
        match self.kind:
            case "ancestors":
                return self._ancestors(tree, words)
            case "paths":
                return self._paths(tree, words)
            case "sides":
                return self._sides(tree, words)
        return self._arcs(tree, words)

    def count(self, trees: Iterable[PredicateTree]) -> Counter[tuple[str, ...]]:
        """How often each event happens: what estimation needs."""
        found: Counter[tuple[str, ...]] = Counter()
        for tree in trees:
            found.update((*event.context, event.word) for event in self.of(tree))
        return found

    def _event(self, context: Sequence[str], word: str, scored: bool = True) -> Event:
        reach = self.order - 1
        return Event(tuple(context[max(0, len(context) - reach) :]), word, scored)

    def _ancestors(self, tree: PredicateTree, words: Sequence[str]) -> Iterator[Event]:
        leaves = set(range(len(words))) - set(tree.heads)
        above: dict[int, tuple[str, ...]] = {}
        for node in tree.preorder():
            head = tree.heads[node]
            above[node] = (*above[head], words[head])[-self.order :] if head >= 0 else (_BEGIN,)
            yield self._event(above[node], words[node])
            if self.ends and node in leaves:
                yield self._event((*above[node], words[node]), _END)

    def _paths(self, tree: PredicateTree, words: Sequence[str]) -> Iterator[Event]:
        for leaf in sorted(set(range(len(words))) - set(tree.heads)):
            path = [leaf]
            while tree.heads[path[-1]] >= 0:
                path.append(tree.heads[path[-1]])
            line = [_BEGIN, *(words[node] for node in reversed(path)), *([_END] if self.ends else [])]
            for place in range(1, len(line)):
                yield self._event(line[:place], line[place])

    def _arcs(self, tree: PredicateTree, words: Sequence[str]) -> Iterator[Event]:
        mark = MARKS[self.kind]
        for node, head in enumerate(tree.heads):
            dependent, governor = words[node], words[head] if head >= 0 else mark
            if self.kind == "reverse":
                yield self._event((_BEGIN,), dependent, scored=False)
                yield self._event((_BEGIN, dependent), governor)
            else:
                yield self._event((_BEGIN,), governor)
                yield self._event((_BEGIN, governor), dependent)

    def _sides(self, tree: PredicateTree, words: Sequence[str]) -> Iterator[Event]:
        if tree.positions is None:
            raise InputError(
                "the tree does not say where its words stand",
                where=tree.name,
                remedy="left and right need a tree of a sentence; choose other events for f-structures",
            )
        below = tree.children()
        for root in below.pop():
            yield self._event((_BEGIN,), MARKS["sides"], scored=False)
            yield self._event((_BEGIN, MARKS["sides"]), words[root])
        for head, children in enumerate(below):
            children.sort(key=tree.positions.__getitem__)
            left = [child for child in reversed(children) if tree.positions[child] < tree.positions[head]]
            right = [child for child in children if tree.positions[child] > tree.positions[head]]
            for side, mark in ((left, _LEFT), (right, _RIGHT)):
                line = [_BEGIN, words[head], mark, *(words[child] for child in side), *([_END] if self.ends else [])]
                for place in range(1, len(line)):
                    yield self._event(line[:place], line[place], scored=place > 2)


def as_token(word: str) -> str:
    """A word as models and count files can hold it: one token, and none that has a meaning of its own."""
    token = "&#32;".join(word.split())
    return f"&lt;{token[1:]}" if token in _SPECIAL else token or "_"


def all_orders(counts: Counter[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    """Counts of shorter n-grams, too: each event counts for the n-gram of its nearest ancestors of every length."""
    found: Counter[tuple[str, ...]] = Counter()
    for ngram, count in counts.items():
        for start in range(len(ngram)):
            if ngram[start:] != (_BEGIN,):
                found[ngram[start:]] += count
    return found


def needed_contexts(counts: Counter[tuple[str, ...]], prune: Sequence[int]) -> set[tuple[str, ...]]:
    """N-grams that pruning by count would drop though a kept one needs them: its context, or the end of that.

    In a string a context is at least as frequent as what follows it; in a tree it may be rarer.
    """
    if not any(prune):
        return set()
    every = all_orders(counts)
    longest = max(map(len, every), default=0)
    limits = [*prune, *[prune[-1]] * longest][:longest]
    kept: set[tuple[str, ...]] = {ngram for ngram, count in every.items() if count > limits[len(ngram) - 1]}
    needed: set[tuple[str, ...]] = set()
    for size in range(longest, 1, -1):
        for ngram in [each for each in kept if len(each) == size]:
            for part in (ngram[:-1], ngram[1:]):
                if part not in kept and part in every:
                    kept.add(part)
                    needed.add(part)
    return needed
