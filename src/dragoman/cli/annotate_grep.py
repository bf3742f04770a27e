"""`dragoman annotate grep`: sentences of a treebank, or aligned pairs, by a pattern over their dependency graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.output import Json, note, show_json

if TYPE_CHECKING:
    from dragoman.annotations.graphs import Collapsing, DependencyGraph
    from dragoman.annotations.patterns import AlignedGraphs

__all__ = ["register"]


def grep(
    pattern: Annotated[str, typer.Argument(help="What to find, such as '{pos:VERB}=v >nsubj {}=s'.")],
    treebank: Annotated[list[Path], typer.Argument(help="CoNLL-U with dependencies; '-' for what is piped in.")],
    collapse: Annotated[
        bool, typer.Option("--collapse", help="Join names, take prepositions into labels (obl:in), drop punctuation.")
    ] = False,
    aligned: Annotated[
        bool,
        typer.Option("--aligned", help="Files are pairs of `entail` with gold links, along which @ goes."),
    ] = False,
    count: Annotated[
        bool, typer.Option("--count", help="Print only how many matches and sentences there are.")
    ] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="Let letter case not matter.")] = False,
    full_match: Annotated[
        bool, typer.Option("--full-match", help="Expressions between slashes must cover the whole value.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the first match with its graph into this file (SVG).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find sentences of a treebank by a pattern over their dependency graphs."""
    from dragoman.annotations.graph_picture import draw_match
    from dragoman.annotations.graphs import COLLAPSED, PLAIN, DependencyGraph
    from dragoman.annotations.patterns import Pattern
    from dragoman.drawing import require_svg, save_svg
    from dragoman.errors import SettingError

    if output is not None:
        require_svg(output)
        if aligned:
            raise SettingError("a picture is of one graph", remedy="draw without --aligned")
    wanted = Pattern(pattern, fullmatch=full_match, ignore_case=ignore_case)
    read, collapsing = _pairs if aligned else _sentences, COLLAPSED if collapse else PLAIN
    matches = sentences = 0
    rows: list[dict[str, object]] = []
    for name, text, graph in (each for path in treebank for each in read(path, collapsing)):
        found = list(wanted.find(graph))
        if found and not matches and output is not None and isinstance(graph, DependencyGraph):
            save_svg(output, draw_match(graph, found[0]).svg())
        matches += len(found)
        sentences += bool(found)
        for match in () if count else found:
            names = match.names or {"node": match.node}
            if as_json:
                bound = {key: {"word": node.word, "tokens": list(node.tokens)} for key, node in names.items()}
                rows.append({"sentence": name, "nodes": bound, "text": text})
            else:
                bindings = "  ".join(f"{key}={node}" for key, node in names.items())
                typer.echo(f"{name}\t{bindings}\t{text}")
    if as_json:
        show_json({"matches": matches, "sentences": sentences, **({} if count else {"found": rows})})
    elif count:
        typer.echo(f"{matches:,} matches in {sentences:,} {'pairs' if aligned else 'sentences'}")
    else:
        note(f"{matches:,} matches in {sentences:,} {'pairs' if aligned else 'sentences'}")


def _sentences(path: Path, collapsing: Collapsing) -> Iterator[tuple[str, str, DependencyGraph]]:
    """Name, text and graph of each sentence that has a tree."""
    from dragoman.annotations import conllu
    from dragoman.annotations.graphs import DependencyGraph
    from dragoman.annotations.treebanks import sentence_id

    for number, sentence in enumerate(conllu.read(path), start=1):
        if sentence.has("dependencies"):
            name = sentence_id(sentence) or f"{path}:{number}"
            yield name, sentence.text, DependencyGraph.of([sentence], collapsing)


def _pairs(path: Path, collapsing: Collapsing) -> Iterator[tuple[str, str, AlignedGraphs]]:
    """The same of each pair that has gold links; its text is that of the hypothesis, where patterns begin."""
    from dragoman.annotations.graphs import DependencyGraph
    from dragoman.annotations.patterns import AlignedGraphs
    from dragoman.entailment.pairs import gold_links, read_annotated
    from dragoman.errors import InputError

    linked = [pair for pair in read_annotated(path) if pair.gold]
    if not linked:
        raise InputError("no pair has gold links", where=str(path), remedy="write `# gold = 0-0 1-2` above hypotheses")
    for pair in linked:
        hypothesis, text = DependencyGraph.of([pair.hypothesis], collapsing), DependencyGraph.of(pair.text, collapsing)
        yield pair.id, pair.hypothesis.text, AlignedGraphs(hypothesis, text, gold_links(pair, hypothesis, text))


def register(group: typer.Typer) -> None:
    """Add the command to `annotate`."""
    group.command("grep", epilog="Example: dragoman annotate grep '{lemma:eat} >obj {}=food' en_ewt-ud-train.conllu")(
        grep
    )
