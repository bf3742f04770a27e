"""`dragoman confidence`: teach a model how sure it may be, and measure whether it is right about that."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import DevSource, DevTarget, Force, Json, Threads, TrustFeatures, show, show_json
from dragoman.cli.translate import ModelPath


def confidence(
    model: ModelPath,
    dev_source: DevSource,
    dev_target: DevTarget,
    heldout_source: Annotated[
        Path | None, typer.Option("--heldout-source", help="Text to measure on; the dev set itself by default.")
    ] = None,
    heldout_target: Annotated[
        list[Path] | None, typer.Option("--heldout-target", help="Its reference; repeat for several.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder of a new model; by default the one that was read.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="A picture of how reliable it is, .svg.")] = None,
    trust_features: TrustFeatures = False,
    force: Force = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Fit the probability that a word is right to a dev set, store it in the model, and measure it on other text."""
    from rich.table import Table

    from dragoman.bundle import require_new_bundle, require_place_for_bundle
    from dragoman.drawing import save_svg
    from dragoman.errors import SettingError
    from dragoman.files import read_lines
    from dragoman.pipeline.confidence import calibrate, measure, reliability_plot
    from dragoman.pipeline.model import BUNDLE_KIND, Model

    if (heldout_source is None) != (not heldout_target):
        raise SettingError("a held-out text needs two sides", remedy="give --heldout-source and --heldout-target")
    if output is not None and output.resolve() != model.resolve():
        require_place_for_bundle(output, BUNDLE_KIND)
        require_new_bundle(output, force=force)
    opened = Model.open(model, trust_features=trust_features)
    fitted = calibrate(opened, list(read_lines(dev_source)), *map(list, map(read_lines, dev_target)), threads=threads)
    knowing = opened.with_confidence(fitted).save(output, change="confidence", force=force)
    measured = measure(
        knowing,
        list(read_lines(heldout_source or dev_source)),
        *(list(read_lines(each)) for each in heldout_target or dev_target),
        threads=threads,
    )
    if plot is not None:
        save_svg(plot, reliability_plot(measured).svg())
    if as_json:
        show_json({"scale": fitted.scale, **measured.to_dict()})
        return
    table = Table(box=None, pad_edge=False)
    for header in ("confidence", "right", "words"):
        table.add_column(header, justify="right")
    for chance, truth, words in measured.bins:
        table.add_row(f"{chance:.3f}", f"{truth:.3f}", f"{words:,}")
    show(table)
    show(f"calibration error {measured.error:.4f}; {measured.right:.1%} of words are right")
    show(f"{measured.found:.1%} of wrong words are among the least confident 20%")


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(epilog="Example: dragoman confidence models/de-en --dev-source dev.de --dev-target dev.en")(confidence)
