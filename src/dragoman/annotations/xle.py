"""F-structures in Prolog, as the XLE parser writes them (Crouch et al.), one sentence a file.

A file is one term, `fstructure(Sentence, Properties, Choices, Equations, Constraints, CStructure).` Constraints say
`cf(Context, eq(attr(var(3),'NUM'),'sg'))` or `cf(Context, in_set(var(4), var(2)))`. A file may hold several readings
packed into one: contexts name choices, and a constraint holds where its context is true. The reading that the file
selects is taken, and where it selects none, the first alternative of each choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from dragoman.annotations.fstructure import MEMBERS, Attribute, FStructure, SemanticForm, Substructure, Value
from dragoman.errors import FormatError
from dragoman.files import read_lines

__all__ = ["parse", "read"]

_TOKEN = re.compile(
    r"(?P<blank>\s+|%[^\n]*)|(?P<quoted>'(?:[^'\\]|''|\\.)*')|(?P<string>\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<word>[^\s()\[\],'\"|]+?(?=[\s()\[\],'\"|]|\.\s|\.$|$))|(?P<mark>[()\[\],|.])",
    re.DOTALL,
)
_REMEDY = "write the file again with XLE (print-prolog-chart-graph)"
_MOST_DEEP = 200


@dataclass(frozen=True, slots=True)
class CompoundTerm:
    """A term with arguments."""

    name: str
    arguments: tuple[PrologTerm, ...]


PrologTerm: TypeAlias = "str | CompoundTerm | tuple[PrologTerm, ...]"
"""An atom, number or variable; a compound; a list."""


def read(path: Path | str) -> FStructure:
    """The f-structure of a file."""
    return parse("\n".join(read_lines(path)), name=str(path))


def parse(text: str, *, name: str = "Prolog") -> FStructure:
    """The f-structure of a text; errors name `name` and the line."""
    term = _Parser(text, name).term()
    if not isinstance(term, CompoundTerm) or term.name != "fstructure" or len(term.arguments) < 5:
        raise FormatError("not a term fstructure(...) with five parts or six", where=name, remedy=_REMEDY)
    sentence, _, choices, equations, constraints = term.arguments[:5]
    if not isinstance(constraints, tuple):
        raise FormatError("the constraints are not a list", where=name, remedy=_REMEDY)
    return _Constraints(constraints, _reading(choices, equations, name), name).structure(str(sentence))


class _Parser:
    """Terms of Prolog, as far as these files need them."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.tokens = self._tokens()
        self.kind, self.token, self.at = "", "", 0
        self.depth = 0
        self._next()

    def _tokens(self) -> Iterator[tuple[str, str, int]]:
        at = 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise self._error(f"{self.text[at]!r} does not end", at)
            if found.lastgroup != "blank":
                yield str(found.lastgroup), found[0], at
            at = found.end()
        yield "end", "", len(self.text)

    def _error(self, what: str, at: int) -> FormatError:
        line = self.text.count("\n", 0, at) + 1
        return FormatError(what, where=f"{self.name}, line {line}", remedy=_REMEDY)

    def _next(self) -> None:
        self.kind, self.token, self.at = next(self.tokens)

    def _expect(self, *tokens: str, opened: int) -> str:
        if self.kind != "mark" or self.token not in tokens:
            said = f"{self.token!r} where {' or '.join(tokens)} should be" if self.token else "the text ends"
            started = self.text.count("\n", 0, opened) + 1
            raise self._error(f"{said}: unbalanced since line {started}", self.at)
        token = self.token
        self._next()
        return token

    def term(self) -> PrologTerm:
        """The next term."""
        self.depth += 1
        if self.depth > _MOST_DEEP:
            raise self._error(f"terms within terms, more than {_MOST_DEEP} deep", self.at)
        found = self._term()
        self.depth -= 1
        return found

    def _term(self) -> PrologTerm:
        kind, token, at = self.kind, self.token, self.at
        if kind == "mark" and token == "[":
            self._next()
            return self._until("]", at)
        if kind not in ("quoted", "word", "string"):
            raise self._error(f"{token!r} where a term should be" if token else "the text ends: unbalanced", at)
        self._next()
        name = re.sub(r"\\(.)|''", lambda found: found[1] or "'", token[1:-1]) if kind != "word" else token
        if self.kind == "mark" and self.token == "(" and self.at == at + len(token):
            opened = self.at
            self._next()
            return CompoundTerm(name, self._until(")", opened))
        return name

    def _until(self, close: str, opened: int) -> tuple[PrologTerm, ...]:
        if self.kind == "mark" and self.token == close:
            self._next()
            return ()
        found = [self.term()]
        while self._expect(",", "|", close, opened=opened) != close:
            found.append(self.term())
        return tuple(found)


def _reading(choices: PrologTerm, equations: PrologTerm, name: str) -> Callable[[PrologTerm], bool]:
    """Whether a context is true in the reading that the file selects, or in the first one."""
    defined: dict[str, PrologTerm] = {}
    chosen: set[str] = set()
    for each in equations if isinstance(equations, tuple) else ():
        if isinstance(each, CompoundTerm) and len(each.arguments) == 2 and isinstance(each.arguments[0], str):
            if each.name == "define":
                defined[each.arguments[0]] = each.arguments[1]
            elif each.name == "select" and each.arguments[1] == "1":
                chosen.add(each.arguments[0])

    def holds(context: PrologTerm, seen: frozenset[str] = frozenset()) -> bool:
        if isinstance(context, CompoundTerm) and context.name in ("or", "and", "not"):
            parts = [holds(part, seen) for part in context.arguments]
            return any(parts) if context.name == "or" else all(parts) if context.name == "and" else not any(parts)
        if not isinstance(context, str):
            raise FormatError(f"no context is {context}", where=name, remedy=_REMEDY)
        if context in defined:
            if context in seen:
                raise FormatError(f"the choice {context} is defined by itself", where=name, remedy=_REMEDY)
            return holds(defined[context], seen | {context})
        return context in ("1", "true") or context in chosen

    for each in choices if isinstance(choices, tuple) else ():
        if isinstance(each, CompoundTerm) and each.name == "choice" and isinstance(each.arguments[0], tuple):
            alternatives = [option for option in each.arguments[0] if isinstance(option, str)]
            if alternatives and not chosen & set(alternatives) and holds(each.arguments[1]):
                chosen.add(alternatives[0])
    return holds


class _Constraints:
    """Attributes and members of variables, in the order of the file."""

    def __init__(self, constraints: Sequence[PrologTerm], holds: Callable[[PrologTerm], bool], name: str) -> None:
        self.name = name
        self.same: dict[int, int] = {}
        self.attributes: dict[int, list[tuple[str, PrologTerm]]] = {}
        self.members: dict[int, list[int]] = {}
        pending = []
        for each in constraints:
            if not isinstance(each, CompoundTerm) or each.name != "cf" or len(each.arguments) != 2:
                raise FormatError(f"no constraint is {each}", where=name, remedy=_REMEDY)
            context, fact = each.arguments
            if isinstance(fact, CompoundTerm) and len(fact.arguments) == 2 and holds(context):
                pending.append(fact)
        for fact in pending:  # variables that are one before anything is said of them
            pair = [_variable(part) for part in fact.arguments]
            if fact.name == "eq" and pair[0] is not None and pair[1] is not None:
                one, other = sorted((self._representative(pair[0]), self._representative(pair[1])))
                if one != other:
                    self.same[other] = one
        for fact in pending:
            left, right = fact.arguments
            if fact.name == "in_set":
                member, group = _variable(left), _variable(right)
                if member is not None and group is not None:
                    self.members.setdefault(self._representative(group), []).append(self._representative(member))
            elif (
                fact.name == "eq"
                and isinstance(left, CompoundTerm)
                and left.name == "attr"
                and len(left.arguments) == 2
            ):
                owner = _variable(left.arguments[0])
                if owner is not None:
                    found = self.attributes.setdefault(self._representative(owner), [])
                    found.append((str(left.arguments[1]), right))

    def _representative(self, variable: int) -> int:
        while variable in self.same:
            variable = self.same[variable]
        return variable

    def structure(self, sentence: str) -> FStructure:
        named = {*self.attributes, *self.members, *(each for group in self.members.values() for each in group)}
        for attributes in list(self.attributes.values()):
            named |= {self._representative(number) for _, term in attributes if (number := _variable(term)) is not None}
        if not named:
            raise FormatError("no f-structure in it", where=self.name, remedy=_REMEDY)
        plain_sets = {group for group in self.members if group not in self.attributes}
        order = sorted(named - plain_sets)
        numbers = {variable: number for number, variable in enumerate(order)}

        def value(term: PrologTerm) -> Value | None:
            variable = _variable(term)
            if variable is None:
                if isinstance(term, CompoundTerm) and term.name == "semform" and term.arguments:
                    return SemanticForm(str(term.arguments[0]))
                return term if isinstance(term, str) else None
            one = self._representative(variable)
            if one in plain_sets:
                return frozenset(Substructure(numbers[each]) for each in self.members[one] if each in numbers)
            return Substructure(numbers[one])

        nodes = []
        for variable in order:
            found = [(name, value(term)) for name, term in self.attributes.get(variable, ())]
            own = [Attribute(name, each) for name, each in found if each is not None]
            if variable in self.members:
                inside = frozenset(Substructure(numbers[each]) for each in self.members[variable] if each in numbers)
                own.append(Attribute(MEMBERS, inside))
            nodes.append(tuple(own))
        root = numbers.get(self._representative(0), 0)
        return FStructure(tuple(nodes), root, sentence)


def _variable(term: PrologTerm) -> int | None:
    if isinstance(term, CompoundTerm) and term.name == "var" and len(term.arguments) == 1:
        number = term.arguments[0]
        if isinstance(number, str) and number.isdecimal():
            return int(number)
    return None
