"""Productions: word order as text.

A synchronous rule pairs right-hand sides over the same slots. Here each language writes its right-hand sides down as
bracketed templates over the slots of an abstract clause or noun phrase,

    (S subject (VP finite negation verb object place time))                English main clause
    (S front finite subject light time object negation place rest)         German main clause: the finite verb second
    (S subject light time object negation place final)                     German subordinate clause: verbs last

and says in one function per slot what stands there: any number of words and phrases, or none. The order is in the
templates, the agreement in the slots, and the same abstract clause fills both sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "HEAD",
    "Bound",
    "Leaf",
    "Part",
    "Predicate",
    "ProductionTemplate",
    "Tree",
    "Word",
    "bind",
    "build",
    "template",
]

HEAD = "head"
"""The relation of the part that heads its phrase."""


class Word(NamedTuple):
    """A word with its analysis."""

    form: str
    lemma: str
    pos: str
    tag: str
    features: str = "_"
    soft: bool = False
    """A comma that other punctuation swallows."""


@dataclass(slots=True, eq=False)
class Leaf:
    """A word in the tree, the keys of what it expresses, and how it relates to the head of its phrase."""

    relation: str
    word: Word
    keys: tuple[int, ...] = ()
    role: str = ""


@dataclass(slots=True, eq=False)
class Predicate:
    """What a clause says of whom: the word, its sense, all words of the verb, and the antecedent's role."""

    leaf: Leaf
    sense: str
    words: tuple[Leaf, ...] = ()
    antecedent: str = ""


@dataclass(slots=True, eq=False)
class Tree:
    """A phrase."""

    relation: str
    label: str
    parts: list[Part] = field(default_factory=list)
    role: str = ""
    predicate: Predicate | None = None


Part: TypeAlias = "Leaf | Tree"
Filler: TypeAlias = Callable[[Any, Any], "Sequence[Part]"]
"""What stands in a slot: (language, clause) to words and phrases."""
Bound: TypeAlias = "tuple[str, tuple[Filler | Bound, ...]]"
ProductionTemplate: TypeAlias = "tuple[str, tuple[str | ProductionTemplate, ...]]"


@cache
def template(text: str) -> ProductionTemplate:
    """Parse a template.

    >>> template("(S subject (VP finite verb))")
    ('S', ('subject', ('VP', ('finite', 'verb'))))
    """
    stack: list[list[str | ProductionTemplate]] = [[]]
    for part in re.findall(r"[()]|[^\s()]+", text):
        if part == "(":
            stack.append([])
        elif part == ")":
            label, *slots = stack.pop()
            assert isinstance(label, str)
            stack[-1].append((label, tuple(slots)))
        else:
            stack[-1].append(part)
    [root] = stack[0]
    assert isinstance(root, tuple)
    return root


def bind(shape: ProductionTemplate, fillers: Mapping[str, Filler]) -> Bound:
    """The template with each slot replaced by the function that fills it."""
    label, slots = shape
    return label, tuple(fillers[slot] if isinstance(slot, str) else bind(slot, fillers) for slot in slots)


def build(shape: Bound, language: Any, clause: Any) -> Tree:
    """The tree that a bound template makes; empty phrases are left out."""
    label, slots = shape
    parts: list[Part] = []
    for slot in slots:
        if isinstance(slot, tuple):
            phrase = build(slot, language, clause)
            if phrase.parts:
                parts.append(phrase)
        else:
            parts += slot(language, clause)
    return Tree(HEAD, label, parts)
