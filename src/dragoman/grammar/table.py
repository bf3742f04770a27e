"""Tables: rules stored for look-up.

A table is one memory-mapped file: opening costs the same whatever its size, processes share it, and all rules for all
spans of a sentence are found in one native call. It never changes; a layer above it does (`dynamic`).

    >>> import tempfile; folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "toy.table"
    >>> from dragoman.grammar.phrases import extract
    >>> _ = extract(["das haus"], ["the house"], ["0-0 1-1"], path)
    >>> RuleTable.open(path).lookup("das haus")
    [Rule('das haus ||| the house')]
    >>> folder.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.errors import InputError, SettingError, UnknownName
from dragoman.grammar.rule import Counts, Nonterminal, Rule, Symbol, spell

__all__ = ["DottedMatch", "RuleMatch", "RuleTable"]

_NONTERMINAL = 0x80000000
_NO_WORD = 0x7FFFFFFF


class RuleMatch(NamedTuple):
    """Rules `[first, last)` of the table fit the words `[start, end)` of a sentence."""

    start: int
    end: int
    first: int
    last: int


class DottedMatch(NamedTuple):
    """Rules `[first, last)` fit the words `[start, end)`, their nonterminals, in source order, covering `spans`."""

    start: int
    end: int
    first: int
    last: int
    spans: tuple[tuple[int, int], ...]


class RuleTable:
    """Stored rules, immutable and memory-mapped; make one with `extract`, `import_moses` or `write_table`."""

    def __init__(self, path: Path, table: native.RuleTable) -> None:
        self.path, self.native = path, table
        self.columns: tuple[str, ...] = tuple(table.columns)

    @staticmethod
    def open(path: Path | str) -> RuleTable:
        """Open a table file."""
        return RuleTable(Path(path), native.RuleTable.open(path))

    def __len__(self) -> int:
        return self.native.rules

    def __repr__(self) -> str:
        return f"RuleTable({str(self.path)!r}, {len(self)} rules)"

    @property
    def metadata(self) -> Mapping[str, str]:
        """How the table was made."""
        rows = (line.partition("\t") for line in self.native.metadata.splitlines())
        return {key: value for key, _, value in rows}

    @property
    def kind(self) -> str:
        """What its rules are: phrases, with gaps or without, or hierarchical rules, from left to right or any."""
        kind = self.metadata.get("kind", "phrase")
        return "gappy" if kind == "phrase" and self.metadata.get("gaps") == "true" else kind

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of nonterminals."""
        return tuple(self.native.label(number) for number in range(1, self.native.label_size))

    @property
    def has_evidence(self) -> bool:
        """Whether the sentences behind each rule were kept."""
        return self.native.has_evidence

    def column(self, name: str) -> int:
        """Position of a column."""
        if name not in self.columns:
            raise UnknownName(
                f"the table has no column {name!r}", where=str(self.path), remedy=f"it has {', '.join(self.columns)}"
            )
        return self.columns.index(name)

    def encode(self, sentence: str | Sequence[Symbol]) -> NDArray[np.uint32]:
        """Source ids of the tokens; 0 for words that the table does not know."""
        return self._encode(sentence, self.native.source_id)

    def _encode(self, tokens: str | Sequence[Symbol], find: Any) -> NDArray[np.uint32]:
        symbols: Sequence[Symbol] = tokens.split() if isinstance(tokens, str) else tokens
        ids = [self._nonterminal_id(s) if isinstance(s, Nonterminal) else find(s) for s in symbols]
        return np.array(ids, np.uint32)

    def _nonterminal_id(self, symbol: Nonterminal) -> int:
        label = 0 if symbol.is_gap else self.native.label_id(symbol.label) or _NO_WORD >> 8
        return _NONTERMINAL | label << 8 | symbol.index

    def lookup(self, source: str | Sequence[Symbol]) -> list[Rule]:
        """All rules of a source, the most probable target first."""
        found = self.ids(source)
        rules = [self.rule(rule) for rule in found]
        name = "phrase.ts" if "phrase.ts" in self.columns else (self.columns[0] if self.columns else "")
        return sorted(rules, key=lambda rule: -rule.values.get(name, 0.0))

    def ids(self, source: str | Sequence[Symbol]) -> range:
        """Numbers of the rules of a source."""
        symbols = self.encode(source)
        if not len(symbols) or not symbols.all():
            return range(0)
        _, first, last = self.native.find(symbols)
        return range(first, last)

    def find(self, source: str | Sequence[Symbol], target: str | Sequence[Symbol]) -> int | None:
        """Number of the rule of a pair."""
        symbols, translation = self.encode(source), self._encode(target, self.native.target_id)
        if not len(symbols) or not len(translation) or not symbols.all() or not translation.all():
            return None
        rule = self.native.find_rule(symbols, translation)
        return rule if rule >= 0 else None

    def match(self, sentence: str | Sequence[Symbol], *, max_length: int = 0) -> list[RuleMatch]:
        """All spans of a sentence that have rules, up to `max_length` words (0: as long as the table has them)."""
        return [RuleMatch(*row) for row in self.native.match(self.encode(sentence), max_length).tolist()]

    def match_dotted(self, sentence: str | Sequence[Symbol], *, max_span: int = 0) -> list[DottedMatch]:
        """As `match` for rules with nonterminals: every way in which a source covers up to `max_span` words (0: any).

        A nonterminal may cover any span of at least one word; a source that fits a span in several ways comes several
        times.
        """
        found = native.LayeredTable(self.native).view().match_dotted(self.encode(sentence), max_span=max_span)
        return [DottedMatch(start, end, first, last, tuple(spans)) for start, end, first, last, spans in found]

    def rule(self, number: int) -> Rule:
        """The rule with a number."""
        table = self.native
        counts = table.counts(number)
        values = table.values(number, number + 1)[0].tolist()
        label = table.left_hand_side(number)
        return Rule(
            source=self._symbols(table.source(table.node_of(number)), table.source_word),
            target=self._symbols(table.target(number), table.target_word),
            values=dict(zip(self.columns, values, strict=True)),
            links=tuple(table.links(number)),
            counts=Counts(*counts),
            label=table.label(label) if label else "",
            sparse={table.feature(feature): value for feature, value in table.sparse(number)},
        )

    def _symbols(self, ids: NDArray[np.uint32], word: Any) -> tuple[Symbol, ...]:
        return tuple(self._nonterminal(i) if i & _NONTERMINAL else word(i) for i in ids.tolist())

    def _nonterminal(self, symbol: int) -> Nonterminal:
        label = (symbol & ~_NONTERMINAL) >> 8
        return Nonterminal(self.native.label(label) if label else "", symbol & 0xFF)

    def __iter__(self) -> Iterator[Rule]:
        return map(self.rule, range(len(self)))

    def evidence(self, source: str | Sequence[Symbol], target: str | Sequence[Symbol]) -> list[int]:
        """Numbers, from 0, of the training sentences that taught a pair; see `dragoman.grammar.provenance`."""
        if not self.has_evidence:
            raise SettingError("the table was made without evidence", remedy="extract it again with --evidence")
        rule = self.find(source, target)
        if rule is None:
            pair = " ||| ".join(side if isinstance(side, str) else spell(side) for side in (source, target))
            raise InputError("the table has no such rule", where=pair, remedy="see `dragoman table lookup`")
        return [int(number) for number in self.native.evidence(rule)]

    def info(self) -> dict[str, Any]:
        """Sizes, columns and origin."""
        table = self.native
        return {
            "rules": table.rules,
            "sources": table.sources,
            "targets": table.targets,
            "source_words": table.source_size,
            "target_words": table.target_size,
            "longest_source": table.depth,
            "columns": list(self.columns),
            "bytes": table.bytes,
            "bytes_per_rule": round(table.bytes / max(1, table.rules), 2),
            "evidence": table.has_evidence,
            "made_by": dict(self.metadata),
        }
