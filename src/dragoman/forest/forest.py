"""The forest: all derivations that a search kept, packed so that shared parts are stored once.

A node stands for a partial translation (a span of the source, or a coverage with the decoder's state), an edge for one
way to build it: a rule applied to other nodes, its tails. A derivation picks one edge for the goal and, for each tail,
a derivation of it. With `n` binary choices a forest of O(n) edges holds 2^n derivations; that is why everything after
search works on it instead of lists. The graph lives in native flat arrays; this class adds names and the operations
that users call.

    >>> from dragoman.forest import ForestBuilder
    >>> build = ForestBuilder("das Haus")
    >>> noun, goal = build.add_node(1, 2), build.add_node(0, 2)
    >>> _ = build.add_edge(noun, "house", score=-0.5, span=(1, 2))
    >>> _ = build.add_edge(noun, "home", score=-1.5, span=(1, 2))
    >>> _ = build.add_edge(goal, ["the", 0], [noun], score=-0.25, span=(0, 2))
    >>> forest = build.finish(goal)
    >>> [(derivation.text, derivation.score) for derivation in forest.kbest(5)]
    [('the house', -0.75), ('the home', -1.75)]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman._native.common import Vocabulary
from dragoman.errors import InputError
from dragoman.forest.derivation import Derivation
from dragoman.forest.draw import DrawnEdge, empty_svg, graph_svg, spelt
from dragoman.forest.graph import NONTERMINAL_BIT, FeatureWeights, ForestGraph, weight_vector
from dragoman.forest.semirings import node_values
from dragoman.settings import check_argument

__all__ = ["Forest", "ForestBuilder", "union"]


class Forest(ForestGraph):
    """Packed derivations of one sentence, immutable."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Forest of {self.nodes} nodes and {self.edges} edges>"

    # The same derivations under other scores.

    def reweight(self, weights: FeatureWeights) -> Forest:
        """Score every edge by weights . features. The structure is shared, so this is cheap in time and memory."""
        return self._with(self.native.reweighted(weight_vector(weights, self.features)))

    def rescore(self, scores: NDArray[np.float64]) -> Forest:
        """Give every edge another score."""
        return self._with(self.native.rescored(np.ascontiguousarray(scores, dtype=np.float64)))

    def scale(self, factor: float) -> Forest:
        """Multiply all scores: above 1 sharpens the distribution over derivations, below 1 flattens it."""
        return self if factor == 1.0 else self.rescore(self.scores * factor)

    # Derivations.

    def best(self) -> Derivation:
        """The derivation with the highest score; of equal ones that with the smaller edges."""
        self._need_derivation()
        edges = native.best_derivation(self.native)
        return Derivation(self, edges)

    def kbest(self, k: int, *, distinct: bool = False, most_pops: int = 3000) -> list[Derivation]:
        """The `k` best derivations in order (Huang and Chiang 2005); fewer if there are no more.

        Ties are ordered by edges, so the list is the same everywhere. With `distinct` only the best derivation of each
        target is kept; the search for further targets gives up after looking at `most_pops` derivations.
        """
        check_argument("k", k, int, least=0)
        check_argument("most_pops", most_pops, int, least=0)
        return self._list(native.k_best(self.native, k, distinct, most_pops))

    def derivations(self) -> Iterator[Derivation]:
        """All derivations from the best to the worst, found one by one as they are asked for."""
        search = native.Enumeration(self.native)
        while (found := search.next()) is not None:
            yield self._list(found)[0]

    def sample(self, count: int, *, seed: int, first: int = 0, threads: int = 0) -> list[Derivation]:
        """Independent draws by probability, in proportion to exp(score).

        Draw `i` of a seed is always the same one, so a list can be extended later by starting at `first`.
        """
        check_argument("count", count, int, least=0)
        check_argument("first", first, int, least=0)
        self._need_derivation()
        return self._list(native.sample(self.native, seed % 2**64, first, count, threads=threads))

    def derivation(self, edges: Sequence[int] | NDArray[np.uint32]) -> Derivation:
        """A derivation given by its edges, from the goal down, each before the derivations of its tails."""
        found = Derivation(self, np.ascontiguousarray(edges, dtype=np.uint32))
        native.child_steps(self.native, found.edges)  # refuses what is not a derivation
        return found

    # Sums over derivations; more in `dragoman.forest.inside`.

    def inside(self, semiring: str = "log") -> float:
        """The semiring sum over all derivations: `log` total mass, `max` best score, `count`, `boolean`."""
        return float(node_values(self, semiring)[-1]) if self else (-math.inf if semiring in ("log", "max") else 0.0)

    def count(self) -> int:
        """The exact number of derivations, however large.

        Counted modulo as many 32-bit primes as it takes, and put together by the Chinese remainder theorem: native
        speed, and no number in the passes that is wider than a machine word.
        """
        primes, remainders = native.count_residues(self.native)
        total, product = 0, 1
        for prime, remainder in zip(primes, remainders, strict=True):
            total += product * ((remainder - total) * pow(product, -1, prime) % prime)
            product *= prime
        return total

    def prune(self, *, margin: float = math.inf, density: float = math.inf, posterior: float = 0.0) -> Forest:
        """Drop edges whose best derivation is worse than the best of all by more than `margin`; or all but the best
        `density` edges per word of the best target; or edges used with a probability below `posterior`.

        The best derivation always stays. Margin and density judge an edge by the best derivation through it, so every
        derivation within the margin survives whole.
        """
        check_argument("margin", margin, float, least=0, most=math.inf)
        check_argument("density", density, float, least=0, most=math.inf)
        check_argument("posterior", posterior, float, least=0, most=1)
        return self._with(native.pruned(self.native, margin, density, posterior))

    def svg(self, *, most_edges: int = 60, title: str = "") -> str:
        """The forest as an SVG picture; of a larger one `most_edges` edges, those of the best derivations."""
        note = title
        shown = self
        if self.edges > most_edges:
            shown = self.prune(density=most_edges / max(1, len(self.best().target)))
            note = f"{title} " if title else ""
            note += f"({shown.edges} of {self.edges} edges, those of the best derivations)"
        if not shown:
            return empty_svg("no derivation")
        _, _, likely = native.posteriors(shown.native)
        best = set(shown.best().edges.tolist())
        edges = [shown.edge(number) for number in range(shown.edges)]
        return graph_svg(
            [shown.node(node).label for node in range(shown.nodes)],
            [
                DrawnEdge(edge.head, edge.tails, spelt(edge.target), edge.score, probability, number in best)
                for number, (edge, probability) in enumerate(zip(edges, likely.tolist(), strict=True))
            ],
            note,
        )

    def _repr_html_(self) -> str:
        return self.svg()

    def _list(self, found: tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]) -> list[Derivation]:
        edges, ends, _ = found
        return [Derivation(self, part) for part in np.split(edges, ends[:-1])] if len(ends) else []

    def _with(self, graph: native.Forest) -> Forest:
        return Forest(graph, words=self.words, features=self.features, source=self.source)


class ForestBuilder:
    """Builds a forest from Python, nodes and edges in any order; `finish` sorts, trims and checks.

    With `weights`, an edge without a `score` of its own gets weights . features.
    """

    def __init__(
        self,
        source: str | Sequence[str] = (),
        *,
        words: Vocabulary | None = None,
        features: Vocabulary | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.source = tuple(source.split() if isinstance(source, str) else source)
        self.words = Vocabulary() if words is None else words
        self.features = Vocabulary() if features is None else features
        self._weights = dict(weights or {})
        self._native = native.ForestBuilder()

    def add_node(
        self,
        start: int = 0,
        end: int = 0,
        *,
        covered: int | None = None,
        category: int = 0,
        coverage: Iterable[int] | None = None,
    ) -> int:
        """Add a node and return its number; `coverage` lists source positions, for all nodes or for none."""
        positions = None if coverage is None else set(coverage)
        bits: list[int] = []
        if positions is not None:
            width = max(len(self.source), 1)
            if not all(0 <= position < width for position in positions):
                raise InputError("a covered position lies outside the source", where=f"node {self._native.nodes}")
            bits = [sum(1 << p % 64 for p in positions if p // 64 == place) for place in range(-(-width // 64))]
        if covered is None:
            covered = end - start if positions is None else len(positions)
        return self._native.add_node(start, end, max(covered, 0), category, bits)

    def add_edge(
        self,
        head: int,
        target: str | Sequence[str | int],
        tails: Sequence[int] = (),
        *,
        features: Mapping[str, float] | None = None,
        score: float | None = None,
        rule: int = 0,
        span: tuple[int, int] = (0, 0),
        links: Iterable[tuple[int, int]] = (),
    ) -> int:
        """Add an edge and return its number; numbers in `target` are indices of tails, each of which stands once."""
        features = features or {}
        if score is None:
            score = math.fsum(self._weights.get(name, 0.0) * value for name, value in features.items())
        symbols = [
            NONTERMINAL_BIT + symbol if isinstance(symbol, int) else self.words.intern(symbol)
            for symbol in (target.split() if isinstance(target, str) else target)
        ]
        ids = [self.features.intern(name) for name in features]
        return self._native.add_edge(
            head, list(tails), symbols, rule, span, ids, list(map(float, features.values())), score, list(links)
        )

    def finish(self, goal: int) -> Forest:
        """All derivations of `goal`; empty if there are none. A node that is part of itself is an error."""
        return Forest(self._native.finish(goal), words=self.words, features=self.features, source=self.source)


def union(forests: Iterable[Forest]) -> Forest:
    """All derivations of several forests of one sentence: other decoders, settings or weights.

    It is a union of bags: a derivation that two forests have is there twice. Forests with vocabularies of their own are
    translated to those of the first.
    """
    parts = list(forests)
    if not parts:
        raise InputError("a union of no forests")
    first = parts[0]
    graphs = [
        part.native
        if part.words is first.words and part.features is first.features
        else native.renamed(part.native, part.words, first.words, part.features, first.features)
        for part in parts
    ]
    if any(part.source and first.source and part.source != first.source for part in parts):
        raise InputError("a union of forests of different sentences")
    source = next((part.source for part in parts if part.source), ())
    return Forest(native.unite(graphs), words=first.words, features=first.features, source=source)
