"""`dragoman score`: how good are these translations, given references?"""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.cli.marked_text import DomainLines, parse_domains
from dragoman.cli.output import Json, Seed, TextLanguage, Threads, bar, language_of_files, note, show, show_json


def score(
    hypotheses: Annotated[
        list[str],
        typer.Argument(help="Translations: FILE or NAME=FILE, plain or WMT SGML/XML; '-' reads standard input."),
    ] = ["-"],  # noqa: B006 (typer copies it)
    *,
    ref: Annotated[list[str], typer.Option("--ref", "-r", help="References; repeat for several.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="Such as `bleu`, `chrf:beta=1`, `bleu - ter`; see `dragoman list metrics`. By default bleu, chrf and "
            "ter; bleu+1 with --by-reference.",
        ),
    ] = None,
    sentence_level: Annotated[bool, typer.Option("--sentence-level", help="Print a score per segment.")] = False,
    by_reference: Annotated[
        bool, typer.Option("--by-reference", help="Show how much sentence scores depend on the reference.")
    ] = False,
    domain: DomainLines = None,
    confidence: Annotated[bool, typer.Option(help="Give 95% confidence intervals.")] = True,
    samples: Annotated[int, typer.Option(help="Bootstrap samples for the intervals.")] = 1000,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")] = False,
    allow_empty_ref: Annotated[bool, typer.Option("--allow-empty-ref", help="Accept empty references.")] = False,
    language: TextLanguage = "",
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Score translations against references."""
    from dragoman.errors import SettingError
    from dragoman.metrics.inputs import read_inputs
    from dragoman.metrics.report import DEFAULT_METRICS
    from dragoman.metrics.report import score as score_systems

    if domain and (by_reference or sentence_level or latex):
        raise SettingError("--domain is for tables of corpus scores", remedy="leave out one of the two")
    if by_reference:
        _by_reference(hypotheses, ref, metric or ["bleu+1"], sentence_level, allow_empty_ref, threads, as_json)
        return

    with bar("scoring") as report_progress:
        inputs = read_inputs(hypotheses, ref)
        parts = inputs.split(parse_domains(domain)) if domain else {"all": inputs}
        reports = {
            name: score_systems(
                part.systems,
                part.references,
                metric or DEFAULT_METRICS,
                language=language or language_of_files(ref),
                confidence=0.95 if confidence and not sentence_level else None,
                samples=samples,
                seed=seed,
                sentence_level=sentence_level,
                allow_empty_references=allow_empty_ref,
                threads=threads,
                progress=report_progress,
            )
            for name, part in parts.items()
        }
    report = reports["all"]
    for warning in report.warnings:
        note(f"warning: {warning}")
    if domain and as_json:
        show_json({"domains": {name: part.to_dict() for name, part in reports.items()}})
    elif domain:
        for name, part in reports.items():
            show(f"{name}: {part.segments:,} segments")
            show(part)
    elif as_json:
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


def _by_reference(
    hypotheses: list[str],
    ref: list[str],
    metrics: list[str],
    sentence_level: bool,
    allow_empty_ref: bool,
    threads: int,
    as_json: bool,
) -> None:
    """Scores against each reference and against all: means and spreads, or segment by segment."""
    import math

    from dragoman.metrics.inputs import check_texts, read_inputs
    from dragoman.metrics.reference_spread import reference_spreads, spread_table
    from dragoman.metrics.references import References

    with bar("scoring") as progress:
        inputs = read_inputs(hypotheses, ref)
        given = References.of(inputs.references)
        warnings = check_texts(inputs.systems, given, allow_empty_references=allow_empty_ref)
        found = reference_spreads(inputs.systems, given, metrics, threads=threads, progress=progress)
    for warning in warnings:
        note(f"warning: {warning}")
    if as_json:
        plain: dict[str, dict[str, object]] = {system: {} for system in inputs.systems}
        for (system, metric), one in found.items():
            plain[system][metric] = one.to_dict(sentences=sentence_level)
        show_json({"systems": plain})
    elif sentence_level:
        columns = [f"reference {number}" for number in range(1, len(inputs.references) + 1)]
        typer.echo("\t".join(["system", "metric", "segment", *columns, "all"]))
        for (system, metric), one in found.items():
            for segment, (row, together) in enumerate(zip(one.each.tolist(), one.together, strict=True), 1):
                cells = ["" if math.isnan(value) else f"{value:.4f}" for value in row]
                typer.echo("\t".join([system, metric, str(segment), *cells, f"{together:.4f}"]))
    else:
        show(spread_table(found))


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman score out.en --ref ref.en -m bleu -m ter --json")(score)
