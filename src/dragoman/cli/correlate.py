"""`dragoman correlate`: does a metric follow people, and does one follow them better than another?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dragoman.cli.compare import Alpha, Correction, LowerIsBetter, Reports
from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json

if TYPE_CHECKING:
    from dragoman.evaluation.measures import Measure
    from dragoman.evaluation.metric_study import StudySettings
    from dragoman.progress import ProgressCallback


def correlate(
    hypotheses: Annotated[
        list[str] | None,
        typer.Argument(help="Translations to score here: NAME=FILE, named as people's scores name them."),
    ] = None,
    human: Annotated[
        Path, typer.Option(help="People's scores, METRIC LP TESTSET SYSTEM [SEGMENT] SCORE, or comparisons of outputs.")
    ] = ...,  # type: ignore[assignment]
    scores: Annotated[
        list[Path] | None, typer.Option("--scores", "-s", help="Metrics' scores, in the same form; repeat for several.")
    ] = None,
    ref: Annotated[list[str] | None, typer.Option("--ref", "-r", help="References; repeat for several.")] = None,
    metric: Annotated[list[str], typer.Option("--metric", "-m", help="Metrics to compute.")] = ["bleu", "chrf", "ter"],  # noqa: B006
    level: Annotated[
        str | None,
        typer.Option(help="system, segment or hybrid (resampled systems); as people's scores are, if not said."),
    ] = None,
    languages: Annotated[
        str | None, typer.Option("--languages", "-l", help="This language pair only, such as de-en.")
    ] = None,
    test_set: Annotated[str | None, typer.Option("--test-set", help="This test set only.")] = None,
    coefficient: Annotated[str, typer.Option(help="Order and test by pearson, spearman or kendall.")] = "pearson",
    two_sided: Annotated[bool, typer.Option("--two-sided", help="Test 'different', not 'higher'.")] = False,
    correction: Correction = "none",
    alpha: Alpha = 0.05,
    df: Annotated[str, typer.Option(help="Degrees of freedom: n-3, or n-2 to repeat published figures.")] = "n-3",
    intersect: Annotated[bool, typer.Option("--intersect", help="Drop what somebody did not score.")] = False,
    lower_is_better: LowerIsBetter = None,
    kendall: Annotated[str, typer.Option(help="Segments: tau as wmt12, wmt13 or wmt14 had it.")] = "wmt14",
    gap: Annotated[float, typer.Option(help="Segments: how far apart people's scores must be for a preference.")] = 0.0,
    first_segment: Annotated[int, typer.Option(help="The number of the first segment in people's scores.")] = 1,
    hybrids: Annotated[int, typer.Option(help="How many hybrid systems.")] = 10_000,
    report: Reports = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Correlate metrics with people's scores, and test which metric follows them better."""
    from dragoman.errors import SettingError
    from dragoman.evaluation.metric_report import KendallVariant, StudySettings, study_document
    from dragoman.evaluation.preferences import holds_preferences
    from dragoman.evaluation.report import write_report
    from dragoman.evaluation.score_files import read_metrics_task
    from dragoman.evaluation.study_inputs import study_level
    from dragoman.evaluation.williams import Degrees

    if not hypotheses and not scores:
        raise SettingError("nothing to correlate", remedy="give metrics' scores, or translations with references")
    settings = StudySettings(
        higher_is_better=dict.fromkeys(lower_is_better or [], False),
        coefficient=coefficient,
        alternative="two-sided" if two_sided else "greater",
        correction=correction,
        df=cast(Degrees, df),
        alpha=alpha,
        intersect=intersect,
        variant=cast(KendallVariant, kendall),
        gap=gap,
    )
    preferences = holds_preferences(human)
    with bar("correlating") as progress:
        measures = _measures(hypotheses, ref, metric, threads, progress) if hypotheses else []
        if preferences:
            _show_preferences(human, scores or [], measures, settings, first_segment, seed, report or [], as_json)
            return
        found = study_level(
            level,
            read_metrics_task(human),
            [row for path in scores or [] for row in read_metrics_task(path)],
            measures,
            settings,
            pair=languages,
            test_set=test_set,
            first_segment=first_segment,
            hybrids=hybrids,
            seed=seed,
            threads=threads,
        )
    document = study_document(found)
    plain = {"studies": [study.to_dict() for study in found]}
    for path in report or []:
        write_report(document, plain, path)
    for study in found:
        for warning in study.warnings:
            note(f"warning: {warning}")
    if as_json:
        show_json(plain)
    else:
        show(document)


def _measures(
    hypotheses: list[str], ref: list[str] | None, metric: list[str], threads: int, progress: ProgressCallback
) -> list[Measure]:
    from dragoman.errors import SettingError
    from dragoman.evaluation.measures import measure_texts
    from dragoman.metrics.inputs import read_inputs

    if not ref:
        raise SettingError("no references", remedy="translations are scored against --ref")
    inputs = read_inputs(hypotheses, ref)
    measures, warnings = measure_texts(inputs.systems, inputs.references, metric, threads=threads, progress=progress)
    for warning in warnings:
        note(f"warning: {warning}")
    return measures


def _show_preferences(
    human: Path,
    scores: list[Path],
    measures: list[Measure],
    settings: StudySettings,
    first_segment: int,
    seed: int,
    reports: list[Path],
    as_json: bool,
) -> None:
    from dragoman.evaluation.preferences import read_preferences, study_preferences
    from dragoman.evaluation.report import write_report
    from dragoman.evaluation.score_files import read_metrics_task
    from dragoman.evaluation.study_inputs import rows_of_measures, scores_of_segments

    rows = [row for path in scores for row in read_metrics_task(path)]
    rows += rows_of_measures(measures, level="segment", pair="-", test_set="-", first_segment=first_segment)
    found = study_preferences(
        read_preferences(human),
        scores_of_segments(rows),
        higher_is_better={**settings.higher_is_better, **{one.label: one.higher_is_better for one in measures}},
        intersect=settings.intersect,
        seed=seed,
    )
    for path in reports:
        write_report(found.document(), found.to_dict(), path)
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: dragoman correlate --human human.tsv --scores metrics.tsv --report study.html")(
        correlate
    )
