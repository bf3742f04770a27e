"""Projective trees: subtrees without gaps, which is what rules over stretches of words need.

A tree with crossing arcs can be had without them in two ways. Its words can be put into the order of a walk through it,
each word after what hangs on its left and before what hangs on its right: no arc is broken, every subtree becomes a
stretch, and a sentence without crossing arcs stays as it is (Graham 2013). Or the words stay, and the arcs that cross
are lifted to the head of their head until none does (Nivre and Nilsson 2005), which is what a parser that knows no
crossing arcs would have done.

    >>> from dragoman.annotations import Dependencies
    >>> words = "when did the crisis begin ?".split()
    >>> tree = Dependencies((4, -1, 3, 1, 1, 1), ("advmod", "root", "det", "nsubj", "dep", "punct"))
    >>> order = in_order(tree)
    >>> " ".join(words[at] for at in order), reordered(tree, order).heads
    ('did the crisis when begin ?', (-1, 2, 0, 4, 0, 0))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dragoman.annotations.layers import Dependencies
from dragoman.errors import InputError

__all__ = ["in_order", "is_projective", "joined", "lifted", "moved_links", "reordered"]


def in_order(tree: Dependencies) -> tuple[int, ...]:
    """The positions of the words in the order of the walk; the identity for a projective tree."""
    below: list[list[int]] = [[] for _ in tree.heads]
    for child, head in enumerate(tree.heads):
        if head >= 0:
            below[head].append(child)
    found: list[int] = []
    agenda: list[tuple[int, bool]] = [(tree.root, False)] if len(tree) else []
    while agenda:
        word, is_open = agenda.pop()
        if is_open:
            found.append(word)
            continue
        agenda += [(child, False) for child in reversed(below[word]) if child > word]
        agenda.append((word, True))
        agenda += [(child, False) for child in reversed(below[word]) if child < word]
    return tuple(found)


def is_projective(tree: Dependencies) -> bool:
    """Whether all words between a word and its head hang, directly or not, on that head."""
    return in_order(tree) == tuple(range(len(tree)))


def reordered(tree: Dependencies, order: Sequence[int]) -> Dependencies:
    """The tree over its words in another order: `order` says which word comes where."""
    place = {word: at for at, word in enumerate(order)}
    if sorted(place) != list(range(len(tree))):
        raise InputError(f"an order of {len(order)} words for a tree of {len(tree)}")
    heads = tuple(place[tree.heads[word]] if tree.heads[word] >= 0 else -1 for word in order)
    return Dependencies(heads, tuple(tree.labels[word] for word in order))


def moved_links(
    links: Iterable[tuple[int, int]], order: Sequence[int], *, side: int = 0
) -> tuple[tuple[int, int], ...]:
    """Word links after the words of a side (0: source) were put into another order.

    >>> moved_links([(0, 2), (1, 0)], [1, 0])
    ((0, 0), (1, 2))
    """
    place = {word: at for at, word in enumerate(order)}
    moved = [(place[a], b) if side == 0 else (a, place[b]) for a, b in links]
    return tuple(sorted(moved))


def lifted(tree: Dependencies) -> Dependencies:
    """The tree with arcs that cross lifted, the shortest first, until it is projective; labels stay."""
    heads = list(tree.heads)
    while True:
        current = Dependencies(tuple(heads), tree.labels)
        if is_projective(current):
            return current
        crossing = [word for word in range(len(heads)) if heads[word] >= 0 and not _dominates_between(heads, word)]
        word = min(crossing, key=lambda each: (abs(heads[each] - each), each))
        heads[word] = heads[heads[word]]


def _dominates_between(heads: Sequence[int], word: int) -> bool:
    head = heads[word]
    for between in range(min(word, head) + 1, max(word, head)):
        above = between
        while above >= 0 and above != head:
            above = heads[above]
        if above < 0:
            return False
    return True


def joined(trees: Sequence[Dependencies]) -> Dependencies:
    """One tree for a line of several sentences: the roots of all but the first hang on that of the first."""
    heads: list[int] = []
    labels: list[str] = []
    for tree in trees:
        start = len(heads)
        first = trees[0].root if start else -1
        heads += [head + start if head >= 0 else first for head in tree.heads]
        labels += tree.labels
    return Dependencies(tuple(heads), tuple(labels))
