"""`dragoman vectors`: words as points in a space, of one language or of two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.output import Json, Threads, bar, show, show_json

__all__ = ["register"]

vectors_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Words as points in a space.")

VectorsPath = Annotated[Path, typer.Argument(help="Vectors, in the text or binary format of word2vec.")]
Unknown = Annotated[str, typer.Option(help="Pairs with unknown words: zero (unlike) or skip.")]


@vectors_app.command(epilog="Example: dragoman vectors count train.de train.en train.align -o de-en.counts")
def count(
    source: Annotated[Path, typer.Argument(help="Tokenised text of the language whose vectors are to be learned.")],
    target: Annotated[Path, typer.Argument(help="Its translation, in the language whose vectors there are.")],
    alignment: Annotated[Path, typer.Argument(help="Word links (`0-0 1-2`), one line per pair.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to: word, translation, count between tabs.")],
    as_json: Json = False,
) -> None:
    """Count how often words of two languages are linked."""
    from dragoman.files import read_parallel, require_writable
    from dragoman.semantics.translation_counts import TranslationCounts

    require_writable(output)
    counts = TranslationCounts.of(*read_parallel([source, target, alignment]))
    counts.save(output)
    facts = {"words": len(counts.links), "links": sum(sum(row.values()) for row in counts.links.values())}
    if as_json:
        show_json({**facts, "counts": str(output)})
    else:
        show(f"{facts['links']:,} links of {facts['words']:,} words: {output}")


@vectors_app.command(epilog="Example: dragoman vectors train mono.en -o en.vec --set dimensions=50 --set passes=5")
def train(
    text: Annotated[Path, typer.Argument(help="Tokenised text, plain or compressed; '-' reads standard input.")] = Path(
        "-"
    ),
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to: text, or binary if it ends in .bin.")],
    given: Annotated[
        Path | None, typer.Option(help="Vectors of another language, in whose space the new ones are to lie.")
    ] = None,
    translations: Annotated[
        Path | None, typer.Option(help="Counts of links from `dragoman vectors count`, for --given.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of vectors, such as dimensions=50; repeatable.")
    ] = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Make vectors of the words of a text; a job that was stopped goes on where it was."""
    from dragoman.files import read_lines, require_writable
    from dragoman.semantics.embeddings import train_vectors
    from dragoman.semantics.translation_counts import TranslationCounts
    from dragoman.semantics.vectors import WordVectors

    require_writable(output)
    with bar("vectors") as progress:
        made = train_vectors(
            read_lines(text),
            settings or [],
            given=WordVectors.open(given) if given is not None else None,
            counts=TranslationCounts.open(translations) if translations is not None else None,
            state=output.with_name(f".{output.name}.state"),
            threads=threads,
            progress=progress,
        )
    made.vectors.save(output)
    if as_json:
        passes = [each.to_dict() for each in made.history]
        show_json({**made.vectors.to_dict(), "vectors": str(output), "passes": passes})
        return
    show(f"{len(made.vectors):,} words, {made.vectors.dimensions} dimensions: {output}")


@vectors_app.command(epilog="Example: dragoman vectors nearest de.vec hund katze -k 5 --across en.vec")
def nearest(
    vectors: VectorsPath,
    words: Annotated[list[str], typer.Argument(help="Words to find others for.")],
    k: Annotated[int, typer.Option("-k", help="So many neighbours.", min=1)] = 10,
    across: Annotated[Path | None, typer.Option(help="Among the words of these vectors, of another language.")] = None,
    local: Annotated[
        int, typer.Option(help="With --across: count cosines relative to those of so many neighbours.", min=0)
    ] = 0,
    as_json: Json = False,
) -> None:
    """Show the words whose vectors are nearest."""
    from dragoman.semantics.vectors import WordVectors

    opened = WordVectors.open(vectors)
    other = WordVectors.open(across) if across is not None else None
    found = {
        word: opened.nearest(word, k=k) if other is None else opened.nearest_across(word, other, k=k, local=local)
        for word in words
    }
    if as_json:
        show_json({"words": {word: [each._asdict() for each in near] for word, near in found.items()}})
        return
    from rich.table import Table
    from rich.text import Text

    for word, near in found.items():
        table = Table(word, "cosine", box=None, pad_edge=False)
        for each in near:
            table.add_row(Text(each.phrase), f"{each.value:.4f}")
        show(table)


@vectors_app.command(epilog="Example: dragoman vectors evaluate en.vec EN-WS-353-ALL.txt EN-RG-65.txt")
def evaluate(
    vectors: VectorsPath,
    pairs: Annotated[list[Path], typer.Argument(help="Lines of two words and what people gave them.")],
    unknown: Unknown = "zero",
    as_json: Json = False,
) -> None:
    """Compare with the judgements of people: Spearman's and Kendall's rank correlation, and coverage."""
    from dragoman.semantics.vectors import WordVectors
    from dragoman.semantics.word_pairs import evaluate_pairs, read_pairs

    opened = WordVectors.open(vectors)

    def measure(first: str, second: str) -> float | None:
        return opened.similarity(_form(opened, first), _form(opened, second))

    reports = {path.name: evaluate_pairs(read_pairs(path), measure, unknown=unknown) for path in pairs}
    if as_json:
        show_json({"files": {name: report.to_dict() for name, report in reports.items()}})
        return
    from rich.table import Table

    table = Table("pairs", "Spearman", "Kendall", "p", "known", "of", box=None, pad_edge=False)
    for name, report in reports.items():
        figures = (f"{report.spearman:.4f}", f"{report.kendall:.4f}", f"{report.p_value:.2g}")
        table.add_row(name, *figures, str(report.known), str(report.total))
    show(table)


def _form(vectors: Any, word: str) -> str:
    return word if word in vectors else word.lower()


@vectors_app.command(epilog="Example: dragoman vectors match de.vec en.vec test.de test.en --gold test.gold")
def match(
    vectors: VectorsPath,
    other: Annotated[Path, typer.Argument(help="Vectors of the other language, in the same space.")],
    source: Annotated[Path, typer.Argument(help="Tokenised text of the language of the first vectors.")],
    target: Annotated[Path, typer.Argument(help="Its translation.")],
    gold: Annotated[
        Path | None, typer.Option(help="Right links, Pharaoh or NAACL: show how good those by vectors are.")
    ] = None,
    direction: Annotated[
        str, typer.Option(help="Links from forward, backward, or the intersection or union of both.")
    ] = "forward",
    threshold: Annotated[float, typer.Option(help="Leave out links with a smaller cosine.")] = -1.0,
    as_json: Json = False,
) -> None:
    """Link words of sentence pairs by their vectors alone, and with --gold say how good the links are."""
    from dragoman.align.aer import alignment_scores
    from dragoman.align.formats import read_gold
    from dragoman.files import read_parallel
    from dragoman.semantics.vector_matching import match_words
    from dragoman.semantics.vectors import WordVectors

    sources, targets = read_parallel([source, target])
    own, theirs = WordVectors.open(vectors), WordVectors.open(other)
    links = match_words(sources, targets, own, theirs, direction=direction, threshold=threshold)
    if gold is None:
        if as_json:
            show_json({"links": [str(each) for each in links]})
        else:
            for each in links:
                show(str(each))
        return
    scores = alignment_scores(links, read_gold(gold, sentences=len(links)))
    if as_json:
        show_json(scores.to_dict())
        return
    show(f"AER {scores.aer:.4f}, precision {scores.precision:.4f}, recall {scores.recall:.4f}")


@vectors_app.command(epilog="Example: dragoman vectors join de.vec en.vec -o de-en.vectors")
def join(
    vectors: VectorsPath,
    other: Annotated[Path, typer.Argument(help="Vectors of the target language, in the same space.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to: a file for `extract --vectors`.")],
    as_json: Json = False,
) -> None:
    """Put vectors of a source and a target language together, for features of phrases."""
    from dragoman.files import require_writable
    from dragoman.semantics.phrase_similarity import PhraseVectors
    from dragoman.semantics.vectors import WordVectors

    require_writable(output)
    sides = WordVectors.open(vectors), WordVectors.open(other)
    PhraseVectors.of(*sides).save(output)
    facts = {"source_words": len(sides[0]), "target_words": len(sides[1]), "dimensions": sides[0].dimensions}
    if as_json:
        show_json({**facts, "vectors": str(output)})
    else:
        show(f"{facts['source_words']:,} and {facts['target_words']:,} words: {output}")


def register(app: typer.Typer) -> None:
    """Add this group to the program."""
    app.add_typer(vectors_app, name="vectors")
