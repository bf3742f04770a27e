"""`dragoman compare`, `dragoman gains`: which system is better, and has translation become better over the years?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Seed, TextLanguage, Threads, bar, language_of_files, note, show, show_json

Reports = Annotated[
    list[Path] | None,
    typer.Option("--report", help="Also write a report: .html, .md, .tex or .json; repeat for several."),
]
LowerIsBetter = Annotated[
    list[str] | None, typer.Option("--lower-is-better", help="A metric from elsewhere of which less is better.")
]
Correction = Annotated[str, typer.Option(help="For many pairs: none, holm or bh (Benjamini-Hochberg).")]
Alpha = Annotated[float, typer.Option(help="The level: p-values up to it count as significant.")]


def compare(
    hypotheses: Annotated[
        list[str] | None, typer.Argument(help="Translations: FILE or NAME=FILE, plain or WMT SGML/XML.")
    ] = None,
    ref: Annotated[list[str] | None, typer.Option("--ref", "-r", help="References; repeat for several.")] = None,
    metric: Annotated[
        list[str],
        typer.Option("--metric", "-m", help="Such as `bleu`, `ter`, `bleu - ter`; see `dragoman list metrics`."),
    ] = ["bleu", "chrf", "ter"],  # noqa: B006
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            "-s",
            help="Segment scores made elsewhere: METRIC=TABLE or METRIC:SYSTEM=FILE, one number a line.",
        ),
    ] = None,
    lower_is_better: LowerIsBetter = None,
    test: Annotated[
        str, typer.Option("--test", "-t", help="randomization, bootstrap, paired-bootstrap or riezler-maxwell.")
    ] = "randomization",
    one_sided: Annotated[bool, typer.Option("--one-sided", help="Test 'better', not 'different'.")] = False,
    baseline: Annotated[str | None, typer.Option(help="Compare every other system with this one only.")] = None,
    samples: Annotated[int, typer.Option(help="Samples of each test.")] = 10_000,
    exact: Annotated[
        bool | None, typer.Option("--exact/--sampled", help="Enumerate (small test sets only), or never do.")
    ] = None,
    alpha: Alpha = 0.05,
    correction: Correction = "none",
    report: Reports = None,
    allow_empty_ref: Annotated[bool, typer.Option("--allow-empty-ref", help="Accept empty references.")] = False,
    language: TextLanguage = "",
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Test which of several systems is better, by any metrics."""
    from dragoman.evaluation.compare import compare as compare_systems
    from dragoman.metrics.inputs import read_inputs

    with bar("comparing") as report_progress:
        inputs = read_inputs(hypotheses, ref or []) if hypotheses else None
        outside = _outside_scores(scores or [], hypotheses or [])
        found = compare_systems(
            inputs.systems if inputs else None,
            inputs.references if inputs and ref else None,
            metric,
            language=language or language_of_files(ref or []),
            scores=outside,
            higher_is_better=dict.fromkeys(lower_is_better or [], False),
            test=test,
            sided=1 if one_sided else 2,
            samples=samples,
            seed=seed,
            exact=exact,
            alpha=alpha,
            correction=correction,
            baseline=baseline,
            allow_empty_references=allow_empty_ref,
            threads=threads,
            progress=report_progress,
        )
    for path in report or []:
        found.write(path)
    for warning in found.warnings:
        note(f"warning: {warning}")
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)


def _outside_scores(arguments: list[str], hypotheses: list[str]) -> dict[str, dict[str, list[float]]]:
    """Scores by metric and system; a table may call a system by the name of its file."""
    from dragoman.errors import InputError, SettingError
    from dragoman.evaluation.score_files import read_segment_scores

    labels = {}
    for argument in hypotheses:
        label, given, file = argument.rpartition("=")
        if given and not Path(argument).exists():
            labels[file] = labels[Path(file).name] = label
    found: dict[str, dict[str, list[float]]] = {}
    for argument in arguments:
        name, given, file = argument.partition("=")
        metric, _, system = name.partition(":")
        if not given or not metric or not file:
            raise SettingError(f"scores {argument!r}", remedy="write METRIC=TABLE or METRIC:SYSTEM=FILE")
        read = read_segment_scores(file, system=system or None)
        table = found.setdefault(metric, {})
        for named, values in read.items():
            label = labels.get(named, named)
            if label in table:
                raise InputError(f"{metric} has two sets of scores of {label}", where=file)
            table[label] = values
    return found


def gains(
    table: Annotated[Path, typer.Argument(help="Scores of systems on test sets, as in the WMT metrics tasks.")],
    old: Annotated[str, typer.Option(help="The old test set, or TESTSET:SYSTEM; without a system, its best.")],
    new: Annotated[str, typer.Option(help="The new test set, or TESTSET:SYSTEM.")],
    benchmark: Annotated[str, typer.Option(help="A system that translated both test sets.")],
    lower_is_better: LowerIsBetter = None,
    samples: Annotated[int, typer.Option(help="Bootstrap samples for the intervals.")] = 1000,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """How much better are new systems than old ones, test sets made equal by a benchmark system?

    Scores of segments give intervals; scores of systems do not.
    """
    from dragoman.evaluation.gains_table import gains_table
    from dragoman.evaluation.score_files import read_metrics_task

    found = gains_table(
        read_metrics_task(table),
        old=old,
        new=new,
        benchmark=benchmark,
        lower_is_better=lower_is_better or [],
        samples=samples,
        seed=seed,
        threads=threads,
    )
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman compare A=a.en B=b.en --ref ref.en -m bleu --report ab.html")(compare)
    app.command(epilog="Example: dragoman gains scores.tsv --old 2007 --new 2012 --benchmark online")(gains)
