"""`dragoman synth`: as much parallel text as one wants, with everything known about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, Seed, bar, note, show, show_json, show_json_lines
from dragoman.cli.text import print_lines

if TYPE_CHECKING:
    from dragoman.text.synthetic import SyntheticItem

Name = Annotated[str, typer.Argument(metavar="PAIR", help="en-de, or en-qsv (English and a constructed language).")]


def synth(
    name: Name = "en-de",
    size: Annotated[int, typer.Option("--size", "-n", help="Sentence pairs.", min=0)] = 10,
    seed: Seed = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder to write; an older corpus there is replaced.")
    ] = None,
    references: Annotated[int, typer.Option("--references", help="Reference translations.", min=1)] = 1,
    annotations: Annotated[bool, typer.Option("--annotated", help="Trees, features and frames too.")] = False,
    split: Annotated[str, typer.Option("--split", help="Parts, such as train=5000,dev=500,test=500.")] = "",
    show_pairs: Annotated[
        int | None, typer.Option("--show", help="Print so many pairs with their gold alignment.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a synthetic bitext with gold alignments, trees, frames and references."""
    from dragoman.errors import SettingError
    from dragoman.progress import tracked
    from dragoman.text import synthetic

    pair = synthetic.pair(name)
    if show_pairs is not None:
        for item in pair.generate(show_pairs, seed=seed, references=references):
            show(item)
        return
    if split and output is None:
        raise SettingError("--split needs a place to write to", remedy="add -o FOLDER")
    if output is None:
        for item in pair.generate(size, seed=seed, references=references):
            if as_json:
                show_json_lines([item.to_dict(annotations=annotations)])
            else:
                print_lines(["\t".join([item.source.text, *item.references, item.pharaoh])])
        return
    from dragoman.text.synthetic.export import write

    with bar("generating") as advance:
        parts: dict[str, Iterable[SyntheticItem]]
        if split:
            sizes = _sizes(split)
            made = pair.splits(**sizes, seed=seed, references=references)
            parts = {part: tracked(getattr(made, part), part, advance, total=sizes[part]) for part in sizes}
        else:
            items = pair.generate(size, seed=seed, references=references)
            parts = {"corpus": tracked(items, "generating", advance, total=size)}
        written = write(pair, parts, output, references=references, annotations=annotations)
    if as_json:
        show_json({"pair": pair.name, "folder": str(output), "sizes": written})
    else:
        note(f"wrote {', '.join(f'{count:,} {part}' for part, count in written.items())} pairs to {output}")


def _sizes(split: str) -> dict[str, int]:
    from dragoman.errors import SettingError

    sizes: dict[str, int] = {}
    for part in split.split(","):
        name, _, size = part.strip().partition("=")
        if name not in ("train", "dev", "test") or not size.isdecimal():
            raise SettingError(f"--split has {part.strip()!r}", remedy="write it as train=5000,dev=500,test=500")
        sizes[name] = int(size)
    return {"train": 0, **sizes}


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command(
        "synth", epilog="Example: dragoman synth en-de --size 1000 --seed 1 -o corpus --references 4 --annotated"
    )(synth)
