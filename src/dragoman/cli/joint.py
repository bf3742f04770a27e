"""`dragoman joint`: train joint models by themselves, see how well they predict, score pairs with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show_json

__all__ = ["register"]

joint_app = typer.Typer(
    help="Joint models: the probability of target words given those before them and the source around them.",
    no_args_is_help=True,
)

Source = Annotated[Path, typer.Argument(metavar="SRC", help="Tokenised source text, one sentence a line.")]
Target = Annotated[Path, typer.Argument(metavar="TGT", help="Tokenised target text, line by line.")]
Links = Annotated[Path, typer.Argument(metavar="LINKS", help="Word links, `0-0 1-2`, line by line.")]
File = Annotated[Path, typer.Argument(metavar="MODEL", help="A joint model, such as `joint.bin` of a bundle.")]
Reverse = Annotated[
    bool, typer.Option("--reverse", help="Source words are predicted, from those before them and the target around.")
]


def _pairs(source: Path, target: Path, links: Path, reverse: bool) -> tuple[list[str], list[str], list[str]]:
    from dragoman.files import read_lines
    from dragoman.neural.joint_model import reversed_links

    sides = list(read_lines(source)), list(read_lines(target))
    read = list(read_lines(links))
    return (sides[1], sides[0], reversed_links(read)) if reverse else (*sides, read)


@joint_app.command(epilog="Example: dragoman joint train train.de train.en links -o joint.bin --set hidden=128")
def train(
    source: Source,
    target: Target,
    links: Links,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write, a file.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting, such as hidden=128; repeatable.")
    ] = None,
    reverse: Reverse = False,
    state: Annotated[
        Path | None, typer.Option("--state", help="Keep here what training goes on from, and go on from it.")
    ] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Train a joint model on aligned text; a part is held out to know when to stop."""
    from dragoman.files import require_writable
    from dragoman.neural.joint_training import JointSettings, fit_joint_model

    require_writable(output)
    chosen = JointSettings.configured([f"seed={seed}", *(settings or [])])
    with bar("joint model") as progress:
        made = fit_joint_model(
            *_pairs(source, target, links, reverse), output, chosen, state=state, threads=threads, progress=progress
        )
    found = {
        "passes": [[each.perplexity for each in network.history] for network in made.networks],
        "best_passes": [each.best + 1 for each in made.networks],
        **made.quality.to_dict(),
    }
    if as_json:
        show_json(found)
    else:
        passes = ", ".join(str(each.best + 1) for each in made.networks)
        note(f"{made.model!r}, held-out perplexity {made.quality.perplexity:.2f} (pass {passes})")


@joint_app.command(epilog="Example: dragoman joint evaluate joint.bin test.de test.en test.links")
def evaluate(
    model: File,
    source: Source,
    target: Target,
    links: Links,
    reverse: Reverse = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """How well a joint model predicts aligned text."""
    from dragoman.neural import JointModel

    found = JointModel.open(model).evaluate(*_pairs(source, target, links, reverse), threads=threads)
    if as_json:
        show_json(found.to_dict())
        return
    typer.echo(f"perplexity {found.perplexity:.3f} of {found.words:,} words and sentence ends")
    typer.echo(
        f"log sum of probabilities as search has them {found.log_sum:+.3f}, deviation {found.log_sum_deviation:.3f}"
    )


@joint_app.command(epilog="Example: dragoman joint score joint.bin test.de test.en test.links")
def score(
    model: File,
    source: Source,
    target: Target,
    links: Links,
    normalized: Annotated[
        bool, typer.Option("--normalized", help="Probabilities that sum to one, not scores as search has them.")
    ] = False,
    reverse: Reverse = False,
    threads: Threads = 0,
) -> None:
    """The log probability of each sentence pair, one a line."""
    from dragoman.neural import JointModel

    pairs = _pairs(source, target, links, reverse)
    for value in JointModel.open(model).score(*pairs, normalized=normalized, threads=threads):
        typer.echo(f"{value:.6f}")


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.add_typer(joint_app, name="joint")
