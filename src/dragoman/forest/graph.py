"""Nodes and edges: what a forest is made of, spelt out, and what can be asked of them one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError, SettingError

__all__ = ["NONTERMINAL_BIT", "Edge", "FeatureWeights", "ForestGraph", "Node", "weight_vector"]

FeatureWeights = Mapping[str, float] | NDArray[np.float64]
"""Feature names to weights, or an array indexed by feature id; what is missing weighs nothing."""

NONTERMINAL_BIT = native.NONTERMINAL_BIT


@dataclass(frozen=True, slots=True)
class Node:
    """What a node is about: for a chart its span; for left-to-right decoding the last phrase and the coverage."""

    start: int
    end: int
    covered: int
    category: int
    coverage: frozenset[int]

    @property
    def label(self) -> str:
        """What pictures call it."""
        if self.covered == self.end - self.start:
            return f"{self.start}–{self.end}"
        return f"{self.covered} covered"


@dataclass(frozen=True, slots=True)
class Edge:
    """One way to build a node. In `target`, a number is the index of a tail whose yield stands there.

    `links` are word links: source positions counted from the start of `span`, indices into `target`.
    """

    head: int
    tails: tuple[int, ...]
    target: tuple[str | int, ...]
    rule: int
    span: tuple[int, int]
    features: dict[str, float]
    score: float
    links: tuple[tuple[int, int], ...]


def weight_vector(weights: FeatureWeights, features: Vocabulary) -> NDArray[np.float64]:
    """Weights as an array by feature id. Names that no feature here has are skipped: they cannot matter."""
    if isinstance(weights, Mapping):
        vector = np.zeros(len(features))
        for name, weight in weights.items():
            if name in features:
                vector[features.id(name)] = weight
            if not math.isfinite(weight):
                raise SettingError(f"the weight of {name!r} is {weight}", remedy="weights must be finite numbers")
        return vector
    vector = np.ascontiguousarray(weights, dtype=np.float64)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise SettingError("weights must be one row of finite numbers")
    return vector


class ForestGraph:
    """Nodes and edges of one sentence, immutable. `words` and `features` name the ids in `native`."""

    __slots__ = ("features", "native", "source", "words")

    def __init__(
        self, graph: native.Forest, *, words: Vocabulary, features: Vocabulary, source: Sequence[str] = ()
    ) -> None:
        self.native, self.words, self.features, self.source = graph, words, features, tuple(source)

    def __bool__(self) -> bool:
        return self.nodes > 0

    @property
    def nodes(self) -> int:
        """Number of nodes. They are in topological order, the goal last; 0 means that there is no derivation."""
        return self.native.nodes

    @property
    def edges(self) -> int:
        """Number of edges, sorted by head."""
        return self.native.edges

    @property
    def goal(self) -> int:
        """The node of complete translations: the last one."""
        self._need_derivation()
        return self.nodes - 1

    @property
    def scores(self) -> NDArray[np.float64]:
        """Score of each edge."""
        return self.native.scores

    def node(self, node: int) -> Node:
        """One node as a Python value."""
        start, end, covered, category = self.native.labels[node].tolist()
        coverage = frozenset(
            64 * place + bit
            for place, bits in enumerate(self.native.coverage[node].tolist())
            for bit in range(64)
            if bits >> bit & 1
        )
        return Node(start, end, covered, category, coverage)

    def edge(self, edge: int) -> Edge:
        """One edge as a Python value, with its words and features by name."""
        graph = self.native
        score = float(graph.scores[edge])
        tails, target, ids, links = (
            starts[edge : edge + 2].tolist()
            for starts in (graph.tail_starts, graph.target_starts, graph.feature_starts, graph.link_starts)
        )
        features: dict[str, float] = {}
        for feature, value in zip(
            graph.feature_ids[slice(*ids)].tolist(), graph.feature_values[slice(*ids)].tolist(), strict=True
        ):
            name = self.features.word(feature)
            features[name] = features.get(name, 0.0) + value
        start, end = graph.spans[edge].tolist()
        return Edge(
            head=int(graph.heads[edge]),
            tails=tuple(graph.tails[slice(*tails)].tolist()),
            target=tuple(
                symbol - NONTERMINAL_BIT if symbol >= NONTERMINAL_BIT else self.words.word(symbol)
                for symbol in graph.targets[slice(*target)].tolist()
            ),
            rule=int(graph.rules[edge]),
            span=(start, end),
            features=features,
            score=score,
            links=tuple((source, word) for source, word in graph.links[slice(*links)].tolist()),
        )

    def edges_of(self, node: int) -> range:
        """The edges that build a node."""
        return range(int(self.native.first_edge[node]), int(self.native.first_edge[node + 1]))

    def _need_derivation(self) -> None:
        if not self:
            raise InputError("the forest holds no derivation")
