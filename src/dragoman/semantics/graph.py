"""Graphs of phrases that are alike, along which labels are propagated.

Nodes are phrases that a table can translate (*labelled*), words that it cannot (*unknown*), and phrases of the text
that are neither (*unlabelled*). Each node is joined to its nearest neighbours; an edge is there if either end chose the
other (Razmara, Siahbani, Haffari and Sarkar 2013).

| kind | edges |
|---|---|
| `bipartite` | unknown to labelled |
| `tripartite` | unknown to labelled and to unlabelled; the unlabelled so reached to labelled |
| `full` | every node to any |

Unlabelled nodes are bridges: an unknown word and a translatable one that share no context may both resemble a third.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from dragoman.errors import FormatError, InputError, UnknownName
from dragoman.files import display_name, read_lines, writing
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.similarity import Similarity
from dragoman.settings import check_argument

__all__ = ["GRAPH_KINDS", "Graph", "build_graph"]

GRAPH_KINDS = ("bipartite", "tripartite", "full")


@dataclass(frozen=True)
class Graph:
    """An undirected graph with positive weights."""

    nodes: tuple[str, ...]
    matrix: csr_matrix = field(repr=False)
    """Symmetric: the weight of the edge between two nodes, no entry where there is none."""

    @classmethod
    def of_edges(cls, edges: Iterable[tuple[str, str, float]], *, nodes: Iterable[str] = ()) -> Graph:
        """From edges, each given once; nodes are numbered as they come."""
        numbers: dict[str, int] = {node: number for number, node in enumerate(dict.fromkeys(nodes))}
        weights: dict[tuple[int, int], float] = {}
        for first, second, weight in edges:
            if not (weight > 0 and math.isfinite(weight)) or first == second:
                raise InputError(f"an edge {first!r} - {second!r} of weight {weight}", remedy="weights are above 0")
            ends = [numbers.setdefault(node, len(numbers)) for node in (first, second)]
            weights[min(ends), max(ends)] = weight
        rows, columns = ([key[side] for key in weights] for side in (0, 1))
        half = csr_matrix((list(weights.values()), (rows, columns)), shape=(len(numbers), len(numbers)))
        return cls(tuple(numbers), csr_matrix(half + half.T))

    @classmethod
    def read(cls, path: Path | str, *, last_wins: bool = False) -> Graph:
        """Lines of node, tab, node, tab, weight."""
        seen: dict[frozenset[str], tuple[str, str, float]] = {}
        for number, line in enumerate(read_lines(path), 1):
            where = f"{display_name(path)}, line {number}"
            try:
                first, second, text = line.split("\t")
                weight = float(text)
            except ValueError:
                raise FormatError("not two nodes and a weight between tabs", where=where) from None
            if not (weight > 0 and math.isfinite(weight)) or first == second:
                raise FormatError(f"weight {text}", where=where, remedy="weights are above 0, and of two nodes")
            key = frozenset((first, second))
            if key in seen and seen[key][2] != weight and not last_wins:
                raise FormatError(f"another weight for {first!r} and {second!r}", where=where, remedy="remove one")
            seen[key] = (first, second, weight)
        return cls.of_edges(seen.values())

    def write(self, path: Path | str) -> None:
        """The same lines."""
        with writing(path) as file:
            for first, second, weight in self.edges():
                file.write(f"{first}\t{second}\t{weight!r}\n")

    def edges(self) -> list[tuple[str, str, float]]:
        """Each edge once."""
        upper = self.matrix.tocoo()
        return [
            (self.nodes[i], self.nodes[j], float(weight))
            for i, j, weight in zip(upper.row, upper.col, upper.data, strict=True)
            if i < j
        ]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {node: number for number, node in enumerate(self.nodes)}

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: str) -> bool:
        return node in self._numbers

    def number(self, node: str) -> int:
        if node not in self._numbers:
            raise UnknownName(f"the graph has no node {node!r}", remedy="is it in the text?")
        return self._numbers[node]

    def neighbors(self, node: str) -> dict[str, float]:
        """Neighbours of a node, the nearest first."""
        number = self.number(node)
        span = slice(self.matrix.indptr[number], self.matrix.indptr[number + 1])  # rows of scipy are slow to take
        columns, weights = self.matrix.indices[span], self.matrix.data[span]
        return {self.nodes[columns[at]]: float(weights[at]) for at in np.lexsort((columns, -weights))}


def build_graph(
    space: ContextSpace,
    *,
    unknown: Sequence[str],
    labeled: Collection[str],
    unlabeled: Sequence[str] = (),
    kind: str = "tripartite",
    k_labeled: int = 15,
    k_unlabeled: int = 5,
    k: int = 20,
    mutual: bool = False,
    association: Association | None = None,
    similarity: Similarity | None = None,
) -> Graph:
    """Join phrases to their nearest neighbours; phrases that the text does not have are left out.

    `k` is for the bipartite and the full graph, `k_labeled` and `k_unlabeled` for the tripartite one. With `mutual` an
    edge is there only if both ends chose each other. Edges of weight 0 or below are dropped.
    """
    check_argument("kind", kind, choices=GRAPH_KINDS)
    association, similarity = association or Association(measure="pmi"), similarity or Similarity()
    groups = [[node for node in dict.fromkeys(given) if node in space.index] for given in (unknown, labeled, unlabeled)]
    taken: set[str] = set()
    for group in groups:  # a phrase is of the first kind that names it
        group[:] = [node for node in group if node not in taken]
        taken.update(group)
    nodes = [node for group in groups for node in group]
    bounds = np.cumsum([0, *map(len, groups)])
    parts = [np.arange(bounds[i], bounds[i + 1]) for i in range(3)]
    rows = association.apply(space.count(nodes))
    chosen: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []

    def join(queries: NDArray[np.int64], candidates: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        if not len(queries) or not len(candidates):
            return np.zeros(0, np.int64)
        place = {int(node): at for at, node in enumerate(candidates)}
        own = np.array([place.get(int(query), -1) for query in queries], np.int32)
        found = similarity.nearest(rows[queries], rows[candidates], k=count, own=own, threads=space.threads)
        ends = candidates[found.rows]
        chosen.append((np.repeat(queries, np.diff(found.starts)), ends, similarity.weights(found.values)))
        return np.unique(ends)

    if kind == "bipartite":
        join(parts[0], parts[1], k)
    elif kind == "tripartite":
        join(parts[0], parts[1], k_labeled)
        join(join(parts[0], parts[2], k_unlabeled), parts[1], k_labeled)
    else:
        everything = np.arange(len(nodes))
        join(everything, everything, k)
    return _undirected(nodes, chosen, mutual)


def _undirected(
    nodes: Sequence[str],
    chosen: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]],
    mutual: bool,
) -> Graph:
    if chosen:
        rows, columns, weights = (np.concatenate([part[side] for part in chosen]) for side in range(3))
    else:
        rows, columns, weights = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    keep = (weights > 0) & (rows != columns)
    size = len(nodes)
    directed = csr_matrix((weights[keep], (rows[keep], columns[keep])), shape=(size, size))
    matrix = directed.minimum(directed.T) if mutual else directed.maximum(directed.T)
    matrix = csr_matrix(matrix)
    used = np.flatnonzero(matrix.getnnz(1))
    return Graph(tuple(nodes[node] for node in used.tolist()), csr_matrix(matrix[used][:, used]))
