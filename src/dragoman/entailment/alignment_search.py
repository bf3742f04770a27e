"""Searching the best alignment of a hypothesis graph with a text graph.

Every node of the hypothesis gets one node of the text or none; the score is a sum over nodes and over edges of the
hypothesis, so single changes are cheap to score and the best whole is hard to find. There are as many alignments as
(text nodes + 1) to the power of hypothesis nodes. Five ways, of which only the last is certain:

| search | how |
|---|---|
| `greedy` | each node by itself, edges ignored |
| `climb` | one-to-one assignment by node scores, then the best single change until none helps (Haghighi et al. 2005) |
| `beam` | nodes in an order of certainty, the best partial alignments kept (MacCartney et al. 2006) |
| `anneal` | Gibbs sampling under a falling temperature (Chambers et al. 2007) |
| `exhaustive` | all of them, for small problems |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import InputError, UnknownName
from dragoman.seeds import stream

__all__ = ["SEARCHES", "AlignmentProblem", "EdgeScores", "align", "anneal", "beam", "climb", "exhaustive", "greedy"]

PlaceChoice = tuple[int, ...]
"""The text node of each hypothesis node; the number of text nodes stands for none."""
Floats = NDArray[np.float64]


class EdgeScores(NamedTuple):
    """Scores of one hypothesis edge for every pair of places (rows: governor's place, columns: dependent's)."""

    governor: int
    dependent: int
    scores: Floats


@dataclass(frozen=True)
class AlignmentProblem:
    """What is to be aligned, as scores."""

    nodes: Floats
    """A row for each hypothesis node, a column for each text node and a last one for none."""
    edges: tuple[EdgeScores, ...]
    content: tuple[bool, ...]
    """Whether a hypothesis node is a content word; those are placed first."""

    @property
    def none(self) -> int:
        """The place that stands for no text node."""
        return int(self.nodes.shape[1]) - 1

    def score(self, choice: PlaceChoice) -> float:
        """The score of a whole alignment."""
        placed = sum(float(self.nodes[node, place]) for node, place in enumerate(choice))
        return placed + sum(float(each.scores[choice[each.governor], choice[each.dependent]]) for each in self.edges)

    @cached_property
    def touching(self) -> tuple[tuple[EdgeScores, ...], ...]:
        """The edges of each hypothesis node."""
        found: list[list[EdgeScores]] = [[] for _ in range(len(self.nodes))]
        for edge in self.edges:
            found[edge.governor].append(edge)
            found[edge.dependent].append(edge)
        return tuple(map(tuple, found))

    def given_others(self, node: int, choice: NDArray[np.int64]) -> Floats:
        """Scores of all places of one node while the others stay: the whole score up to a constant."""
        scores: Floats = self.nodes[node].copy()
        for edge in self.touching[node]:
            if edge.governor == node:
                scores += edge.scores[:, choice[edge.dependent]]
            else:
                scores += edge.scores[choice[edge.governor]]
        return scores


def greedy(problem: AlignmentProblem, seed: int = 1) -> PlaceChoice:
    """Each node by itself."""
    return tuple(int(place) for place in problem.nodes.argmax(axis=1))


def climb(problem: AlignmentProblem, seed: int = 1) -> PlaceChoice:
    """One-to-one assignment by node scores, then single changes."""
    from scipy.optimize import linear_sum_assignment

    count, none = len(problem.nodes), problem.none
    own_none = np.full((count, count), -1e9)  # a column of its own for each node that stays alone
    np.fill_diagonal(own_none, problem.nodes[:, none])
    rows, columns = linear_sum_assignment(np.hstack([problem.nodes[:, :none], own_none]), maximize=True)
    start = np.full(count, none)
    start[rows] = np.minimum(columns, none)
    return _climbed(problem, start)


def _climbed(problem: AlignmentProblem, start: NDArray[np.int64]) -> PlaceChoice:
    """The best single change, again and again, until none helps."""
    choice = start.copy()
    while True:
        best, where, place = 1e-12, -1, -1
        for node in range(len(choice)):
            scores = problem.given_others(node, choice)
            gain = float(scores.max() - scores[choice[node]])
            if gain > best:
                best, where, place = gain, node, int(scores.argmax())
        if where < 0:
            return tuple(int(each) for each in choice)
        choice[where] = place


def node_order(problem: AlignmentProblem) -> list[int]:
    """Content words first, then the surest, then neighbours of those placed: early mistakes cost most."""
    ranked = np.sort(problem.nodes, axis=1)
    gaps = ranked[:, -1] - ranked[:, -2] if ranked.shape[1] > 1 else ranked[:, -1]
    left, order = set(range(len(problem.nodes))), list[int]()
    while left:
        placed = set(order)
        near = {
            node: sum((edge.governor in placed) + (edge.dependent in placed) for edge in problem.touching[node])
            for node in left
        }
        chosen = max(left, key=lambda node: (problem.content[node], round(float(gaps[node]), 6), near[node], -node))
        left.remove(chosen)
        order.append(chosen)
    return order


def beam(problem: AlignmentProblem, seed: int = 1, *, width: int = 50, candidates: int = 15) -> PlaceChoice:
    """Nodes one after the other, each with its best places and none; the best partial alignments are kept."""
    count, none = len(problem.nodes), problem.none
    partial = np.full((1, count), none, np.int64)
    totals = np.zeros(1)
    placed: set[int] = set()
    for node in node_order(problem):
        own = problem.nodes[node]
        places = np.argsort(-own[:none], kind="stable")[:candidates]
        places = np.append(places, none)
        scores = totals[:, None] + own[places][None, :]
        for edge in problem.touching[node]:
            other = edge.dependent if edge.governor == node else edge.governor
            if other in placed:
                table = edge.scores.T if edge.governor == node else edge.scores
                scores = scores + table[partial[:, other]][:, places]
        flat = scores.ravel()
        if len(flat) > width:
            kept = np.argpartition(-flat, width - 1)[:width]
            kept = kept[np.lexsort((kept, -flat[kept]))]
        else:
            kept = np.argsort(-flat, kind="stable")
        partial = partial[kept // len(places)]
        partial[:, node] = places[kept % len(places)]
        totals = flat[kept]
        placed.add(node)
    return tuple(int(place) for place in partial[0])


def gibbs_chain(
    problem: AlignmentProblem, start: PlaceChoice, temperatures: Iterator[float], random: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Alignments drawn one node at a time; at temperature 1 they follow p(a) ~ exp score(a)."""
    choice = np.array(start, np.int64)
    for temperature in temperatures:
        for node in random.permutation(len(choice)):
            scores = problem.given_others(int(node), choice) / temperature
            chances = np.exp(scores - scores.max()).cumsum()
            choice[node] = int(np.searchsorted(chances, random.random() * chances[-1], side="right"))
        yield choice


def anneal(
    problem: AlignmentProblem,
    seed: int = 1,
    *,
    sweeps: int = 100,
    start_temperature: float = 2.0,
    decay: float = 0.95,
    restarts: int = 5,
) -> PlaceChoice:
    """Gibbs sampling from the greedy start under a falling temperature, ended by climbing; the best of all."""
    best = greedy(problem)
    value = problem.score(best)
    if not best:
        return best
    for restart in range(restarts):
        temperatures = (start_temperature * decay**sweep for sweep in range(1, sweeps + 1))
        found, reached = best, value
        for drawn in gibbs_chain(problem, greedy(problem), temperatures, stream(seed, "anneal", restart)):
            choice = tuple(int(place) for place in drawn)
            score = problem.score(choice)
            if score > reached:
                found, reached = choice, score
        ended = _climbed(problem, np.array(found, np.int64))
        if problem.score(ended) > value:
            best, value = ended, problem.score(ended)
    return best


def exhaustive(problem: AlignmentProblem, seed: int = 1, *, most: int = 1_000_000) -> PlaceChoice:
    """All alignments; refused where there are more than `most`."""
    count = float(problem.nodes.shape[1]) ** len(problem.nodes)
    if count > most:
        raise InputError(f"{count:.3g} alignments are too many to try all", remedy="use the search 'beam'")
    every = product(range(problem.nodes.shape[1]), repeat=len(problem.nodes))
    return max(every, key=problem.score)


SEARCHES: dict[str, Callable[[AlignmentProblem, int], PlaceChoice]] = {
    "beam": beam,
    "anneal": anneal,
    "climb": climb,
    "greedy": greedy,
    "exhaustive": exhaustive,
}
"""Ways to search, by name; each takes a problem and a seed."""


def align(problem: AlignmentProblem, search: str = "beam", seed: int = 1) -> PlaceChoice:
    """The best alignment that a search finds."""
    if search not in SEARCHES:
        raise UnknownName(f"no search is called {search!r}", remedy=f"choose from {', '.join(SEARCHES)}")
    return SEARCHES[search](problem, seed) if len(problem.nodes) else ()
