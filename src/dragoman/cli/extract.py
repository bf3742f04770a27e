"""`dragoman extract`: a table of rules from a word-aligned bitext."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.marked_text import Annotations, DomainLines, parse_domains
from dragoman.cli.output import Json, On, Threads, bar, note, show, show_json
from dragoman.cli.setting_options import with_options
from dragoman.grammar import LIMITS
from dragoman.settings import declared


def extract(
    source: Annotated[Path, typer.Argument(help="Source side, tokenised, one sentence per line.")],
    target: Annotated[Path, typer.Argument(help="Target side.")],
    alignment: Annotated[Path, typer.Argument(help="Word links (`0-0 1-2`), one line per pair.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table to write.")],
    kind: Annotated[
        str,
        typer.Option("--kind", "-k", help="Of rules: phrase, gappy, hiero, or lr-hiero for left-to-right decoding."),
    ] = "phrase",
    max_phrase: Annotated[
        int, typer.Option(help="Longest phrase, or initial phrase of a rule, in tokens; 0: as usual.")
    ] = 0,
    reordering: Annotated[
        str,
        typer.Option(
            help="Such as msd-bidirectional-fe, or none; auto is hier-mslr-bidirectional-fe for phrases, else none."
        ),
    ] = "auto",
    smoothing: Annotated[
        str, typer.Option(help="Of phrase probabilities: none, good-turing, kneser-ney.")
    ] = "kneser-ney",
    lexical: Annotated[str, typer.Option(help="Lexical weights over `links`, or the `best` word.")] = "links",
    min_probability: Annotated[float, typer.Option(help="Drop rules with a smaller p(target | source).")] = 1e-4,
    min_count: Annotated[int, typer.Option(help="Drop rules seen less often.")] = 1,
    penalty: Annotated[bool, typer.Option("--penalty", help="Add a constant column, for Moses tables.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Add a column of ln count.")] = False,
    unique: Annotated[bool, typer.Option("--unique", help="Add an indicator of rules seen once.")] = False,
    count_bins: Annotated[str, typer.Option(help="Add indicators of count bins, by upper edges: 1,2,4.")] = "",
    rule_classes: Annotated[
        bool, typer.Option("--rule-classes", help="Add indicators of numbers of nonterminals.")
    ] = False,
    domain: DomainLines = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Keep which sentences taught each rule.")] = False,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features",
            help="Of all places where a phrase is: see `dragoman list extraction-features`; or module:Class.",
        ),
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Add how alike both sides are, by vectors from `dragoman vectors join`.")
    ] = None,
    annotations: Annotations = None,
    target_annotations: Annotated[
        Path | None, typer.Option(help="As --annotations, for the target side: trees that rules must fit.")
    ] = None,
    only_for: Annotated[Path | None, typer.Option(help="Keep the rules that this text can use.")] = None,
    max_sentence: Annotated[int, typer.Option(help="Pass over longer sentences.")] = 1000,
    compact: Annotated[bool, typer.Option("--compact", help="Round values to 256 per column.")] = False,
    memory: Annotated[str, typer.Option(help="Working memory, such as 512M or 4G. Results do not change.")] = "1G",
    on: On = "local",
    threads: Threads = 0,
    as_json: Json = False,
    *,
    chosen: dict[str, Any],
) -> None:
    """Learn a translation table from a word-aligned bitext."""
    from dragoman.annotations.corpus import read_annotations
    from dragoman.grammar import phrases
    from dragoman.grammar.scoring import Scoring, reordering_for
    from dragoman.lm.estimate import parse_memory
    from dragoman.pipeline.executors import get_executor

    taken = LIMITS.get(kind)
    scoring = Scoring.configured(
        [f"count_bins={count_bins}"],
        reordering=reordering_for(reordering, taken),
        smoothing=smoothing,
        lexical=lexical,
        min_probability=min_probability,
        min_count=min_count,
        penalty=penalty,
        count=count,
        unique=unique,
        rule_classes=rule_classes,
    )
    limits = taken.from_dict({**(taken.lengths(max_phrase) if max_phrase else {}), **chosen})
    with get_executor(on, threads=threads) as executor, bar("extracting") as progress:
        done = phrases.extract(
            source,
            target,
            alignment,
            output,
            limits=limits,
            scoring=scoring,
            domains=parse_domains(domain or []),
            evidence=evidence,
            features=[*(features or []), *_vector_columns(vectors)],
            annotations=list(read_annotations(annotations)) if annotations is not None else (),
            target_annotations=list(read_annotations(target_annotations)) if target_annotations is not None else (),
            only_for=only_for,
            max_sentence=max_sentence,
            compact=compact,
            memory=parse_memory(memory),
            threads=threads,
            executor=executor,
            progress=progress,
        )
    what = {
        "empty_source": "an empty source",
        "empty_target": "an empty target",
        "too_long": f"more than {max_sentence} tokens",
        "no_links": "no links",
    }
    for reason, found in done.skipped.items():
        note(f"{found.pairs} pairs with {what[reason]} taught nothing (first: line {found.first_line})")
    for remark in done.notes:
        note(remark)
    table = done.table
    result = {
        "table": str(table.path),
        "pairs": done.pairs,
        "links": done.links,
        "skipped": {reason: {"pairs": f.pairs, "first_line": f.first_line} for reason, f in done.skipped.items()},
        "rules": len(table),
        "columns": list(table.columns),
        "bytes": table.native.bytes,
        "notes": list(done.notes),
    }
    if as_json:
        show_json(result)
    else:
        show(f"{len(table)} rules from {done.pairs} pairs in {table.path} ({table.native.bytes} bytes)")


def _vector_columns(path: Path | None) -> list[Any]:
    if path is None:
        return []
    from dragoman.semantics.phrase_similarity import KINDS, PhraseVectors, VectorColumns

    return [VectorColumns(PhraseVectors.open(path), tuple(KINDS))]


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    panels = {
        f"Rules: {kind}": {name: each for name, each in declared(LIMITS.get(kind)).items() if name != "max_phrase"}
        for kind in LIMITS
    }
    app.command(epilog="Example: dragoman extract train.de train.en train.align -o de-en.table")(
        with_options(extract, panels, argument="chosen")
    )
