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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, TypeAlias

__all__ = ["HEAD", "Leaf", "Part", "Template", "Tree", "Word", "build", "template"]

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
Template: TypeAlias = "tuple[str, tuple[str | Template, ...]]"


@cache
def template(text: str) -> Template:
    """Parse a template.

    >>> template("(S subject (VP finite verb))")
    ('S', ('subject', ('VP', ('finite', 'verb'))))
    """
    stack: list[list[str | Template]] = [[]]
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


def build(shape: Template, fill: Callable[[str], Sequence[Part]], relation: str = HEAD) -> Tree:
    """The tree that a template makes when `fill` says what stands in each slot; empty phrases are left out."""
    label, slots = shape
    parts: list[Part] = []
    for slot in slots:
        if isinstance(slot, str):
            parts += fill(slot)
        else:
            phrase = build(slot, fill)
            if phrase.parts:
                if not any(part.relation == HEAD for part in phrase.parts):
                    phrase.relation = "dep"
                parts.append(phrase)
    return Tree(relation, label, parts)
