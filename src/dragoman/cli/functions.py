"""`dragoman functions`: guess grammatical functions that a structure lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, Seed, bar, note, show, show_json

if TYPE_CHECKING:
    pass

__all__ = ["register"]

group = typer.Typer(
    name="functions",
    help="Grammatical functions: guess labels that are missing.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Structures = Annotated[
    list[Path], typer.Argument(help="CoNLL-U, or f-structures: JSON lines (.jsonl), Prolog by XLE (.pl).")
]
Model = Annotated[Path, typer.Argument(help="A model that `dragoman functions train` wrote.")]
Features = Annotated[
    str, typer.Option("--features", help="What is seen of a dependent: none, case, names, or names+values.")
]
Unknown = Annotated[
    list[str] | None,
    typer.Option("--unknown", help="A relation that stands for none in CoNLL-U; repeat. By default _."),
]
OneByOne = Annotated[
    bool, typer.Option("--one-by-one", help="Guess the functions of a parent in turn, not all together.")
]


@group.command(epilog="Example: dragoman functions train train.conllu -o en.functions")
def train(
    structures: Structures,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model, a file of JSON.")],
    features: Features = "names+values",
    alpha: Annotated[float, typer.Option(help="Added to every count.", min=0)] = 1.0,
    as_json: Json = False,
) -> None:
    """Count which attributes dependents of each function have."""
    from dragoman.annotations import fstructure_files
    from dragoman.annotations.function_guesser import FunctionGuesser
    from dragoman.files import require_writable

    require_writable(output, stream=False)
    with bar("counting"):
        found = (structure for path in structures for structure in fstructure_files.read(path))
        model = FunctionGuesser.train(found, features=features, alpha=alpha)
        model.save(output)
    facts = {
        "functions": len(model.functions),
        "dependents": model.counts.functions.total(),
        "parents": model.counts.parents,
    }
    if as_json:
        show_json(facts)
    else:
        note(f"{facts['functions']} functions of {facts['dependents']:,} dependents in {output}")


@group.command("break", epilog="Example: dragoman functions break test.conllu --rate 0.3 -o broken.conllu")
def break_labels(
    structures: Annotated[Path, typer.Argument(help="CoNLL-U (.conllu), or f-structures: .jsonl, .pl.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CoNLL-U with relations _, or JSON lines; '-' prints.")
    ] = Path("-"),
    rate: Annotated[float, typer.Option(help="The share of functions that goes.", min=0, max=1)] = 0.3,
    seed: Seed = 1,
) -> None:
    """Take functions away, to see what guessing gives back."""
    from dragoman.annotations import conllu, fstructure, fstructure_files
    from dragoman.annotations.functions import broken_at_random, labelled_sentence
    from dragoman.files import require_writable

    require_writable(output)
    if ".conllu" in structures.suffixes:
        sentences = list(conllu.read(structures))
        _, gone = broken_at_random([fstructure.of_sentence(each) for each in sentences], rate, seed=seed)
        nameless = [[case._replace(function="_") for case in some] for some in gone]
        made = (labelled_sentence(each, some) for each, some in zip(sentences, nameless, strict=True))
        conllu.write(made, output)
    else:
        broken, gone = broken_at_random(list(fstructure_files.read(structures)), rate, seed=seed)
        fstructure_files.write(broken, output)
    note(f"{sum(map(len, gone)):,} functions are gone")


@group.command(epilog="Example: dragoman functions guess en.functions broken.conllu -o whole.conllu")
def guess(
    model: Model,
    structures: Annotated[Path, typer.Argument(help="CoNLL-U (.conllu), or f-structures: .jsonl, .pl.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The same with all functions; '-' prints.")] = Path(
        "-"
    ),
    unknown: Unknown = None,
    one_by_one: OneByOne = False,
) -> None:
    """Give every dependent without a function the likeliest one."""
    from dragoman.annotations import conllu, fstructure_files
    from dragoman.annotations.function_guesser import FunctionGuesser
    from dragoman.files import require_writable

    require_writable(output)
    guesser = FunctionGuesser.load(model)
    with bar("guessing"):
        if ".conllu" in structures.suffixes:
            labels = tuple(unknown or ("_",))
            sentences = conllu.read(structures)
            filled = (guesser.fill_sentence(each, unknown=labels, joint=not one_by_one) for each in sentences)
            written = conllu.write(filled, output)
        else:
            found = fstructure_files.read(structures)
            written = fstructure_files.write((guesser.fill(each, joint=not one_by_one) for each in found), output)
    note(f"{written:,} with all functions")


@group.command(epilog="Example: dragoman functions evaluate en.functions test.conllu --missing all")
def evaluate(
    model: Model,
    structures: Structures,
    missing: Annotated[
        str, typer.Option(help="single: each function in turn; all: all of a parent together.")
    ] = "single",
    features: Annotated[
        str | None, typer.Option("--features", help="See less than the model can: none, case, names, or names+values.")
    ] = None,
    one_by_one: OneByOne = False,
    subsets: Annotated[int, typer.Option(help="In how many parts accuracy is given.", min=1)] = 10,
    as_json: Json = False,
) -> None:
    """How many functions are guessed right."""
    from dragoman.annotations import fstructure_files
    from dragoman.annotations.function_guesser import FunctionGuesser
    from dragoman.annotations.function_scoring import evaluate_functions

    guesser = FunctionGuesser.load(model)
    if features is not None:
        guesser = guesser.with_settings(features=features)
    with bar("measuring"):
        found = (structure for path in structures for structure in fstructure_files.read(path))
        scores = evaluate_functions(guesser, found, missing=missing, joint=not one_by_one, subsets=subsets)
    if as_json:
        show_json(scores.to_dict())
    else:
        show(scores)


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.add_typer(group)
