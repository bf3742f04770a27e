"""`dragoman simulate-interactive`: how many keys a translator saves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Limit, TrustFeatures, bar, show, show_json
from dragoman.cli.translate import ModelPath

__all__ = ["register"]


def simulate_interactive(
    model: ModelPath,
    source: Annotated[Path, typer.Argument(help="Text to be translated, one segment a line.")],
    ref: Annotated[Path, typer.Option("--ref", "-r", help="What the translator wants to write, a line for each.")],
    learn: Annotated[
        bool, typer.Option("--learn", help="Learn from each sentence that is finished; nothing of it is kept.")
    ] = False,
    limit: Limit = 0,
    trust_features: TrustFeatures = False,
    as_json: Json = False,
) -> None:
    """Type references with the help of completions, letter by letter, and count the keys."""
    from rich.table import Table

    from dragoman.files import read_parallel
    from dragoman.pipeline.learned import LearnedLayer
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.simulated_user import simulate

    sources, references = read_parallel([source, ref])
    opened = Model.open(model, trust_features=trust_features)
    layer = LearnedLayer(opened, keep=False) if learn else None
    with bar("typing") as progress:
        found = simulate(
            layer.model if layer is not None else opened,
            sources[: limit or None],
            references[: limit or None],
            after_each=layer.learn if layer is not None else None,
            progress=progress,
        ).to_dict()
    if as_json:
        show_json(found)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    times = found.pop("milliseconds")
    for name, value in {**found, **{f"milliseconds, {name}": each for name, each in times.items()}}.items():
        table.add_row(name.replace("_", " "), f"{value:,.3f}" if isinstance(value, float) else f"{value:,}")
    show(table)


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(
        "simulate-interactive", epilog="Example: dragoman simulate-interactive models/de-en test.de --ref test.en"
    )(simulate_interactive)
