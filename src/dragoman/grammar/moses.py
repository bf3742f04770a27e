"""Moses phrase tables and lexical reordering tables, read and written.

Scores in the files are probabilities; a table holds natural logarithms, with zero floored at -100 as the Moses decoder
does. Written numbers have six digits, or as many as it takes to read back exactly the stored value. A token that
contains `|||` is written `&#124;&#124;&#124;`, and in tables with gaps, where `X` is a gap, the token `X` is `&#88;`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dragoman._native import grammar as native
from dragoman.errors import FormatError, SettingError
from dragoman.files import read_lines, require_writable, writing
from dragoman.grammar.orientation import ReorderingModel
from dragoman.grammar.scoring import BASIC_COLUMNS
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import metadata_text
from dragoman.progress import Progress, ProgressCallback

__all__ = [
    "MosesImport",
    "column_names",
    "export_moses",
    "export_reordering",
    "import_moses",
    "line_batches",
    "rule_ranges",
]

_BATCH = 50_000


@dataclass(frozen=True, slots=True)
class MosesImport:
    """An imported table, and what was met on the way."""

    table: RuleTable
    floored: int
    """Zero probabilities, stored as -100."""
    properties: int
    """Lines with properties (`{{Key value}}`), which tables do not hold."""
    without_reordering: int
    """Rules that the reordering table does not list; their orientation columns are 0, as in Moses."""


def import_moses(
    path: Path | str,
    out: Path | str,
    *,
    columns: Sequence[str] | None = None,
    reordering: Path | str | None = None,
    reordering_model: str | ReorderingModel = "msd-bidirectional-fe",
    gaps: bool = False,
    compact: bool = False,
    progress: ProgressCallback | None = None,
) -> MosesImport:
    """Read a Moses phrase table, and on request a lexical reordering table beside it, into one table.

    Columns are named as extraction names them when there are four (or five, the last a constant `penalty`); otherwise
    give `columns`, or they are called `score.0`, `score.1` and so on.
    """
    require_writable(out, stream=False)
    stream = read_lines(path)
    first = next(stream, None)
    if first is None:
        raise FormatError("an empty phrase table", where=str(path))
    scores = native.count_scores(first, f"{path}, line 1")
    names = list(columns) if columns is not None else column_names(scores)
    if len(names) != scores:
        raise SettingError(f"{len(names)} column names for {scores} scores", remedy="give one name per score")
    rules = native.RuleList(names)
    floored = properties = line = 0
    for batch in line_batches(itertools.chain([first], stream)):
        report = rules.read_moses(batch, first_line=line, name=str(path), gaps=gaps)
        floored, properties, line = floored + report.floored, properties + report.properties, line + len(batch)
        if progress:
            progress(Progress("reading rules", line))
    facts = {"imported": str(path)}
    without = 0
    if reordering is not None:
        model = ReorderingModel.parse(reordering_model) if isinstance(reordering_model, str) else reordering_model
        facts["reordering"] = str(model)
        without = _read_reordering(rules, reordering, model, gaps, progress)
    rules.write(out, metadata=metadata_text(facts), compact=compact, name=str(path))
    return MosesImport(RuleTable.open(out), floored, properties, without)


def export_moses(
    table: RuleTable,
    path: Path | str,
    *,
    columns: Sequence[str] | None = None,
    further: Callable[[int, int], Sequence[float]] | None = None,
    classes: Sequence[Mapping[str, str]] = (),
    progress: ProgressCallback | None = None,
) -> None:
    """Write a Moses phrase table (`.gz` compresses): all columns but those of reordering, or those that are named.

    `further(begin, end)` gives the values of one more column for a range of rules. With `classes`, every target word
    has its class of each kind as a further factor, `house|17`; a word without one has that of `<unk>`.
    """
    if table.native.label_size > 1:
        raise SettingError(
            "rules with nonterminals do not fit a phrase table", remedy="choose the format moses-hiero or hiero"
        )
    chosen = [name for name in table.columns if not name.startswith("orientation.")] if columns is None else columns
    positions = [table.column(name) for name in chosen]
    factors = _factors(table, classes) if classes else []
    gaps = _has_gaps(table)
    with writing(path) as file:
        for begin, end in rule_ranges(table, progress, "writing rules"):
            more = list(further(begin, end)) if further is not None else []
            lines = native.moses_lines(table.native, begin, end, positions, gaps=gaps, further=more, factors=factors)
            file.write(lines)


def export_reordering(table: RuleTable, path: Path | str, *, progress: ProgressCallback | None = None) -> None:
    """Write the table's orientation columns as a Moses lexical reordering table."""
    positions = [i for i, name in enumerate(table.columns) if name.startswith("orientation.")]
    if not positions:
        raise SettingError("the table has no reordering model", remedy="extract it with a reordering model")
    by_source = table.metadata.get("reordering", "").endswith("-f")
    with writing(path) as file:
        for begin, end in rule_ranges(table, progress, "writing reordering"):
            file.write(
                native.reordering_lines(table.native, begin, end, positions, by_source=by_source, gaps=_has_gaps(table))
            )


def _factors(table: RuleTable, classes: Sequence[Mapping[str, str]]) -> list[str]:
    """The classes of each target word, by id."""
    words = [table.native.target_word(word) for word in range(table.native.target_size)]
    return ["|".join(each.get(word, each.get("<unk>", "<unk>")) for each in classes) for word in words]


def column_names(scores: int) -> list[str]:
    """What so many scores without names are called."""
    if scores in (4, 5):
        return [*BASIC_COLUMNS, "penalty"][:scores]
    return [f"score.{i}" for i in range(scores)]


def _has_gaps(table: RuleTable) -> bool:
    return table.metadata.get("gaps") == "true"


def rule_ranges(table: RuleTable, progress: ProgressCallback | None, stage: str) -> Iterator[tuple[int, int]]:
    """Ranges of rules that are written together."""
    for begin in range(0, len(table), _BATCH):
        end = min(len(table), begin + _BATCH)
        yield begin, end
        if progress:
            progress(Progress(stage, end, len(table)))


def line_batches(lines: Iterator[str]) -> Iterator[list[str]]:
    """Lines that are read together."""
    while batch := list(itertools.islice(lines, _BATCH)):
        yield batch


def _read_reordering(
    rules: native.RuleList, path: Path | str, model: ReorderingModel, gaps: bool, progress: ProgressCallback | None
) -> int:
    rules.add_columns(list(model.columns))
    filled = np.zeros(len(rules), np.uint8)
    line = 0
    for batch in line_batches(read_lines(path)):
        filled = rules.read_reordering(
            batch,
            first_line=line,
            name=str(path),
            gaps=gaps,
            by_source=model.condition == "f",
            probabilities=len(model.columns),
            filled=filled,
        )
        line += len(batch)
        if progress:
            progress(Progress("reading reordering", line))
    return int((filled == 0).sum())
