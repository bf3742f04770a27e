"""Typed dependency graphs: the trees of one or several sentences as nodes and labelled edges, collapsed on request.

Trees of words have too much in them for questions about meaning. A name is one thing however many words it has; the
preposition says how its noun is related, so it belongs to the label (`nmod:of`, `obl:in`); punctuation relates nothing.
De Marneffe, MacCartney and Manning (2006) collapse such trees, and MacCartney et al. (2006) align the collapsed graphs.
A graph may hold several sentences (a forest), and nodes may have several governors where subjects are shared.

    >>> from dragoman.annotations import Sentence
    >>> sentence = Sentence.of(
    ...     ["The", "mayor", "of", "New", "York", "smiled", "."],
    ...     lemmas=["the", "mayor", "of", "New", "York", "smile", "."],
    ...     pos=["DET", "NOUN", "ADP", "PROPN", "PROPN", "VERB", "PUNCT"],
    ...     dependencies=([1, 5, 3, 1, 3, -1, 5], ["det", "nsubj", "case", "nmod", "flat", "root", "punct"]),
    ... )
    >>> print(DependencyGraph.of([sentence], COLLAPSED))
    det(mayor-2, The-1)
    nsubj(smiled-6, mayor-2)
    nmod:of(mayor-2, New York-4)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dragoman.annotations.layers import EMPTY, Morphology
from dragoman.annotations.sentence import Sentence

__all__ = ["COLLAPSED", "PLAIN", "Collapsing", "DependencyGraph", "GraphEdge", "GraphNode"]

_NAME_LABELS = ("flat", "flat:name", "name")
_FIXED_LABELS = ("fixed", "mwe", "goeswith")
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubjpass", "csubj", "csubj:pass")
_MARKED = ("nmod", "obl", "advcl", "acl", "conj")
"""Labels that take the function word of their dependent into themselves."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A word of a graph, or several that are one thing."""

    index: int
    """Its place in the graph."""
    sentence: int
    """Which sentence of the graph it stands in."""
    tokens: tuple[int, ...]
    """The tokens of that sentence that it covers; the first of `head` is its own."""
    head: int
    """The token that governs the others."""
    word: str
    lemma: str
    pos: str
    tag: str
    ner: str
    morphology: Morphology = EMPTY
    marker: str = ""
    """The preposition or conjunction that was taken into the label of its edge."""

    def __str__(self) -> str:
        return f"{self.word}-{self.head + 1}"


class GraphEdge(NamedTuple):
    """A labelled edge from governor to dependent, both by their places in the graph."""

    governor: int
    dependent: int
    label: str


@dataclass(frozen=True, slots=True)
class Collapsing:
    """What is joined, taken into labels, or left out."""

    names: bool = False
    """Tokens of one entity, or of one name by its labels, become one node."""
    collocations: Callable[[str], bool] | None = None
    """Neighbouring nouns and adjectives become one node where this knows their lemmas, joined by blanks."""
    particles: bool = False
    """A verb and its particle become one node."""
    labels: bool = False
    """Prepositions, conjunctions and subordinators go into the labels of their edges."""
    punctuation: bool = True
    """Whether punctuation stays."""
    shared: bool = False
    """Conjuncts take the relations and the subject of the first; infinitives get the subject that controls them."""


PLAIN = Collapsing()
"""The tree as it is."""
COLLAPSED = Collapsing(names=True, particles=True, labels=True, punctuation=False)
"""Names and particles joined, function words in labels, no punctuation."""


@dataclass(frozen=True)
class DependencyGraph:
    """Nodes and labelled edges of one or several sentences."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    roots: tuple[int, ...]
    """The root of each sentence."""
    sentences: tuple[Sentence, ...] = ()
    layers: frozenset[str] = frozenset()
    """Layers that all sentences had; a question about another one cannot be answered."""

    @classmethod
    def of(cls, sentences: Sequence[Sentence], collapsing: Collapsing = PLAIN) -> DependencyGraph:
        """The graph of annotated sentences, which need dependencies."""
        nodes: list[GraphNode] = []
        edges: list[GraphEdge] = []
        roots: list[int] = []
        for number, sentence in enumerate(sentences):
            sentence.require("dependencies", needed_by="a dependency graph")
            if len(sentence):
                _Builder(sentence, number, collapsing).add_to(nodes, edges, roots)
        given = [name for name in _LAYERS if all(sentence.has(name) for sentence in sentences)]
        return cls(tuple(nodes), tuple(edges), tuple(roots), tuple(sentences), frozenset(given))

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[GraphNode]:
        return iter(self.nodes)

    def __str__(self) -> str:
        return "\n".join(f"{label}({self.nodes[up]}, {self.nodes[down]})" for up, down, label in self.edges)

    @cached_property
    def children(self) -> tuple[tuple[GraphEdge, ...], ...]:
        """Edges to the dependents of each node, in the order of the text."""
        found: list[list[GraphEdge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            found[edge.governor].append(edge)
        return tuple(map(tuple, found))

    @cached_property
    def parents(self) -> tuple[tuple[GraphEdge, ...], ...]:
        """Edges from the governors of each node; the one of the tree is first."""
        found: list[list[GraphEdge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            found[edge.dependent].append(edge)
        return tuple(map(tuple, found))

    def child(self, node: int, *labels: str) -> int | None:
        """The first dependent with one of these labels; a label without its part after the colon finds all kinds."""
        for edge in self.children[node]:
            if edge.label in labels or edge.label.partition(":")[0] in labels:
                return edge.dependent
        return None

    def below(self, node: int) -> frozenset[int]:
        """The node and all that it dominates."""
        return self._reached(node, down=True)

    def above(self, node: int) -> frozenset[int]:
        """The node and all that dominate it."""
        return self._reached(node, down=False)

    def _reached(self, node: int, *, down: bool) -> frozenset[int]:
        found, agenda = {node}, [node]
        while agenda:
            at = agenda.pop()
            near = [e.dependent for e in self.children[at]] if down else [e.governor for e in self.parents[at]]
            new = [each for each in near if each not in found]
            found.update(new)
            agenda += new
        return frozenset(found)

    @cached_property
    def distances_down(self) -> tuple[dict[int, int], ...]:
        """For each node, edges on the shortest downward path to each node that it dominates."""
        return tuple(self._distances(node, undirected=False) for node in range(len(self)))

    @cached_property
    def distances(self) -> tuple[dict[int, int], ...]:
        """For each node, edges on the shortest path to each node it is connected with, in either direction."""
        return tuple(self._distances(node, undirected=True) for node in range(len(self)))

    def _distances(self, start: int, *, undirected: bool) -> dict[int, int]:
        found, agenda = {start: 0}, deque([start])
        while agenda:
            at = agenda.popleft()
            near = [edge.dependent for edge in self.children[at]]
            if undirected:
                near += [edge.governor for edge in self.parents[at]]
            for each in near:
                if each not in found:
                    found[each] = found[at] + 1
                    agenda.append(each)
        return found

    @cached_property
    def labels_between(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """The labels of the edges from one node to another."""
        found: dict[tuple[int, int], tuple[str, ...]] = {}
        for up, down, label in self.edges:
            found[up, down] = (*found.get((up, down), ()), label)
        return found

    @cached_property
    def node_of(self) -> dict[tuple[int, int], int]:
        """The node that covers a token, by (sentence, token)."""
        return {(node.sentence, token): node.index for node in self.nodes for token in node.tokens}


_LAYERS = ("lemmas", "pos", "tags", "morphology", "dependencies", "entities")


class _Builder:
    """The graph of one sentence."""

    def __init__(self, sentence: Sentence, number: int, collapsing: Collapsing) -> None:
        self.sentence, self.number, self.collapsing = sentence, number, collapsing
        self.heads = list(sentence.dependencies.heads)
        self.labels = list(sentence.dependencies.labels)
        self.words = sentence.words
        self.lemmas = sentence.layers.lemmas or self.words
        self.pos = sentence.layers.pos or ("",) * len(sentence)
        self.owner = list(range(len(sentence)))
        self.left_out: set[int] = set()
        self.markers: dict[int, str] = {}

    def add_to(self, nodes: list[GraphNode], edges: list[GraphEdge], roots: list[int]) -> None:
        chosen = self.collapsing
        if chosen.names:
            self._join_names()
        if chosen.particles:
            self._join_labelled("compound:prt")
        if chosen.collocations is not None:
            self._join_collocations(chosen.collocations)
        if not chosen.punctuation:
            self._leave_out("punct")
        if chosen.labels:
            self._take_markers()
        kept = [token for token, owner in enumerate(self.owner) if owner == token and token not in self.left_out]
        place = {token: len(nodes) + at for at, token in enumerate(kept)}
        nodes += [self._node(token, place[token]) for token in kept]
        made = []
        for token in kept:
            head = self.heads[token]
            if head < 0:
                roots.append(place[token])
            else:
                made.append(GraphEdge(place[self._standing(head)], place[token], self.labels[token]))
        edges += made
        if chosen.shared:
            edges += _shared(made)

    def _standing(self, token: int) -> int:
        """The token whose node this one is part of or, where that was left out, its nearest governor that stays."""
        token = self.owner[token]
        while token in self.left_out:
            token = self.owner[self.heads[token]]
        return token

    def _node(self, token: int, index: int) -> GraphNode:
        layers = self.sentence.layers
        tokens = tuple(each for each, owner in enumerate(self.owner) if owner == token)
        entity = next((span.label for span in layers.entities or () if span.start <= token < span.end), "")
        return GraphNode(
            index,
            self.number,
            tokens,
            token,
            " ".join(self.words[each] for each in tokens),
            " ".join(self.lemmas[each] for each in tokens),
            self.pos[token],
            layers.tags[token] if layers.tags else "",
            entity,
            layers.morphology[token] if layers.morphology else EMPTY,
            self.markers.get(token, ""),
        )

    def _join(self, tokens: Sequence[int]) -> None:
        """Make one node of tokens of which one governs the others, directly or not; else leave them alone."""
        inside = set(tokens)
        tops = [token for token in tokens if self.heads[token] not in inside]
        if len(tops) != 1 or any(self.owner[token] != token for token in tokens):
            return
        for token in tokens:
            self.owner[token] = tops[0]

    def _join_names(self) -> None:
        for span in self.sentence.layers.entities or ():
            self._join(range(span.start, span.end))
        for label in (*_NAME_LABELS, *_FIXED_LABELS):
            self._join_labelled(label)
        for token, label in enumerate(self.labels):  # "Bill Clinton" where the parser says compound
            head = self.heads[token]
            if label == "compound" and self.pos[token] == self.pos[head] == "PROPN":
                self._attach(token, head)

    def _join_labelled(self, label: str) -> None:
        for token, own in enumerate(self.labels):
            if own == label and self.heads[token] >= 0:
                self._attach(token, self.heads[token])

    def _attach(self, token: int, head: int) -> None:
        if self.owner[token] == token and self.owner[head] != token:
            for each, owner in enumerate(self.owner):
                if owner == token:
                    self.owner[each] = self.owner[head]

    def _join_collocations(self, known: Callable[[str], bool]) -> None:
        start = 0
        while start < len(self.words) - 1:
            for size in (3, 2):
                end = start + size
                nominal = {"NOUN", "PROPN", "ADJ", ""}.issuperset(self.pos[start:end])
                if end <= len(self.words) and nominal and known(" ".join(self.lemmas[start:end]).lower()):
                    self._join(range(start, end))
                    start = end - 1
                    break
            start += 1

    def _leave_out(self, label: str) -> None:
        bearing = set(self.heads)
        for token, own in enumerate(self.labels):
            if own == label and token not in bearing and self.owner[token] == token:
                self.left_out.add(token)

    def _take_markers(self) -> None:
        for token, label in enumerate(self.labels):
            head = self.owner[self.heads[token]] if self.heads[token] >= 0 else -1
            if label not in ("case", "mark", "cc") or head < 0 or self.owner[token] != token:
                continue
            base = self.labels[head].partition(":")[0]
            fits = base == "conj" if label == "cc" else base in _MARKED and base != "conj"
            if not fits or head in self.markers:
                continue
            fixed = [each for each, owner in enumerate(self.owner) if owner == token]
            if any(governor == token and each not in fixed for each, governor in enumerate(self.heads)):
                continue
            word = "_".join(self.words[each].lower() for each in fixed)
            self.markers[head] = word
            self.left_out.update(fixed)
            if self.labels[head] == base or base == "conj":
                self.labels[head] = f"{base}:{word}"


def _shared(edges: Sequence[GraphEdge]) -> list[GraphEdge]:
    """Edges that conjuncts and infinitives share with others (de Marneffe and Manning 2008)."""
    up = {edge.dependent: edge for edge in edges}
    subject = {edge.governor: edge for edge in edges if edge.label in _SUBJECTS}
    objects = {edge.governor: edge for edge in edges if edge.label in ("obj", "dobj", "iobj")}
    found: list[GraphEdge] = []
    for governor, dependent, label in edges:
        base = label.partition(":")[0]
        if base == "conj":
            if governor in up:
                found.append(GraphEdge(up[governor].governor, dependent, up[governor].label))
            if governor in subject and dependent not in subject:
                found.append(GraphEdge(dependent, subject[governor].dependent, subject[governor].label))
        elif label == "xcomp" and dependent not in subject:
            controller = objects.get(governor) or subject.get(governor)
            if controller is not None:
                found.append(GraphEdge(dependent, controller.dependent, "nsubj"))
    known = set(edges)
    return [edge for edge in dict.fromkeys(found) if edge not in known and edge.governor != edge.dependent]
