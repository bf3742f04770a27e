"""`dragoman score`: how good are these translations, given references?"""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json


def score(
    hypotheses: Annotated[
        list[str],
        typer.Argument(help="Translations: FILE or NAME=FILE, plain or WMT SGML/XML; '-' reads standard input."),
    ],
    ref: Annotated[list[str], typer.Option("--ref", "-r", help="References; repeat for several.")],
    metric: Annotated[
        list[str],
        typer.Option(
            "--metric", "-m", help="Such as `bleu`, `chrf:beta=1`, `bleu - ter`; see `dragoman list metrics`."
        ),
    ] = ["bleu", "chrf", "ter"],  # noqa: B006
    sentence_level: Annotated[bool, typer.Option("--sentence-level", help="Print a score per segment.")] = False,
    confidence: Annotated[bool, typer.Option(help="Give 95% confidence intervals.")] = True,
    samples: Annotated[int, typer.Option(help="Bootstrap samples for the intervals.")] = 1000,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")] = False,
    allow_empty_ref: Annotated[bool, typer.Option("--allow-empty-ref", help="Accept empty references.")] = False,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Score translations against references."""
    from dragoman.metrics.inputs import read_inputs
    from dragoman.metrics.report import score as score_systems

    with bar("scoring") as report_progress:
        inputs = read_inputs(hypotheses, ref)
        report = score_systems(
            inputs.systems,
            inputs.references,
            metric,
            confidence=0.95 if confidence and not sentence_level else None,
            samples=samples,
            seed=seed,
            sentence_level=sentence_level,
            allow_empty_references=allow_empty_ref,
            threads=threads,
            progress=report_progress,
        )
    for warning in report.warnings:
        note(f"warning: {warning}")
    if as_json:
        show_json(report.to_dict())
    elif latex:
        typer.echo(report.to_latex())
    elif sentence_level:
        typer.echo("\t".join(["system", "segment", *report.metrics]))
        for system in report.systems:
            columns = [report[system, name].sentences for name in report.metrics]
            for segment in range(report.segments):
                cells = [f"{column[segment]:.4f}" for column in columns if column is not None]
                typer.echo("\t".join([system, str(segment + 1), *cells]))
    else:
        show(report)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman score out.en --ref ref.en -m bleu -m ter --json")(score)
