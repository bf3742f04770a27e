"""`dragoman tune`: weights that make a model score well on a dev set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.marked_text import Annotate, annotated, annotator, parse_domains
from dragoman.cli.output import (
    DevSource,
    DevTarget,
    Force,
    Json,
    Seed,
    Threads,
    TrustFeatures,
    TunerName,
    note,
    show,
    show_json,
)
from dragoman.cli.tuning_view import LogFile, Plot, Resume, draw_curve, tuning_view

if TYPE_CHECKING:
    from dragoman.text.source_text import SourceText


def tune(
    model: Annotated[Path, typer.Argument(help="The model bundle.")],
    dev_source: DevSource,
    dev_target: DevTarget,
    tuner: TunerName = "auto",
    metric: Annotated[str, typer.Option("--metric", "-m", help="Such as `bleu`, `ter`, `bleu - ter`.")] = "bleu",
    iterations: Annotated[int, typer.Option(help="Rounds of decoding and learning.", min=1)] = 10,
    nbest: Annotated[int, typer.Option(help="Derivations of each segment to learn from.", min=1)] = 100,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the tuner: NAME=VALUE; repeat.")
    ] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A feature or family that keeps its weight; repeat.")] = None,
    start: Annotated[Path | None, typer.Option(help="Weights to start from, instead of the model's.")] = None,
    heldout_source: Annotated[Path | None, typer.Option(help="Choose the best iteration on this text.")] = None,
    heldout_target: Annotated[list[Path] | None, typer.Option(help="Its references.")] = None,
    heldout_domain: Annotated[list[str] | None, typer.Option(help="As --dev-domain, for the held-out text.")] = None,
    templates: Annotated[
        list[str] | None, typer.Option(help="Add sparse templates: `extended`, `rule:min_count=5`; repeat.")
    ] = None,
    template_text: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Raw text of both sides to make their classes and words from.")
    ] = None,
    source_classes: Annotated[Path | None, typer.Option(help="Their source classes: `word TAB class`.")] = None,
    target_classes: Annotated[Path | None, typer.Option(help="Their target classes.")] = None,
    features: Annotated[
        list[str] | None, typer.Option(help="Add a feature in Python, module:Class:option=value; repeat.")
    ] = None,
    dev_domain: Annotated[
        list[str] | None, typer.Option(help="NAME=FIRST-LAST or NAME=FILE: lines (from 1) of a domain; repeat.")
    ] = None,
    dev_annotations: Annotated[
        Path | None, typer.Option(help="Annotation of the source text, tokenised as the model does it: CoNLL-U, .mrg.")
    ] = None,
    heldout_annotations: Annotated[
        Path | None, typer.Option(help="As --dev-annotations, for the held-out text.")
    ] = None,
    annotate: Annotate = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the weights to this file; else into the model.")
    ] = None,
    save_as: Annotated[
        Path | None, typer.Option(help="Write a new model into this folder, and leave the old one.")
    ] = None,
    log: LogFile = None,
    resume: Resume = False,
    plot: Plot = None,
    seed: Seed = 1,
    trust_features: TrustFeatures = False,
    force: Force = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Tune the weights of a model on a dev set."""
    from dragoman.bundle import require_new_bundle, require_place_for_bundle
    from dragoman.drawing import require_svg
    from dragoman.errors import SettingError
    from dragoman.features.resources import ResourceOptions
    from dragoman.features.template_specs import split_specs
    from dragoman.features.weights import Weights
    from dragoman.files import read_parallel, require_writable
    from dragoman.pipeline.model import BUNDLE_KIND, Model
    from dragoman.pipeline.tune import tune_model
    from dragoman.tuning.families import Selection

    if (heldout_source is None) != (not heldout_target):
        raise SettingError("a held-out set needs both sides", remedy="give --heldout-source and --heldout-target")
    if output is not None and (save_as is not None or templates or features):
        raise SettingError("weights alone for a changed model", remedy="give --save-as instead of --output")
    for path in filter(None, (output, log)):
        require_writable(path)
    if plot is not None:
        require_svg(plot)
    if save_as is not None:
        require_place_for_bundle(save_as, BUNDLE_KIND)
        require_new_bundle(save_as, force=force)
    elif output is None and not force:
        raise SettingError(
            "the model would be changed",
            where=str(model),
            remedy="--save-as writes a new one, -o the weights alone, --force changes this one",
        )
    opened = Model.open(model, trust_features=trust_features).with_annotator(annotator(annotate))
    added = []
    if templates:
        specs = split_specs(",".join(templates))
        read = read_parallel(template_text) if template_text else []
        opened = opened.with_templates(
            specs,
            text=(read[0], read[1]) if read else None,
            source_classes=source_classes,
            target_classes=target_classes,
            resource_options=ResourceOptions(seed=seed, threads=threads),
        )
        added.append(f"with the templates {', '.join(specs)}")
    if features:
        opened = opened.with_features(features)
        added.append(f"with the features {', '.join(features)}")
    first = Weights.load(start) if start is not None else None
    heldout = None
    if heldout_source is not None and heldout_target:
        heldout = _segments(heldout_source, heldout_target, heldout_domain, heldout_annotations)
    with tuning_view(metric) as (watch, progress):
        result = tune_model(
            opened,
            *_segments(dev_source, dev_target, dev_domain, dev_annotations),
            tuner=tuner,
            settings=settings or (),
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
    change = ", ".join([f"tuned by {result.tuner} to {metric}", *added])
    kept = model.with_name(f"{model.name}.weights-before.txt") if output is None and save_as is None else None
    if kept is not None:
        opened.weights.save(kept)
    if output is not None:
        result.weights.save(output)
    elif save_as is not None or templates or features:
        opened.with_weights(result.weights).save(save_as, change=change, force=force)
    else:
        opened.save_weights(result.weights, change=change)
    selection = Selection.of(result.weights)
    draw_curve(plot, result)
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
    if shown[1] == shown[0]:
        note("tuning found nothing better than what the model had: its weights stay as they were")
    if kept is not None:
        note(f"the weights of before are kept in {kept}")


def _segments(
    source: Path, references: list[Path], domain: list[str] | None, annotations: Path | None
) -> tuple[list[SourceText], list[list[str]]]:
    """Segments, with their domains and annotations, and their references."""
    from dragoman.errors import InputError
    from dragoman.files import read_parallel
    from dragoman.text.source_text import with_domains

    lines, *others = read_parallel([source, *references])
    if not lines:
        raise InputError("no segments", where=str(source), remedy="a few hundred are needed to tune on")
    return list(annotated(with_domains(lines, parse_domains(domain or [])), annotations)), others


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(epilog="Example: dragoman tune models/de-en --dev-source dev.de --dev-target dev.en --tuner mert")(tune)
