"""`dragoman score`: how good are these translations, given references?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.marked_text import DomainLines, parse_domains
from dragoman.cli.output import (
    Json,
    Seed,
    TextLanguage,
    Threads,
    bar,
    language_of_files,
    note,
    show,
    show_json,
    show_json_lines,
)
from dragoman.progress import Progress


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
    explain: Annotated[
        bool, typer.Option("--explain", help="Show for each segment why it scores so; for metrics that can say.")
    ] = False,
    reasons: Annotated[
        Path | None, typer.Option("--reasons", help="Write the reasons of all segments as a page: .html or .json.")
    ] = None,
    domain: DomainLines = None,
    confidence: Annotated[bool, typer.Option(help="Give 95% confidence intervals.")] = True,
    samples: Annotated[int, typer.Option(help="Bootstrap samples for the intervals.")] = 1000,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw systems by metrics as a heat map (SVG).")] = None,
    allow_empty_ref: Annotated[bool, typer.Option("--allow-empty-ref", help="Accept empty references.")] = False,
    language: TextLanguage = "",
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Score translations against references."""
    from dragoman.drawing import require_svg, save_svg
    from dragoman.errors import SettingError
    from dragoman.metrics.inputs import read_inputs
    from dragoman.metrics.report import DEFAULT_METRICS
    from dragoman.metrics.report import score as score_systems

    if domain and (by_reference or sentence_level or latex or plot):
        raise SettingError("--domain is for tables of corpus scores", remedy="leave out one of the two")
    if plot is not None:
        require_svg(plot)
    if explain or reasons is not None:
        _explained(hypotheses, ref, metric or [], explain, reasons, allow_empty_ref, as_json)
        return
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
    if plot is not None:
        save_svg(plot, report.heat_map().svg())
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


def _explained(
    hypotheses: list[str],
    ref: list[str],
    metrics: list[str],
    shown: bool,
    page: Path | None,
    allow_empty_ref: bool,
    as_json: bool,
) -> None:
    """What a metric has to say about each segment, in the terminal, as JSON or as a page."""
    from dragoman.cli.reasons_file import check_reasons_file, write_reasons
    from dragoman.errors import SettingError
    from dragoman.metrics.by_name import get_metric
    from dragoman.metrics.inputs import check_texts, read_inputs
    from dragoman.metrics.references import References

    if len(metrics) != 1:
        raise SettingError("reasons are those of one metric", remedy="name it by --metric")
    if page is not None:
        check_reasons_file(page)
    chosen = get_metric(metrics[0])
    inputs = read_inputs(hypotheses, ref)
    for warning in check_texts(
        inputs.systems, References.of(inputs.references), allow_empty_references=allow_empty_ref
    ):
        note(f"warning: {warning}")
    found = []
    with bar("explaining") as progress:
        total = len(inputs.systems) * len(inputs.references[0])
        for name, lines in inputs.systems.items():
            for at, line in enumerate(lines):
                given = [text for column in inputs.references if (text := column[at]) is not None]
                found.append((name, at + 1, chosen.explain(line, given)))
                progress(Progress("explaining", len(found), total))
    if page is not None:
        write_reasons([each for *_, each in found], page, title=f"{chosen.name}: segments with reasons")
    if as_json:
        show_json_lines({"system": name, "segment": at, **each.to_dict()} for name, at, each in found)
    elif shown:
        for name, at, each in found:
            show(f"{name}, segment {at}")
            show(each)
            show("")


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
