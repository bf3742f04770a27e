"""Certificates of exact decoding with a forest, and a verifier that trusts nobody.

A certificate states a problem (all derivations of a sentence as a forest, without language models; which language
models under which weights), an answer (a derivation, its score, a bound that no derivation exceeds) and what proves
it: contexts of target words, closed under taking suffixes. The verifier scores every word as if only the words before
it in its own rule, or the longest listed context that ends before it, were known. It tells contexts apart a few at a
time, and leaves out what then cannot reach the score of the answer, so that what remains stays small. If the best of
what remains is no better than the answer, no derivation is. (Aziz, Dymetman and Venkatapathy 2013.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dragoman.features.language_model import LanguageModel
from dragoman.forest import Derivation, Forest
from dragoman.lm import Bounds
from dragoman.search.certified_models import (
    BEGIN,
    END,
    CertifiedModels,
    ModelUse,
    Verdict,
    Words,
    differences,
)

__all__ = ["FORMAT", "VERSION", "ForestCertificate", "StatedEdge"]

FORMAT, VERSION = "dragoman exact decoding of a forest", 1
_AT_ONCE = 8
"""Contexts that are told apart before what cannot win is left out."""


@dataclass(frozen=True, slots=True)
class StatedEdge:
    """A way to build a node from nodes of smaller numbers; a number in `target` is a tail, whose words stand there."""

    head: int
    tails: tuple[int, ...]
    target: tuple[str | int, ...]
    score: float


@dataclass(frozen=True)
class ForestCertificate:
    """A problem, an answer, and its proof; see the formats page for the JSON."""

    source: tuple[str, ...]
    edges: tuple[StatedEdge, ...]
    goal: int
    language_models: tuple[ModelUse, ...]
    derivation: tuple[int, ...]
    """Edges from the goal down, each before the derivations of its tails."""
    score: float
    bound: float
    contexts: tuple[Words, ...]

    @classmethod
    def of(
        cls,
        forest: Forest,
        uses: Sequence[tuple[LanguageModel, float]],
        derivation: Derivation,
        *,
        score: float,
        bound: float,
        contexts: Sequence[Words],
    ) -> ForestCertificate:
        """What is stated of a forest: its edges, language models with their weights, and what was found."""
        edges = map(forest.edge, range(forest.edges))
        return cls(
            forest.source,
            tuple(StatedEdge(edge.head, edge.tails, edge.target, edge.score) for edge in edges),
            forest.nodes - 1,
            tuple(ModelUse(use.name, weight, use.model.order) for use, weight in uses),
            tuple(derivation.edges.tolist()),
            score,
            bound,
            tuple(contexts),
        )

    @property
    def target(self) -> Words:
        return _Verifier(self, CertifiedModels((), (), None)).text() or ()

    def to_dict(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ForestCertificate:
        return cls(
            tuple(map(str, given["source"])),
            tuple(
                StatedEdge(
                    int(e["head"]),
                    tuple(map(int, e["tails"])),
                    tuple(each if isinstance(each, int) else str(each) for each in e["target"]),
                    float(e["score"]),
                )
                for e in given["edges"]
            ),
            int(given["goal"]),
            tuple(map(ModelUse.from_dict, given["language_models"])),
            tuple(map(int, given["derivation"])),
            float(given["score"]),
            float(given["bound"]),
            tuple(tuple(map(str, words)) for words in given["contexts"]),
        )

    def verify(self, language_models: Sequence[LanguageModel], *, bounds: Sequence[Bounds] | None = None) -> Verdict:
        """Check it against language models; `bounds` are theirs, if they are known already."""
        return _Verifier(self, CertifiedModels(self.language_models, language_models, bounds)).verdict()


@dataclass(frozen=True, slots=True)
class _Edge:
    """An edge of the certificate, by its number, with the most that it scores where it stands."""

    tails: tuple[int, ...]
    number: int
    score: float


@dataclass(frozen=True, slots=True)
class _Apart:
    """A forest whose nodes are told apart by contexts."""

    nodes: list[tuple[int, Words]]
    """A node of the certificate, and the context after its words."""
    edges: list[list[_Edge]]
    """By head."""
    goals: list[int]


class _Verifier:
    """One check: the answer by the definition of the score, the bound by going through what is left of the forest."""

    def __init__(self, certificate: ForestCertificate, models: CertifiedModels) -> None:
        self.given, self.models = certificate, models
        self.problems = list(models.problems)
        self.known: set[Words] = set()
        self.prefixes: set[Words] = {()}
        self.before: dict[int, frozenset[str]] = {}
        self.last: dict[int, frozenset[str]] = {}

    def verdict(self) -> Verdict:
        self._check_edges()
        self._check_contexts()
        text = self.text() if not self.problems else None
        if text is None:
            return Verdict(tuple(self.problems), math.nan, math.nan)
        score = sum(self.given.edges[number].score for number in self.given.derivation)
        score += self.models.exact((BEGIN,), (*text, END))
        stated = self.given
        bound = max(score, self._bound(min(score, stated.score)))
        self.problems += differences(score, bound, stated_score=stated.score, stated_bound=stated.bound)
        return Verdict(tuple(self.problems), score, bound)

    def _check_edges(self) -> None:
        """Tails have smaller numbers than heads, so that nothing is built from itself; each is said once."""
        for number, edge in enumerate(self.given.edges):
            if any(not 0 <= tail < edge.head for tail in edge.tails) or edge.head > self.given.goal:
                self.problems.append(f"edge {number} is built from what comes after it")
            places = sorted(each for each in edge.target if isinstance(each, int))
            if places != list(range(len(edge.tails))):
                self.problems.append(f"edge {number} does not say each of its tails once")
            if not math.isfinite(edge.score):
                self.problems.append(f"edge {number} has no score")

    def _check_contexts(self) -> None:
        listed = set(self.given.contexts)
        for words in listed:
            if not words or (len(words) > 1 and words[1:] not in listed):
                self.problems.append(f"a context without its shorter one: {' '.join(words)}")
            if BEGIN in words[1:] or END in words:
                self.problems.append(f"no context: {' '.join(words)}")

    def text(self) -> Words | None:
        """What the derivation says, if it is one."""
        steps = iter(self.given.derivation)

        def words_of(node: int) -> Words:
            number = next(steps, -1)
            if not 0 <= number < len(self.given.edges) or self.given.edges[number].head != node:
                raise ValueError
            edge = self.given.edges[number]
            parts = [words_of(tail) for tail in edge.tails]
            found: list[str] = []
            for each in edge.target:
                found.extend(parts[each] if isinstance(each, int) else (each,))
            return tuple(found)

        try:
            said = words_of(self.given.goal)
        except ValueError:
            said = None
        if said is None or next(steps, None) is not None:
            self.problems.append("the derivation is none of the forest")
            return None
        return said

    def _find_neighbours(self) -> None:
        """Words that may stand directly before what a node derives; nothing is known if some node derives no words."""
        edges = self.given.edges
        if any(not edge.target for edge in edges):
            return
        last: dict[int, set[str]] = {}
        before: dict[int, set[str]] = {self.given.goal: {BEGIN}}

        def ends(edge: StatedEdge, symbol: str | int) -> set[str]:
            return {symbol} if isinstance(symbol, str) else last.get(edge.tails[symbol], set())

        ordered = sorted(edges, key=lambda edge: edge.head)
        for edge in ordered:
            last.setdefault(edge.head, set()).update(ends(edge, edge.target[-1]))
        for edge in reversed(ordered):
            for at, symbol in enumerate(edge.target):
                if isinstance(symbol, int):
                    left = ends(edge, edge.target[at - 1]) if at else before.get(edge.head, set())
                    before.setdefault(edge.tails[symbol], set()).update(left)
        self.last = {node: frozenset(words) for node, words in last.items()}
        self.before = {node: frozenset(words) for node, words in before.items()}

    def _most(self, own: Words, word: str, around: frozenset[str] | None, context: Words) -> float:
        """Of a word after `own` words of its rule, any of `around` before these, and a context told apart."""
        longest = self._longest(context)
        if len(longest) > len(own):
            return self.models.most(longest, (word,))
        if around:
            return max(self.models.most((left, *own), (word,)) for left in around)
        return self.models.most(own, (word,))

    def _next(self, context: Words, word: str) -> Words:
        """The longest end of a text that begins a listed context."""
        said = (*context, word)
        return next(said[at:] for at in range(len(said) + 1) if said[at:] in self.prefixes)

    def _longest(self, context: Words) -> Words:
        """The longest end of a context that is told apart."""
        return next((context[at:] for at in range(len(context)) if context[at:] in self.known), ())

    def _bound(self, score: float) -> float:
        """The most that any derivation can reach, if that is more than `score`."""
        self._find_neighbours()
        by_head: list[list[_Edge]] = [[] for _ in range(self.given.goal + 1)]
        for number, edge in enumerate(self.given.edges):
            by_head[edge.head].append(_Edge(edge.tails, number, edge.score))
        forest = _Apart([(node, ()) for node in range(len(by_head))], by_head, [self.given.goal])
        bound = math.inf
        contexts = self.given.contexts
        for last in range(0, len(contexts) + _AT_ONCE, _AT_ONCE):
            self.known = set(contexts[:last])
            self.prefixes = {words[:length] for words in self.known for length in range(len(words) + 1)} | {()}
            forest, bound = self._that_can_win(self._told_apart(forest), score - 1e-9 * (1 + abs(score)))
            if bound <= score:
                return score
        return bound

    def _told_apart(self, forest: _Apart) -> _Apart:
        """The same derivations, their nodes kept apart by the contexts before and after them."""
        made = _Apart([], [], [])
        known: dict[tuple[int, Words], dict[Words, int]] = {}

        def built(node: int, entry: Words) -> dict[Words, int]:
            found = known.get((node, entry))
            if found is None:
                found = known[node, entry] = {}
                for edge in forest.edges[node]:
                    for leave, tails, score in self._readings(edge, entry, built):
                        if leave not in found:
                            found[leave] = len(made.nodes)
                            made.nodes.append((forest.nodes[node][0], leave))
                            made.edges.append([])
                        made.edges[found[leave]].append(_Edge(tails, edge.number, score))
            return found

        start = self._next((), BEGIN)
        for goal in forest.goals:
            made.goals.extend(built(goal, start).values())
        return made

    def _readings(
        self, edge: _Edge, entry: Words, built: Callable[[int, Words], dict[Words, int]]
    ) -> Iterator[tuple[Words, tuple[int, ...], float]]:
        """Contexts after an edge that begins with one, with its tails as they are then, and the most that it scores."""
        stated = self.given.edges[edge.number]
        partial: list[tuple[Words, dict[int, int], float]] = [(entry, {}, stated.score)]
        own: Words = ()
        around: frozenset[str] | None = self.before.get(stated.head)
        for symbol in stated.target:
            if isinstance(symbol, str):
                partial = [
                    (self._next(context, symbol), tails, score + self._most(own, symbol, around, context))
                    for context, tails, score in partial
                ]
                own = (*own, symbol)
            else:
                partial = [
                    (leave, {**tails, symbol: node}, score)
                    for context, tails, score in partial
                    for leave, node in built(edge.tails[symbol], context).items()
                ]
                own, around = (), self.last.get(stated.tails[symbol])
        for context, tails, score in partial:
            yield context, tuple(tails[at] for at in range(len(edge.tails))), score

    def _that_can_win(self, forest: _Apart, least: float) -> tuple[_Apart, float]:
        """What derivations that may score `least` are made of, and the most that any can score."""
        inside = [-math.inf] * len(forest.nodes)
        outside = [-math.inf] * len(forest.nodes)
        order = sorted(range(len(forest.nodes)), key=lambda node: forest.nodes[node][0])
        for node in order:
            for edge in forest.edges[node]:
                inside[node] = max(inside[node], edge.score + sum(inside[tail] for tail in edge.tails))
        after = self.last.get(self.given.goal)
        for goal in forest.goals:
            outside[goal] = self._most((), END, after, forest.nodes[goal][1])
        edges: list[list[_Edge]] = [[] for _ in forest.nodes]
        for node in reversed(order):
            for edge in forest.edges[node]:
                whole = outside[node] + edge.score + sum(inside[tail] for tail in edge.tails)
                if whole >= least:
                    edges[node].append(edge)
                    for tail in edge.tails:
                        outside[tail] = max(outside[tail], whole - inside[tail])
        bound = max((outside[goal] + inside[goal] for goal in forest.goals), default=-math.inf)
        return _Apart(forest.nodes, edges, forest.goals), bound
