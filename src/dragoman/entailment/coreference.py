"""Which nodes of a text speak of the same thing: sieves, the surest first.

Names that are equal; a surname for a name; initials; what stands in apposition or after *is*; and last, pronouns, for
the nearest earlier name or noun that agrees in number, gender and kind, subjects first. Each sieve joins chains that
the ones before it made (after Raghunathan et al. 2010). What is uncertain is not joined: a wrong chain lets anything
follow from anything.
"""

from __future__ import annotations

from collections.abc import Callable

from dragoman.annotations.graphs import DependencyGraph, GraphNode
from dragoman.entailment.marker_lists import Markers
from dragoman.entailment.word_relations import initials_match

__all__ = ["resolve"]

_SINGULAR = frozenset(["he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself"])
_PLURAL = frozenset(["they", "them", "their", "theirs", "themselves"])
_NEUTER = frozenset(["it", "its", "itself"])


def resolve(graph: DependencyGraph, is_person: Callable[[str], bool], markers: Markers) -> tuple[tuple[int, ...], ...]:
    """Chains of nodes of a text of one or several sentences, each of at least two, in order of the text."""
    chains = _Chains(len(graph))
    names = [node for node in graph if node.pos == "PROPN"]
    for sieve in (_equal, _surname, initials_match):
        for at, later in enumerate(names):
            for earlier in names[:at]:
                if sieve(earlier.word.lower().split(), later.word.lower().split()):
                    chains.join(earlier.index, later.index)
    for governor, dependent, label in graph.edges:
        if label == "appos" and graph.nodes[dependent].pos in ("NOUN", "PROPN"):
            chains.join(governor, dependent)
        elif label == "cop":
            subject = graph.child(governor, "nsubj")
            negated = any(
                markers.has("polarity", "negations", graph.nodes[e.dependent].lemma.lower())
                for e in graph.children[governor]
            )
            nominal = graph.nodes[governor].pos in ("NOUN", "PROPN")
            if nominal and subject is not None and not negated and graph.nodes[subject].pos in ("NOUN", "PROPN"):
                chains.join(subject, governor)
    for node in graph:
        form = node.word.lower()
        if node.pos == "PRON" and form in _SINGULAR | _PLURAL:
            antecedent = _antecedent(graph, node, form, is_person, markers)
            if antecedent is not None:
                chains.join(antecedent, node.index)
    return chains.all()


class _Chains:
    """Nodes that belong together, joined two at a time."""

    def __init__(self, size: int) -> None:
        self._root = list(range(size))

    def _find(self, node: int) -> int:
        while self._root[node] != node:
            node = self._root[node]
        return node

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self._find(one), self._find(other)))
        self._root[second] = first

    def all(self) -> tuple[tuple[int, ...], ...]:
        found: dict[int, list[int]] = {}
        for node in range(len(self._root)):
            found.setdefault(self._find(node), []).append(node)
        return tuple(tuple(chain) for chain in found.values() if len(chain) > 1)


def _equal(earlier: list[str], later: list[str]) -> bool:
    return earlier == later


def _surname(earlier: list[str], later: list[str]) -> bool:
    short, long = sorted((earlier, later), key=len)
    return len(short) == 1 and len(long) > 1 and short[0] == long[-1]


def _antecedent(
    graph: DependencyGraph, pronoun: GraphNode, form: str, is_person: Callable[[str], bool], markers: Markers
) -> int | None:
    """The nearest earlier sentence first, in it subjects first, then the nearest."""
    clause = {edge.governor for edge in graph.parents[pronoun.index]}
    reflexive = form.endswith(("self", "selves"))
    possible = []
    for node in graph.nodes[: pronoun.index]:
        same_clause = any(edge.governor in clause for edge in graph.parents[node.index])
        possessive = form in ("his", "her", "its", "their")
        far = pronoun.sentence - node.sentence
        if far <= 2 and (reflexive or possessive or not same_clause) and _agrees(node, form, is_person, markers):
            subject = any(edge.label.startswith("nsubj") for edge in graph.parents[node.index])
            possible.append((-far, subject, node.index))
    return max(possible)[2] if possible else None


def _agrees(node: GraphNode, form: str, is_person: Callable[[str], bool], markers: Markers) -> bool:
    if node.pos not in ("NOUN", "PROPN"):
        return False
    plural = node.tag in ("NNS", "NNPS") or node.morphology.get("Number") == "Plur"
    if form in _PLURAL:
        return plural
    words = node.word.lower().split()
    male, female = (markers.has("people", gender, *words) for gender in ("masculine", "feminine"))
    if plural:
        return False
    person = male or female or (node.pos == "NOUN" and is_person(node.lemma)) or node.ner in ("PERSON", "PER")
    if form in _NEUTER:
        return not person
    if node.pos == "PROPN" and not person:
        return len(words) > 1 and not node.ner
    gender_fits = not female if markers.has("people", "masculine", form) else not male
    return person and gender_fits
