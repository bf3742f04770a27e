"""Packed forests of derivations and everything that is computed on them."""

import os
from collections.abc import Sequence

from numpy import float64, int64, uint16, uint32, uint64
from numpy.typing import NDArray

import dragoman._native.common

NONTERMINAL_BIT: int = 2147483648

class Forest:
    """Flat arrays of an acyclic hypergraph; the last node is the goal."""

    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def labels(self) -> NDArray[uint32]:
        """Per node: start, end, covered words, category."""

    @property
    def coverage(self) -> NDArray[uint64]:
        """Per node: its coverage set, 64 source positions to a number."""

    @property
    def first_edge(self) -> NDArray[uint32]:
        """Edges of node n are first_edge[n] .. first_edge[n + 1] - 1."""

    @property
    def heads(self) -> NDArray[uint32]: ...
    @property
    def tail_starts(self) -> NDArray[uint32]: ...
    @property
    def tails(self) -> NDArray[uint32]: ...
    @property
    def rules(self) -> NDArray[uint32]: ...
    @property
    def spans(self) -> NDArray[uint32]: ...
    @property
    def target_starts(self) -> NDArray[uint32]: ...
    @property
    def targets(self) -> NDArray[uint32]: ...
    @property
    def feature_starts(self) -> NDArray[uint32]: ...
    @property
    def feature_ids(self) -> NDArray[uint32]: ...
    @property
    def feature_values(self) -> NDArray[float64]: ...
    @property
    def link_starts(self) -> NDArray[uint32]: ...
    @property
    def links(self) -> NDArray[uint16]: ...
    @property
    def scores(self) -> NDArray[float64]: ...
    def rescored(self, scores: NDArray[float64]) -> Forest:
        """The same derivations under other scores of the edges."""

    def reweighted(self, weights: NDArray[float64]) -> Forest:
        """The same derivations, scored by weights . features."""

class ForestBuilder:
    """Collects nodes and edges in any order."""

    def __init__(self) -> None: ...
    def add_node(self, start: int, end: int, covered: int, category: int, coverage: Sequence[int]) -> int: ...
    def add_edge(
        self,
        head: int,
        tails: Sequence[int],
        target: Sequence[int],
        rule: int,
        span: tuple[int, int],
        features: Sequence[int],
        values: Sequence[float],
        score: float,
        links: Sequence[tuple[int, int]],
    ) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    def finish(self, goal: int) -> Forest: ...

class Enumeration:
    """Derivations of a forest from the best to the worst, found one by one."""

    def __init__(self, forest: Forest) -> None: ...
    def next(self) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]] | None: ...

class Automaton:
    """A deterministic weighted automaton over words; state 0 is the start."""

    def __init__(self) -> None: ...
    @property
    def states(self) -> int: ...
    def add_state(self) -> int: ...
    def add_arc(self, from_state: int, word: int, to_state: int, score: float = 0.0) -> None: ...
    def set_otherwise(self, from_state: int, to_state: int, score: float = 0.0) -> None: ...
    def set_final(self, state: int, score: float = 0.0) -> None: ...

class NgramExpectations:
    """Expected n-gram counts of a forest."""

    def __init__(self, forest: Forest, order: int, most_edges: int) -> None: ...
    @property
    def words(self) -> NDArray[uint32]: ...
    @property
    def starts(self) -> NDArray[uint32]: ...
    @property
    def counts(self) -> NDArray[float64]: ...
    @property
    def length(self) -> float: ...
    @property
    def edges(self) -> int: ...
    def occurrence(self, ids: NDArray[uint32], *, threads: int = 0) -> NDArray[float64]: ...
    def bleu(self, words: NDArray[uint32], ends: NDArray[uint32]) -> NDArray[float64]: ...
    def linear(
        self, words: NDArray[uint32], ends: NDArray[uint32], factors: NDArray[float64], *, threads: int = 0
    ) -> NDArray[float64]: ...

class ForestWriter:
    """Writes forests into one binary file."""

    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    def add(
        self,
        forest: Forest,
        words: dragoman._native.common.Vocabulary,
        features: dragoman._native.common.Vocabulary,
        source: list[str],
    ) -> None: ...
    def finish(self) -> None: ...

class ForestFile:
    """Forests in a binary file."""

    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    def __len__(self) -> int: ...
    def words(self) -> dragoman._native.common.Vocabulary: ...
    def features(self) -> dragoman._native.common.Vocabulary: ...
    def forest(self, index: int) -> tuple[Forest, NDArray[uint32]]: ...

def node_values(forest: Forest, semiring: str, weights: NDArray[float64], *, outward: bool = False) -> NDArray[float64]:
    """Inside values of all nodes, or outside values."""

def posteriors(forest: Forest) -> tuple[float, NDArray[float64], NDArray[float64]]:
    """Log partition, and expected uses of nodes and of edges."""

def max_marginals(forest: Forest) -> tuple[NDArray[float64], NDArray[float64]]:
    """Score of the best derivation through each node and each edge."""

def weighted_features(forest: Forest, amounts: NDArray[float64]) -> tuple[NDArray[uint32], NDArray[float64]]:
    """Sum over edges of amount times features."""

def derivation_features(
    forest: Forest, edges: NDArray[uint32], ends: NDArray[uint32]
) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]]:
    """
    Feature vectors of derivations as a sparse matrix: row starts, ids, values.
    """

def gain_expectation(forest: Forest, gains: NDArray[float64]) -> tuple[float, float, NDArray[uint32], NDArray[float64]]:
    """Log partition, mean gain, and its covariance with each feature."""

def moments(forest: Forest, first: NDArray[float64], second: NDArray[float64]) -> tuple[float, float, float, float]:
    """Log partition, two means and their covariance."""

def entropy(forest: Forest) -> float: ...
def count_residues(forest: Forest) -> tuple[list[int], list[int]]:
    """Primes, and the number of derivations modulo each."""

def best_derivation(forest: Forest) -> NDArray[uint32]: ...
def k_best(
    forest: Forest, k: int, distinct: bool, most_pops: int
) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]]:
    """Edges of all derivations, where each ends, and their scores."""

def kbest_lists(
    forests: list[Forest], words: list[dragoman._native.common.Vocabulary], *, nbest: int, distinct: bool, threads: int
) -> tuple[
    NDArray[int64], NDArray[int64], NDArray[int64], NDArray[float64], NDArray[float64], NDArray[int64], list[str]
]:
    """
    The best derivations of each forest: where lists and rows start, feature ids and values, scores, the text of each derivation, texts.
    """

def sample(
    forest: Forest, seed: int, first: int, count: int, *, threads: int = 0
) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[float64]]: ...
def yield_of(
    forest: Forest, edges: NDArray[uint32]
) -> tuple[NDArray[uint32], NDArray[uint32], NDArray[uint32], list[tuple[int, int]]]:
    """Target words, the step and symbol that wrote each, and the word links."""

def child_steps(forest: Forest, edges: NDArray[uint32]) -> list[list[int]]:
    """For each step, the steps that derive its tails."""

def pruned(forest: Forest, margin: float, density: float, posterior: float) -> Forest: ...
def unite(forests: Sequence[Forest]) -> Forest: ...
def renamed(
    forest: Forest,
    words: dragoman._native.common.Vocabulary,
    into_words: dragoman._native.common.Vocabulary,
    features: dragoman._native.common.Vocabulary,
    into_features: dragoman._native.common.Vocabulary,
) -> Forest:
    """The same forest with ids of other vocabularies, which grow as needed."""

def intersect(
    forest: Forest, automaton: Automaton, most_edges: int, feature: int | None, feature_weight: float
) -> tuple[Forest, NDArray[uint32], NDArray[uint32], NDArray[uint32], NDArray[uint32]]:
    """
    The accepted derivations; original node and edge, entry and exit state of each.
    """

def constrained(forest: Forest, words: NDArray[uint32]) -> Forest:
    """The derivations with exactly this target."""

BLEU_ORDER: int = 4

def bleu_oracle(
    forest: Forest, words: NDArray[uint32], ends: NDArray[uint32], beam: int, *, model: float = 0.0, gain: float = 1.0
) -> tuple[NDArray[uint32], float]:
    """
    The derivation with the highest sum of model score and BLEU in reference words, and its BLEU.
    """

def sentence_bleu(hypothesis: NDArray[uint32], words: NDArray[uint32], ends: NDArray[uint32]) -> float: ...
