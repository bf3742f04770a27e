"""`dragoman lm deep`: language models over trees of predicates."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.output import Json, Limit, Threads, bar, note, show, show_facts, show_json, show_json_lines

__all__ = ["register"]

deep = typer.Typer(name="deep", help="Models over trees of predicates.", no_args_is_help=True, rich_markup_mode=None)

Trees = Annotated[
    list[Path], typer.Argument(help="CoNLL-U with lemmas, tags and heads; or f-structures (.jsonl, .pl).")
]
Form = Annotated[
    str,
    typer.Option(
        "--form",
        help="What becomes of a sentence: predicates, words (the tree as it is), enhanced, strings,"
        " or strings-without-punctuation.",
    ),
]
Order = Annotated[int, typer.Option(help="Length of the longest n-grams.", min=1, max=10)]
Ends = Annotated[bool, typer.Option("--ends/--no-ends", help="Predict the end below each leaf.")]
Events = Annotated[
    str,
    typer.Option(
        "--events",
        help="What is predicted from what: ancestors, paths (shared ones counted again), reverse, joint, or sides.",
    ),
]
Model = Annotated[Path, typer.Argument(help="A model that `dragoman lm deep estimate` wrote.")]


@deep.command(epilog="Example: dragoman lm deep count train.conllu --order 3 -o counts.txt")
def count(
    trees: Trees,
    output: Annotated[Path, typer.Option("--output", "-o", help="Lines `words<TAB>count`; '-' prints.")] = Path("-"),
    order: Order = 3,
    ends: Ends = True,
    events: Events = "ancestors",
    form: Form = "predicates",
) -> None:
    """Count the n-grams of trees, of all lengths, each node once."""
    from dragoman.annotations.predicate_files import read_trees
    from dragoman.files import require_writable, writing
    from dragoman.lm.tree_events import TreeEvents, all_orders

    require_writable(output)
    found = all_orders(TreeEvents(order, ends, events).count(read_trees(trees, form)))
    with writing(output) as file:
        for ngram, number in sorted(found.items(), key=lambda item: (len(item[0]), item[0])):
            file.write(f"{' '.join(ngram)}\t{number}\n")


@deep.command(epilog="Example: dragoman lm deep estimate train.conllu --order 3 -o deep.arpa")
def estimate(
    trees: Trees,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="ARPA if the name ends in .arpa (or .arpa.gz), else binary.")
    ],
    order: Order = 3,
    ends: Ends = True,
    events: Events = "ancestors",
    form: Form = "predicates",
    smoothing: Annotated[str, typer.Option(help="kneser-ney (modified, interpolated), katz or witten-bell.")] = (
        "kneser-ney"
    ),
    prune: Annotated[
        list[int] | None,
        typer.Option(help="Drop n-grams seen this often or less; once per order from 1 up, the last is repeated."),
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Estimate a model from trees."""
    from dragoman.annotations.predicate_files import read_trees
    from dragoman.files import require_writable
    from dragoman.lm.deep_syntax import estimate_trees
    from dragoman.lm.tree_events import TreeEvents

    require_writable(output, stream=False)
    with bar("estimating") as progress:
        made = estimate_trees(
            read_trees(trees, form),
            TreeEvents(order, ends, events),
            smoothing=smoothing,
            prune=prune or (),
            threads=threads,
            progress=progress,
        )
        if ".arpa" in output.suffixes:
            made.write_arpa(output)
        else:
            made.build().save(output)
    for line in made.notes:
        note(line)
    facts = {"words": made.tokens, "ends": made.sentences, "ngrams": list(made.ngrams.counts)}
    if as_json:
        show_json(facts)
    else:
        show_facts(facts)


@deep.command(epilog="Example: dragoman lm deep score deep.arpa test.conllu --tokens")
def score(
    model: Model,
    trees: Trees,
    tokens: Annotated[bool, typer.Option("--tokens", help="Token by token, with the n-gram each comes from.")] = False,
    form: Form = "predicates",
    as_json: Json = False,
) -> None:
    """Print the log-probability (natural) of each tree."""
    from dragoman.annotations.predicate_files import read_trees
    from dragoman.lm.deep_syntax import DeepSyntaxModel

    found = DeepSyntaxModel.load(model)
    if not tokens:
        scores = found.score_all(read_trees(trees, form))
        if as_json:
            show_json_lines(each.to_dict() for each in scores)
        else:
            typer.echo("\n".join(f"{each.logprob:.6f}" for each in scores))
        return
    for tree in found.scored(read_trees(trees, form)):
        if as_json:
            show_json_lines(
                [
                    {
                        "tokens": [
                            {
                                "token": event.word,
                                "context": list(event.context),
                                "logprob": logprob,
                                "ngram_length": length,
                                "known": known,
                            }
                            for event, logprob, length, known in tree
                        ]
                    }
                ]
            )
        else:
            said = (
                f"{each.event.word}={each.logprob:.4f}/{each.ngram_length if each.known else 'unk'}" for each in tree
            )
            typer.echo(" ".join(said))


@deep.command(epilog="Example: dragoman lm deep perplexity deep.arpa test.conllu --json")
def perplexity(model: Model, trees: Trees, form: Form = "predicates", as_json: Json = False) -> None:
    """Perplexity of trees, unknown words left out and counted."""
    from dragoman.annotations.predicate_files import read_trees
    from dragoman.lm.deep_syntax import DeepSyntaxModel

    result = DeepSyntaxModel.load(model).perplexity(read_trees(trees, form)).to_dict()
    if as_json:
        show_json(result)
    else:
        show_facts({key: f"{value:.4f}" if isinstance(value, float) else value for key, value in result.items()})


@deep.command(epilog="Example: dragoman lm deep coverage deep.arpa test.conllu")
def coverage(model: Model, trees: Trees, form: Form = "predicates", as_json: Json = False) -> None:
    """How many n-grams of trees the model has, by order: of all events, and of those with enough ancestors."""
    from rich.table import Table

    from dragoman.annotations.predicate_files import read_trees
    from dragoman.lm.deep_syntax import DeepSyntaxModel

    found = DeepSyntaxModel.load(model).coverage(read_trees(trees, form))
    if as_json:
        show_json({"orders": [each.to_dict() for each in found]})
        return
    table = Table("order", "hits", "events", "% of all", "with full context", "% of these", box=None, pad_edge=False)
    for each in found:
        shares = (f"{100 * each.share:.2f}", str(each.full), f"{100 * each.full_share:.2f}")
        table.add_row(str(each.order), str(each.hits), str(each.events), *shares)
    show(table)


@deep.command(epilog="Example: dragoman lm deep frequent deep.arpa test.conllu --order 3 --limit 10")
def frequent(
    model: Model,
    trees: Trees,
    order: Order = 3,
    limit: Limit = 20,
    form: Form = "predicates",
    as_json: Json = False,
) -> None:
    """The most frequent n-grams of trees, with the probability of the last word after the others."""
    from rich.table import Table
    from rich.text import Text

    from dragoman.annotations.predicate_files import read_trees
    from dragoman.lm.deep_syntax import DeepSyntaxModel

    opened = DeepSyntaxModel.load(model)
    found = opened.frequent(read_trees(trees, form), order=min(order, opened.order), most=limit or None)
    if as_json:
        show_json({"ngrams": [asdict(each) for each in found]})
        return
    table = Table("n-gram", "count", "p", box=None, pad_edge=False)
    for each in found:
        table.add_row(Text(each.ngram), str(each.count), f"{each.probability:.4f}")
    show(table)


@deep.command(epilog="Example: dragoman lm deep draw test.conllu --line 3 -o tree.svg")
def draw(
    trees: Trees,
    line: Annotated[int, typer.Option("--line", "-n", help="Which sentence.", min=1)] = 1,
    form: Form = "predicates",
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The picture (SVG); '-' prints the tree as text.")
    ] = Path("-"),
) -> None:
    """Draw the tree of a sentence."""
    from itertools import islice

    from dragoman.annotations.picture import draw_tree
    from dragoman.annotations.predicate_files import read_trees
    from dragoman.drawing import require_svg, save_svg
    from dragoman.errors import InputError

    if str(output) != "-":
        require_svg(output)
    tree = next(islice(read_trees(trees, form), line - 1, None), None)
    if tree is None:
        raise InputError(f"no sentence {line}", where=", ".join(map(str, trees)))
    if str(output) == "-":
        typer.echo(str(tree))
    else:
        save_svg(output, draw_tree(tree).svg())


def register(app: typer.Typer) -> None:
    """Add these commands to a group."""
    app.add_typer(deep)
