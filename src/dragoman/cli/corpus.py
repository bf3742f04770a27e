"""`dragoman corpus`: real corpora in one command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Seed, bar, note, show, show_json

__all__ = ["register"]

corpus_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@corpus_app.callback()
def corpus() -> None:
    """Corpora that can be had in one command, with their provenance and terms."""


@corpus_app.command("list", epilog="Example: dragoman corpus list --json")
def list_collections(as_json: Json = False) -> None:
    """Show the collections that corpora can be got from."""
    from dragoman.text.catalog import COLLECTIONS

    found = [(name, COLLECTIONS.get(name)) for name in COLLECTIONS]
    if as_json:
        show_json(
            {
                "collections": {
                    name: {
                        "what": COLLECTIONS.describe(name),
                        "languages": collection.languages,
                        "license": collection.license,
                        "example": f"dragoman corpus get {collection.example}",
                    }
                    for name, collection in found
                }
            }
        )
        return
    from rich.text import Text

    for name, collection in found:
        show(Text(name, style="bold") + Text(f": {COLLECTIONS.describe(name)}", style="not bold"))
        show(Text(f"  languages: {collection.languages}"))
        show(Text(f"  terms: {collection.license}"))
        show(Text(f"  dragoman corpus get {collection.example}"))


@corpus_app.command("get", epilog="Example: dragoman corpus get debian en-it -o debian-en-it")
def get(
    name: Annotated[str, typer.Argument(help="A collection; see `dragoman corpus list`.")],
    languages: Annotated[list[str], typer.Argument(help="A pair (`en-it`) or languages (`de fr`), as it wants them.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder to write; by default named for what it holds.")
    ] = None,
    origin: Annotated[
        Path | None, typer.Option("--from", help="A folder that has the raw files already; nothing is fetched.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Where downloads are kept; by default in the user's cache folder.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", "-n", help="Training segments, for collections that are made to size.")
    ] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Build a corpus: fetch, pair, clean, split into train, dev and test, and record where it came from."""
    from dragoman.text.catalog import Order, get_corpus

    folder = output or Path("-".join([name, *languages]))
    with bar(f"getting {name}") as progress:
        order = Order(languages=tuple(languages), origin=origin, cache=cache, seed=seed, size=size, progress=progress)
        card = get_corpus(name, folder, order)
    if as_json:
        show_json({"folder": str(folder), **card.to_dict()})
        return
    from rich.table import Table
    from rich.text import Text

    show(Text(card.title, style="bold"))
    table = Table("file", "segments", "tokens", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for file, facts in card.files.items():
        table.add_row(file, f"{facts['segments']:,}", f"{facts['tokens']:,}")
    show(table)
    for made_from in card.origins:
        show(Text(f"from {made_from.what} {made_from.version}"))
    show(Text(f"terms: {card.license}"))
    for remark in card.notes:
        note(remark)
    note(f"written to {folder}; corpus.toml there has the checksums and what was left out")
    if example := _training(folder, list(card.files), card.languages):
        note(f"to train: {example}")


def _training(folder: Path, files: list[str], languages: Sequence[str]) -> str:
    """The command that trains a model on a corpus of two languages."""
    of = {file.removesuffix(".gz"): folder / file for file in files}
    needed = [f"{part}.{language}" for part in ("train", "dev") for language in languages]
    if len(languages) != 2 or not of.keys() >= set(needed):
        return ""
    source, target, dev_source, dev_target = (of[name] for name in needed)
    pair = "-".join(languages)
    return f"dragoman train {source} {target} --dev-source {dev_source} --dev-target {dev_target} -o {pair}"


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    app.add_typer(corpus_app, name="corpus")
