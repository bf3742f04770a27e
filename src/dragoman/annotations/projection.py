"""Projection: annotation carried to a language without a treebank, through the links of a word alignment.

A tree of the source is copied to the target where words are linked one to one, and made whole where they are not (Hwa
et al. 2005): a target word of several source words takes the uppermost of them; a source word of several target words
is headed by the first, the others hang on it; a target word without a link hangs on its neighbour. Tags follow the same
links. What could not be carried over is counted, because a projected tree is only as good as its alignment.

    >>> from dragoman.annotations import Sentence
    >>> source = Sentence.of(["dogs", "bark"], pos=["NOUN", "VERB"], dependencies=([1, -1], ["nsubj", "root"]))
    >>> projected = project(source, ["Hunde", "bellen", "laut"], [(0, 0), (1, 1)])
    >>> projected.sentence.dependencies.heads, projected.sentence.pos, projected.unlinked
    ((1, -1, 1), ('NOUN', 'VERB', 'X'), 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.annotations.layers import Dependencies
from dragoman.annotations.sentence import Sentence
from dragoman.errors import InputError

__all__ = ["Projected", "project", "uncrossed", "whole_tree"]

UNKNOWN_TAG, UNKNOWN_LABEL = "X", "dep"


@dataclass(frozen=True, slots=True)
class Projected:
    """The target sentence with the layers that were carried over, and how much of it had to be made up."""

    sentence: Sentence
    unlinked: int
    """Target words without a link."""
    torn: int
    """Target words whose own link gave no head, because it led back to themselves or nowhere."""


def project(source: Sentence, target: Sequence[str], links: Iterable[tuple[int, int]]) -> Projected:
    """The target words with the source's tags and dependencies; links are pairs of source and target positions."""
    source.require("dependencies", needed_by="projection")
    tree = source.dependencies
    depth = tree.depths()
    behind: list[list[int]] = [[] for _ in target]
    for first, second in links:
        if not (0 <= first < len(source) and 0 <= second < len(target)):
            raise InputError(f"link {first}-{second} in a pair of {len(source)} and {len(target)} words")
        behind[second].append(first)
    tops = [min(words, key=lambda word: (depth[word], word)) if words else -1 for words in behind]
    owner: dict[int, int] = {}
    for at, top in enumerate(tops):
        if top >= 0:
            owner.setdefault(top, at)
    heads, labels = [-1] * len(target), [UNKNOWN_LABEL] * len(target)
    unknown: set[int] = set()
    for at, top in enumerate(tops):
        if top < 0:
            unknown.add(at)
            continue
        if owner[top] != at:  # one source word, several target words
            heads[at] = owner[top]
            continue
        labels[at] = tree.labels[top]
        node = tree.heads[top]
        while node >= 0 and (node not in owner or owner[node] == at):
            node = tree.heads[node]
        heads[at] = owner[node] if node >= 0 else -1
    known = [at for at in range(len(target)) if at not in unknown]
    for at in sorted(unknown):
        heads[at] = min(known, key=lambda other: (abs(other - at), other)) if known else -1
    made = whole_tree(heads, labels)
    torn = sum(1 for before, after in zip(heads, made.heads, strict=True) if before != after)
    pos = tuple(source.pos[top] if top >= 0 else UNKNOWN_TAG for top in tops) if source.has("pos") else None
    sentence = Sentence.of(target, pos=pos, dependencies=made if target else None)
    return Projected(sentence, len(unknown), torn)


def whole_tree(heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    """One tree of heads that may have several roots or cycles: the first root stays, the rest hangs on it."""
    found = list(heads)
    names = list(labels)
    roots = [at for at, head in enumerate(found) if head < 0 or head >= len(found) or head == at]
    root = roots[0] if roots else 0
    for at in roots:
        found[at] = root
    found[root] = -1
    reached = [at == root for at in range(len(found))]
    for start in range(len(found)):
        path, at = [], start
        while not reached[at] and at not in path:
            path.append(at)
            at = found[at]
        if not reached[at]:  # a cycle: cut it where it was met again
            found[at] = root
        for node in path:
            reached[node] = True
    for at, head in enumerate(found):
        if head == -1:
            names[at] = "root"
        elif names[at] == "root":
            names[at] = UNKNOWN_LABEL
    return Dependencies(tuple(found), tuple(names))


def uncrossed(heads: Sequence[int]) -> tuple[int, ...]:
    """The heads with crossing arcs lifted to the head's head until none cross (Nivre and Nilsson 2005)."""
    found = list(heads)
    while True:
        crossing = _shortest_crossing(found)
        if crossing < 0:
            return tuple(found)
        found[crossing] = found[found[crossing]]


def _shortest_crossing(heads: Sequence[int]) -> int:
    """The word whose arc is the shortest of those that pass over a word their head does not dominate."""
    best, best_length = -1, len(heads) + 1
    for word, head in enumerate(heads):
        if head < 0 or heads[head] < 0 or abs(word - head) >= best_length:
            continue
        for between in range(min(word, head) + 1, max(word, head)):
            node = between
            while node >= 0 and node != head:
                node = heads[node]
            if node != head:
                best, best_length = word, abs(word - head)
                break
    return best
