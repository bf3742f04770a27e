"""Pruning and filtering: fewer rules, nearly the same translations.

Most rules of a table are never used, and many say what smaller rules say already. `filter_table` keeps what a given
text can use, values unchanged. `prune` keeps the best of each source (`top`), those above a value or count, those whose
two sides share more sentences than chance would have it (`significance`; Johnson et al. 2007), or those that say
something which the composition of smaller rules does not (`entropy`; Ling et al. 2012; Zens, Stanton and Xu 2012).
The last two judge phrases only: rules with gaps or nonterminals always stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman._native import grammar as native
from dragoman.errors import LengthMismatch, SettingError
from dragoman.executors import Executor, LocalExecutor, Shard, ShardPlace, ShardStep, Shared
from dragoman.files import read_lines, require_writable, take_file
from dragoman.grammar.scoring import DIRECT
from dragoman.grammar.table import RuleTable
from dragoman.settings import check_argument

__all__ = ["Pruned", "filter_table", "minus_log_fisher", "prune", "relative_entropies", "significances"]

Lines = Path | str | Iterable[str]

minus_log_fisher = native.minus_log_fisher
"""-ln of Fisher's exact p-value for (joint, source, target, all) sentence counts."""

_BATCH = 20_000


@dataclass(frozen=True, slots=True)
class Pruned:
    """The new table, and how many rules each criterion dropped (a rule counts for each that drops it)."""

    table: RuleTable
    before: int
    dropped: dict[str, int]

    @property
    def after(self) -> int:
        return len(self.table)


def filter_table(
    table: RuleTable, text: Lines, out: Path | str, *, max_gap_span: int = 12, compact: bool = False, threads: int = 0
) -> RuleTable:
    """The rules whose source occurs in a text, which is read as a stream.

    Gaps may span `max_gap_span` words; a nonterminal stands for any number of words, as that is for decoders to bound.
    """
    require_writable(out, stream=False)
    keep = np.zeros(len(table), np.uint8)
    gaps = max_gap_span if table.metadata.get("gaps") == "true" else 0
    lines = _iterate(text)
    while batch := list(islice(lines, _BATCH)):
        keep = native.mark_matching(table.native, batch, gaps, keep)
    native.write_selected(
        table.native, keep, metadata=_facts(table, "filtered", _name(text)), compact=compact, path=out, threads=threads
    )
    return RuleTable.open(out)


def prune(
    table: RuleTable,
    out: Path | str,
    *,
    top: int | None = None,
    by: str = DIRECT,
    min_value: float | None = None,
    min_count: float | None = None,
    significance: str | float | None = None,
    bitext: tuple[Lines, Lines] | None = None,
    entropy: float | None = None,
    compact: bool = False,
    threads: int = 0,
    executor: Executor | None = None,
) -> Pruned:
    """Drop rules by one or several criteria, each judged on the whole table; what all of them keep stays.

    `top` keeps so many rules of each source by column `by`; `min_value` is a bound on that column, as a probability.
    `significance` keeps rules with -ln p at least so large; `a-e` keeps all that are not due to chance, `a+e` also
    drops pairs whose two sides occur once each, in the same sentence. It needs the `bitext` the table came from, whose
    sentences are counted wherever the `executor` works.
    `entropy` drops rules that change the model by less than so much when composed of smaller ones.
    """
    require_writable(out, stream=False)
    column = table.column(by)
    keep = np.ones(len(table), np.uint8)
    dropped: dict[str, int] = {}

    def apply(name: str, kept: NDArray[np.uint8] | NDArray[np.bool_]) -> None:
        nonlocal keep
        dropped[name] = int(len(kept) - np.count_nonzero(kept))
        keep = keep & kept.astype(np.uint8)

    if top is not None:
        check_argument("top", top, int, least=1)
        apply("top", native.mark_best(table.native, column, top))
    if min_value is not None:
        check_argument("min_value", min_value, float, least=0, most=1)
        bound = math.log(min_value) if min_value else -math.inf
        apply("min_value", native.column_values(table.native, column) >= np.float32(bound))
    if min_count is not None:
        apply("min_count", native.column_values(table.native, len(table.columns)) >= min_count)
    if significance is not None:
        if bitext is None:
            raise SettingError("significance needs the bitext", remedy="name the two files the table came from")
        values, sentences = significances(table, *bitext, threads=threads, executor=executor)
        apply("significance", values >= _threshold(significance, sentences))
    if entropy is not None:
        apply("entropy", relative_entropies(table, threads=threads) >= entropy)
    if not dropped:
        raise SettingError("nothing to prune by", remedy="name top, min_value, min_count, significance or entropy")
    facts = _facts(table, "pruned", " ".join(dropped))
    native.write_selected(table.native, keep, metadata=facts, compact=compact, path=out, threads=threads)
    return Pruned(RuleTable.open(out), len(table), dropped)


def significances(
    table: RuleTable, source: Lines, target: Lines, *, threads: int = 0, executor: Executor | None = None
) -> tuple[NDArray[np.float64], int]:
    """-ln of Fisher's exact p-value of each rule, and the number of sentences of the bitext.

    Sentences are counted slice by slice, wherever the `executor` works, and the counts added up in a tree.
    """
    working = executor or LocalExecutor(threads=threads)
    shared = Shared(table, None, lambda folder: take_file(table.path, folder / "table.rules"), _open)
    counted = working.reduce(_COUNTING, _slices(source, target), _sum, shared=shared)
    values = native.significance(
        table.native, counted.of_source, counted.of_target, counted.joint, counted.sentences, threads=threads
    )
    return values, counted.sentences


@dataclass(frozen=True, slots=True)
class _Counted:
    """In how many sentences of a part of a bitext the sides of rules occur."""

    of_source: NDArray[np.uint32]
    of_target: NDArray[np.uint32]
    joint: NDArray[np.uint32]
    sentences: int


def _slices(source: Lines, target: Lines) -> Iterator[Shard[tuple[list[str], list[str]]]]:
    ours, theirs = _iterate(source), _iterate(target)
    done = 0
    while True:
        part = list(islice(ours, _BATCH)), list(islice(theirs, _BATCH))
        if len(part[0]) != len(part[1]):
            left = [done + len(each) + sum(1 for _ in rest) for each, rest in zip(part, (ours, theirs), strict=True)]
            raise LengthMismatch(
                f"{_name(source)} has {left[0]} lines, {_name(target)} {left[1]}",
                remedy="give the two sides of one bitext",
            )
        if not part[0] and done:
            return
        yield Shard(part)
        if not part[0]:
            return
        done += len(part[0])


def _open(_: None, folder: Path) -> RuleTable:
    return RuleTable.open(folder / "table.rules")


def _count(shard: Shard[tuple[list[str], list[str]]], table: RuleTable, place: ShardPlace) -> _Counted:
    source, source_ends = table.native.encode_source(shard.value[0])
    target, target_ends = table.native.encode_target(shard.value[1])
    found = native.count_sentences(table.native, source, source_ends, target, target_ends, threads=place.threads)
    return _Counted(*found, len(source_ends))


def _sum(parts: list[_Counted]) -> _Counted:
    first, *others = parts
    sums = [first.of_source.copy(), first.of_target.copy(), first.joint.copy()]
    for part in others:
        for total, more in zip(sums, (part.of_source, part.of_target, part.joint), strict=True):
            total += more
    return _Counted(sums[0], sums[1], sums[2], sum(part.sentences for part in parts))


_COUNTING = ShardStep("counting sentences", _count, wide=True)


def relative_entropies(table: RuleTable, *, threads: int = 0) -> NDArray[np.float64]:
    """What each rule adds to the model beyond its composition from smaller rules; infinity if there is none."""
    return native.relative_entropy(table.native, table.column(DIRECT), threads=threads)


def _threshold(significance: str | float, sentences: int) -> float:
    """alpha = ln N is what a pair of phrases that occur once each, together, attains."""
    alpha, small = math.log(max(1, sentences)), 1e-6
    named = {"a+e": alpha + small, "a-e": alpha - small}
    if isinstance(significance, str):
        if significance in named:
            return named[significance]
        try:
            return float(significance)
        except ValueError:
            raise SettingError(f"significance is {significance!r}", remedy="it must be a+e, a-e or a number") from None
    return significance


def _iterate(lines: Lines) -> Iterator[str]:
    return read_lines(lines) if isinstance(lines, (str, Path)) else iter(lines)


def _name(lines: Lines) -> str:
    return str(lines) if isinstance(lines, (str, Path)) else "text"


def _facts(table: RuleTable, what: str, how: str) -> str:
    kept = {key: value for key, value in table.metadata.items() if key != what}
    return "".join(f"{key}\t{value}\n" for key, value in {**kept, what: how}.items())
