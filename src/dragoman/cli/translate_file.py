"""`dragoman translate-file`: a document through a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.marked_text import Patterns, Terms
from dragoman.cli.output import Json, NoVerify, Threads, TrustFeatures, bar, note, show_json
from dragoman.cli.search_options import search_options
from dragoman.cli.translate import GlossaryPath, ModelPath, Monotone, NoDrop, WeightsPath, asked, open_model

__all__ = ["register"]


@search_options
def translate_file(
    model: ModelPath,
    file: Annotated[Path, typer.Argument(help="A document; its format follows from its name.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write.")],
    document_format: Annotated[
        str,
        typer.Option("--format", "-f", help="Its format, if its name does not say; `dragoman list document-formats`."),
    ] = "",
    everything: Annotated[
        bool, typer.Option("--everything", help="Translate what has a translation already, too (PO, XLIFF, TMX).")
    ] = False,
    final: Annotated[
        bool, typer.Option("--final", help="Do not mark translations as in need of review (PO, XLIFF).")
    ] = False,
    glossary: GlossaryPath = None,
    terms: Terms = None,
    patterns: Patterns = None,
    monotone: Monotone = False,
    no_drop: NoDrop = False,
    weights: WeightsPath = None,
    trust_features: TrustFeatures = False,
    no_verify: NoVerify = False,
    threads: Threads = 0,
    as_json: Json = False,
    *,
    changes: dict[str, Any],
) -> None:
    """Translate a document; placeholders, tags and layout stay, and what people translated is left alone."""
    from dragoman.pipeline.documents import translate_file as run

    opened = open_model(model, weights, changes, trust_features)
    control = asked(glossary, "", terms, patterns, monotone, no_drop)
    with bar("translating") as progress:
        made = run(
            opened,
            file,
            output,
            kind=document_format,
            everything=everything,
            final=final,
            progress=progress,
            threads=threads,
            control=control,
        )
    if as_json:
        show_json({"file": str(output), "units": made.units, "translated": made.translated})
    else:
        note(f"{made.translated} of {made.units} units translated, written to {output}")


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("translate-file", epilog="Example: dragoman translate-file models/de-en in.po -o out.po")(
        translate_file
    )
