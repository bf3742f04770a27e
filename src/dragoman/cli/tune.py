"""`dragoman tune`: weights that make a model score well on a dev set."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.extract import DomainLines, parse_domains
from dragoman.cli.output import Json, Method, Seed, Threads, TrustFeatures, note, show, show_json, stderr

if TYPE_CHECKING:
    from dragoman.progress import Progress, Report
    from dragoman.tuning.result import Iteration


def tune(
    model: Annotated[Path, typer.Argument(help="The model bundle.")],
    source: Annotated[Path, typer.Argument(help="Source side of the dev set, one segment a line.")],
    references: Annotated[list[Path], typer.Argument(help="References; several files for several of each segment.")],
    method: Method = "auto",
    metric: Annotated[str, typer.Option("--metric", "-m", help="Such as `bleu`, `ter`, `bleu - ter`.")] = "bleu",
    iterations: Annotated[int, typer.Option(help="Rounds of decoding and learning.", min=1)] = 10,
    nbest: Annotated[int, typer.Option(help="Derivations of each segment to learn from.", min=1)] = 100,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the tuner: NAME=VALUE; repeat.")
    ] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A feature that keeps its weight; repeat.")] = None,
    start: Annotated[Path | None, typer.Option(help="Weights to start from, instead of the model's.")] = None,
    heldout_source: Annotated[Path | None, typer.Option(help="Choose the best iteration on this text.")] = None,
    heldout_target: Annotated[list[Path] | None, typer.Option(help="Its references.")] = None,
    heldout_domain: Annotated[list[str] | None, typer.Option(help="As --domain, for the held-out text.")] = None,
    templates: Annotated[
        list[str] | None, typer.Option(help="Add sparse templates: `extended`, `rule:min_count=5`; repeat.")
    ] = None,
    template_text: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Raw text of both sides to make their classes and words from.")
    ] = None,
    source_classes: Annotated[Path | None, typer.Option(help="Their source classes: `word TAB class`.")] = None,
    target_classes: Annotated[Path | None, typer.Option(help="Their target classes.")] = None,
    feature: Annotated[
        list[str] | None, typer.Option(help="Add a feature in Python, module:Class:option=value; repeat.")
    ] = None,
    domain: DomainLines = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the weights to this file; else into the model.")
    ] = None,
    save_as: Annotated[Path | None, typer.Option(help="Write a new model here, and leave the old one.")] = None,
    log: Annotated[Path | None, typer.Option(help="Keep a line of JSON for each iteration in this file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the log.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the learning curve (SVG).")] = None,
    seed: Seed = 1,
    trust_features: TrustFeatures = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Tune the weights of a model on a dev set."""
    from dragoman.errors import SettingError
    from dragoman.features.marks import with_domains
    from dragoman.features.resources import Making
    from dragoman.features.templates import split_specs
    from dragoman.features.weights import Weights
    from dragoman.files import read_lines, writing
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.tune import tune_model
    from dragoman.tuning import tuner_named
    from dragoman.tuning.families import Selection

    if resume and log is None:
        raise SettingError("nothing to resume from", remedy="give the --log of the run that was interrupted")
    if (heldout_source is None) != (not heldout_target):
        raise SettingError("a held-out set needs both sides", remedy="give --heldout-source and --heldout-target")
    if output is not None and (save_as is not None or templates or feature):
        raise SettingError("weights alone for a changed model", remedy="give --save-as instead of --output")
    opened = Model.open(model, trust_features=trust_features)
    tuner = tuner_named(method, sparse=bool(templates or opened.decoder.templates), settings=settings or [])
    change = f"tuned by {tuner.name} to {metric}"
    if templates:
        specs = split_specs(",".join(templates))
        read = [list(read_lines(path)) for path in template_text or ()]
        opened = opened.with_templates(
            specs, text=(read[0], read[1]) if read else None, source_classes=source_classes,
            target_classes=target_classes, making=Making(seed=seed, threads=threads),
        )  # fmt: skip
        change += f", with the templates {', '.join(specs)}"
    if feature:
        opened = opened.with_features(feature)
        change += f", with the features {', '.join(feature)}"
    first = Weights.load(start) if start is not None else None
    for weights in (first or {}, dict.fromkeys(fixed or [], 0.0)):
        opened.decoder.check_weights(Weights(weights))
    heldout = None
    if heldout_source is not None and heldout_target:
        judged = list(with_domains(read_lines(heldout_source), parse_domains(heldout_domain or [])))
        heldout = (judged, [list(read_lines(path)) for path in heldout_target])
    with _view(metric) as (watch, progress):
        result = tune_model(
            opened,
            list(with_domains(read_lines(source), parse_domains(domain or []))),
            [list(read_lines(path)) for path in references],
            method=tuner,
            metric=metric,
            iterations=iterations,
            nbest=nbest,
            seed=seed,
            threads=threads,
            start=first,
            fixed=fixed or (),
            heldout=heldout,
            log=log,
            resume=resume,
            progress=progress,
            watch=watch,
        )
    if output is not None:
        result.weights.save(output)
    elif save_as is not None or templates or feature:
        opened.with_weights(result.weights).save(save_as, change=change)
    else:
        opened.save_weights(result.weights, change=change)
    selection = Selection.of(result.weights)
    if plot is not None:
        from dragoman.tuning.picture import learning_curve

        with writing(plot) as file:
            file.write(learning_curve(result).svg())
    for warning in result.best.warnings:
        note(f"warning: {warning}")
    if as_json:
        show_json({**result.to_dict(), "selection": selection.to_dict()})
        return
    show(result)
    if opened.decoder.templates:
        show(selection)
    shown = [result.scale * result.history[0].score, result.scale * result.score]
    where = output or save_as or model
    show(f"{result.metric} {shown[0]:.2f} before, {shown[1]:.2f} after; {result.reason}; weights written to {where}")


@contextlib.contextmanager
def _view(metric: str) -> Iterator[tuple[Callable[[Iteration], None], Report]]:
    """Each iteration as it ends and how far the current one is: a table with a bar on a terminal, else lines."""
    from dragoman.metrics import get_metric
    from dragoman.tuning.log import pick
    from dragoman.tuning.result import history_table

    judged = get_metric(metric)
    seen: list[Iteration] = []

    def best() -> int:
        return pick(seen, higher_is_better=judged.higher_is_better)

    if not sys.stderr.isatty():

        def line(iteration: Iteration) -> None:
            seen.append(iteration)
            said = [f"iteration {iteration.number}: {judged.name} {judged.scale * iteration.score:.2f}"]
            if iteration.heldout is not None:
                said.append(f"held out {judged.scale * iteration.heldout:.2f}")
            if iteration.objective is not None:
                factor = judged.scale if iteration.objective_is_metric else 1.0
                said.append(f"on the lists {factor * iteration.objective:.4g}")
            said.append(f"best so far in iteration {best()}")
            said.append(f"{iteration.decode_seconds + iteration.learn_seconds:.1f} s")
            note(", ".join(said))
            for warning in iteration.warnings:
                note(f"warning: iteration {iteration.number}: {warning}")

        yield line, lambda _: None
        return
    from rich.console import Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    bars = Bars(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=stderr())
    stage = bars.add_task("starting", total=None)
    with Live(bars, console=stderr(), transient=True) as live:

        def row(iteration: Iteration) -> None:
            seen.append(iteration)
            table = history_table(seen, metric=judged.name, scale=judged.scale, best=best())
            live.update(Group(table, bars), refresh=True)

        def report(progress: Progress) -> None:
            bars.update(stage, description=progress.stage, completed=progress.done, total=progress.total)

        yield row, report


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(epilog="Example: dragoman tune models/de-en dev.de dev.en --method mert --metric 'bleu - ter'")(tune)
