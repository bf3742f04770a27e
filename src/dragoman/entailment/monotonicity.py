"""Monotonicity: whether a word may be replaced by a more general one, a more special one, or neither.

*Dogs barked* still holds of animals; *no animals barked* still holds of dogs. Negations, determiners, some
prepositions, conditions and verbs such as *refuse* turn or block what stands in their scope; a word's mark is the
product of all operators above it: +1 upward, -1 downward, 0 neither (Sanchez Valencia 1991; MacCartney and Manning
2007). Scopes are read off the dependency graph: the restrictor of a determiner is its noun with all that hangs on it,
its body is the verb that governs the noun with the rest of the clause, without the subject where the noun is not the
subject itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.annotations.graphs import DependencyGraph
from dragoman.entailment.marker_lists import Markers, Operator

__all__ = ["MonotonicityMarks", "Scope", "mark"]

_DETERMINERS = ("det", "advmod", "amod", "nummod", "case", "nmod", "cc:preconj", "det:predet")
_SUBJECTS = ("nsubj", "csubj", "nsubjpass", "csubjpass")
_COMPLEMENTS = ("ccomp", "xcomp", "obj", "dobj", "obl", "nmod", "advcl")


@dataclass(frozen=True, slots=True)
class Scope:
    """An operator, the nodes it concerns, and what it does to them."""

    operator: int
    nodes: frozenset[int]
    effect: int
    part: str
    """restrictor, body, negation, preposition, condition, comparison, superlative, complement or question."""


@dataclass(frozen=True, slots=True)
class MonotonicityMarks:
    """The marks of a graph, with the scopes they come from."""

    marks: tuple[int, ...]
    scopes: tuple[Scope, ...]

    def over(self, node: int) -> list[Scope]:
        """The scopes that a node lies in."""
        return [scope for scope in self.scopes if node in scope.nodes]

    def universal(self, node: int) -> bool:
        """Whether a node lies in the restrictor of a universal: downward there, while the body is not."""
        bodies = {scope.operator: scope.effect for scope in self.scopes if scope.part == "body"}
        return any(s.part == "restrictor" and s.effect < 0 and bodies.get(s.operator, 1) > 0 for s in self.over(node))


def mark(graph: DependencyGraph, markers: Markers) -> MonotonicityMarks:
    """The mark of every node."""
    reader = _Reader(graph, markers)
    scopes = [scope for node in range(len(graph)) for scope in reader.scopes(node) if scope.nodes]
    marks = []
    for node in range(len(graph)):
        product = 1
        for scope in scopes:
            if node in scope.nodes:
                product *= scope.effect
        marks.append(product)
    return MonotonicityMarks(tuple(marks), tuple(scopes))


class _Reader:
    def __init__(self, graph: DependencyGraph, markers: Markers) -> None:
        self.graph, self.markers = graph, markers
        self.lemmas = [node.lemma.lower() for node in graph]
        self.words = [node.word.lower() for node in graph]
        self.up = [edges[0] if edges else None for edges in graph.parents]
        self.below_tree = self._trees()

    def _trees(self) -> list[frozenset[int]]:
        """What each node dominates by first governors alone: shared subjects belong to one clause only."""
        below: list[set[int]] = [{node} for node in range(len(self.graph))]
        for node in range(len(self.graph)):
            at, seen = self.up[node], {node}
            while at is not None and at.governor not in seen:
                below[at.governor].add(node)
                seen.add(at.governor)
                at = self.up[at.governor]
        return [frozenset(each) for each in below]

    def label(self, node: int) -> str:
        edge = self.up[node]
        return edge.label.partition(":")[0] if edge is not None else "root"

    def scopes(self, node: int) -> list[Scope]:
        lists = self.markers.lists["polarity"]
        names = {self.lemmas[node], self.words[node]}
        found: list[Scope] = []
        operator = self._operator(node)
        governor = self.up[node].governor if self.up[node] is not None else None  # type: ignore[union-attr]
        if operator is not None:
            found += self._determiner(node, operator)
        elif names & (lists["negations"] | lists["downward_adverbs"]) and governor is not None:
            found.append(self._negation(node, governor))
        marker = self.graph.nodes[node].marker
        if marker in lists["restricting_prepositions"]:
            found.append(Scope(node, self.below_tree[node], -1, "preposition"))
        if marker in lists["conditionals"]:
            found.append(Scope(node, self.below_tree[node], -1, "condition"))
        if marker in lists["open_complementizers"]:
            found.append(Scope(node, self.below_tree[node], 0, "question"))
        if marker in lists["comparisons"]:
            found.append(Scope(node, self.below_tree[node], -1, "comparison"))
        if governor is not None and self.label(node) in ("case", "mark"):
            for kind, part, effect in (
                ("restricting_prepositions", "preposition", -1),
                ("conditionals", "condition", -1),
                ("open_complementizers", "question", 0),
                ("comparisons", "comparison", -1),
            ):
                if names & lists[kind]:
                    found.append(Scope(node, self.below_tree[governor] - {node}, effect, part))
        superlative = self.graph.nodes[node].tag in ("JJS", "RBS") and not names & {"most", "least"}
        if superlative and self.label(node) == "amod" and governor is not None:
            found.append(Scope(node, self.below_tree[governor] - self.below_tree[node], -1, "superlative"))
        if self.lemmas[node] in self.markers.lists["complements"]["downward"]:
            found += self._complements(node)
        return found

    def _operator(self, node: int) -> Operator | None:
        """What a node is as a determiner; a noun such as *nobody* is its own."""
        word, marker = self.words[node], self.graph.nodes[node].marker
        names = [f"{marker} {word}", " ".join(self.words[max(0, node - 1) : node + 1]), word, self.lemmas[node]]
        name = next((name for name in names if name in self.markers.operators), None)
        if name is None:
            return None
        own = self.markers.operators[name]
        if " " in name and self.label(node) in ("nmod", "obl"):  # "at most" on a number
            return own
        if self.graph.nodes[node].pos in ("PRON", "NOUN") and self.label(node) not in _DETERMINERS:
            return own
        return own if self.label(node) in ("det", "advmod", "amod", "nummod", "case", "fixed") else None

    def _determiner(self, node: int, operator: Operator) -> list[Scope]:
        edge = self.up[node]
        pronoun = self.graph.nodes[node].pos in ("PRON", "NOUN") and self.label(node) not in _DETERMINERS
        noun = node if pronoun or edge is None else edge.governor
        if not pronoun and self.graph.nodes[noun].pos == "NUM" and self.up[noun] is not None:
            noun = self.up[noun].governor  # type: ignore[union-attr] # "at most three dogs"
        if not pronoun and self.graph.nodes[noun].pos == "VERB":
            if operator.body >= 0:
                return []
            return [self._negation(node, noun)]
        own = self.below_tree[node] if not pronoun else frozenset([node])
        restrictor = self.below_tree[noun] - own
        found = [Scope(node, restrictor, operator.restrictor, "restrictor")] if operator.restrictor != 1 else []
        above = self.up[noun]
        if operator.body != 1 and above is not None:
            verb, path = above.governor, noun
            while self.label(path) in ("nmod", "appos", "conj") and self.up[verb] is not None:
                path, verb = verb, self.up[verb].governor  # type: ignore[union-attr]
            body = self.below_tree[verb] - self.below_tree[path]
            if self.label(path) not in _SUBJECTS:
                body -= self._subject(verb)
            found.append(Scope(node, body, operator.body, "body"))
        return found

    def _subject(self, verb: int) -> frozenset[int]:
        """The subject of a verb with all that hangs on it."""
        found: set[int] = set()
        for edge in self.graph.children[verb]:
            if edge.label.partition(":")[0] in _SUBJECTS and self.up[edge.dependent] == edge:
                found |= self.below_tree[edge.dependent]
        return frozenset(found)

    def _negation(self, node: int, governor: int) -> Scope:
        scope = self.below_tree[governor] - self._subject(governor) - {node}
        separate = [
            edge.dependent
            for edge in self.graph.children[governor]
            if edge.label.partition(":")[0] in ("conj", "parataxis") and self.up[edge.dependent] == edge
        ]
        for each in separate:
            scope -= self.below_tree[each]
        return Scope(node, frozenset(scope), -1, "negation")

    def _complements(self, node: int) -> list[Scope]:
        below: set[int] = set()
        factive = self.markers.signatures.get(f"{self.lemmas[node]} that") == "+/+"  # forget that, not forget to
        for edge in self.graph.children[node]:
            base = edge.label.partition(":")[0]
            if self.up[edge.dependent] == edge and base in _COMPLEMENTS and not (factive and base == "ccomp"):
                below |= self.below_tree[edge.dependent]
        return [Scope(node, frozenset(below), -1, "complement")] if below else []
