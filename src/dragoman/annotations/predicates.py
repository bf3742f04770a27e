"""Predicates: the words of a sentence as a graph of heads and dependents, and the tree that a graph becomes.

Deep analyses are graphs. In *Hillary liked being president* the subject of *like* is also that of *be* and of
*president*, and relative clauses make cycles. A model that asks for the head of a word needs one head for each, so a
graph is made a tree: arcs are followed from the root, depth first, and an arc is kept if its end was not reached
before. Graham and van Genabith (2010) number nodes in that order and drop an arc whose start has the higher number;
that keeps an arc from a node to a descendant that was reached by another way, so the rule here drops those too. What
decides is the order in which arcs are followed: plain arguments come before clauses, so that a shared argument stays
with its highest head, as in their figures. `attach="bfs"` asks for the shallowest head whatever the order.

    >>> graph = PredicateGraph.of(
    ...     ["like", "hillary", "be", "president"],
    ...     [(0, 2, "XCOMP"), (0, 1, "SUBJ"), (2, 1, "SUBJ"), (2, 3, "XCOMP"), (3, 1, "SUBJ")],
    ... )
    >>> print(graph.tree())
    like
      hillary
      be
        president
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dragoman.annotations.layers import EmptyNode
from dragoman.annotations.sentence import Sentence
from dragoman.annotations.treebanks import sentence_id
from dragoman.errors import InputError
from dragoman.settings import check_argument

__all__ = ["ARGUMENTS_FIRST", "ATTACHMENTS", "PredicateArc", "PredicateGraph", "PredicateTree", "UnreachedWords"]

ATTACHMENTS = ("dfs", "bfs")
ARGUMENTS_FIRST = ("SUBJ", "OBJ", "OBJ-TH", "OBL", "COMP", "XCOMP", "ADJ", "SPEC", "MOD")
"""The order in which arcs are followed; other functions come after these."""

_RELATIONS = {
    "nsubj": "SUBJ",
    "csubj": "SUBJ",
    "obj": "OBJ",
    "iobj": "OBJ-TH",
    "obl": "OBL",
    "ccomp": "COMP",
    "xcomp": "XCOMP",
    "advcl": "ADJ",
    "advmod": "ADJ",
    "amod": "ADJ",
    "det": "SPEC",
    "compound": "MOD",
    "nmod": "MOD",
}
"""Relations of Universal Dependencies among functions."""


class UnreachedWords(UserWarning):
    """Words of a graph that no path from a root leads to."""


class PredicateArc(NamedTuple):
    """An arc from head to dependent with its function."""

    head: int
    dependent: int
    function: str


@dataclass(frozen=True, slots=True)
class PredicateTree:
    """A tree of words: the head of each by its place, -1 for a root.

    `positions` say where the words stood in the sentence, for models that tell left from right; a tree of an analysis
    without order has none.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    positions: tuple[int, ...] | None = None
    name: str = ""
    """What the file called the sentence."""

    def __post_init__(self) -> None:
        size = len(self.words)
        if len(self.heads) != size or (self.positions is not None and len(self.positions) != size):
            raise InputError(f"{size} words with {len(self.heads)} heads", where=self.name)
        for node, head in enumerate(self.heads):
            if not -1 <= head < size:
                raise InputError(f"word {node} has head {head} in a tree of {size}", where=self.name)
        if size and len(self.preorder()) != size:
            raise InputError("the heads form a cycle", where=self.name, remedy="make the graph a tree first")

    @classmethod
    def chain(cls, words: Iterable[str]) -> PredicateTree:
        """Each word the head of the next: a sentence as string models see it."""
        given = tuple(words)
        return cls(given, tuple(range(-1, len(given) - 1)), tuple(range(len(given))))

    def __len__(self) -> int:
        return len(self.words)

    def children(self) -> list[list[int]]:
        """The dependents of each node; the last list holds the roots."""
        below: list[list[int]] = [[] for _ in range(len(self.words) + 1)]
        for node, head in enumerate(self.heads):
            below[head].append(node)
        return below

    def preorder(self) -> list[int]:
        """Nodes from the roots down, each before its dependents."""
        below = self.children()
        found: list[int] = []
        agenda = below[-1][::-1]
        while agenda:
            node = agenda.pop()
            found.append(node)
            agenda += reversed(below[node])
        return found

    def __str__(self) -> str:
        depth = {-1: -1}
        lines = []
        for node in self.preorder():
            depth[node] = depth[self.heads[node]] + 1
            lines.append("  " * depth[node] + self.words[node])
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class PredicateGraph:
    """Words and arcs between them, with any number of heads each."""

    words: tuple[str, ...]
    arcs: tuple[PredicateArc, ...]
    roots: tuple[int, ...]
    positions: tuple[int, ...] | None = None
    name: str = ""

    @classmethod
    def of(
        cls,
        words: Iterable[str],
        arcs: Iterable[tuple[int, int, str]],
        roots: Iterable[int] | None = None,
        name: str = "",
    ) -> PredicateGraph:
        """From plain values; without `roots`, those are the words that have no head."""
        given, found = tuple(words), tuple(PredicateArc(*arc) for arc in arcs)
        for arc in found:
            if not (0 <= arc.head < len(given) and 0 <= arc.dependent < len(given)):
                raise InputError(f"an arc from {arc.head} to {arc.dependent} among {len(given)} words", where=name)
        if roots is None:
            governed = {arc.dependent for arc in found}
            roots = [node for node in range(len(given)) if node not in governed]
        return cls(given, found, tuple(roots), name=name)

    @classmethod
    def of_sentence(cls, sentence: Sentence, *, enhanced: bool = False) -> PredicateGraph:
        """Lower-cased lemmas over the basic tree, or over the enhanced graph with its words that are not in the text.

        A lemma that is not given (`_`) is the word itself.
        """
        name = sentence_id(sentence)
        sentence.require("lemmas", "dependencies", needed_by="a graph of predicates")
        words = [_word(lemma, form) for lemma, form in zip(sentence.lemmas, sentence.words, strict=True)]
        if not enhanced:
            trees = sentence.dependencies
            arcs = [
                PredicateArc(head, node, label)
                for node, (head, label) in enumerate(zip(trees.heads, trees.labels, strict=True))
                if head >= 0
            ]
            return cls(tuple(words), tuple(arcs), (trees.root,) if words else (), tuple(range(len(words))), name)
        sentence.require("enhanced", needed_by="the enhanced graph")
        places = {str(node + 1): node for node in range(len(words))}
        governors = list(sentence.layers.enhanced or ())
        counted: dict[int, int] = {}
        for empty in sentence.layers.empty_nodes or ():
            counted[empty.after] = counted.get(empty.after, 0) + 1
            places[f"{empty.after + 1}.{counted[empty.after]}"] = len(words)
            form, lemma, links = _empty_node(empty)
            words.append(_word(lemma, form))
            governors.append(links)
        found: list[PredicateArc] = []
        roots = []
        for node, links in enumerate(governors):
            for link in links.split("|") if links != "_" else ():
                head, _, label = link.partition(":")
                if head == "0":
                    roots.append(node)
                elif head in places:
                    found.append(PredicateArc(places[head], node, label))
                else:
                    raise InputError(f"word {node + 1} has the head {head}, which is not there", where=name)
        return cls(tuple(words), tuple(found), tuple(roots), name=name)

    def tree(self, *, attach: str = "dfs", several_roots: bool = True, unreachable: bool = True) -> PredicateTree:
        """One head for each word. `dfs` follows arcs depth first, arguments before clauses; `bfs` takes the shallowest.

        Several roots, and words that no root reaches (they become dependents of one, each with all that it reaches),
        are errors where they are not wanted.
        """
        check_argument("attach", attach, choices=ATTACHMENTS)
        size = len(self.words)
        if size and not self.roots:
            raise InputError("every word has a head: a cycle without a root", where=self.name, remedy="name a root")
        if len(self.roots) > 1 and not several_roots:
            raise InputError(f"{len(self.roots)} roots", where=self.name, remedy="allow several, or leave it out")
        below: list[list[tuple[int, int, int]]] = [[] for _ in range(size)]
        for place, arc in enumerate(self.arcs):
            below[arc.head].append((_rank(arc.function), place, arc.dependent))
        for arcs in below:
            arcs.sort()
        heads = [-1] * size
        seen = [False] * size
        follow = _depth_first if attach == "dfs" else _breadth_first
        for root in self.roots:
            seen[root] = True
        follow(self.roots, below, heads, seen)
        if not all(seen):
            if not unreachable:
                lost = ", ".join(self.words[node] for node in range(size) if not seen[node])
                raise InputError(f"no root reaches {lost}", where=self.name)
            said = f"no root reaches {seen.count(False)} of {size} words; they become dependents of a root"
            warnings.warn(said, UnreachedWords, stacklevel=2)
            governed = {arc.dependent for arc in self.arcs if not seen[arc.head]}
            for node in [*(n for n in range(size) if n not in governed), *range(size)]:
                if not seen[node]:
                    seen[node], heads[node] = True, self.roots[0]
                    follow([node], below, heads, seen)
        return PredicateTree(self.words, tuple(heads), self.positions, self.name)


def _depth_first(
    start: Sequence[int], below: Sequence[Sequence[tuple[int, int, int]]], heads: list[int], seen: list[bool]
) -> None:
    paths: list[tuple[int, Iterator[tuple[int, int, int]]]] = [(node, iter(below[node])) for node in reversed(start)]
    while paths:
        node, arcs = paths[-1]
        for _, _, end in arcs:
            if not seen[end]:
                seen[end], heads[end] = True, node
                paths.append((end, iter(below[end])))
                break
        else:
            paths.pop()


def _breadth_first(
    start: Sequence[int], below: Sequence[Sequence[tuple[int, int, int]]], heads: list[int], seen: list[bool]
) -> None:
    agenda = deque(start)
    while agenda:
        node = agenda.popleft()
        for _, _, end in below[node]:
            if not seen[end]:
                seen[end], heads[end] = True, node
                agenda.append(end)


def _rank(function: str) -> int:
    plain = _RELATIONS.get(function.partition(":")[0], function)
    plain = "ADJ" if plain == "ADJUNCT" else plain
    return ARGUMENTS_FIRST.index(plain) if plain in ARGUMENTS_FIRST else len(ARGUMENTS_FIRST)


def _word(lemma: str, form: str) -> str:
    return (form if lemma == "_" else lemma).lower()


def _empty_node(empty: EmptyNode) -> tuple[str, str, str]:
    """Form, lemma and governors of a word that is not in the text."""
    columns = empty.columns
    return columns[0], columns[1], columns[7]
