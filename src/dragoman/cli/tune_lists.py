"""`dragoman tune-lists`: weights for n-best lists that some system wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json


def tune_lists(
    lists: Annotated[
        list[Path], typer.Argument(help="N-best lists as Moses writes them, of one or several rounds; plain or packed.")
    ],
    ref: Annotated[list[Path], typer.Option("--ref", "-r", help="References, tokenised; repeat for several.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the weights to this file.")],
    tuner: Annotated[str, typer.Option("--tuner", help="See `dragoman list tuners`.")] = "mert",
    metric: Annotated[str, typer.Option("--metric", "-m", help="Such as `bleu`, `ter`, `bleu - ter`.")] = "bleu",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the tuner: NAME=VALUE; repeat.")
    ] = None,
    start: Annotated[Path | None, typer.Option(help="Weights to start from; else all are the same.")] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A feature that keeps its weight; repeat.")] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Learn weights from given n-best lists, once and without a decoder."""
    from dragoman.features.weights import Weights
    from dragoman.files import read_parallel, require_writable
    from dragoman.tuning import get_tuner
    from dragoman.tuning.given_lists import tune_lists as learn
    from dragoman.tuning.nbest import NBestPool

    require_writable(output)
    chosen = get_tuner(tuner, sparse=False, settings=settings or [])
    first = Weights.load(start) if start is not None else None
    pool = NBestPool.of_moses(lists, read_parallel(ref), metric, threads=threads)
    with bar("tuning") as progress:
        found = learn(pool, tuner=chosen, start=first, fixed=fixed or (), seed=seed, threads=threads, progress=progress)
    found.weights.save(output)
    for warning in found.warnings:
        note(f"warning: {warning}")
    if as_json:
        show_json(found.to_dict())
        return
    scores = f"{found.scale * found.before:.2f} before, {found.scale * found.after:.2f} after"
    show(f"{found.metric} {scores} on {found.candidates:,} candidates; weights written to {output}")


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    example = "Example: dragoman tune-lists run1.nbest.gz run2.nbest.gz --ref dev.en --tuner mert -o weights.txt"
    app.command("tune-lists", epilog=example)(tune_lists)
