"""`dragoman text select`: the part of a corpus that is most like a small text of the domain wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Seed, Threads, bar, note, show, show_json

__all__ = ["register"]


def select(
    source: Annotated[
        Path, typer.Argument(help="The source side, or one file with both (.tsv, .jsonl, .tmx), or text of one side.")
    ],
    domain: Annotated[
        list[Path],
        typer.Option("--domain-text", help="Text of the domain in the source language; repeat for more."),
    ],
    target: Annotated[Path | None, typer.Argument(help="The target side.")] = None,
    size: Annotated[
        str, typer.Option("--size", "-n", help="Lines to choose: a number, or `20x` for 20 times the domain's.")
    ] = "20x",
    selector: Annotated[str, typer.Option(help="See `dragoman list selectors`.")] = "feature-decay",
    order: Annotated[
        int | None, typer.Option(help="Longest n-gram; by default 5, and 4 for cross-entropy.", min=1)
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Where the chosen pairs go, in their order: one file, or two."),
    ] = None,
    lines: Annotated[
        Path | None, typer.Option(help="Where the numbers of the chosen lines go, best first, with their scores.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of the output; by default its name tells.")] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Choose the lines of a corpus that are most like a text of the domain wanted.

    Text should be tokenised; numbers of lines hold for all files parallel to the corpus. Without --output and --lines
    only the account is made: how many n-grams of the domain the corpus has, and how many of these the chosen lines.
    """
    from dragoman.errors import SettingError
    from dragoman.files import read_lines
    from dragoman.lm.selection import SELECTORS
    from dragoman.text.corpus import Bitext, Corpus
    from dragoman.text.formats import format_name, resolve
    from dragoman.text.selection import parse_size

    chooser = SELECTORS.get(selector)
    wanted = [line for path in domain for line in read_lines(path)]
    both = target is not None or format_name([source]) != "plain"
    corpus: Corpus | Bitext = Bitext.open(source, target) if both else Corpus.open(source)
    if output and isinstance(corpus, Bitext):
        resolve(output, to)
    elif output and len(output) > 1:
        raise SettingError("text of one side goes to one file", remedy="give both sides of the corpus")
    settings = {"order": order} if order is not None else {}
    if selector == "cross-entropy":
        settings["seed"] = seed
    with bar("choosing") as progress:
        chosen = chooser(
            corpus if isinstance(corpus, Corpus) else corpus.source,
            wanted,
            size=parse_size(size, len(wanted)),
            threads=threads,
            progress=progress,
            **settings,
        )
        if output:
            part = corpus.at(chosen.lines)
            if isinstance(part, Bitext):
                part.write(output[0], *output[1:], format=to, progress=progress)
            else:
                part.write(output[0])
    if lines is not None:
        chosen.write_lines(lines)
    if "-" in map(str, [*(output or []), lines]):  # standard output has the text or the numbers
        return
    if as_json:
        show_json(chosen.to_dict())
        return
    if chosen.coverage:
        show(chosen)
    show(f"{len(chosen.lines):,} of {chosen.corpus:,} lines chosen by {selector} for {chosen.domain:,} of the domain")
    if chosen.unrelated:
        note(f"{chosen.unrelated:,} of them share no n-gram with the domain: a smaller --size would do")
    if not output and lines is None:
        note("nothing was written; name files with --output or --lines")


def register(text_app: typer.Typer) -> None:
    """Add this command to the group `text`."""
    text_app.command(
        "select", epilog="Example: dragoman text select train.de train.en -d news.de --size 20x --lines news.lines"
    )(select)
