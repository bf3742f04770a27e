"""Patterns over dependency graphs: find nodes by what they are and how they hang together.

A pattern says what a node is like, in braces, and how it is related to others. `{tag:/^VB/}=v >nsubj {}=s` finds verbs
with their subjects, and gives both their names. Patterns may also go from a hypothesis to the text that it is aligned
with (`@`). The language is that of Chambers et al. (2007), who call it Semgrex; `pattern_syntax` has its grammar.

| written | holds when |
|---|---|
| `{A} >r {B}` | A governs B by an edge labelled r |
| `{A} <r {B}` | A depends on B by an edge labelled r |
| `{A} >>r {B}` | A, or something that A dominates, governs B by r |
| `{A} <<r {B}` | A depends by r on B, or on something that B dominates |
| `{A} @ {B}` | A of the hypothesis is aligned to B of the text (or the other way round) |

    >>> from dragoman.annotations import Sentence
    >>> sentence = Sentence.of(["Dogs", "chase", "cats"], dependencies=([1, -1, 1], ["nsubj", "root", "obj"]))
    >>> graph = DependencyGraph.of([sentence])
    >>> [(match["v"].word, match["o"].word) for match in Pattern("{}=v >obj {}=o").find(graph)]
    [('chase', 'cats')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from dragoman.annotations.graphs import DependencyGraph, GraphEdge, GraphNode
from dragoman.annotations.pattern_syntax import (
    Alternatives,
    NodeTest,
    PatternTree,
    Relation,
    Step,
    WantedValue,
    parse_pattern,
)
from dragoman.annotations.sentence import MissingLayer
from dragoman.errors import InputError

__all__ = ["AlignedGraphs", "Pattern", "PatternMatch"]

NodePlace = tuple[int, int]
"""Which graph (0 the hypothesis, or the only one; 1 the text), and which of its nodes."""
Binding = tuple[tuple[str, NodePlace], ...]
"""Names and what they stand for, sorted by name."""

_LAYER_OF = {"lemma": "lemmas", "pos": "pos", "tag": "tags", "ner": "entities"}


@dataclass(frozen=True)
class AlignedGraphs:
    """A hypothesis, a text, and which nodes of the one are aligned to which of the other."""

    hypothesis: DependencyGraph
    text: DependencyGraph
    links: frozenset[tuple[int, int]]
    """(node of the hypothesis, node of the text)."""

    def __post_init__(self) -> None:
        for ours, theirs in self.links:
            if not (0 <= ours < len(self.hypothesis) and 0 <= theirs < len(self.text)):
                raise InputError(
                    f"link {ours}-{theirs} lies outside graphs of {len(self.hypothesis)} and {len(self.text)} nodes"
                )


@dataclass(frozen=True)
class PatternMatch:
    """Where a pattern holds: its first node, and the nodes that its names stand for."""

    node: GraphNode
    names: Mapping[str, GraphNode]
    places: Mapping[str, NodePlace] = field(repr=False)
    """Graph (0 hypothesis, 1 text) and node of each name."""

    def __getitem__(self, name: str) -> GraphNode:
        return self.names[name]


class Pattern:
    """A pattern that was read and can be looked for.

    Regular expressions search, so that `/^NN/` means "begins with NN"; with `fullmatch` they must cover the value.
    """

    def __init__(self, text: str, *, fullmatch: bool = False, ignore_case: bool = False) -> None:
        self.text = text
        self.tree = parse_pattern(text)
        self._ignore_case = ignore_case
        self._fullmatch = fullmatch
        self._test = lru_cache(maxsize=None)(self._compiled)

    def __str__(self) -> str:
        return str(self.tree)

    def find(self, graphs: DependencyGraph | AlignedGraphs) -> Iterator[PatternMatch]:
        """Every distinct binding once: by its first node in order of the graph, then in the order they are found."""
        if isinstance(graphs, AlignedGraphs):
            search = _Search(self._test, (graphs.hypothesis, graphs.text), graphs.links)
        else:
            search = _Search(self._test, (graphs,), None)
        for node in range(len(search.graphs[0])):
            for binding in dict.fromkeys(search.pattern(self.tree, (0, node), ())):
                places = dict(binding)
                names = {name: search.graphs[side].nodes[at] for name, (side, at) in places.items()}
                yield PatternMatch(search.graphs[0].nodes[node], names, places)

    def _compiled(self, value: WantedValue) -> Callable[[str], bool]:
        if value.expression:
            expression = re.compile(value.text, re.IGNORECASE if self._ignore_case else 0)
            look = expression.fullmatch if self._fullmatch else expression.search
            return lambda text: look(text) is not None
        if self._ignore_case:
            wanted = value.text.lower()
            return lambda text: text.lower() == wanted
        return lambda text: text == value.text


class _Search:
    """One search through one graph or an aligned pair."""

    def __init__(
        self,
        test: Callable[[WantedValue], Callable[[str], bool]],
        graphs: tuple[DependencyGraph, ...],
        links: frozenset[tuple[int, int]] | None,
    ) -> None:
        self.test, self.graphs, self.links = test, graphs, links

    def pattern(self, tree: PatternTree, place: NodePlace, binding: Binding) -> Iterator[Binding]:
        """All extensions of a binding with which the pattern holds of a node."""
        if not self.fits(tree.node, place):
            return
        name = tree.node.name
        if name:
            known = dict(binding)
            if known.setdefault(name, place) != place:
                return
            binding = tuple(sorted(known.items()))
        if tree.relations is None:
            yield binding
        else:
            yield from self.alternatives(tree.relations, place, binding)

    def alternatives(self, found: Alternatives, place: NodePlace, binding: Binding) -> Iterator[Binding]:
        for option in found.options:
            yield from self.conjunction(option, place, binding)

    def conjunction(self, relations: tuple[Relation, ...], place: NodePlace, binding: Binding) -> Iterator[Binding]:
        if not relations:
            yield binding
            return
        for extended in dict.fromkeys(self.relation(relations[0], place, binding)):
            yield from self.conjunction(relations[1:], place, extended)

    def relation(self, relation: Relation, place: NodePlace, binding: Binding) -> Iterator[Binding]:
        inner = relation.of
        found = (
            self.step(inner, place, binding) if isinstance(inner, Step) else self.alternatives(inner, place, binding)
        )
        if not relation.mark:
            yield from found
            return
        first = next(found, None)
        if first is None:
            yield binding
        elif relation.mark == "?":
            yield first
            yield from found

    def step(self, step: Step, place: NodePlace, binding: Binding) -> Iterator[Binding]:
        for target in self.targets(step, place):
            yield from self.pattern(step.target, target, binding)

    def targets(self, step: Step, place: NodePlace) -> Iterator[NodePlace]:
        """The nodes that an operator leads to, each once."""
        side, node = place
        graph = self.graphs[side]
        match step.operator:
            case ">":
                found = [edge.dependent for edge in graph.children[node] if self.labelled(step.label, edge)]
            case "<":
                found = [edge.governor for edge in graph.parents[node] if self.labelled(step.label, edge)]
            case ">>":
                inside = sorted(graph.below(node))
                found = [
                    edge.dependent for up in inside for edge in graph.children[up] if self.labelled(step.label, edge)
                ]
            case "<<":
                near = [edge.governor for edge in graph.parents[node] if self.labelled(step.label, edge)]
                found = [up for governor in near for up in sorted(graph.above(governor))]
            case _:
                yield from self.aligned(place)
                return
        for target in dict.fromkeys(found):
            yield side, target

    def aligned(self, place: NodePlace) -> Iterator[NodePlace]:
        if self.links is None:
            raise InputError("the pattern has @, but there is no alignment", remedy="search an aligned pair of graphs")
        side, node = place
        yield from ((1 - side, link[1 - side]) for link in sorted(self.links) if link[side] == node)

    def labelled(self, label: WantedValue | None, edge: GraphEdge) -> bool:
        return label is None or self.test(label)(edge.label)

    def fits(self, wanted: NodeTest, place: NodePlace) -> bool:
        side, at = place
        graph = self.graphs[side]
        if wanted.root and at not in graph.roots:
            return False
        return all(self.has(graph, graph.nodes[at], name, self.test(value)) for name, value in wanted.attributes)

    def has(self, graph: DependencyGraph, node: GraphNode, name: str, holds: Callable[[str], bool]) -> bool:
        layer = _LAYER_OF.get(name, "morphology" if name[0].isupper() else "dependencies")
        if layer not in graph.layers:
            raise MissingLayer(
                f"the pattern asks for {name!r}, but the graph has no layer {layer!r}",
                remedy="annotate the text first, or read a format that carries it",
            )
        match name:
            case "idx":
                return holds(str(node.head + 1))
            case "deprel":
                labels = [edge.label for edge in graph.parents[node.index]]
                return any(map(holds, labels if node.index not in graph.roots else [*labels, "root"]))
            case "word" | "lemma" | "pos" | "tag" | "ner":
                return holds(str(getattr(node, name)))
        return name in node.morphology and holds(node.morphology[name])
