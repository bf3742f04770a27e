"""`dragoman text compounds` and `dragoman text morphs`: words taken apart, and put together again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, show, show_json
from dragoman.cli.text import Input, print_lines, text_batches

__all__ = ["register"]

compounds_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Words that are made of words.")
morphs_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Words as stems and affixes.")

_STDIN = Path("-")
Output = Annotated[Path, typer.Option("--output", "-o", help="Where the model goes: a file.")]
Training = Annotated[Path, typer.Argument(help="Tokenised text to learn from; '-' reads standard input.")]
Compounds = Annotated[Path, typer.Argument(help="Compounds learned by `dragoman text compounds train`.")]
MorphsPath = Annotated[Path, typer.Argument(help="Morphs learned by `dragoman text morphs train`.")]


@compounds_app.command("train", epilog="Example: dragoman text compounds train corpus.tok.de -o compounds.json")
def train_compounds(
    output: Output,
    text: Training = _STDIN,
    preset: Annotated[
        str, typer.Option(help="wmt11: parts are words, to translate from; wmt13: parts are marked, to translate into.")
    ] = "wmt11",
    as_json: Json = False,
) -> None:
    """Learn which words are compounds, from the words of a text."""
    from dragoman.files import read_lines, require_writable
    from dragoman.text.compounds import CompoundModel

    require_writable(output)
    model = CompoundModel.train(read_lines(text), preset=preset)
    model.save(output)
    facts = {"words": len(model.counts), "compounds": sum(map(len, model.compounds.values())), "model": str(output)}
    if as_json:
        show_json(facts)
        return
    show(f"{facts['compounds']:,} of {facts['words']:,} words are compounds: {output}")


@compounds_app.command("split", epilog="Example: dragoman text compounds split compounds.json < test.tok.de")
def split_compounds(model: Compounds, file: Input = _STDIN) -> None:
    """Take the compounds of tokenised lines apart."""
    from dragoman.text.compounds import CompoundModel

    opened = CompoundModel.open(model)
    for batch in text_batches(file):
        print_lines(map(opened.split_line, batch))


@compounds_app.command("merge", epilog="Example: dragoman text compounds merge compounds.json < output.tok.de")
def merge_compounds(
    model: Compounds,
    file: Input = _STDIN,
    merging: Annotated[
        str | None, typer.Option(help="affix (marked parts), fb (parts of known compounds), nm; as the model has them.")
    ] = None,
) -> None:
    """Put the parts in tokenised lines together."""
    from dragoman.text.compounds import CompoundModel

    opened = CompoundModel.open(model)
    for batch in text_batches(file):
        print_lines(" ".join(opened.merge(line.split(), mode=merging)) for line in batch)


@morphs_app.command("train", epilog="Example: dragoman text morphs train corpus.tok.sw -o morphs.tsv")
def train_morphs(
    output: Output,
    text: Training = _STDIN,
    text_weight: Annotated[float, typer.Option(help="Of the text against the list of pieces: more cuts less.")] = 1.0,
    min_count: Annotated[int, typer.Option(help="Leave out rarer words.", min=1)] = 1,
    whole_from: Annotated[int, typer.Option(help="Words that occur so often are not cut.", min=1)] = 20,
    seed: Annotated[int, typer.Option(help="Random choices follow from it.", min=0)] = 1,
    as_json: Json = False,
) -> None:
    """Learn the pieces that words of a text have in common."""
    from dragoman.files import read_lines, require_writable
    from dragoman.text.morphs import Morphs

    require_writable(output)
    model = Morphs.train(read_lines(text), weight=text_weight, min_count=min_count, whole_from=whole_from, seed=seed)
    model.save(output)
    if as_json:
        show_json({"morphs": len(model.counts), "model": str(output)})
        return
    show(f"{len(model.counts):,} morphs: {output}")


@morphs_app.command("split", epilog="Example: dragoman text morphs split morphs.tsv < test.tok.sw > test.morphs.sw")
def split_morphs(model: MorphsPath, file: Input = _STDIN) -> None:
    """Cut the words of tokenised lines; all pieces of a word but the first carry a mark."""
    from dragoman.text.morphs import Morphs

    opened = Morphs.open(model)
    for batch in text_batches(file):
        print_lines(" ".join(piece for word in line.split() for piece in opened.pieces(word)) for line in batch)


@morphs_app.command("merge", epilog="Example: dragoman text morphs merge < output.morphs.sw > output.tok.sw")
def merge_morphs(file: Input = _STDIN) -> None:
    """Put marked pieces together to words."""
    from dragoman.text.morphs import Morphs

    for batch in text_batches(file):
        print_lines(" ".join(Morphs.undo(line.split())) for line in batch)


def register(app: typer.Typer) -> None:
    """Add these groups to `dragoman text`."""
    app.add_typer(compounds_app, name="compounds")
    app.add_typer(morphs_app, name="morphs")
