"""`dragoman table`: look at translation tables, and make new ones out of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.output import Json, Limit, On, Threads, bar, note, show, show_facts, show_json

if TYPE_CHECKING:
    from dragoman.grammar.rule import Rule
    from dragoman.grammar.table import RuleTable


def _table_of(path: Path) -> Path:
    from dragoman.pipeline.parts import part_of

    return part_of(path, "table.rules")


TableFile = Annotated[
    Path, typer.Argument(callback=_table_of, help="A table written by `dragoman extract`, or a model that has one.")
]
Output = Annotated[Path, typer.Option("--output", "-o", help="The table to write.")]
Compact = Annotated[bool, typer.Option("--compact", help="Round values to 256 per column.")]

MOSES = "moses"
"""The format of phrase tables; the others are for rules with nonterminals."""
FORMATS = f"{MOSES} (phrases), hiero (also of Joshua and cdec), moses-hiero or lr-hiero"

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look at, filter, prune, mix and convert tables.")


@group.command(epilog='Example: dragoman table lookup de-en.table "das haus" --limit 5')
def lookup(
    table: TableFile,
    source: Annotated[str, typer.Argument(help="A source side, tokenised as the table is; X is a gap with --gaps.")],
    limit: Limit = 20,
    gaps: Annotated[bool, typer.Option("--gaps", help="Read X as a gap.")] = False,
    sentence: Annotated[bool, typer.Option("--sentence", help="Show the rules of all spans of a sentence.")] = False,
    as_json: Json = False,
) -> None:
    """Show the rules of a source phrase, or of all spans of a sentence, best first."""
    from dragoman.grammar.table import RuleTable

    opened = RuleTable.open(table)
    rules: list[Rule] = []
    if sentence:
        matches = sorted(opened.match_dotted(source, max_span=int(opened.metadata.get("max_span", 0))))
        for number in dict.fromkeys(match.first for match in matches):
            rules += opened.lookup(opened.rule(number).source)[: limit or None]
    else:
        rules = opened.lookup(_symbols(source, gaps, opened))[: limit or None]
    if as_json:
        show_json({"rules": [_rule(rule) for rule in rules]})
        return
    if not rules:
        note(f"no rules for {source!r}")
        return
    show(_rules_table(opened, rules))


@group.command(epilog="Example: dragoman table filter de-en.table test.de -o test.table")
def filter(  # noqa: A001 (the command's name)
    table: TableFile,
    text: Annotated[Path, typer.Argument(help="Keep the rules this text can use; '-' reads standard input.")] = Path(
        "-"
    ),
    *,
    output: Output,
    compact: Compact = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Keep the rules whose source occurs in a text; values stay as they are."""
    from dragoman.grammar.pruning import filter_table
    from dragoman.grammar.table import RuleTable

    opened = RuleTable.open(table)
    made = filter_table(opened, text, output, compact=compact, threads=threads)
    _report({"before": len(opened), "rules": len(made), "table": str(output)}, as_json)


@group.command(
    epilog="Example: dragoman table prune de-en.table -o small.table --top 20 --significance a-e "
    "--source train.de --target train.en"
)
def prune(
    table: TableFile,
    output: Output,
    top: Annotated[int | None, typer.Option(help="Keep so many rules of each source.")] = None,
    by: Annotated[str, typer.Option(help="The column that --top and --min-value look at.")] = "phrase.ts",
    min_value: Annotated[float | None, typer.Option(help="Smallest probability in that column.")] = None,
    min_count: Annotated[float | None, typer.Option(help="Smallest joint count.")] = None,
    significance: Annotated[str | None, typer.Option(help="a-e, a+e, or a bound on -ln p of Fisher's test.")] = None,
    source: Annotated[Path | None, typer.Option(help="Source side of the bitext, for --significance.")] = None,
    target: Annotated[Path | None, typer.Option(help="Target side of the bitext, for --significance.")] = None,
    entropy: Annotated[float | None, typer.Option(help="Smallest change of the model, in nats per pair.")] = None,
    compact: Compact = False,
    on: On = "local",
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Drop rules that are unlikely, due to chance, or said by smaller rules already."""
    from dragoman.grammar import pruning
    from dragoman.grammar.table import RuleTable
    from dragoman.pipeline.executors import get_executor

    with get_executor(on, threads=threads) as executor:
        done = pruning.prune(
            RuleTable.open(table),
            output,
            top=top,
            by=by,
            min_value=min_value,
            min_count=min_count,
            significance=significance,
            bitext=(source, target) if source and target else None,
            entropy=entropy,
            compact=compact,
            threads=threads,
            executor=executor,
        )
    _report({"before": done.before, "rules": done.after, "dropped": done.dropped, "table": str(output)}, as_json)


@group.command(
    "import",
    epilog="Example: dragoman table import phrase-table.gz -o de-en.table "
    "--reordering-table reordering-table.gz --reordering-model msd-bidirectional-fe",
)
def import_(
    phrase_table: Annotated[Path, typer.Argument(help="A table as text, plain or gzip.")],
    output: Output,
    format: Annotated[str, typer.Option("--format", "-f", help=f"What it is: {FORMATS}.")] = "moses",  # noqa: A002 - as people call it
    reordering_table: Annotated[
        Path | None, typer.Option(help="A Moses lexical reordering table to go with it.")
    ] = None,
    reordering_model: Annotated[str, typer.Option(help="What it holds.")] = "msd-bidirectional-fe",
    columns: Annotated[str, typer.Option(help="Names of the scores, between commas.")] = "",
    gaps: Annotated[bool, typer.Option("--gaps", help="Read X as a gap.")] = False,
    kind: Annotated[
        str | None, typer.Option("--kind", "-k", help="hiero or lr-hiero, for rules; else as the format says.")
    ] = None,
    adjacent: Annotated[bool, typer.Option("--adjacent", help="Accept neighbouring nonterminals in rules.")] = False,
    labels: Annotated[str, typer.Option(help="Whose syntax labels rules: none, source, target or both.")] = "none",
    tree: Annotated[
        str, typer.Option(help="What a sentence is seen as for such labels: pos, chunk, srl, constituents, nodes, ...")
    ] = "nodes",
    max_span: Annotated[int, typer.Option(help="Words that decoders let such a rule cover.")] = 10,
    compact: Compact = False,
    as_json: Json = False,
) -> None:
    """Read tables of other systems."""
    from dragoman.grammar.moses import import_moses
    from dragoman.grammar.rule_text import import_rules

    names = columns.split(",") if columns else None
    met: dict[str, int] = {}
    with bar("importing") as progress:
        if format == MOSES:
            done = import_moses(
                phrase_table,
                output,
                columns=names,
                reordering=reordering_table,
                reordering_model=reordering_model,
                gaps=gaps,
                compact=compact,
                progress=progress,
            )
            met = {"without_reordering": done.without_reordering}
            table, floored, properties = done.table, done.floored, done.properties
        else:
            read = import_rules(
                phrase_table,
                output,
                format=format,
                kind=kind,
                columns=names,
                adjacent=adjacent,
                labels=labels,
                tree=tree,
                max_span=max_span,
                compact=compact,
                progress=progress,
            )
            met = {"glue": read.glue}
            table, floored, properties = read.table, read.floored, read.properties
    if floored:
        note(f"{floored} zero probabilities are stored as -100")
    if properties:
        note(f"{properties} lines have properties, which a table does not hold")
    if met.get("without_reordering"):
        note(f"{met['without_reordering']} rules are not in the reordering table; their orientations are 0")
    if met.get("glue"):
        note(f"{met['glue']} glue rules are left out: decoders make their own")
    _report(
        {
            "rules": len(table),
            "columns": list(table.columns),
            "floored": floored,
            "properties": properties,
            **met,
            "table": str(output),
        },
        as_json,
    )


@group.command(epilog="Example: dragoman table export de-en.table -o phrase-table.gz --reordering-table reordering.gz")
def export(
    table: TableFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to; .gz compresses, '-' is standard output.")],
    format: Annotated[str, typer.Option("--format", "-f", help=f"What to write: {FORMATS}.")] = "moses",  # noqa: A002 - as people call it
    reordering_table: Annotated[Path | None, typer.Option(help="Write the orientations here.")] = None,
    columns: Annotated[str, typer.Option(help="Columns to write, between commas; all but orientations.")] = "",
) -> None:
    """Write tables as text for other systems."""
    from dragoman.grammar.moses import export_moses, export_reordering
    from dragoman.grammar.rule_text import export_rules
    from dragoman.grammar.table import RuleTable

    opened = RuleTable.open(table)
    names = columns.split(",") if columns else None
    with bar("exporting") as progress:
        if format == MOSES:
            export_moses(opened, output, columns=names, progress=progress)
        else:
            export_rules(opened, output, format=format, columns=names, progress=progress)
        if reordering_table is not None:
            export_reordering(opened, reordering_table, progress=progress)


@group.command(
    epilog="Example: dragoman table mix news.table talks.table -o mixed.table --mode linear "
    "--dev-source dev.de --dev-target dev.en --dev-alignment dev.align"
)
def mix(
    tables: Annotated[list[Path], typer.Argument(help="Two or more tables with the same columns.")],
    output: Output,
    mode: Annotated[str, typer.Option(help="linear, fill-up or indicators.")] = "linear",
    weight: Annotated[
        list[float] | None, typer.Option("--weight", "-w", help="One per table; equal if not given.")
    ] = None,
    dev_source: Annotated[Path | None, typer.Option(help="Fit weights on a dev set, tokenised: its source,")] = None,
    dev_target: Annotated[Path | None, typer.Option(help="its target,")] = None,
    dev_alignment: Annotated[Path | None, typer.Option(help="and their word links.")] = None,
    names: Annotated[str, typer.Option(help="Names of the tables, between commas.")] = "",
    compact: Compact = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Make one table out of several."""
    from dragoman.errors import SettingError
    from dragoman.grammar import mixture
    from dragoman.grammar.table import RuleTable

    opened = [RuleTable.open(path) for path in tables]
    chosen: Any = weight or None
    result: dict[str, Any] = {}
    if dev_source or dev_target or dev_alignment:
        if not (dev_source and dev_target and dev_alignment):
            raise SettingError(
                "a dev set needs both sides and their links",
                remedy="give --dev-source, --dev-target and --dev-alignment",
            )
        chosen = _fit(opened, (dev_source, dev_target, dev_alignment), threads)
        result = {"weights": dict(chosen.weights), "perplexity": dict(chosen.after), "dev_pairs": chosen.pairs}
    made = mixture.mix(
        opened,
        output,
        mode=mode,
        weights=chosen,
        names=names.split(",") if names else None,
        compact=compact,
        threads=threads,
    )
    _report({**result, "rules": len(made), "columns": list(made.columns), "table": str(output)}, as_json)


@group.command(epilog="Example: dragoman table info de-en.table")
def info(table: TableFile, as_json: Json = False) -> None:
    """Sizes, columns and origin of a table."""
    from dragoman.grammar.table import RuleTable

    _report(RuleTable.open(table).info(), as_json)


@group.command(epilog="Example: dragoman table labels en-de.table --limit 10")
def labels(table: TableFile, limit: Limit = 20, as_json: Json = False) -> None:
    """Sizes of a grammar of rules with nonterminals: by their number, and by label."""
    from dragoman.grammar.labels import grammar_statistics
    from dragoman.grammar.table import RuleTable

    found = grammar_statistics(RuleTable.open(table))
    names = [*dict.fromkeys([*found.derived, *found.nonterminals])][: limit or None]
    by_label = [
        {"label": name, "rules": found.derived.get(name, 0), "nonterminals": found.nonterminals.get(name, 0)}
        for name in names
    ]
    if as_json:
        sizes = [{"nonterminals": arity, "rules": count} for arity, count in found.arities.items()]
        counts = {"rules": found.rules, "unlabelled": found.unlabelled, "labels": found.labels}
        show_json({**counts, "by_arity": sizes, "by_label": by_label})
        return
    from rich.table import Table
    from rich.text import Text

    note(f"{found.rules:,} rules, {found.labels:,} labels")
    arities = Table("nonterminals", "rules", box=None, pad_edge=False)
    for arity, count in found.arities.items():
        arities.add_row(str(arity), f"{count:,}")
    show(arities)
    rows = Table("label", "rules that derive it", "nonterminals", box=None, pad_edge=False)
    for each in by_label:
        rows.add_row(Text(str(each["label"])), f"{each['rules']:,}", f"{each['nonterminals']:,}")
    show(rows)


@group.command(epilog='Example: dragoman table evidence de-en.table "das haus" "the house"')
def evidence(
    table: TableFile,
    source: Annotated[str, typer.Argument(help="A source phrase.")],
    target: Annotated[str, typer.Argument(help="Its translation.")],
    corpus: Annotated[
        tuple[Path, Path] | None, typer.Option(help="The two sides of the training text, if they have moved.")
    ] = None,
    limit: Limit = 10,
    gaps: Annotated[bool, typer.Option("--gaps", help="Read X as a gap.")] = False,
    as_json: Json = False,
) -> None:
    """Show the training sentences that taught a phrase pair."""
    from dragoman.grammar.provenance import witnesses
    from dragoman.grammar.table import RuleTable

    opened = RuleTable.open(table)
    sentences = opened.evidence(_symbols(source, gaps, opened), _symbols(target, gaps, opened))
    files = corpus or (opened.metadata.get("source"), opened.metadata.get("target"))
    shown: list[dict[str, Any]] = [{"line": number + 1} for number in sentences[: limit or None]]
    if files[0] and files[1] and Path(files[0]).exists() and Path(files[1]).exists():
        found = witnesses(sentences, files[0], files[1], limit=limit or None)
        shown = [{"line": w.line, "source": w.source, "target": w.target} for w in found]
    elif not as_json:
        note("the training text is not where it was: name its two sides with --corpus")
    if as_json:
        show_json({"sentences": len(sentences), "shown": shown})
        return
    from rich.table import Table
    from rich.text import Text

    rows = Table("line", "source", "target", box=None, pad_edge=False)
    for entry in shown:
        rows.add_row(str(entry["line"]), Text(entry.get("source", "")), Text(entry.get("target", "")))
    show(rows)
    note(f"{len(sentences)} sentences in all")


def _fit(tables: list[RuleTable], dev: tuple[Path, Path, Path], threads: int) -> Any:
    import tempfile

    from dragoman.grammar.mixture import fit_weights
    from dragoman.grammar.phrases import extract
    from dragoman.grammar.scoring import Scoring

    with tempfile.TemporaryDirectory() as folder:
        found = extract(*dev, Path(folder) / "dev.table", scoring=Scoring(min_probability=0), threads=threads)
        return fit_weights(tables, found.table)


def _symbols(text: str, gaps: bool, table: RuleTable) -> list[Any]:
    """Words, gaps and, in a table that has any, nonterminals: `le [X,1] chat`."""
    from dragoman.grammar.rule import GAP_TEXT, Nonterminal

    nonterminals = {
        str(each): each for label in table.labels for each in (Nonterminal(label, index) for index in range(256))
    }
    symbols: list[Any] = []
    for token in text.split():
        gap = gaps and token == GAP_TEXT
        before = sum(isinstance(each, Nonterminal) for each in symbols)
        symbols.append(Nonterminal(index=before) if gap else nonterminals.get(token, token))
    return symbols


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "source": rule.source_text,
        "target": rule.target_text,
        "values": dict(rule.values),
        "links": [list(link) for link in rule.links],
        "counts": {"target": rule.counts.target, "source": rule.counts.source, "joint": rule.counts.joint},
    }


def _rules_table(table: RuleTable, rules: list[Rule]) -> Any:
    from rich.table import Table
    from rich.text import Text

    columns = [name for name in table.columns if not name.startswith("orientation.")]
    shown = Table("source", "target", *columns, "count", "links", box=None, pad_edge=False)
    for rule in rules:
        values = [f"{math.exp(rule.values[name]):.4g}" for name in columns]
        links = " ".join(f"{i}-{j}" for i, j in rule.links)
        shown.add_row(Text(rule.source_text), Text(rule.target_text), *values, f"{rule.counts.joint:g}", links)
    return shown


def _report(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(result)
    else:
        show_facts(result)


def register(app: typer.Typer) -> None:
    """Add this group to the program."""
    app.add_typer(group, name="table")
