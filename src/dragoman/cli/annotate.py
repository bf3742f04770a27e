"""`dragoman annotate`: tags, lemmas, trees, chunks, names and roles for raw text; train, measure and draw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli import annotate_grep, annotate_trees
from dragoman.cli.groups import DefaultGroup
from dragoman.cli.output import Json, On, Seed, Threads, bar, note, show, show_json

if TYPE_CHECKING:
    from dragoman.annotations import Sentence

__all__ = ["register"]

With = Annotated[
    str,
    typer.Option(
        "--with",
        "-w",
        help="Model folders and annotators joined by +, such as en-ewt+role-rules; see `dragoman list annotators`.",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="CoNLL-U, or JSON lines if it ends in .jsonl; '-' prints.")
]
Cache = Annotated[
    Path | None, typer.Option("--cache", help="Keep what was annotated in this file, and look there first.")
]
Kind = Annotated[str, typer.Option("--kind", "-k", help="syntax, chunks, entities, roles or constituents.")]
Trees = Annotated[
    list[Path] | None, typer.Option("--trees", help="For roles: CoNLL-U with the trees of the same sentences.")
]


def run(
    text: Annotated[
        Path, typer.Argument(help="One sentence a line, or CoNLL-U (.conllu); '-' reads standard input.")
    ] = Path("-"),
    *,
    chain: With,
    output: Output = Path("-"),
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="Tokens are between spaces; else the model divides raw text.")
    ] = False,
    cache: Cache = None,
    on: On = "local",
    threads: Threads = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON object a line, with all layers.")] = False,
) -> None:
    """Annotate text: one sentence out for each line in."""
    from contextlib import ExitStack

    from dragoman.annotations import annotator_chain, conllu
    from dragoman.annotations.cache import AnnotationCache
    from dragoman.annotations.corpus import as_json as in_json
    from dragoman.annotations.corpus import render_lines, render_sentences
    from dragoman.annotations.spread import spread_lines
    from dragoman.errors import SettingError
    from dragoman.files import read_lines, require_writable, writing
    from dragoman.pipeline.executors import get_executor

    require_writable(output)
    if on != "local" and ".conllu" in text.suffixes:
        raise SettingError(f"--on {on} with CoNLL-U", remedy="leave it out, or give lines of text")
    form = "json" if as_json or ".jsonl" in output.suffixes else "conllu"
    render = in_json if form == "json" else _in_conllu
    reasons: dict[str, int] = {}
    total = 0
    with ExitStack() as stack:
        kept = stack.enter_context(AnnotationCache(cache)) if cache is not None else None
        report = stack.enter_context(bar("annotating"))
        if ".conllu" in text.suffixes:
            given, links = conllu.read(text), annotator_chain.load(chain)
            found = render_sentences(links, given, render, form=form, cache=kept, threads=threads, progress=report)
        elif on != "local":
            executor = stack.enter_context(get_executor(on, threads=threads))
            found = spread_lines(
                chain,
                read_lines(text),
                render,
                form=form,
                executor=executor,
                tokenized=tokenized,
                cache=kept,
                progress=report,
            )
        else:
            lines, links = read_lines(text), annotator_chain.load(chain)
            found = render_lines(
                links, lines, render, form=form, tokenized=tokenized, cache=kept, threads=threads, progress=report
            )
        file = stack.enter_context(writing(output))
        for total, rendered in enumerate(found, start=1):  # noqa: B007
            file.write(rendered)
            if _UNANNOTATED in rendered:
                why = rendered.partition(_UNANNOTATED)[2].splitlines()[0].partition('"')[0]
                reasons[why] = reasons.get(why, 0) + 1
    note(f"{total:,} sentences" + "".join(f"; {count:,} not annotated: {why}" for why, count in reasons.items()))


_UNANNOTATED = " unannotated = "


def _in_conllu(sentence: Sentence) -> str:
    from dragoman.annotations import conllu

    return conllu.format_sentence(_named(sentence)) + "\n"


def _named(sentence: Sentence) -> Sentence:
    """With the raw text as a comment, as CoNLL-U wants it."""
    if any(comment.lstrip().startswith("text =") for comment in sentence.comments):
        return sentence
    text = " ".join(sentence.text.split("\n"))
    return replace(sentence, comments=(f" text = {text}", *sentence.comments))


def train(
    treebank: Annotated[list[Path], typer.Argument(help="Files to learn from; several are joined.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write, a folder.")],
    kind: Kind = "syntax",
    trees: Trees = None,
    language: Annotated[str, typer.Option("--language", "-l", help="Code of the language, such as `de`.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="Licence of the treebank, to be kept with the model.")] = "",
    epochs: Annotated[int, typer.Option(help="Passes over the treebank; 0 takes the annotator's default.", min=0)] = 0,
    beam: Annotated[int, typer.Option(help="Of parsers: partial trees kept side by side.", min=1, max=256)] = 8,
    copies: Annotated[
        int,
        typer.Option(help="Of syntax: learners that are averaged; 0 is one to four, by the treebank.", min=0, max=64),
    ] = 0,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Train an annotator on a treebank."""
    from dragoman.annotations.model import KIND
    from dragoman.annotations.training import train_annotator
    from dragoman.annotations.treebanks import read_treebank
    from dragoman.bundle import Provenance, require_place_for_bundle

    require_place_for_bundle(output, KIND)
    with bar("training") as report:
        sentences = read_treebank(kind, treebank, trees=trees or ())
        model = train_annotator(
            kind,
            sentences,
            epochs=epochs or None,
            beam=beam,
            copies=copies,
            seed=seed,
            threads=threads,
            progress=report,
        )
        command = f"dragoman annotate train {' '.join(map(str, treebank))} -o {output} --kind {kind}"
        provenance = Provenance.of_files([*treebank, *(trees or ())], command=command, seed=seed)
        model.save(output, language=language, licence=licence, provenance=provenance)
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    if as_json:
        show_json({"model": str(output), "kind": kind, "sentences": len(sentences), "bytes": size})
    else:
        note(f"{kind} model from {len(sentences):,} sentences in {output} ({size / 2**20:.1f} MiB)")
        if not licence:
            note("no licence of the treebank is recorded; state it by --licence before the model is passed on")


def evaluate(
    chain: Annotated[str, typer.Argument(metavar="MODEL", help="A model folder, or a chain joined by +.")],
    gold: Annotated[list[Path], typer.Argument(help="The gold standard, in the format of the kind.")],
    kind: Kind = "syntax",
    trees: Trees = None,
    raw: Annotated[bool, typer.Option("--raw", help="Start from raw text, not from gold words.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Measure an annotator against a gold standard, by the shared tasks' own definitions."""
    from dragoman.annotations import annotator_chain
    from dragoman.annotations.corpus import annotate_lines, annotate_sentences
    from dragoman.annotations.scoring import score
    from dragoman.annotations.training import stripped
    from dragoman.annotations.treebanks import read_treebank

    links = annotator_chain.load(chain)
    truth = read_treebank(kind, gold, trees=trees or ())
    with bar("measuring") as report:
        if raw:
            lines = [" ".join(sentence.text.split()) for sentence in truth]
            truth = [
                replace(sentence, text=line) if len(line) == len(sentence.text) else sentence
                for sentence, line in zip(truth, lines, strict=True)
            ]
            given = list(annotate_lines(links, [sentence.text for sentence in truth], threads=threads, progress=report))
        else:
            bare = (stripped(sentence, links) for sentence in truth)
            given = list(annotate_sentences(links, bare, threads=threads, progress=report))
    scores = score(truth, given)
    if as_json:
        show_json(scores.to_dict())
    else:
        show(scores)


def draw(
    text: Annotated[str, typer.Argument(help="A sentence; or, without --with, a file of JSON lines.")],
    chain: Annotated[str, typer.Option("--with", "-w", help="Annotate the sentence with this chain.")] = "",
    line: Annotated[int, typer.Option("--line", "-n", help="Which sentence of the file.", min=1)] = 1,
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture (SVG); '-' prints it.")] = Path("-"),
) -> None:
    """Draw the trees, arcs and roles of a sentence as SVG."""
    from itertools import islice

    from dragoman.annotations import Sentence, annotator_chain, picture
    from dragoman.annotations.corpus import annotate_lines
    from dragoman.drawing import require_svg, save_svg
    from dragoman.errors import InputError
    from dragoman.files import read_lines
    from dragoman.plain_data import parse_json

    if str(output) != "-":
        require_svg(output)
    if chain:
        [sentence] = annotate_lines(annotator_chain.load(chain), [text])
    else:
        found = next(islice(read_lines(text), line - 1, None), None)
        if found is None:
            raise InputError(f"no line {line}", where=text)
        where = f"{text}, line {line}"
        sentence = Sentence.from_dict(parse_json(found, where=where, remedy="write it with --json"))
    drawn = picture.draw(sentence).svg()
    if str(output) == "-":
        typer.echo(drawn.rstrip("\n"))
    else:
        save_svg(output, drawn)


def register(app: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(
        name="annotate",
        cls=DefaultGroup,
        help="Annotate text: `dragoman annotate TEXT --with MODEL -o OUT` (see `dragoman annotate run --help`).",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("run", epilog="Example: dragoman annotate corpus.en --with en-ewt -o corpus.conllu")(run)
    group.command("train", epilog="Example: dragoman annotate train en_ewt-ud-train.conllu -o en-ewt -l en")(train)
    group.command("evaluate", epilog="Example: dragoman annotate evaluate en-ewt en_ewt-ud-test.conllu --json")(
        evaluate
    )
    group.command("draw", epilog="Example: dragoman annotate draw 'Dogs chase cats.' -w en-ewt+role-rules -o dogs.svg")(
        draw
    )
    annotate_grep.register(group)
    annotate_trees.register(group)
    app.add_typer(group)
