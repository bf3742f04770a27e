"""Propagation: labels of some nodes of a graph spread to the others along weighted edges.

Modified Adsorption (Talukdar and Crammer 2009) balances three wishes: labelled nodes keep their labels, neighbours
agree, and nodes of many unlike neighbours stay uncertain, which the *dummy* label holds. How far a node passes labels
on depends on the entropy of its edges. The computation follows Junto, the authors' program, which is what published
results used: the third wish counts fully in the divisor, and a labelled node with a single edge injects its label all
the same. `rw="ecml09"` has the formula of the article instead, `third_term="paper"` the divisor of the printed
objective. Adsorption (Baluja et al. 2008) and label propagation with fixed labels (Zhu and Ghahramani 2002) are the
same loop with other constants.

    >>> from dragoman.semantics.graph import Graph
    >>> graph = Graph.of_edges([("o", "l", 0.5)])
    >>> found = modified_adsorption(graph, {"l": {"a": 0.75, "b": 0.25}}, rounds=100)
    >>> {label: round(value, 6) for label, value in found.of("o").items()}
    {'a': 0.248311, 'b': 0.08277}
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from dragoman._native import semantics as native
from dragoman.errors import InputError
from dragoman.semantics.cooccurrence import csr_arrays
from dragoman.semantics.graph import Graph
from dragoman.settings import check_argument

__all__ = ["DUMMY", "PROPAGATIONS", "SoftLabels", "adsorption", "label_propagation", "modified_adsorption", "propagate"]

DUMMY = "<none>"
"""The label that stands for: no label is reliable."""

PROPAGATIONS = ("modified-adsorption", "adsorption", "label-propagation")

Seeds = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class SoftLabels:
    """How much of each label every node has; the last column is the dummy label."""

    graph: Graph
    labels: tuple[str, ...]
    matrix: csr_matrix = field(repr=False)
    rounds: int
    change: float
    """Mean squared change per node in the last round."""

    def of(self, node: str) -> dict[str, float]:
        """Labels of a node, the greatest first, equal ones by name; the dummy label among them."""
        number = self.graph.number(node)
        span = slice(self.matrix.indptr[number], self.matrix.indptr[number + 1])  # rows of scipy are slow to take
        columns, values = self.matrix.indices[span].tolist(), self.matrix.data[span].tolist()
        found = [(self.labels[column], value) for column, value in zip(columns, values, strict=True)]
        return dict(sorted((entry for entry in found if entry[1] > 0), key=lambda entry: (-entry[1], entry[0])))


def propagate(
    graph: Graph, seeds: Seeds, *, algorithm: str = "modified-adsorption", keep_top: int = 0, threads: int = 0
) -> SoftLabels:
    """Propagate by the algorithm of this name, with its usual settings."""
    check_argument("algorithm", algorithm, choices=PROPAGATIONS)
    if algorithm == "modified-adsorption":
        return modified_adsorption(graph, seeds, keep_top=keep_top, threads=threads)
    if algorithm == "adsorption":
        return adsorption(graph, seeds, keep_top=keep_top, threads=threads)
    return label_propagation(graph, seeds, keep_top=keep_top, threads=threads)


def modified_adsorption(
    graph: Graph,
    seeds: Seeds,
    *,
    mu: tuple[float, float, float] = (1.0, 0.01, 0.01),
    beta: float = 2.0,
    rounds: int = 10,
    tolerance: float = 0.0,
    keep_top: int = 0,
    rw: str = "junto",
    third_term: str = "junto",
    threads: int = 0,
) -> SoftLabels:
    """Modified Adsorption. `mu` weighs keeping labels, agreeing with neighbours, and staying uncertain.

    It runs `rounds` times, or until the mean squared change per node is below `tolerance`; `keep_top` bounds the labels
    of a node (0: all).
    """
    for value in mu:
        check_argument("mu", value, float, least=0)
    check_argument("rw", rw, choices=("junto", "ecml09"))
    check_argument("third_term", third_term, choices=("junto", "paper"))
    labels, told = _seeds(graph, seeds)
    seeded = np.asarray(told.getnnz(1) > 0)
    inject, go_on, give_up = _walk(graph, seeded, beta, rw)
    weighted = diags(go_on) @ graph.matrix
    coupling = csr_matrix(mu[1] * (weighted + weighted.T))
    divisors = mu[0] * inject + np.asarray(coupling.sum(1)).ravel()
    divisors = divisors + mu[2] * (give_up if third_term == "paper" else 1.0)
    if not (divisors > 0).all():
        raise InputError(
            "a node that neither injects, passes on nor gives up labels", remedy='use third_term="junto" or mu above 0'
        )
    given = csr_matrix(diags(mu[0] * inject) @ told) + _dummy(mu[2] * give_up, len(labels))
    return _run(graph, labels, coupling, given, told, divisors, rounds, tolerance, keep_top, threads)


def adsorption(
    graph: Graph,
    seeds: Seeds,
    *,
    beta: float = 2.0,
    rounds: int = 10,
    tolerance: float = 0.0,
    keep_top: int = 0,
    threads: int = 0,
) -> SoftLabels:
    """Adsorption: a random walk that injects a label, goes on along an edge, or gives up at every node."""
    labels, told = _seeds(graph, seeds)
    inject, go_on, give_up = _walk(graph, np.asarray(told.getnnz(1) > 0), beta, "junto")
    coupling = csr_matrix(diags(go_on) @ _shares(graph))
    given = csr_matrix(diags(inject) @ told) + _dummy(give_up, len(labels))
    divisors = np.ones(len(graph))
    return _run(graph, labels, coupling, given, told, divisors, rounds, tolerance, keep_top, threads)


def label_propagation(
    graph: Graph, seeds: Seeds, *, rounds: int = 100, tolerance: float = 1e-10, keep_top: int = 0, threads: int = 0
) -> SoftLabels:
    """Label propagation: labelled nodes keep their labels, the others take the mean of their neighbours."""
    labels, told = _seeds(graph, seeds)
    free = 1.0 - np.asarray(told.getnnz(1) > 0)
    coupling = csr_matrix(diags(free) @ _shares(graph))
    return _run(graph, labels, coupling, told, told, np.ones(len(graph)), rounds, tolerance, keep_top, threads)


def _seeds(graph: Graph, seeds: Seeds) -> tuple[tuple[str, ...], csr_matrix]:
    names = sorted({label for given in seeds.values() for label in given})
    if DUMMY in names:
        raise InputError(f"a label that is called {DUMMY}", remedy="rename it")
    column = {label: number for number, label in enumerate(names)}
    strangers = [node for node in seeds if node not in graph]
    if strangers:
        warnings.warn(
            f"{len(strangers)} labelled nodes are not in the graph, the first is {strangers[0]!r}", stacklevel=3
        )
    entries = []
    for node, given in seeds.items():
        for label, value in given.items():
            if not (value >= 0 and math.isfinite(value)):
                raise InputError(f"label {label!r} of {node!r} has the value {value}", remedy="values are 0 or more")
            if node in graph and value > 0:
                entries.append((graph.number(node), column[label], value))
    rows, columns, values = map(list, zip(*entries, strict=True)) if entries else ([], [], [])
    told = csr_matrix((np.array(values, float), (rows, columns)), shape=(len(graph), len(names) + 1))
    told.sort_indices()
    return (*names, DUMMY), told


def _walk(
    graph: Graph, seeded: NDArray[np.bool_], beta: float, rw: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities to inject, to go on and to give up, from the entropy of each node's edges."""
    check_argument("beta", beta, float, above=1)
    shares = _shares(graph)
    shares.data = -shares.data * (np.log2(shares.data) if rw == "junto" else np.log(shares.data))
    entropy = np.maximum(np.asarray(shares.sum(1)).ravel(), 0.0)
    go_on = math.log(beta) / np.log(beta + (entropy if rw == "junto" else np.exp(entropy)))
    inject = np.where(seeded, (1 - go_on) * np.sqrt(entropy), 0.0)
    if rw == "junto":
        lonely = seeded & (inject == 0)
        inject, go_on = np.where(lonely, 0.99, inject), np.where(lonely, 0.01, go_on)
    scale = np.maximum(go_on + inject, 1.0)
    go_on, inject = go_on / scale, inject / scale
    return inject, go_on, np.maximum(0.0, 1 - go_on - inject)


def _shares(graph: Graph) -> csr_matrix:
    """Each node's edges as shares of their sum."""
    sums = np.asarray(graph.matrix.sum(1)).ravel()
    return csr_matrix(diags(np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)) @ graph.matrix)


def _dummy(values: NDArray[np.float64], labels: int) -> csr_matrix:
    rows = np.flatnonzero(values)
    return csr_matrix((values[rows], (rows, np.full(len(rows), labels - 1))), shape=(len(values), labels))


def _run(
    graph: Graph,
    labels: tuple[str, ...],
    coupling: csr_matrix,
    given: csr_matrix,
    start: csr_matrix,
    divisors: NDArray[np.float64],
    rounds: int,
    tolerance: float,
    keep_top: int,
    threads: int,
) -> SoftLabels:
    check_argument("rounds", rounds, int, least=1)
    check_argument("keep_top", keep_top, int, least=0)
    (starts, columns, values), done, change = native.propagate(
        csr_arrays(csr_matrix(coupling)),
        csr_arrays(csr_matrix(given)),
        csr_arrays(start),
        np.ascontiguousarray(divisors, np.float64),
        labels=len(labels),
        rounds=rounds,
        tolerance=tolerance,
        keep_top=keep_top,
        threads=threads,
    )
    matrix = csr_matrix((values, columns, starts), shape=(len(graph), len(labels)))
    return SoftLabels(graph, labels, matrix, done, change)
