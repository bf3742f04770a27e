"""F-structures: attributes and values of lexical-functional grammar, with shared values, sets and predicates.

An f-structure (Kaplan and Bresnan 1982) says of a sentence who does what to whom: `SUBJ` and `OBJ` are f-structures,
`NUM` is an atom, `ADJUNCT` a set, `PRED` a semantic form. Values may be shared (a controlled subject) and may even
contain themselves (relative clauses), so a structure is a graph: nodes by number, each with its attributes in the order
of the file. A dependency tree can be viewed as one (`of_sentence`): its relations are functions, its
features atoms.

    >>> structure = FStructure.from_dict({
    ...     "root": 0,
    ...     "nodes": [
    ...         [["PRED", {"pred": "like"}], ["SUBJ", {"node": 1}], ["XCOMP", {"node": 2}]],
    ...         [["PRED", {"pred": "Hillary"}], ["NUM", "sg"]],
    ...         [["PRED", {"pred": "run"}], ["SUBJ", {"node": 1}]],
    ...     ],
    ... })
    >>> print(structure.predicates().tree())
    like
      hillary
      run
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from dragoman.annotations.layers import Dependencies
from dragoman.annotations.predicates import PredicateArc, PredicateGraph
from dragoman.annotations.sentence import Sentence
from dragoman.annotations.treebanks import sentence_id
from dragoman.errors import InputError

__all__ = [
    "MEMBERS",
    "Attribute",
    "FStructure",
    "SemanticForm",
    "Substructure",
    "Value",
    "members",
    "of_sentence",
    "token_order",
]

MEMBERS = "MEMBERS"
"""The attribute that holds the members of a set that has attributes of its own, such as a coordination."""

_REMEDY = "see FStructure.to_dict for what a line holds"


class Substructure(NamedTuple):
    """Another f-structure of the same sentence, by its number."""

    number: int


class SemanticForm(NamedTuple):
    """A semantic form: what `PRED` holds."""

    name: str


Value: TypeAlias = "str | Substructure | SemanticForm | frozenset[Substructure]"
"""An atom, an f-structure, a semantic form, or a set of f-structures."""


class Attribute(NamedTuple):
    """An attribute of an f-structure with its value."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class FStructure:
    """The f-structures of one sentence: attributes of each by number, the root's number, and the sentence's name."""

    nodes: tuple[tuple[Attribute, ...], ...]
    root: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        size = len(self.nodes)
        if size and not 0 <= self.root < size:
            raise InputError(f"the root is {self.root} among {size} f-structures", where=self.name)
        for number, attributes in enumerate(self.nodes):
            for attribute, value in attributes:
                for each in members(value):
                    if not 0 <= each < size:
                        raise InputError(
                            f"{attribute} of f-structure {number} is {each}, which is not among {size}", where=self.name
                        )

    def get(self, node: int, name: str) -> Value | None:
        """The first value of an attribute, None without one."""
        return next((value for own, value in self.nodes[node] if own == name), None)

    def predicate(self, node: int) -> str:
        """The name of the semantic form of an f-structure, empty without one; of a coordination its conjunction."""
        found = self.get(node, "PRED")
        if isinstance(found, SemanticForm):
            return found.name
        conjunction = self.get(node, "COORD-FORM")
        return conjunction if isinstance(conjunction, str) else ""

    def predicates(self) -> PredicateGraph:
        """F-structures with a predicate and the functions between them; what stands between two is passed through."""
        kept = [node for node in range(len(self.nodes)) if self.predicate(node)]
        places = {node: place for place, node in enumerate(kept)}
        arcs = [
            PredicateArc(places[node], places[end], function)
            for node in kept
            for function, end in self._reached(node, places)
        ]
        words = tuple(self.predicate(node).lower() for node in kept)
        if not kept:
            return PredicateGraph((), (), (), name=self.name)
        roots = (
            [places[self.root]] if self.root in places else [places[end] for _, end in self._reached(self.root, places)]
        )
        return PredicateGraph(words, tuple(arcs), tuple(dict.fromkeys(roots)) or (0,), name=self.name)

    def _reached(self, node: int, wanted: Mapping[int, int]) -> Iterator[tuple[str, int]]:
        """The next f-structures below that have a predicate, with the function on the way to each."""
        seen = {node}
        agenda = [(name, each) for name, value in reversed(self.nodes[node]) for each in reversed(members(value))]
        while agenda:
            function, each = agenda.pop()
            if each in wanted:
                yield function, each
            elif each not in seen:
                seen.add(each)
                agenda += [
                    (function, end) for _, value in reversed(self.nodes[each]) for end in reversed(members(value))
                ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `from_dict` reads them back."""
        return {
            "name": self.name,
            "root": self.root,
            "nodes": [[[name, _plain(value)] for name, value in attributes] for attributes in self.nodes],
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> FStructure:
        """The structure that `to_dict` described; anything else is an `InputError`."""
        try:
            nodes = tuple(
                tuple(Attribute(str(name), _value(value)) for name, value in attributes)
                for attributes in plain["nodes"]
            )
            return cls(nodes, int(plain.get("root", 0)), str(plain.get("name", "")))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"not an f-structure ({type(error).__name__}: {error})", remedy=_REMEDY) from None

    def __str__(self) -> str:
        lines: list[str] = []
        shown: set[int] = set()

        def show(node: int, indent: str) -> None:
            if node in shown:
                lines[-1] += f" [{node}]"
                return
            shown.add(node)
            lines[-1] += f" {node}:"
            for name, value in self.nodes[node]:
                if isinstance(value, (str, SemanticForm)):
                    lines.append(f"{indent}{name} " + (f"'{value.name}'" if isinstance(value, SemanticForm) else value))
                    continue
                for each in members(value):
                    lines.append(f"{indent}{name}" + (" ∋" if isinstance(value, frozenset) else ""))
                    show(each, indent + "  ")

        lines.append(self.name)
        if self.nodes:
            show(self.root, "  ")
        lines[0] = lines[0].strip()
        return "\n".join(lines)


def members(value: Value) -> tuple[int, ...]:
    """The f-structures that a value is or contains, by number."""
    if isinstance(value, Substructure):
        return (value.number,)
    return tuple(sorted(each.number for each in value)) if isinstance(value, frozenset) else ()


def token_order(tree: Dependencies) -> list[int]:
    """Which token each f-structure of a dependency tree is: the root first, the others as they stand."""
    return sorted(range(len(tree)), key=lambda at: tree.heads[at] >= 0)


def of_sentence(sentence: Sentence) -> FStructure:
    """A dependency tree as an f-structure: relations are functions, features and the part of speech are atoms.

    Substructure 0 is the root of the tree; every node has `PRED`. A relation that several dependents bear is a set.
    """
    sentence.require("lemmas", "pos", "dependencies", needed_by="an f-structure")
    tree = sentence.dependencies
    features = sentence.layers.morphology
    order = token_order(tree)
    numbers = {at: number for number, at in enumerate(order)}
    below: list[dict[str, list[Substructure]]] = [{} for _ in order]
    for at, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
        if head >= 0:
            below[head].setdefault(label, []).append(Substructure(numbers[at]))
    nodes = []
    for at in order:
        atoms = [Attribute("PRED", SemanticForm(sentence.lemmas[at])), Attribute("POS", sentence.pos[at])]
        atoms += [Attribute(name, value) for name, value in (features[at].features if features else ())]
        functions = [
            Attribute(label, found[0] if len(found) == 1 else frozenset(found)) for label, found in below[at].items()
        ]
        nodes.append((*atoms, *functions))
    return FStructure(tuple(nodes), 0, sentence_id(sentence))


def _plain(value: Value) -> Any:
    if isinstance(value, Substructure):
        return {"node": value.number}
    if isinstance(value, SemanticForm):
        return {"pred": value.name}
    return {"set": list(members(value))} if isinstance(value, frozenset) else value


def _value(plain: Any) -> Value:
    if isinstance(plain, str):
        return plain
    [(kind, content)] = plain.items()
    if kind == "node":
        return Substructure(int(content))
    if kind == "pred":
        return SemanticForm(str(content))
    if kind == "set":
        return frozenset(Substructure(int(each)) for each in content)
    raise ValueError(f"no value is a {kind!r}")
