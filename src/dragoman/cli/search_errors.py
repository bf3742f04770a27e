"""`dragoman search-errors` and `dragoman verify-certificate`: is it the search's fault, and is the proof sound?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.output import Json, Threads, TrustFeatures, bar, show, show_json, show_json_lines
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
    by: Annotated[str, typer.Option(help="A setting with values to compare: `distortion-limit=2,4,6`.")] = "",
    also: Annotated[
        list[Path] | None, typer.Option(help="Another model, say with a language model of another order; repeat.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="A picture of errors by beam: .svg.")] = None,
    side_by_side: Annotated[
        int, typer.Option(help="Of each search show so many errors beside what is best.", min=0)
    ] = 0,
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
    from rich.text import Text

    from dragoman.drawing import require_svg, save_svg
    from dragoman.evaluation.search_errors import plot_errors
    from dragoman.files import read_lines, writing
    from dragoman.pipeline.search_errors import find_search_errors, named_searches, settings_to_compare

    if plot is not None:
        require_svg(plot)
    texts, references = list(read_lines(file)), [list(read_lines(path)) for path in ref or []]
    found = {}
    for path in (model, *(also or [])):
        opened = open_model(path, weights, changes, trust_features)
        kind = opened.decoder.settings_type
        searches = named_searches(system or ["cube:10,100,1000"], kind)
        for label, chosen in settings_to_compare(by, kind).items():
            name = ", ".join(filter(None, (path.name if also else "", label)))
            with bar(f"searching {name}".strip()) as progress:
                found[name] = find_search_errors(
                    opened.with_settings(**chosen),
                    texts,
                    searches,
                    references=references,
                    metric=metric,
                    threads=threads,
                    progress=progress,
                )
    plain = {name: errors.to_dict() for name, errors in found.items()}
    if lines is not None:
        with writing(lines) as out:
            rows = (
                {"run": name, "search": each["name"], **row}
                for name, told in plain.items()
                for each in told["systems"]
                for row in each["lines"]
            )
            show_json_lines(rows, out)
    if plot is not None:
        save_svg(plot, plot_errors(found).svg())
    if as_json:
        show_json({"runs": plain} if len(plain) > 1 else next(iter(plain.values())))
        return
    for name, errors in found.items():
        if name:
            show(Text(name))
        show(errors)
        for each in errors.systems:
            for error in each.errors[:side_by_side]:
                show(Text(f"\n{each.name}"))
                show(error)


@search_options
def verify_certificate(
    model: ModelPath,
    certificates: Annotated[list[Path], typer.Argument(help="Files that `translate --certificate` wrote.")],
    weights: WeightsPath = None,
    as_json: Json = False,
    *,
    changes: dict[str, Any],
) -> None:
    """Check proofs of exact search against a model, without the search that found them.

    What they state of a sentence, options, scores and limits, must be what the model says of it. What was changed when
    they were made, settings or weights, is to be changed here as well: a proof for another model is none for this one.
    """
    from rich.table import Table

    from dragoman.search.certificate_files import read_certificate
    from dragoman.search.exact import upper_bounds
    from dragoman.search.stated_problem import verified

    decoder = open_model(model, weights, changes, trust_features=False).decoder
    bounds = upper_bounds(decoder.language_models)
    rows = []
    for path in certificates:
        given = read_certificate(path)
        verdict = verified(given, decoder, bounds=bounds)
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
        show_json({"certificates": rows})
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
