"""A dynamic table: rules added and removed while the system runs, with undo and a journal.

Corrections of a user must count at once, and a mistake must be easy to take back. The mapped table underneath never
changes; a layer above it holds what was added and hides what was removed, and decoders read both through one native
view, which stays as it is while a sentence is translated. Every change is a line in the journal, written and synced
before it takes effect; after a crash the journal is read again, and a torn last line is dropped.

    >>> import tempfile; folder = tempfile.TemporaryDirectory()
    >>> from dragoman.grammar.phrases import extract
    >>> table = extract(["das haus"], ["the house"], ["0-0 1-1"], Path(folder.name) / "toy.table").table
    >>> rules = DynamicTable(table)
    >>> rules.add("das haus", "the building")
    >>> [rule.target_text for rule in rules.lookup("das haus")]
    ['the building', 'the house']
    >>> rules.undo(); len(rules.lookup("das haus"))
    1
    >>> folder.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.errors import FormatError, InputError, UnknownName
from dragoman.grammar.journal import Journal, damaged_line
from dragoman.grammar.orientation import neutral_value
from dragoman.grammar.rule import Counts, Nonterminal, Rule
from dragoman.grammar.table import RuleMatch, RuleTable
from dragoman.grammar.writing import metadata_text

__all__ = ["Change", "DynamicTable"]


@dataclass(frozen=True, slots=True)
class Change:
    """One step of the journal: a rule added, removed, or the last step undone."""

    action: str
    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    values: tuple[tuple[str, float], ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"action": self.action}
        if self.source:
            fields |= {"source": " ".join(self.source), "target": " ".join(self.target)}
        if self.action == "add":
            fields |= {"values": dict(self.values), "links": [list(link) for link in self.links]}
        return fields

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Change:
        return Change(
            str(fields["action"]),
            tuple(str(fields.get("source", "")).split()),
            tuple(str(fields.get("target", "")).split()),
            tuple((str(name), float(value)) for name, value in dict(fields.get("values", {})).items()),
            tuple((int(i), int(j)) for i, j in fields.get("links", [])),
        )


@dataclass(frozen=True, slots=True)
class _Done:
    """A change that took effect, with what it takes to take it back."""

    change: Change
    replaced: Change | None
    """The added rule that stood in its place."""
    hidden: int | None
    """The rule of the table that it hid."""


class DynamicTable:
    """Rules over a table that come and go; one writer, any number of readers."""

    def __init__(self, base: RuleTable, *, journal: Path | str | None = None) -> None:
        self.base = base
        self.columns = base.columns
        self._neutral = {name: neutral_value(name, base.columns) for name in base.columns}
        self.journal = Path(journal) if journal is not None else None
        self._native = native.LayeredTable(base.native)
        self._added: dict[tuple[tuple[str, ...], tuple[str, ...]], Change] = {}
        self._hidden: set[int] = set()
        self._history: list[_Done] = []
        if self.journal is not None and self.journal.exists():
            for change in _read_journal(Journal(self.journal)):
                self._replay(change)

    def add(
        self,
        source: str | Sequence[str],
        target: str | Sequence[str],
        *,
        values: Mapping[str, float] | None = None,
        links: Iterable[tuple[int, int]] = (),
    ) -> None:
        """Add a rule, or replace the one of the same pair.

        Columns without a value are 0, the logarithm of 1; orientations without one are all equally probable.
        """
        change = Change("add", _tokens(source), _tokens(target), tuple(sorted((values or {}).items())), tuple(links))
        Rule(change.source, change.target, links=change.links)
        for name, value in change.values:
            if name not in self.columns:
                raise UnknownName(f"the table has no column {name!r}", remedy=f"it has {', '.join(self.columns)}")
            if not np.isfinite(value):
                raise InputError(f"{name} is {value}", remedy="values are finite logarithms")
        self._record(change)
        self._apply(change)

    def remove(self, source: str | Sequence[str], target: str | Sequence[str]) -> None:
        """Remove a rule, whether added or of the table."""
        change = Change("remove", _tokens(source), _tokens(target))
        if not self.has(change.source, change.target):
            raise InputError("there is no such rule", where=f"{' '.join(change.source)} ||| {' '.join(change.target)}")
        self._record(change)
        self._apply(change)

    def undo(self) -> None:
        """Take back the last change that was not taken back yet."""
        if not self._history:
            raise InputError("there is nothing to undo")
        change = Change("undo")
        self._record(change)
        self._take_back()

    @property
    def changes(self) -> list[Change]:
        """Changes in effect, oldest first."""
        return [done.change for done in self._history]

    @property
    def layer(self) -> native.LayeredTable:
        """What a decoder takes its views from."""
        return self._native

    def view(self) -> native.LayeredView:
        """What a decoder reads: the rules of this moment."""
        return self._native.view()

    def __len__(self) -> int:
        return len(self.base) - len(self._hidden) + len(self._added)

    def lookup(self, source: str | Sequence[str]) -> list[Rule]:
        """All rules of a source: added ones first, then the most probable target first."""
        view = self.view()
        words = _tokens(source)
        ids = np.array([view.source_id(word) for word in words], np.uint32)
        if not len(ids) or not ids.all():
            return []
        numbers = view.rules_of(ids)
        rules = [(not view.is_added(n), self._rule(view, words, n)) for n in numbers]
        name = "phrase.ts" if "phrase.ts" in self.columns else self.columns[0]
        return [rule for _, rule in sorted(rules, key=lambda pair: (pair[0], -pair[1].values[name]))]

    def match(self, sentence: str | Sequence[str], *, max_length: int = 0) -> list[RuleMatch]:
        """All spans that have rules; rules from `len(base)` on are added ones."""
        view = self.view()
        ids = np.array([view.source_id(word) for word in _tokens(sentence)], np.uint32)
        return [RuleMatch(*row) for row in view.match(ids, max_length).tolist()]

    def save(self, out: Path | str, *, threads: int = 0) -> RuleTable:
        """Fold the layer into a new table of its own."""
        facts = {**self.base.metadata, "changes": str(len(self._history))}
        self._native.write(out, metadata=metadata_text(facts), threads=threads)
        return RuleTable.open(out)

    def _rule(self, view: native.LayeredView, source: tuple[str, ...], number: int) -> Rule:
        if not view.is_added(number):
            return self.base.rule(number)
        target, values, links, counts = view.rule(number)
        return Rule(
            source,
            tuple(view.target_word(word) for word in target),
            dict(zip(self.columns, values, strict=True)),
            tuple(links),
            Counts(*counts),
        )

    def has(self, source: str | Sequence[str], target: str | Sequence[str]) -> bool:
        """Whether there is such a rule now."""
        pair = (_tokens(source), _tokens(target))
        if pair in self._added:
            return True
        rule = self.base.find(*pair)
        return rule is not None and rule not in self._hidden

    def _replay(self, change: Change) -> None:
        where = str(self.journal)
        if change.action == "undo":
            if not self._history:
                raise FormatError("the journal undoes more than it did", where=where)
            self._take_back()
        elif self._fits(change):
            self._apply(change)
        else:
            raise FormatError(
                f"the journal does not fit the table: {change.to_json()}",
                where=where,
                remedy="open it with the table it was written for",
            )

    def _fits(self, change: Change) -> bool:
        if change.action == "add":
            return all(name in self.columns for name, _ in change.values)
        return change.action == "remove" and self.has(change.source, change.target)

    def _apply(self, change: Change) -> None:
        pair = (change.source, change.target)
        replaced = self._added.get(pair)
        hidden: int | None = None
        if replaced is not None and change.action == "remove":
            self._drop(replaced)
        elif replaced is None:
            rule = self.base.find(*pair)
            if rule is not None and rule not in self._hidden:
                hidden = rule
                self._hidden.add(rule)
                self._native.hide(rule)
        if change.action == "add":
            self._put(change)
        self._history.append(_Done(change, replaced, hidden))

    def _take_back(self) -> None:
        done = self._history.pop()
        if done.change.action == "add":
            self._drop(done.change)
        if done.replaced is not None:
            self._put(done.replaced)
        if done.hidden is not None:
            self._hidden.discard(done.hidden)
            self._native.unhide(done.hidden)

    def _put(self, change: Change) -> None:
        values = self._neutral | dict(change.values)
        self._native.add(
            self._ids(change.source, source=True),
            self._ids(change.target, source=False),
            links=list(change.links),
            values=[values[name] for name in self.columns],
            counts=(0.0, 0.0, 0.0),
        )
        self._added[change.source, change.target] = change

    def _drop(self, change: Change) -> None:
        self._native.drop(self._ids(change.source, source=True), self._ids(change.target, source=False))
        del self._added[change.source, change.target]

    def _ids(self, words: Sequence[str], *, source: bool) -> NDArray[np.uint32]:
        intern = self._native.intern_source if source else self._native.intern_target
        return np.array([intern(word) for word in words], np.uint32)

    def _record(self, change: Change) -> None:
        if self.journal is not None:
            Journal(self.journal).append(change.to_json())


def _tokens(text: str | Sequence[str]) -> tuple[str, ...]:
    tokens = tuple(text.split()) if isinstance(text, str) else tuple(text)
    if any(isinstance(token, Nonterminal) for token in tokens):
        raise InputError("rules added at run time have words only")
    return tokens


def _read_journal(journal: Journal) -> list[Change]:
    changes = []
    for number, entry in enumerate(journal.read(), 1):
        try:
            changes.append(Change.from_json(entry))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            raise damaged_line(journal.path, number) from None
    return changes
