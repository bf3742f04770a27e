"""`dragoman similarity records`: in which respect two records of a catalogue are alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.compare import Reports
from dragoman.cli.output import Json, Threads, note, show, show_json, show_json_lines

if TYPE_CHECKING:
    from dragoman.similarity.records import Number, Record, TermWeights

__all__ = ["register"]

records_app = typer.Typer(
    name="records",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="In which respect two records of a catalogue are alike: author, people, time, place, event, subject ...",
)

Catalogue = Annotated[Path, typer.Argument(help="Records, a JSON object a line: id, dcTitle, dcSubject, dcCreator ...")]
RecordPairs = Annotated[Path, typer.Argument(help="Pairs of ids, a tab between.")]
Gold = Annotated[
    Path, typer.Option("--gold", help="Eight scores for each pair: general, author, people, time, location ...")
]
Scale = Annotated[float, typer.Option(help="The score of records that are the same; nothing in common is 0.", min=1e-9)]
Annotators = Annotated[
    str | None,
    typer.Option("--annotator", help="Model folders and annotators joined by +, for people, places and verbs."),
]
Fitted = Annotated[
    Path | None, typer.Option("--with", "-w", help="The folder of a fitted one; else cosines of weighted words.")
]


def _read(
    catalogue: Path, pairs: Path, annotator: str | None, threads: int
) -> tuple[list[tuple[Record, Record]], TermWeights]:
    from dragoman.annotations import annotator_chain
    from dragoman.similarity.records import TermWeights, annotate_records, read_record_pairs, read_records

    records = read_records(catalogue)
    if annotator is not None:
        done = annotate_records(list(records.values()), annotator_chain.load(annotator), threads=threads)
        records = {record.id: record for record in done}
    return read_record_pairs(pairs, records), TermWeights.of(records.values())


def _scores(given: list[tuple[Record, Record]], weights: TermWeights, fitted: Path | None) -> Number:
    import numpy as np

    from dragoman.similarity.records import TYPES, baseline_scores
    from dragoman.similarity.typed_regression import TypedRegression

    if fitted is not None:
        return TypedRegression.open(fitted).score(given)
    rows = [list(baseline_scores(one, other, weights).values()) for one, other in given]
    return np.array(rows, np.float64).reshape(-1, len(TYPES))


@records_app.command(epilog="Example: dragoman similarity records score items.jsonl pairs.tsv")
def score(
    catalogue: Catalogue,
    pairs: RecordPairs,
    fitted: Fitted = None,
    annotator: Annotators = None,
    scale: Scale = 5.0,
    explain: Annotated[bool, typer.Option("--explain", help="Show for each pair and type what decided.")] = False,
    kinds: Annotated[
        list[str] | None, typer.Option("--type", help="Explain this type; repeat for several. By default, all.")
    ] = None,
    report: Reports = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Score pairs of records, eight scores a line."""
    from dragoman.cli.reasons_file import check_reasons_file, write_reasons
    from dragoman.similarity.records import TYPES
    from dragoman.similarity.typed_regression import TypedRegression, check_kind, cosine_reasons

    for path in report or []:
        check_reasons_file(path)
    chosen = [check_kind(kind) for kind in kinds or TYPES]
    given, weights = _read(catalogue, pairs, annotator, threads)
    found = scale * _scores(given, weights, fitted)
    model = TypedRegression.open(fitted) if fitted is not None else None
    reasons = [
        [
            cosine_reasons(pair, kind, weights, f"records, {kind}") if model is None else model.explain(pair, kind)
            for kind in chosen
        ]
        for pair in (given if explain or report else ())
    ]
    for path in report or []:
        write_reasons([each for some in reasons for each in some], path, title="Records with reasons")
    if as_json:
        rows = [{"scores": dict(zip(TYPES, row, strict=True)), "scale": scale} for row in found.tolist()]
        if explain:
            for row, some in zip(rows, reasons, strict=True):
                row["reasons"] = {kind: each.to_dict() for kind, each in zip(chosen, some, strict=True)}
        show_json_lines(rows)
    elif explain:
        for (one, other), some in zip(given, reasons, strict=True):
            show(f"{one.id} and {other.id}")
            for each in some:
                show(each)
                show("")
    else:
        for row in found.tolist():
            typer.echo("\t".join(f"{value:.4f}" for value in row))


@records_app.command(epilog="Example: dragoman similarity records fit items.jsonl pairs.tsv --gold gold.tsv -o typed")
def fit(
    catalogue: Catalogue,
    pairs: RecordPairs,
    gold: Gold,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the fitted one goes: a folder.")],
    settings: Annotated[list[str] | None, typer.Option("--set", help="A setting: NAME=VALUE; repeat.")] = None,
    annotator: Annotators = None,
    scale: Scale = 5.0,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Fit a regression for each type to pairs that people have scored."""
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.similarity.records import read_record_gold
    from dragoman.similarity.typed_regression import KIND, TypedRegression

    require_place_for_bundle(output, KIND)
    model = TypedRegression.configured(settings or [])
    given, weights = _read(catalogue, pairs, annotator, threads)
    model.fit(given, read_record_gold(gold) / scale, weights)
    inputs = [catalogue, pairs, gold]
    model.save(output, provenance=Provenance.of_files(inputs, command="dragoman similarity records fit"))
    if as_json:
        show_json({"kind": model.kind, "pairs": len(given), "output": str(output)})
    else:
        note(f"{model.kind}, fitted to {len(given)} pairs: {output}")


@records_app.command(epilog="Example: dragoman similarity records evaluate items.jsonl test.tsv --gold gold.tsv")
def evaluate(
    catalogue: Catalogue,
    pairs: RecordPairs,
    gold: Gold,
    fitted: Fitted = None,
    annotator: Annotators = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Correlate scores with those of people, by type, and their plain mean."""
    import numpy as np

    from dragoman.errors import LengthMismatch
    from dragoman.evaluation.correlation import pearson
    from dragoman.similarity.records import TYPES, read_record_gold

    given, weights = _read(catalogue, pairs, annotator, threads)
    wanted = read_record_gold(gold)
    if len(wanted) != len(given):
        raise LengthMismatch(f"{len(given)} pairs but {len(wanted)} rows of gold scores")
    found = _scores(given, weights, fitted)
    correlations = {
        kind: 0.0
        if not np.ptp(found[:, at]) or not np.ptp(wanted[:, at])
        else float(pearson(found[:, at], wanted[:, at]))
        for at, kind in enumerate(TYPES)
    }
    mean = sum(correlations.values()) / len(TYPES)
    if as_json:
        show_json({"pairs": len(given), "correlations": correlations, "mean": mean})
    else:
        for kind, value in correlations.items():
            show(f"{kind:12} {value:.4f}")
        show(f"{'mean':12} {mean:.4f}")


def register(app: typer.Typer) -> None:
    """Add the group to `similarity`."""
    app.add_typer(records_app)
