"""`dragoman annotate trees`: annotated sentences as trees in the form of Moses, shallow ones relaxed on request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import note

if TYPE_CHECKING:
    from dragoman.annotations import Sentence

__all__ = ["register"]


def trees(
    file: Annotated[
        Path, typer.Argument(help="Annotated sentences: CoNLL-U, Penn brackets (.mrg), JSON lines (.jsonl).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Moses' trees, a sentence a line; '-' prints.")] = Path(
        "-"
    ),
    form: Annotated[
        str, typer.Option(help="shallow (of tags, chunks and roles), constituents, or dependencies as brackets.")
    ] = "shallow",
    roles: Annotated[str, typer.Option(help="In shallow trees: none, labels or lexicalised.")] = "labels",
    relax: Annotated[int, typer.Option(help="Add nodes as SAMT does: level 1, 2 or 4; 0 adds none.")] = 0,
    binarize: Annotated[str, typer.Option(help="Add beginnings (left) or ends (right) of long phrases.")] = "",
) -> None:
    """Write trees as Moses' tools read them; nodes that relaxing adds may cross, and are written as spans."""
    from dragoman.annotations import moses_xml
    from dragoman.annotations.corpus import read_annotations
    from dragoman.annotations.projective import in_order, is_projective, reordered
    from dragoman.annotations.sentence import Sentence
    from dragoman.annotations.shallow_trees import relaxed, shallow_tree, tree_nodes
    from dragoman.errors import DragomanError, SettingError
    from dragoman.settings import check_argument

    check_argument("form", form, choices=("shallow", "constituents", "dependencies"))
    if form == "dependencies" and (relax or binarize):
        raise SettingError("dependencies are not relaxed", remedy="relax shallow or constituent trees")
    moved = 0

    def lines() -> Iterator[str]:
        nonlocal moved
        for number, sentence in enumerate(read_annotations(file), 1):
            try:
                yield written(sentence)
            except DragomanError as error:
                raise type(error)(error.what, where=f"{file}, sentence {number}", remedy=error.remedy) from None

    def written(sentence: Sentence) -> str:
        nonlocal moved
        if form == "dependencies":
            tree = sentence.dependencies
            if is_projective(tree):
                return moses_xml.format_dependencies(sentence)
            moved += 1
            order = in_order(tree)
            words = [sentence.words[at] for at in order]
            return moses_xml.format_dependencies(Sentence.of(words, dependencies=reordered(tree, order)))
        found = shallow_tree(sentence, roles=roles) if form == "shallow" else sentence.constituents
        if not relax and not binarize:
            return moses_xml.format_tree(sentence.with_layers(constituents=found))
        tags = sentence.tags if sentence.has("tags") else sentence.pos
        added = relaxed(found, tags, level=relax, binarize=binarize)
        return moses_xml.format_spans(sentence.words, [*tree_nodes(found, tags), *added])

    count = moses_xml.write(lines(), output)
    crossing = f"; words of {moved:,} with crossing arcs were put into order" if moved else ""
    note(f"{count:,} trees{crossing}")


def register(group: typer.Typer) -> None:
    """Add the command to its group."""
    group.command("trees", epilog="Example: dragoman annotate trees text.jsonl --roles labels --relax 2 -o text.xml")(
        trees
    )
