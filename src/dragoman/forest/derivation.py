"""One derivation: a tree of edges, with its target, its word links, its features and its score.

Everything is recomputed from the edges when asked for, so a derivation is as cheap to keep as a list of numbers, and
what it says can be checked against what a decoder claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman._native import forest as native
from dragoman.errors import InputError
from dragoman.forest.draw import DrawnEdge, graph_svg, shown_score, spelt
from dragoman.forest.graph import FeatureWeights, ForestGraph, weight_vector

__all__ = ["Derivation", "DerivationStep", "feature_matrix"]


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """One edge at work: its span, the source positions that it translates itself, the target words that it writes.

    In `target`, a number is the index into `parts` of the step whose words stand there.
    """

    edge: int
    node: int
    rule: int
    span: tuple[int, int]
    positions: tuple[int, ...]
    source: tuple[str, ...]
    target: tuple[str | int, ...]
    parts: tuple[int, ...]
    features: dict[str, float]
    score: float


class Derivation:
    """One tree of edges of a forest, from the goal down; `edges` lists them, each before those of its tails."""

    def __init__(self, forest: ForestGraph, edges: NDArray[np.uint32]) -> None:
        self.forest, self.edges = forest, edges

    def __repr__(self) -> str:
        return f"<Derivation {self.text!r}, score {self.score:.6g}>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Derivation)
            and self.forest.native is other.forest.native
            and np.array_equal(self.edges, other.edges)
        )

    def __hash__(self) -> int:
        return hash(self.edges.tobytes())

    @cached_property
    def score(self) -> float:
        """Sum of the scores of the edges, correctly rounded."""
        return math.fsum(self.forest.scores[self.edges].tolist())

    @cached_property
    def _yield(
        self,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], list[tuple[int, int]]]:
        return native.yield_of(self.forest.native, self.edges)

    @cached_property
    def target(self) -> tuple[str, ...]:
        """The target tokens."""
        return tuple(map(self.forest.words.word, self._yield[0].tolist()))

    @property
    def target_ids(self) -> NDArray[np.uint32]:
        """The target tokens, as ids of the forest's vocabulary."""
        return self._yield[0]

    @property
    def text(self) -> str:
        """The target tokens, joined by blanks."""
        return " ".join(self.target)

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Word links (source position, target position), sorted."""
        return tuple(self._yield[3])

    @property
    def steps_of_target(self) -> tuple[int, ...]:
        """For each target token, the step that wrote it."""
        return tuple(self._yield[1].tolist())

    @cached_property
    def steps(self) -> tuple[DerivationStep, ...]:
        """What each edge does, in the order of `edges`."""
        forest = self.forest
        children = native.child_steps(forest.native, self.edges)
        by_coverage = forest.native.coverage.shape[1] > 0
        steps = []
        for edge, parts in zip(self.edges.tolist(), children, strict=True):
            data = forest.edge(edge)
            tails = [forest.node(tail) for tail in data.tails]
            # What a part covers already, this step does not translate: a chart edge spans its parts, and a phrase with
            # a gap spans words that others translate.
            if by_coverage:
                covered = forest.node(data.head).coverage.difference(*(tail.coverage for tail in tails))
            else:
                covered = frozenset(range(*data.span)).difference(*(range(tail.start, tail.end) for tail in tails))
            positions = tuple(sorted(covered))
            steps.append(
                DerivationStep(
                    edge=edge,
                    node=data.head,
                    rule=data.rule,
                    span=data.span,
                    positions=positions,
                    source=tuple(forest.source[p] for p in positions if p < len(forest.source)),
                    target=data.target,
                    parts=tuple(parts),
                    features=data.features,
                    score=data.score,
                )
            )
        return tuple(steps)

    @cached_property
    def features(self) -> dict[str, float]:
        """Sum of the feature values of the edges, by name."""
        _, ids, values = feature_matrix([self])
        return dict(zip(map(self.forest.features.word, ids.tolist()), values.tolist(), strict=True))

    def rescore(self, weights: FeatureWeights) -> float:
        """Weights . features, from scratch: what every decoder's score must equal."""
        vector = weight_vector(weights, self.forest.features)
        _, ids, values = feature_matrix([self])
        known = ids < len(vector)
        return float(vector[ids[known]] @ values[known])

    def lines(self) -> Iterator[str]:
        """The tree as indented text: source words, what they become, and the score of each step."""
        open_steps = [(0, 0)]
        while open_steps:
            number, depth = open_steps.pop()
            step = self.steps[number]
            written = " ".join(f"[{s + 1}]" if isinstance(s, int) else s for s in step.target)
            source = " ".join(step.source) or "-"
            yield f"{'  ' * depth}{source} → {written}  ({step.score:.4g})"
            open_steps += [(part, depth + 1) for part in reversed(step.parts)]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "target": list(self.target),
            "score": self.score,
            "links": [list(link) for link in self.links],
            "features": self.features,
            "steps": [
                {
                    "node": step.node,
                    "rule": step.rule,
                    "positions": list(step.positions),
                    "source": list(step.source),
                    "target": list(step.target),
                    "parts": list(step.parts),
                    "features": step.features,
                    "score": step.score,
                }
                for step in self.steps
            ],
        }

    def svg(self, *, title: str = "") -> str:
        """An SVG picture: each step with its source words and what it writes."""
        last = len(self.steps) - 1
        edges = [
            DrawnEdge(
                last - number,
                tuple(last - part for part in step.parts),
                f"{' '.join(step.source) or '–'} → {spelt(step.target)}",
                step.score,
            )
            for number, step in enumerate(self.steps)
        ]
        nodes = [self.forest.node(step.node).label for step in reversed(self.steps)]
        return graph_svg(nodes, edges[::-1], title or f"{self.text}  ({shown_score(self.score)})")

    def _repr_html_(self) -> str:
        return self.svg()


def feature_matrix(
    derivations: Sequence[Derivation],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Feature vectors of derivations of one forest, as a sparse matrix by rows: row starts, feature ids, values.

    For tuners: a list of thousands costs one call. Ids ascend within a row.
    """
    if not derivations:
        return np.zeros(1, np.uint32), np.zeros(0, np.uint32), np.zeros(0)
    graph = derivations[0].forest.native
    if any(derivation.forest.native is not graph for derivation in derivations):
        raise InputError("derivations of different forests")
    ends = np.cumsum([len(derivation.edges) for derivation in derivations], dtype=np.uint32)
    return native.derivation_features(graph, np.concatenate([d.edges for d in derivations]), ends)
