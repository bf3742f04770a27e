"""`dragoman search-errors` and `dragoman verify-certificate`: is it the search's fault, and is the proof sound?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.output import Json, Threads, TrustFeatures, bar, show, show_json
from dragoman.cli.search_options import search_options
from dragoman.cli.translate import ModelPath, WeightsPath, open_model


@search_options
def search_errors(
    model: ModelPath,
    file: Annotated[Path, typer.Argument(help="Text, one segment a line; '-' is standard input.")] = Path("-"),
    ref: Annotated[list[Path] | None, typer.Option("--ref", "-r", help="A reference; repeat for several.")] = None,
    metric: Annotated[str, typer.Option("--metric", "-m", help="See `dragoman list metrics`.")] = "bleu",
    system: Annotated[
        list[str] | None,
        typer.Option(help="A search and its beams, `cube:10,100`, or settings, `pop_limit=50,beam=200`; repeat."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="A picture of errors by beam: .svg.")] = None,
    lines: Annotated[
        Path | None, typer.Option(help="Which sentences, with both derivations: a JSON object a line.")
    ] = None,
    weights: WeightsPath = None,
    trust_features: TrustFeatures = False,
    threads: Threads = 0,
    as_json: Json = False,
    *,
    changes: dict[str, Any],
) -> None:
    """Count how often search misses what the model scores best, and what that costs.

    Options, limits and weights are the same for all searches and for the exact one; --epsilon, --time-limit and
    --memory are the exact one's.
    """
    from dragoman.drawing import require_svg, save_svg
    from dragoman.files import read_lines
    from dragoman.pipeline.search_errors import find_search_errors, named_searches

    if plot is not None:
        require_svg(plot)
    searches = named_searches(system or ["cube:10,100,1000"])
    opened = open_model(model, weights, changes, trust_features)
    with bar("searching") as progress:
        found = find_search_errors(
            opened,
            list(read_lines(file)),
            searches,
            references=[list(read_lines(path)) for path in ref or []],
            metric=metric,
            threads=threads,
            progress=progress,
        )
    plain = found.to_dict()
    if lines is not None:
        rows = [{"search": each["name"], **row} for each in plain["systems"] for row in each["lines"]]
        lines.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    if plot is not None:
        save_svg(plot, found.plot().svg())
    if as_json:
        show_json(plain)
    else:
        show(found)


def verify_certificate(
    model: ModelPath,
    certificates: Annotated[list[Path], typer.Argument(help="Files that `translate --certificate` wrote.")],
    as_json: Json = False,
) -> None:
    """Check proofs of exact search against the language models of a model, without the search that found them."""
    from rich.table import Table

    from dragoman.pipeline.model import Model
    from dragoman.search.certificate import read_certificate, verify
    from dragoman.search.exact import upper_bounds

    models = Model.open(model).decoder.language_models
    bounds = upper_bounds(models)
    rows = []
    for path in certificates:
        given = read_certificate(path)
        verdict = verify(given, models, bounds=bounds)
        rows.append(
            {
                "file": str(path),
                "valid": verdict.valid,
                "score": verdict.score,
                "bound": verdict.bound,
                "gap": verdict.gap,
                "text": " ".join(given.target),
                "problems": list(verdict.problems),
            }
        )
    if as_json:
        show_json(rows)
    else:
        table = Table(box=None, pad_edge=False)
        for header in ("file", "verdict", "score", "gap", ""):
            table.add_column(header)
        for row in rows:
            numbers = [f"{row['score']:.4f}", f"{row['gap']:.4f}"]
            said = str(row["text"]) if row["valid"] else "; ".join(row["problems"])  # type: ignore[arg-type]
            table.add_row(str(row["file"]), "valid" if row["valid"] else "INVALID", *numbers, said)
        show(table)
    if not all(row["valid"] for row in rows):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(
        "search-errors",
        epilog="Example: dragoman search-errors models/de-en dev.de -r dev.en --system cube:10,100,1000",
    )(search_errors)
    app.command("verify-certificate", epilog="Example: dragoman verify-certificate models/de-en proofs/*.json")(
        verify_certificate
    )
