"""Rules with nonterminals as text, read and written in the formats of other systems.

`hiero` is the format of Hiero, Joshua and cdec: `[X] ||| le [X,1] chat ||| the [X,1] cat ||| name=value ... ||| 0-0`.
Values are as a table holds them. Names beyond the columns become sparse features; a column that a line does not name is
0. `moses-hiero` is the rule table of Moses: `le [X][X] chat [X] ||| the [X][X] cat [X] ||| probabilities ||| links |||
counts`, where the links pair nonterminals, too. `lr-hiero` has lines `aber X__1 ||| but X__1 ||| logarithms` and holds
neither links nor counts, and `hiero` holds no counts.

A word that looks like a nonterminal is escaped: `[X]` becomes `&#91;X&#93;`. Rules that no decoder could use are
refused with their line: nonterminals without a partner on the other side, or that no rule makes, neighbouring
nonterminals unless they are allowed, and circles of rules without source words. Where nonterminals have labels of the
syntax of one side, Moses' format says `[NP][X]` for those of the source and `[X][NP]` for those of the target; the
others have the label only, and whoever reads them must be told whose it is. Glue rules are left out: decoders make
their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman._native import grammar as native
from dragoman.annotations.span_labels import TREES
from dragoman.errors import FormatError, SettingError
from dragoman.files import read_lines, writing
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.moses import column_names, line_batches, rule_ranges
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import metadata_text
from dragoman.progress import Progress, ProgressCallback
from dragoman.settings import check_argument

__all__ = ["RULE_FORMATS", "RuleImport", "export_rules", "import_rules"]

RULE_FORMATS: Mapping[str, native.RuleFormat] = {
    "hiero": native.RuleFormat.HIERO,
    "moses-hiero": native.RuleFormat.MOSES,
    "lr-hiero": native.RuleFormat.LEFT_TO_RIGHT,
}
"""The formats by name."""

KINDS = (HieroLimits.kind, LeftToRightLimits.kind)
"""What a table of such rules may be for."""


@dataclass(frozen=True, slots=True)
class RuleImport:
    """An imported table, and what was met on the way."""

    table: RuleTable
    floored: int
    """Zero probabilities, stored as -100."""
    properties: int
    """Lines with properties, which tables do not hold."""
    glue: int
    """Glue rules that were left out."""


def import_rules(
    path: Path | str,
    out: Path | str,
    *,
    format: str = "hiero",  # noqa: A002 - as people call it
    kind: str | None = None,
    columns: Sequence[str] | None = None,
    adjacent: bool = False,
    labels: str = "none",
    tree: str = "nodes",
    max_span: int = 10,
    compact: bool = False,
    progress: ProgressCallback | None = None,
) -> RuleImport:
    """Read rules with nonterminals into a table.

    `kind` is that of the table, `lr-hiero` for rules whose target sides are words first, then nonterminals; by default
    it follows from the format. Columns are those that the first line names; where a format names none, they are called
    as extraction calls them if there are four, or `score.0` and so on, or as `columns` says. `adjacent` accepts
    neighbouring nonterminals on source sides. `labels` is the side whose syntax nonterminals are labelled by, and
    `tree` what a sentence must be seen as to have such labels (`dragoman.annotations.span_labels`). `max_span` is how
    many words decoders will let a rule cover, if they are not told otherwise.
    """
    check_argument("format", format, choices=tuple(RULE_FORMATS))
    chosen = kind if kind is not None else format if format in KINDS else HieroLimits.kind
    check_argument("kind", chosen, choices=KINDS)
    check_argument("max_span", max_span, int, least=1)
    check_argument("labels", labels, choices=("none", "source", "target", "both"))
    check_argument("tree", tree, choices=TREES)
    if labels != "none" and chosen != HieroLimits.kind:
        raise SettingError(f"labels with rules of the kind {chosen}", remedy="only a chart knows them: kind=hiero")
    stream = read_lines(path)
    first = next(stream, None)
    if first is None:
        raise FormatError("an empty rule table", where=str(path))
    found = native.value_names(first, RULE_FORMATS[format], f"{path}, line 1")
    named = any(name != f"score.{place}" for place, name in enumerate(found))
    names = list(columns) if columns is not None else found if named else column_names(len(found))
    if not named and len(names) != len(found):
        raise SettingError(f"{len(names)} column names for {len(found)} scores", remedy="give one name per score")
    rules = native.RuleList(names)
    reader = native.RuleReader(
        rules,
        format=RULE_FORMATS[format],
        adjacent=adjacent,
        prefix_lexicalised=chosen == LeftToRightLimits.kind,
        labels=labels,
    )
    line = 0
    for batch in line_batches(itertools.chain([first], stream)):
        reader.read(batch, first_line=line, name=str(path))
        line += len(batch)
        if progress:
            progress(Progress("reading rules", line))
    reader.finish(str(path))
    facts = {"kind": chosen, "max_span": str(max_span), "imported": str(path)}
    if labels != "none":
        facts |= {"labels": labels, "tree": tree}
    rules.write(out, metadata=metadata_text(facts), compact=compact, name=str(path))
    report = reader.report
    return RuleImport(RuleTable.open(out), report.floored, report.properties, report.glue)


def export_rules(
    table: RuleTable,
    path: Path | str,
    *,
    format: str = "hiero",  # noqa: A002 - as people call it
    columns: Sequence[str] | None = None,
    progress: ProgressCallback | None = None,
) -> None:
    """Write rules as text (`.gz` compresses): all columns, or those that are named."""
    check_argument("format", format, choices=tuple(RULE_FORMATS))
    if table.metadata.get("gaps") == "true":
        raise SettingError("gaps do not fit rules with nonterminals", remedy="export it as a Moses phrase table")
    if format == LeftToRightLimits.kind and set(table.labels) - {"X"}:
        raise SettingError(
            f"the format {format} has one label, X, and the table {', '.join(table.labels)}",
            remedy="choose the format hiero",
        )
    labels = table.metadata.get("labels", "none")
    positions = [table.column(name) for name in (table.columns if columns is None else columns)]
    with writing(path) as file:
        for begin, end in rule_ranges(table, progress, "writing rules"):
            file.write(native.rule_lines(table.native, begin, end, positions, RULE_FORMATS[format], labels))
