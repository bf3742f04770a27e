"""A learned classifier of edits: a decision tree over what is known of an edit, from problems of one edit each.

The rules of natural logic know what an edit does only where nothing is in doubt, and real text is full of doubt: trees
with wrong edges, words that are nearly the same. Chambers et al. (2007) learn a decision tree from small problems
instead, each of which differs from its text in one edit, and let the tree decide all edits of a pair. It sees the kind
of the edit, the context, and what the words are to each other; it does not look at where arguments hang, so that it
says yes more often than the rules, and is wrong more often.

Trees ask for the attribute that tells most (Quinlan 1986), one branch for each value, and are plain data. Of a value
that no problem had at that place, a tree says nothing, and the rules decide. The shipped tree was learned from the
suite `edits`.

    >>> tree = learn_tree([
    ...     ({"edit": "DEL", "context": "upward"}, "<"), ({"edit": "DEL", "context": "downward"}, ">"),
    ...     ({"edit": "SUB", "context": "upward"}, "="), ({"edit": "SUB", "context": "downward"}, "="),
    ... ])
    >>> tree.decide({"edit": "DEL", "context": "downward"}), tree.decide({"edit": "MOVE", "context": "upward"})
    ('>', None)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from dragoman.errors import FormatError, InputError
from dragoman.plain_data import parse_json

__all__ = ["DEPTH", "EditTree", "learn_tree"]

DEPTH = 8
"""The most questions that are asked of an edit."""

EditExample = tuple[Mapping[str, str], str]
"""What is known of an edit, by attribute, and its relation."""


@dataclass(frozen=True, slots=True)
class EditTree:
    """An attribute with a tree for each of its values, or without one the answer itself."""

    relation: str
    """What most edits that come here are."""
    edits: int
    """How many edits of the training problems came here."""
    attribute: str = ""
    branches: Mapping[str, EditTree] = field(default_factory=dict)

    def decide(self, known: Mapping[str, str]) -> str | None:
        """The relation of an edit of which this is known; None where no problem was like it."""
        tree = self
        while tree.attribute:
            value = known.get(tree.attribute, "")
            if value not in tree.branches:
                return None
            tree = tree.branches[value]
        return tree.relation

    def path(self, known: Mapping[str, str]) -> list[str]:
        """What was asked, and the answers."""
        tree, asked = self, list[str]()
        while tree.attribute and (value := known.get(tree.attribute, "")) in tree.branches:
            asked.append(f"{tree.attribute} {value or 'none'}")
            tree = tree.branches[value]
        return asked

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `from_dict` reads them back."""
        plain: dict[str, Any] = {"relation": self.relation, "edits": self.edits}
        if self.attribute:
            below = {value: tree.to_dict() for value, tree in sorted(self.branches.items())}
            plain |= {"attribute": self.attribute, "branches": below}
        return plain

    @classmethod
    def from_dict(cls, plain: Any, *, where: str = "") -> EditTree:
        """The tree that `to_dict` described; anything else is a `FormatError`."""
        try:
            relation, edits = str(plain["relation"]), int(plain["edits"])
            if relation not in ("=", "<", ">", "#", "|"):
                raise ValueError(f"no relation is called {relation!r}")
            below = {str(value): cls.from_dict(each, where=where) for value, each in plain.get("branches", {}).items()}
            return cls(relation, edits, str(plain.get("attribute", "")), below)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise FormatError(f"not a tree of edits ({error})", where=where) from None

    @classmethod
    def load(cls, path: Path | str | None = None) -> EditTree:
        """The tree in a file, or the shipped one."""
        return _shipped() if path is None else cls.from_dict(parse_json(Path(path).read_bytes(), where=str(path)))


def learn_tree(examples: Sequence[EditExample], *, depth: int = DEPTH) -> EditTree:
    """The tree that asks for what tells most, again and again; of equals the first by name."""
    if not examples:
        raise InputError("no edits to learn from")
    counts = Counter(relation for _, relation in examples)
    relation = min(counts, key=lambda each: (-counts[each], each))
    leaf = EditTree(relation, len(examples))
    if len(counts) == 1 or depth == 0:
        return leaf
    attributes = sorted({name for known, _ in examples for name in known})
    best, chosen = 1e-9, ""
    for attribute in attributes:
        gain = _entropy(counts) - _entropy_within(examples, attribute)
        if gain > best + 1e-12:
            best, chosen = gain, attribute
    if not chosen:
        return leaf
    branches = {
        value: learn_tree([each for each in examples if each[0].get(chosen, "") == value], depth=depth - 1)
        for value in sorted({known.get(chosen, "") for known, _ in examples})
    }
    return EditTree(relation, len(examples), chosen, branches)


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return -sum(count / total * math.log2(count / total) for count in counts.values())


def _entropy_within(examples: Sequence[EditExample], attribute: str) -> float:
    """What is still open once the value of an attribute is known."""
    within: dict[str, Counter[str]] = {}
    for known, relation in examples:
        within.setdefault(known.get(attribute, ""), Counter())[relation] += 1
    return sum(counts.total() / len(examples) * _entropy(counts) for counts in within.values())


@cache
def _shipped() -> EditTree:
    file = resources.files("dragoman.entailment") / "markers" / "edit-tree.json"
    return EditTree.from_dict(parse_json(file.read_bytes(), where=file.name), where=file.name)
