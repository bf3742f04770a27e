"""`dragoman forest`: look into saved forests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, note, show, show_json

if TYPE_CHECKING:
    from dragoman.forest import Forest

Forests = Annotated[Path, typer.Argument(help="Forests as JSON lines or in a binary file; '-' reads standard input.")]
Item = Annotated[int, typer.Option("--item", "-i", help="Which forest of the file, from 0.")]

forest_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Look into saved forests: draw, list, prune them."
)


def _chosen(path: Path, item: int) -> Forest:
    from dragoman.errors import SettingError
    from dragoman.forest.store import read_forests

    forests = read_forests(path)
    if not 0 <= item < len(forests):
        raise SettingError(f"there is no forest {item}", remedy=f"{path} holds {len(forests)}, counted from 0")
    return forests[item]


@forest_app.command("show", epilog="Example: dragoman forest show dev.forests --item 3 -o third.svg")
def show_forest(
    forests: Forests = Path("-"),
    item: Item = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the forest: .svg, .dot for Graphviz, or .json.")
    ] = None,
    most_edges: Annotated[int, typer.Option(help="In the drawing; the best derivations are kept.")] = 60,
    as_json: Json = False,
) -> None:
    """Say how large a forest is, how sure of itself, and what its best derivation does."""
    from dragoman.forest.graphviz import save_graph
    from dragoman.forest.inside import entropy

    forest = _chosen(forests, item)
    if output is not None:
        save_graph(forest, output, most_edges=most_edges)
    found = {
        "source": " ".join(forest.source),
        "nodes": forest.nodes,
        "edges": forest.edges,
        "derivations": forest.count(),
        "entropy": entropy(forest),
        "best": forest.best().to_dict() if forest else None,
    }
    if as_json:
        show_json(found)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for key in ("source", "nodes", "edges", "derivations"):
        table.add_row(key, Text(str(found[key])))
    table.add_row("entropy", f"{found['entropy']:.3f} nats")
    if forest:
        table.add_row("best", Text("\n".join(forest.best().lines())))
    show(table)


@forest_app.command("kbest", epilog="Example: dragoman forest kbest dev.forests -k 100 --distinct")
def kbest(
    forests: Forests = Path("-"),
    k: Annotated[int, typer.Option("-k", help="How many.")] = 10,
    distinct: Annotated[bool, typer.Option("--distinct", help="Each target once.")] = False,
    item: Item = 0,
    as_json: Json = False,
) -> None:
    """List the best derivations of a forest: score and target."""
    import sys

    found = _chosen(forests, item).kbest(k, distinct=distinct)
    if as_json:
        show_json({"derivations": [derivation.to_dict() for derivation in found]})
        return
    for derivation in found:
        sys.stdout.write(f"{derivation.score:.6f}\t{derivation.text}\n")


@forest_app.command("prune", epilog="Example: dragoman forest prune dev.forests -o small.forests --margin 5")
def prune(
    forests: Forests = Path("-"),
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="JSON lines for .json and .jsonl and '-', else a binary file.")
    ],
    margin: Annotated[float, typer.Option(help="Drop edges whose best derivation is worse by more.")] = float("inf"),
    density: Annotated[float, typer.Option(help="Edges per word of the best target.")] = float("inf"),
    posterior: Annotated[float, typer.Option(help="Drop edges less probable than this.")] = 0.0,
) -> None:
    """Make all forests of a file smaller; also turns JSON into binary files and back."""
    from dragoman.forest.store import read_forests, write_forests

    before = after = 0

    def smaller() -> Iterator[Forest]:
        nonlocal before, after
        for forest in read_forests(forests):
            less = forest.prune(margin=margin, density=density, posterior=posterior)
            before, after = before + forest.edges, after + less.edges
            yield less

    write_forests(output, smaller())
    note(f"{after} of {before} edges kept")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.add_typer(forest_app, name="forest")
