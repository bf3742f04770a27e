"""Making a table from rules held in memory.

Readers of foreign formats and people with a handful of rules (a glossary, a test) use this; extraction has a way of its
own that does not need the rules in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.errors import InputError
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.table import RuleTable
from dragoman.version import __version__

__all__ = ["metadata_text", "write_table"]


def write_table(
    rules: Iterable[Rule],
    out: Path | str,
    *,
    columns: Sequence[str],
    metadata: Mapping[str, str] | None = None,
    compact: bool = False,
) -> RuleTable:
    """Write rules as a table; each must have a value for each column, and no pair may come twice."""
    gathered = native.RuleList(list(columns))
    for rule in rules:
        missing = [name for name in columns if name not in rule.values]
        if missing:
            raise InputError(f"no value for {', '.join(missing)}", where=repr(rule))
        gathered.add(
            _encode(rule.source, gathered.source_id, gathered.label_id),
            _encode(rule.target, gathered.target_id, gathered.label_id),
            links=list(rule.links),
            values=[rule.values[name] for name in columns],
            counts=(rule.counts.target, rule.counts.source, rule.counts.joint),
            label=gathered.label_id(rule.label) if rule.label else 0,
            sparse=list(rule.sparse.items()),
        )
    gathered.write(out, metadata=metadata_text(metadata or {}), compact=compact, name=str(out))
    return RuleTable.open(out)


def _encode(symbols: Sequence[Symbol], word: Callable[[str], int], label: Callable[[str], int]) -> NDArray[np.uint32]:
    def identify(symbol: Symbol) -> int:
        if isinstance(symbol, Nonterminal):
            return 0x80000000 | (0 if symbol.is_gap else label(symbol.label)) << 8 | symbol.index
        return word(symbol)

    return np.array([identify(symbol) for symbol in symbols], np.uint32)


def metadata_text(facts: Mapping[str, str]) -> str:
    """Facts about a table in the form in which its file holds them."""
    stated = {"dragoman": __version__, **facts}
    return "".join(f"{key}\t{str(value).translate({9: 32, 10: 32})}\n" for key, value in stated.items())
