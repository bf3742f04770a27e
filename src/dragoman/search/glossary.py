"""Glossaries: terms that must, or may, be translated in a certain way.

A hard term is a promise: wherever one of its forms stands in the source, one of its translations stands in the phrase
that translates it. A soft term is one more option, which the feature `glossary` can make more or less likely. A file
has a term a line, forms of the source, a tab, forms of the target, and if it is not hard another tab and `soft`; forms
have `|` between them. Of terms that overlap the longest counts, then the first.

    >>> glossary = Glossary.parse(["Haus|Hauses\\thouse", "kleines Haus\\tcottage|hut\\tsoft"])
    >>> [(use.start, use.end, use.term.targets) for use in glossary.matcher(str.split).find("ein kleines Haus".split())]
    [(1, 3, ('cottage', 'hut'))]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dragoman.errors import FormatError
from dragoman.files import read_lines
from dragoman.search.constraints import ExtraOption

__all__ = ["FEATURE", "Glossary", "Term", "TermMatch", "TermMatcher", "term_options"]

FEATURE = "glossary"
"""What a soft term fires."""

_MOST_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class Term:
    """Forms of the source, any of which may become any of the forms of the target; `line` is where it stands."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    hard: bool = True
    line: int = 0


class TermMatch(NamedTuple):
    """A term and the tokens where it stands."""

    start: int
    end: int
    term: Term


class Glossary:
    """Terms, each form of the source in one of them only."""

    def __init__(self, terms: Iterable[Term], *, name: str = "glossary") -> None:
        self.terms = tuple(terms)
        known: dict[str, Term] = {}
        problems = []
        for number, term in enumerate(self.terms, 1):
            place = f"line {term.line}" if term.line else f"term {number}"
            if not all((*term.sources, *term.targets)) or not term.sources or not term.targets:
                problems.append(f"{place}: a form is empty")
            for form in term.sources:
                other = known.setdefault(form, term)
                if other is term:
                    continue
                before = f"line {other.line}" if other.line else "another term"
                same = (other.targets, other.hard) == (term.targets, term.hard)
                problems.append(f"{place}: {form!r} {'is in' if same else 'contradicts'} {before}")
        if problems:
            raise _refused(problems, name)

    @classmethod
    def parse(cls, lines: Iterable[str], *, name: str = "glossary") -> Glossary:
        """Terms of lines; blank ones, and those that begin with `#`, are skipped."""
        terms, problems = [], []
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            columns = [column.strip() for column in line.split("\t")]
            if len(columns) not in (2, 3) or (len(columns) == 3 and columns[2] not in ("", "hard", "soft")):
                problems.append(
                    f"line {number}: "
                    + (
                        "no tab"
                        if len(columns) < 2
                        else f"{len(columns)} columns"
                        if len(columns) > 3
                        else f"neither hard nor soft: {columns[2]!r}"
                    )
                )
                continue
            sources, targets = (tuple(form.strip() for form in column.split("|")) for column in columns[:2])
            terms.append(Term(sources, targets, columns[2:] != ["soft"], number))
        try:
            made = cls(terms, name=name)
        except FormatError as error:
            problems += error.what.split("; ")
        if problems:
            raise _refused(problems, name)
        return made

    @classmethod
    def read(cls, path: Path | str) -> Glossary:
        """Read a file of terms."""
        return cls.parse(read_lines(Path(path)), name=str(path))

    def __len__(self) -> int:
        return len(self.terms)

    def matcher(self, tokenize: Callable[[str], Sequence[str]]) -> TermMatcher:
        """What finds the terms in sentences whose tokens are made like this."""
        return TermMatcher(self, tokenize)


def _refused(problems: Sequence[str], name: str) -> FormatError:
    more = len(problems) - _MOST_PROBLEMS
    shown = "; ".join(problems[:_MOST_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
    return FormatError(shown, where=name, remedy="write: source forms, tab, target forms, each once; forms apart by |")


class TermMatcher:
    """Terms by their tokens."""

    def __init__(self, glossary: Glossary, tokenize: Callable[[str], Sequence[str]]) -> None:
        self._terms: dict[str, list[tuple[tuple[str, ...], Term]]] = {}
        for term in glossary.terms:
            for form in term.sources:
                if tokens := tuple(tokenize(form)):
                    self._terms.setdefault(tokens[0], []).append((tokens, term))
        for found in self._terms.values():
            found.sort(key=lambda each: -len(each[0]))

    def find(self, tokens: Sequence[str], *, taken: Iterable[tuple[int, int]] = ()) -> list[TermMatch]:
        """Terms of a sentence from left to right, without overlaps, beside the spans that are taken."""
        free = [True] * len(tokens)
        for start, end in taken:
            free[start:end] = [False] * (end - start)
        candidates = [
            TermMatch(start, start + len(form), term)
            for start, token in enumerate(tokens)
            for form, term in self._terms.get(token, ())
            if tuple(tokens[start : start + len(form)]) == form and all(free[start : start + len(form)])
        ]
        chosen: list[TermMatch] = []
        for match in sorted(candidates, key=lambda each: (each.start - each.end, each.start)):
            if all(free[match.start : match.end]):
                free[match.start : match.end] = [False] * (match.end - match.start)
                chosen.append(match)
        return sorted(chosen, key=lambda each: each.start)


def term_options(match: TermMatch, targets: Iterable[str]) -> tuple[ExtraOption, ...]:
    """Options for a term where it stands; `targets` are its translations as tokens."""
    if match.term.hard:
        return tuple(ExtraOption(match.start, match.end, text, policy="constraint") for text in targets)
    return tuple(ExtraOption(match.start, match.end, text, {FEATURE: 1.0}) for text in targets)
