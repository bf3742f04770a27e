"""Grammatical functions of f-structures: which labels count, how they go missing, and what describes a dependent.

Transfer and projection often know what depends on what but not as what. Bryl, van Genabith and Graham (2009) restore
such labels. A *case* is a parent, a function and a dependent that has a predicate; members of a set each bear the
function of the set. Functions that only mirror how the grammar built the structure are left out, and a dependent that
bears two functions of one parent counts for the first. A label that is missing is written `UNKNOWN`.

    >>> from dragoman.annotations.fstructure import FStructure
    >>> structure = FStructure.from_dict({"nodes": [
    ...     [["PRED", {"pred": "see"}], ["SUBJ", {"node": 1}], ["OBJ", {"node": 2}]],
    ...     [["PRED", {"pred": "dog"}], ["CASE", "nom"]],
    ...     [["PRED", {"pred": "cat"}], ["CASE", "acc"]],
    ... ]})
    >>> [(case.function, case.dependent) for case in cases(structure)]
    [('SUBJ', 1), ('OBJ', 2)]
    >>> broken = broken_at(structure, cases(structure)[:1])
    >>> [name for name, _ in broken.nodes[0]]
    ['PRED', 'OBJ', 'UNKNOWN']
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dragoman.annotations.fstructure import (
    MEMBERS,
    Attribute,
    FStructure,
    SemanticForm,
    Substructure,
    Value,
    members,
    of_sentence,
    token_order,
)
from dragoman.annotations.sentence import Sentence
from dragoman.errors import InputError
from dragoman.seeds import stream

__all__ = [
    "LEFT_OUT",
    "UNKNOWN",
    "WORD_ATTRIBUTES",
    "Description",
    "FunctionCase",
    "broken_at",
    "broken_at_random",
    "broken_sentence",
    "by_parent",
    "cases",
    "described",
    "labelled_sentence",
    "restored",
]

UNKNOWN = "UNKNOWN"
"""The attribute that stands where a function is missing."""
LEFT_OUT = frozenset(
    [
        "FIRST",
        "REST",
        "MOTHER",
        "LEFT_SISTER",
        "RIGHT_SISTER",
        "LEFT_DAUGHTER",
        "RIGHT_DAUGHTER",
        "PHI",
        "TOPIC",
        "punct",
    ]
)
"""No functions: parts of robust parses, links to the constituent tree, what is said elsewhere too, and punctuation."""
WORD_ATTRIBUTES = frozenset(
    [
        "PFORM",
        "COMPFORM",
        "COMP-FORM",
        "PRON-FORM",
        "SPEC-FORM",
        "COORD-FORM",
        "PRT-FORM",
        "PRECOORD-FORM",
        "FORM",
        "LEMMA",
    ]
)
"""Attributes whose values are words: only that they are there counts."""


class FunctionCase(NamedTuple):
    """A dependent, its parent, and the function that it bears."""

    parent: int
    function: str
    dependent: int


@dataclass(frozen=True, slots=True)
class Description:
    """What a classifier sees of a dependent: names of its attributes, and values of those that hold atoms."""

    names: frozenset[str]
    values: Mapping[str, str] = field(default_factory=dict)


def cases(structure: FStructure, *, left_out: Collection[str] = LEFT_OUT) -> list[FunctionCase]:
    """All cases of a structure by parent, in the order of the file; functions that are missing are among them."""
    found = []
    for parent, attributes in enumerate(structure.nodes):
        taken: set[int] = set()
        for name, value in attributes:
            if name == MEMBERS or name in left_out:
                continue
            for dependent in _bearers(structure, value):
                if dependent not in taken and _has_predicate(structure, dependent):
                    taken.add(dependent)
                    found.append(FunctionCase(parent, name, dependent))
    return found


def by_parent(found: Iterable[FunctionCase]) -> dict[int, list[FunctionCase]]:
    """Cases of each parent."""
    groups: dict[int, list[FunctionCase]] = {}
    for case in found:
        groups.setdefault(case.parent, []).append(case)
    return groups


def broken_at(structure: FStructure, gone: Iterable[FunctionCase]) -> FStructure:
    """The structure without these labels: each dependent is the value of an attribute `UNKNOWN` of its own."""
    nodes = list(structure.nodes)
    for case in gone:
        kept: list[Attribute] = []
        for name, value in nodes[case.parent]:
            rest = _without(structure, value, case.dependent) if name == case.function else value
            if rest is not None:
                kept.append(Attribute(name, rest))
        nodes[case.parent] = (*kept, Attribute(UNKNOWN, Substructure(case.dependent)))
    return replace(structure, nodes=tuple(nodes))


def broken_at_random(
    structures: Sequence[FStructure], rate: float, *, seed: int = 1, left_out: Collection[str] = LEFT_OUT
) -> tuple[list[FStructure], list[list[FunctionCase]]]:
    """Structures in which each label is missing with probability `rate`; and what they were."""
    broken, gold = [], []
    for number, structure in enumerate(structures):
        random = stream(seed, "breaker", number)
        gone = [case for case in cases(structure, left_out=left_out) if random.random() < rate]
        broken.append(broken_at(structure, gone))
        gold.append(gone)
    return broken, gold


def restored(structure: FStructure, found: Iterable[FunctionCase]) -> FStructure:
    """The structure with labels in place of `UNKNOWN`; dependents that bear one function of a parent become a set."""
    nodes = list(structure.nodes)
    for case in found:
        attributes = list(nodes[case.parent])
        place = Attribute(UNKNOWN, Substructure(case.dependent))
        if place not in attributes:
            raise InputError(f"f-structure {case.dependent} is not missing a function", where=structure.name)
        attributes.remove(place)
        old = next((at for at, (name, _) in enumerate(attributes) if name == case.function), None)
        if old is None:
            attributes.append(Attribute(case.function, Substructure(case.dependent)))
        else:
            together = frozenset(map(Substructure, (*members(attributes[old].value), case.dependent)))
            attributes[old] = Attribute(case.function, together)
        nodes[case.parent] = tuple(attributes)
    return replace(structure, nodes=tuple(nodes))


def described(
    structure: FStructure, node: int, *, flat: bool = True, words: Collection[str] = WORD_ATTRIBUTES
) -> Description:
    """What can be said of a dependent without its parent; of a bundle without a predicate also what is in it (`flat`).

    >>> from dragoman.annotations.fstructure import FStructure
    >>> structure = FStructure.from_dict({"nodes": [
    ...     [["PRED", {"pred": "go"}], ["TNS-ASP", {"node": 1}], ["PFORM", "of"]], [["TENSE", "past"]]]})
    >>> found = described(structure, 0)
    >>> sorted(found.names), dict(found.values)
    (['PFORM', 'PRED', 'TNS-ASP', 'TNS-ASP/TENSE'], {'TNS-ASP/TENSE': 'past'})
    """
    names: set[str] = set()
    values: dict[str, str] = {}
    agenda: list[tuple[int, str, frozenset[int]]] = [(node, "", frozenset([node]))]
    while agenda:
        current, path, above = agenda.pop()
        for name, value in structure.nodes[current]:
            if name == UNKNOWN or (current != node and name == "PRED"):
                continue
            names.add(path + name)
            if isinstance(value, str):
                if name not in words:
                    values[path + name] = value
            elif flat and isinstance(value, Substructure):
                inner = value.number
                if inner not in above and not structure.predicate(inner):
                    agenda.append((inner, f"{path}{name}/", above | {inner}))
    return Description(frozenset(names), values)


def broken_sentence(sentence: Sentence, *, unknown: Collection[str] = ("_",)) -> FStructure:
    """A dependency tree as an f-structure; relations that say nothing are missing functions."""
    structure = of_sentence(sentence)
    gone = [case for case in cases(structure, left_out=()) if case.function in unknown]
    return broken_at(structure, gone)


def labelled_sentence(sentence: Sentence, found: Iterable[FunctionCase]) -> Sentence:
    """The sentence with relations as guessed for its f-structure."""
    tree = sentence.dependencies
    tokens = token_order(tree)
    labels = list(tree.labels)
    for case in found:
        labels[tokens[case.dependent]] = case.function
    return sentence.with_layers(dependencies=replace(tree, labels=tuple(labels)))


def _bearers(structure: FStructure, value: Value) -> list[int]:
    """F-structures that bear a function: its value, or the members where that is a set."""
    found: list[int] = []
    for number in members(value):
        inside = structure.get(number, MEMBERS)
        if inside is not None and structure.get(number, "PRED") is None:
            found += members(inside)
        else:
            found.append(number)
    return found


def _has_predicate(structure: FStructure, node: int) -> bool:
    return isinstance(structure.get(node, "PRED"), SemanticForm)


def _without(structure: FStructure, value: Value, dependent: int) -> Value | None:
    """A value without one of its dependents; None where nothing is left."""
    if dependent not in members(value):  # within a set that has attributes of its own, which stays as it is
        return value
    rest = [Substructure(each) for each in members(value) if each != dependent]
    if not rest:
        return None
    return rest[0] if len(rest) == 1 else frozenset(rest)
