"""Abstract syntax: what a sentence says, before any language says it.

A derivation is one abstract tree from which every language is linearised, as in Grammatical Framework (Ranta 2004) and
in synchronous grammars generally (Shieber and Schabes 1990): the two sides are two readings of the same choices. Each
part of the tree owns a few numbers, its keys. A word remembers the keys of what it expresses, so that the gold word
alignment is a join: a source and a target word are linked when they express a common key.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dragoman.text.synthetic.lexicon import Adjective, Noun, Verb
from dragoman.text.synthetic.lexicon.closed import Adverbial, Preposition, Pronoun, Subordinator

__all__ = [
    "AUX",
    "COMMA",
    "CONJUNCTION",
    "COUNT",
    "DET",
    "HEAD",
    "NEGATION",
    "OWNER",
    "REPORT",
    "STEP",
    "STOP",
    "AbstractSentence",
    "Adjunct",
    "Clause",
    "Nominal",
]

HEAD, DET, COUNT, OWNER = 0, 1, 2, 3
AUX, NEGATION, CONJUNCTION, COMMA, STOP, REPORT = 1, 2, 3, 4, 5, 6
STEP = 8
"""Keys that each part of the tree owns; the constants above are offsets into them."""


@dataclass(slots=True, eq=False)
class Nominal:
    """A noun phrase: common noun, name or pronoun."""

    key: int
    noun: Noun | None = None
    pronoun: Pronoun | None = None
    name: tuple[str, ...] = ()
    city: bool = False
    gender: str = ""
    number: str = "sg"
    determiner: str = "def"
    """def, indef, none, this, every, count, owner, or an English possessive (my, his, ...)."""
    count: tuple[str, str] = ("", "")
    owner: Nominal | None = None
    adjectives: list[tuple[int, Adjective]] = field(default_factory=list)
    relative: Clause | None = None
    cue: int | None = None
    """Key of the word that fixes the sense of an ambiguous noun."""
    negated_by: int | None = None
    """Key of a negation that German expresses on the determiner (kein)."""

    @property
    def person(self) -> str:
        return self.pronoun.person if self.pronoun else "3"

    @property
    def definite(self) -> bool:
        return self.determiner not in ("indef", "none", "count")


@dataclass(slots=True, eq=False)
class Adjunct:
    """A modifier of a clause: a prepositional phrase (with `nominal`) or a fixed adverbial."""

    key: int
    role: str
    preposition: Preposition | None = None
    nominal: Nominal | None = None
    adverbial: Adverbial | None = None


@dataclass(slots=True, eq=False)
class Clause:
    """A predicate with its arguments and modifiers."""

    key: int
    kind: str
    """Of the verb (i t d p s m x), or `c` for the copula."""
    subject: Nominal
    verb: Verb | None = None
    tense: str = "present"
    narrative: bool = False
    """Past told in the German preterite, not the perfect."""
    modal: str = ""
    negated: bool = False
    reported: bool = False
    object: Nominal | None = None
    recipient: Nominal | None = None
    adjective: Adjective | None = None
    complement: Clause | None = None
    time: Adjunct | None = None
    manner: Adjunct | None = None
    place: Adjunct | None = None
    goal: Adjunct | None = None
    form: str = "main"
    """main, yesno, wh, sub (with `conjunction`), that, relative (with `gap`)."""
    wh: tuple[str, str] = ("", "")
    conjunction: Subordinator | None = None
    gap: str = ""
    fronted: bool = False
    """Time adverbial first."""

    @property
    def do_support(self) -> bool:
        """Whether English needs an auxiliary that expresses nothing but tense and agreement."""
        simple = self.tense in ("present", "past") and not self.modal and self.kind != "c"
        return simple and (self.negated or self.form in ("yesno", "wh"))


@dataclass(slots=True, eq=False)
class AbstractSentence:
    """Clauses put together: plain, with a subordinate clause before or after, coordinated, or quoted."""

    key: int
    kind: str
    main: Clause
    other: Clause | None = None
    coordinator: tuple[str, str] = ("", "")
