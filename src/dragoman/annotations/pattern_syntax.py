"""The language of graph patterns: what is written, what it means, and errors that point at the character.

    pattern      = operand [ alternatives ]
    operand      = node | "(" pattern ")"
    node         = "{" [ "$" ] [ attribute { ";" attribute } ] "}" [ "=" name ]
    attribute    = name ":" value
    value        = plain text | '"' text '"' | "/" regular expression "/"
    alternatives = conjunction { "|" conjunction }
    conjunction  = relation { [ "&" ] relation }
    relation     = [ "!" | "?" ] ( operator [ label ] operand | "[" alternatives "]" )
    operator     = ">" | "<" | ">>" | "<<" | "@"
    label        = plain text | "/" regular expression "/"

After Chambers et al. (2007). Relations that follow a node all speak of that node; `&` binds closer than `|`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from dragoman.errors import FormatError

__all__ = [
    "ATTRIBUTES",
    "Alternatives",
    "NodeTest",
    "PatternError",
    "PatternTree",
    "Relation",
    "Step",
    "WantedValue",
    "parse_pattern",
]

ATTRIBUTES = ("word", "lemma", "pos", "tag", "ner", "idx", "deprel")
"""What can be asked of a node, beside the names of morphological features, which begin with a capital."""

OPERATORS = (">>", "<<", ">", "<", "@")
_DEEPEST = 50
_NAME = re.compile(r"[A-Za-z0-9_]+")
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_\[\]]*")
_LABEL = re.compile(r"[^\s{}()\[\]&|!?<>@=/;\"]+")


class PatternError(FormatError):
    """A pattern that cannot be read, with the place where it goes wrong."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "", position: int = 0) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.position = position

    @classmethod
    def at(cls, text: str, position: int, what: str, remedy: str = "") -> PatternError:
        """Show the pattern with a caret below the character."""
        line = text.replace("\n", " ").replace("\t", " ")
        shown = f"{what} at character {position + 1}\n  {line}\n  {' ' * position}^"
        return cls(shown, remedy=remedy, position=position)


@dataclass(frozen=True, slots=True)
class WantedValue:
    """What an attribute or label must be: equal to a text, or found by a regular expression."""

    text: str
    expression: bool = False

    def __str__(self) -> str:
        if self.expression:
            return "/" + self.text.replace("/", "\\/") + "/"
        if _LABEL.fullmatch(self.text):
            return self.text
        return '"' + self.text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, slots=True)
class NodeTest:
    """What a node must be like, and the name it is bound to."""

    attributes: tuple[tuple[str, WantedValue], ...] = ()
    root: bool = False
    name: str = ""

    def __str__(self) -> str:
        inside = ";".join((["$"] if self.root else []) + [f"{name}:{value}" for name, value in self.attributes])
        return "{" + inside + "}" + (f"={self.name}" if self.name else "")


@dataclass(frozen=True, slots=True)
class Step:
    """From one node to another by an operator."""

    operator: str
    label: WantedValue | None
    target: PatternTree

    def __str__(self) -> str:
        target = str(self.target) if self.target.relations is None else f"({self.target})"
        return f"{self.operator}{self.label if self.label is not None else ''} {target}"


@dataclass(frozen=True, slots=True)
class Relation:
    """A step or a group, perhaps negated (`!`) or optional (`?`)."""

    of: Step | Alternatives
    mark: str = ""

    def __str__(self) -> str:
        return self.mark + (str(self.of) if isinstance(self.of, Step) else f"[{self.of}]")


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Conjunctions of relations, one of which must hold."""

    options: tuple[tuple[Relation, ...], ...]

    def __str__(self) -> str:
        return " | ".join(" & ".join(map(str, option)) for option in self.options)


@dataclass(frozen=True, slots=True)
class PatternTree:
    """A node and what must hold of it."""

    node: NodeTest
    relations: Alternatives | None = None

    def __str__(self) -> str:
        return f"{self.node} {self.relations}" if self.relations is not None else str(self.node)


def parse_pattern(text: str) -> PatternTree:
    """The tree of a pattern.

    >>> str(parse_pattern("{tag:/^VB/}=v >nsubj {}=s !>obj {}"))
    '{tag:/^VB/}=v >nsubj {}=s & !>obj {}'
    """
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.bound: dict[str, int] = {}
        self.private: dict[str, int] = {}
        """Names first met inside a negation, with their places: nobody outside may use them."""
        self.negations = 0
        self.depth = 0

    def whole(self) -> PatternTree:
        found = self.pattern()
        self.blank()
        if self.at < len(self.text):
            self.fail(
                "something left over" if self.text[self.at] not in ")]}" else f"{self.text[self.at]!r} closes nothing"
            )
        return found

    def fail(self, what: str, remedy: str = "", at: int | None = None) -> NoReturn:
        raise PatternError.at(self.text, self.at if at is None else at, what, remedy)

    def blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.blank()
        return self.text[self.at] if self.at < len(self.text) else ""

    def expect(self, letter: str, after: str) -> None:
        if self.peek() != letter:
            self.fail(f"{letter!r} is missing after {after}")
        self.at += 1

    def pattern(self) -> PatternTree:
        if self.peek() not in ("{", "("):
            self.fail("a node is missing", "write {} for any node, {lemma:run} for one")
        inner = self.operand()
        if not self.starts_relation():
            return inner
        relations = self.alternatives()
        if inner.relations is None:
            return PatternTree(inner.node, relations)
        both = (*_conjunction(inner.relations), *_conjunction(relations))
        return PatternTree(inner.node, Alternatives((both,)))

    def starts_relation(self) -> bool:
        return self.peek() != "" and self.peek() in "<>@!?[&|"

    def alternatives(self) -> Alternatives:
        options = [self.conjunction()]
        while self.peek() == "|":
            self.at += 1
            options.append(self.conjunction())
        return Alternatives(tuple(options))

    def conjunction(self) -> tuple[Relation, ...]:
        found = [self.relation()]
        while self.starts_relation() and self.peek() != "|":
            if self.peek() == "&":
                self.at += 1
            found.append(self.relation())
        return tuple(found)

    def relation(self) -> Relation:
        mark = self.peek() if self.peek() in ("!", "?") else ""
        self.at += len(mark)
        self.negations += mark == "!"
        found = Relation(self.group() if self.peek() == "[" else self.step(), mark)
        self.negations -= mark == "!"
        return found

    def group(self) -> Alternatives:
        self.enter()
        found = self.alternatives()
        self.leave("]", "the group")
        return found

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"more than {_DEEPEST} brackets inside each other")
        self.at += 1

    def leave(self, bracket: str, after: str) -> None:
        self.expect(bracket, after)
        self.depth -= 1

    def step(self) -> Step:
        self.blank()
        operator = next((each for each in OPERATORS if self.text.startswith(each, self.at)), "")
        if not operator:
            self.fail("a relation is missing", "relations are > < >> << @")
        start = self.at
        self.at += len(operator)
        label: WantedValue | None = None
        if self.peek() not in ("{", "("):
            label = self.value(_LABEL, "label")
            if operator == "@":
                self.fail("an alignment has no label", "write @ and then a node", start)
        if self.peek() not in ("{", "("):
            self.fail("a node is missing after the relation", "write {} for any node")
        target = self.operand()
        return Step(operator, label, target)

    def operand(self) -> PatternTree:
        if self.peek() == "{":
            return PatternTree(self.node())
        self.enter()
        found = self.pattern()
        self.leave(")", "the pattern in parentheses")
        return found

    def node(self) -> NodeTest:
        opened = self.at
        self.at += 1
        root = self.peek() == "$"
        self.at += root
        attributes: list[tuple[str, WantedValue]] = []
        if root and self.peek() == ";":
            self.at += 1
        while self.peek() != "}":
            if not self.peek():
                self.fail("this brace is never closed", at=opened)
            attributes.append(self.attribute())
            if self.peek() == ";":
                self.at += 1
            elif self.peek() not in ("}", ""):
                self.fail("';' or '}' is missing")
        self.at += 1
        name = ""
        if self.text.startswith("=", self.at):
            match = _NAME.match(self.text, self.at + 1)
            if match is None:
                self.at += 1
                self.fail("a name is missing", "names are letters, digits and _")
            self.bind(match[0], self.at + 1)
            name, self.at = match[0], match.end()
        return NodeTest(tuple(attributes), root, name)

    def bind(self, name: str, at: int) -> None:
        if self.negations and name not in self.bound:
            self.private.setdefault(name, at)
        elif not self.negations:
            if name in self.private:
                remedy = "bind it before the negation, or use another name"
                self.fail(f"{name!r} was first used inside a negation, where it binds nothing", remedy, at)
            self.bound.setdefault(name, at)

    def attribute(self) -> tuple[str, WantedValue]:
        match = _ATTRIBUTE.match(self.text, self.at)
        if match is None:
            self.fail("the name of an attribute is missing", f"such as {', '.join(ATTRIBUTES)}")
        name, start = match[0], self.at
        if name not in ATTRIBUTES and not name[0].isupper():
            known = ", ".join(ATTRIBUTES)
            self.fail(
                f"no attribute is called {name!r}", f"there are {known}, and features such as Case or Number", start
            )
        self.at = match.end()
        self.expect(":", f"the attribute {name!r}")
        return name, self.value(re.compile(r"[^;}/\"][^;}]*"), "value")

    def value(self, plain: re.Pattern[str], kind: str) -> WantedValue:
        quote, opened = self.peek(), self.at
        if quote in ("/", '"'):
            self.at += 1
            text = ""
            while self.at < len(self.text) and self.text[self.at] != quote:
                if self.text[self.at] == "\\":
                    escaped = self.text.startswith(quote, self.at + 1) or quote == '"'
                    text += "" if escaped else "\\"
                    self.at += 1
                text += self.text[self.at : self.at + 1]
                self.at += 1
            if self.at >= len(self.text):
                self.fail(f"this {quote} is never closed", at=opened)
            self.at += 1
            if quote == "/":
                try:
                    re.compile(text)
                except re.error as error:
                    place = opened + 1 + (error.pos or 0)
                    self.fail(f"not a regular expression ({error.msg})", at=min(place, len(self.text)))
            return WantedValue(text, quote == "/")
        match = plain.match(self.text, self.at)
        if match is None:
            self.fail(f"a {kind} is missing")
        self.at = match.end()
        return WantedValue(match[0].strip())


def _conjunction(relations: Alternatives) -> tuple[Relation, ...]:
    """The relations as one conjunction."""
    return relations.options[0] if len(relations.options) == 1 else (Relation(relations),)
