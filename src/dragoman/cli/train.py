"""`dragoman train`: from two files of raw text to a model bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.marked_text import (
    Annotate,
    Annotations,
    DomainLines,
    Patterns,
    Terms,
    parse_domains,
    read_list,
)
from dragoman.cli.output import Force, Json, On, OptionalSeed, Threads, TrustFeatures, bar, note, show, show_json


def train(
    source: Annotated[Path, typer.Argument(help="Source side, one segment a line; or a .tmx, .tsv, .jsonl of pairs.")],
    target: Annotated[Path | None, typer.Argument(help="Target side, line by line.")] = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write, a folder.")],
    dev_source: Annotated[
        Path | None, typer.Option(help="Source of the dev set; without one, a part is held out.")
    ] = None,
    dev_target: Annotated[list[Path] | None, typer.Option(help="Its reference; repeat for several.")] = None,
    heldout_source: Annotated[
        Path | None, typer.Option(help="Source of a set that is not tuned on: the iteration it likes best is kept.")
    ] = None,
    heldout_target: Annotated[list[Path] | None, typer.Option(help="Its reference; repeat for several.")] = None,
    languages: Annotated[str, typer.Option("--languages", "-l", help="Such as de-en; else from file names.")] = "",
    lm_text: Annotated[list[Path] | None, typer.Option(help="Further text of the target language; repeat.")] = None,
    source_text: Annotated[
        list[Path] | None,
        typer.Option(help="Further text of the source language, for --oov and --paraphrase; repeat."),
    ] = None,
    domain_text: Annotated[
        list[Path] | None,
        typer.Option(
            help="Source text like that to be translated: choose training pairs by it (select_pairs); repeat."
        ),
    ] = None,
    oov: Annotated[
        str | None, typer.Option(help="Translations for unknown words: graph, forms, graph+forms or none.")
    ] = None,
    paraphrase: Annotated[
        bool | None, typer.Option("--paraphrase", help="Translations for unknown phrases, by paraphrases.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="Of model: see `dragoman list decoders`.")] = None,
    tokenized: Annotated[bool | None, typer.Option("--tokenized", help="Text is tokenised: leave it as it is.")] = None,
    case: Annotated[str | None, typer.Option(help="truecase, lowercase or keep.")] = None,
    postprocess: Annotated[
        str | None, typer.Option(help="Case and blanks after decoding: rules, language-model or random-field.")
    ] = None,
    terms: Terms = None,
    patterns: Patterns = None,
    order: Annotated[int | None, typer.Option(help="Order of the language model.")] = None,
    aligner: Annotated[str | None, typer.Option(help="See `dragoman list aligners`.")] = None,
    symmetrize: Annotated[str | None, typer.Option(help="Such as grow-diag-final-and, posterior.")] = None,
    anchors: Annotated[
        Path | None, typer.Option(help="Expressions that belong together, as `align mwe extract` writes them.")
    ] = None,
    max_phrase: Annotated[int | None, typer.Option(help="Longest phrase, in tokens.")] = None,
    smoothing: Annotated[str | None, typer.Option(help="none, good-turing, kneser-ney.")] = None,
    reordering: Annotated[str | None, typer.Option(help="Such as hier-mslr-bidirectional-fe; `none`.")] = None,
    evidence: Annotated[bool | None, typer.Option("--evidence", help="Keep which sentences taught each rule.")] = None,
    templates: Annotated[
        list[str] | None, typer.Option(help="Sparse templates: `extended`, `rule:min_count=5`, `none`; repeat.")
    ] = None,
    domain: DomainLines = None,
    dev_domain: Annotated[list[str] | None, typer.Option(help="As --domain, for the dev set.")] = None,
    annotations: Annotations = None,
    dev_annotations: Annotated[Path | None, typer.Option(help="As --annotations, for the dev set.")] = None,
    annotate: Annotate = "",
    annotate_target: Annotated[
        str, typer.Option(help="As --annotate, for the target side, where rules must fit its trees.")
    ] = "",
    system: Annotated[
        str | None,
        typer.Option(help="As papers have it: rules that fit trees, dc-sl-npr, or have labels, chunk, srl."),
    ] = None,
    syntax: Annotated[
        str | None, typer.Option(help="Soft syntactic constraints: XP2, NP.VP=.QP+; the dev set must be annotated.")
    ] = None,
    tuner: Annotated[str | None, typer.Option(help="How to tune the weights; `none` leaves them.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Of tuning.")] = None,
    seed: OptionalSeed = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", help="A recipe in TOML, or one by name (`dragoman list recipes`); options go before it."
        ),
    ] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Any setting: NAME=VALUE; repeat.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Keep finished stages in this folder.")] = None,
    trust_features: TrustFeatures = False,
    force: Force = False,
    strict: Annotated[bool, typer.Option("--strict", help="What looks wrong with the text is an error.")] = False,
    threads: Threads = 0,
    on: On = "",
    memory: Annotated[
        str, typer.Option(help="What no stage may exceed, such as 4G; one that would is refused at once.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Train a translation model: prepare text, learn language model, alignment and table, tune, write a bundle."""
    from dragoman.errors import SettingError
    from dragoman.pipeline.named_recipes import open_recipe
    from dragoman.pipeline.preflight import Preflight
    from dragoman.pipeline.recipe import Recipe
    from dragoman.pipeline.train import train as run
    from dragoman.text.corpus import Bitext
    from dragoman.text.formats import language_pair

    given: dict[str, Any] = {
        "kind": kind,
        "tokenized": tokenized,
        "case": case,
        "postprocess": postprocess,
        "terms": read_list(terms),
        "patterns": read_list(patterns),
        "order": order,
        "aligner": aligner,
        "symmetrize": symmetrize,
        "anchors": None if anchors is None else str(anchors),
        "max_phrase": max_phrase,
        "smoothing": smoothing,
        "reordering": "" if reordering == "none" else reordering,
        "evidence": evidence,
        "oov": oov,
        "paraphrase": paraphrase,
        "templates": _templates(templates),
        "syntax": syntax,
        "system": system,
        "annotate": annotate or None,
        "annotate_target": annotate_target or None,
        "tuner": tuner,
        "iterations": iterations,
        "seed": seed,
    }
    start = open_recipe(config) if config is not None else Recipe()
    named = {name: value for name, value in given.items() if value is not None}
    recipe = start.changed(settings or [], named)
    pair = language_pair(languages) if languages else None
    if (dev_source is None) != (not dev_target):
        raise SettingError("a dev set needs both sides", remedy="give --dev-source and --dev-target, or neither")
    if (heldout_source is None) != (not heldout_target):
        raise SettingError("a held-out set needs both sides", remedy="give --heldout-source and --heldout-target")
    dev = heldout = None
    if dev_source is not None and dev_target:
        dev = Bitext.open(dev_source, dev_target[0], languages=pair, references=dev_target[1:])
    if heldout_source is not None and heldout_target:
        heldout = Bitext.open(heldout_source, heldout_target[0], languages=pair, references=heldout_target[1:])

    def started(sizes: Preflight) -> None:
        if not as_json:
            show(sizes)
        for remark in sizes.notes:
            note(remark.replace("languages=FROM-TO", "--languages FROM-TO"))
        for warning in sizes.warnings:
            note(f"warning: {warning.replace('tokenized=True', '--tokenized')}")

    with bar("training") as progress:
        model = run(
            source,
            target,
            output=output,
            dev=dev,
            heldout=heldout,
            languages=pair,
            recipe=recipe,
            lm_text=lm_text or (),
            source_text=source_text or (),
            domain_text=domain_text or (),
            cache=cache,
            domains=parse_domains(domain or []),
            dev_domains=parse_domains(dev_domain or []),
            annotations=annotations,
            dev_annotations=dev_annotations,
            threads=threads,
            on=on or None,
            memory=memory or 0,
            trust_features=trust_features,
            force=force,
            strict=strict,
            progress=progress,
            started=started,
        )
    if as_json:
        show_json({"model": str(model.path), **model.report})
        return
    from dragoman.pipeline.train import report_table

    show(report_table(model.report))
    for remark in model.report["notes"][len(model.report["preflight"]["notes"]) :]:
        note(remark)
    show(f"{model.path}: {'-'.join(model.languages)}, {max(1.0, sum(model.bundle.sizes.values()) / 2**20):.0f} MB")


def _templates(given: list[str] | None) -> list[str] | None:
    """Specifications out of options; None if there are no options at all."""
    from dragoman.features.template_specs import split_specs

    return split_specs(",".join(name for name in given if name != "none")) if given else None


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(
        epilog="Example: dragoman train corpus.de corpus.en -o models/de-en --dev-source dev.de --dev-target dev.en"
    )(train)
