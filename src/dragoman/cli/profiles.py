"""`dragoman profiles`: words as what they are seen with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.output import Json, Threads, note, show, show_json
from dragoman.cli.semantic_options import (
    Association,
    Similarity,
    ThesaurusSpec,
    Window,
    opened_thesaurus,
    words_of,
)

__all__ = ["register"]

profiles_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Words as what they are seen with.")

ProfilesPath = Annotated[Path, typer.Argument(help="Profiles made by `dragoman profiles build`.")]
Text = Annotated[Path, typer.Argument(help="Tokenised text, plain or compressed; '-' reads standard input.")]


@profiles_app.command(epilog="Example: dragoman profiles build mono.en -o en.profiles --association ppmi")
def build(
    text: Text = Path("-"),
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the profiles go: a folder.")],
    window: Window = 5,
    positional: Annotated[bool, typer.Option("--positional", help="Tell places in the window apart.")] = False,
    association: Association = "llr",
    similarity: Similarity = "cosine",
    min_count: Annotated[int, typer.Option(help="Leave out rarer words.", min=1)] = 5,
    stoplist: Annotated[
        int, typer.Option(help="Words with more different neighbours than this are no contexts.", min=0)
    ] = 2000,
    stoplist_least: Annotated[float, typer.Option(help="... counting neighbours seen at least so often.")] = 1,
    keep_marks: Annotated[
        bool, typer.Option("--keep-marks", help="Keep case, numbers and punctuation as they are.")
    ] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Make profiles of the words of a text."""
    from dragoman.bundle import Provenance, require_place_for_bundle
    from dragoman.semantics.profiles import KIND, Profiles

    require_place_for_bundle(output, KIND)
    profiles = Profiles.train(
        words_of(text, keep_marks=keep_marks),
        window=window,
        positional=positional,
        association=association,
        similarity=similarity,
        min_count=min_count,
        stoplist_threshold=stoplist,
        stoplist_least=stoplist_least,
        threads=threads,
    )
    inputs = [text] if text.is_file() else []
    profiles.save(output, provenance=Provenance.of_files(inputs, command="dragoman profiles build"))
    facts = {
        "words": len(profiles),
        "tokens": profiles.space.index.tokens,
        "stoplist": len(profiles.space.stoplist),
        "contexts": int(profiles.matrix.nnz),
        "profiles": str(output),
    }
    if as_json:
        show_json(facts)
        return
    show(f"{facts['words']:,} words of {facts['tokens']:,} tokens, {facts['stoplist']:,} of them no contexts: {output}")
    if not 1 <= len(profiles.space.stoplist) <= 600:
        note("a stoplist of one to six hundred words is usual; --stoplist and --stoplist-least change it")


@profiles_app.command(epilog="Example: dragoman profiles nearest en.profiles bank river -k 5 --contexts")
def nearest(
    profiles: ProfilesPath,
    words: Annotated[list[str], typer.Argument(help="Words or quoted phrases.")],
    k: Annotated[int, typer.Option("-k", help="So many neighbours.", min=1)] = 10,
    contexts: Annotated[bool, typer.Option("--contexts", help="Show contexts in common, and a sentence.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Show the words most like a word, and on request why."""
    from dragoman.semantics.profiles import Profiles

    opened = Profiles.open(profiles, threads=threads)
    for word in words:
        opened.require(word)
    result: dict[str, list[dict[str, Any]]] = {}
    for word, neighbors in zip(words, opened.nearest_of(words, k=k), strict=True):
        rows: list[dict[str, Any]] = [neighbor._asdict() for neighbor in neighbors]
        for row in rows if contexts else ():
            shared = opened.shared(word, row["phrase"], limit=5)
            row["contexts"] = [context for context, _ in shared]
            row["sentence"] = next(
                (found.text for context, _ in shared[:1] for found in opened.witnesses(row["phrase"], context)), ""
            )
        result[word] = rows
    if as_json:
        show_json({"words": result})
        return
    from rich.table import Table
    from rich.text import Text

    for word, rows in result.items():
        heads = ["contexts in common", "for example"] if contexts else []
        table = Table(word, opened.similarity_settings.measure, *heads, box=None, pad_edge=False)
        for row in rows:
            more = [Text(" ".join(row["contexts"])), Text(row["sentence"])] if contexts else []
            table.add_row(Text(row["phrase"]), f"{row['value']:.4f}", *more)
        show(table)


@profiles_app.command(epilog="Example: dragoman profiles evaluate en.profiles EN-WS-353-ALL.txt --json")
def evaluate(
    profiles: ProfilesPath,
    pairs: Annotated[list[Path], typer.Argument(help="Lines of two words and what people gave them, between tabs.")],
    unknown: Annotated[str, typer.Option(help="Pairs with unknown words: zero (unlike) or skip.")] = "zero",
    measure: Annotated[
        str,
        typer.Option(
            help="profile; concept, proportional or filtered (senses, with --thesaurus); lsa or glsa; or a measure of "
            "WordNet: path, resnik, lin, jiang-conrath, lesk."
        ),
    ] = "profile",
    thesaurus: ThesaurusSpec = "",
    bootstrap: Annotated[
        bool, typer.Option(help="Give each occurrence of a word to the sense that its neighbours speak for.")
    ] = True,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Compare with the judgements of people: Spearman's rank correlation, and coverage."""
    from dragoman.semantics.profiles import Profiles
    from dragoman.semantics.word_measures import word_measure
    from dragoman.semantics.word_pairs import evaluate_pairs, read_pairs

    opened = Profiles.open(profiles, threads=threads)
    lists = {path.name: [pair.lowered for pair in read_pairs(path)] for path in pairs}
    words = [word for found in lists.values() for pair in found for word in pair[:2]]
    alike = word_measure(measure, opened, thesaurus=opened_thesaurus(thesaurus), bootstrap=bootstrap, words=words)
    reports = {name: evaluate_pairs(found, alike, unknown=unknown) for name, found in lists.items()}
    if as_json:
        show_json({"files": {name: report.to_dict() for name, report in reports.items()}})
        return
    from rich.table import Table

    table = Table("pairs", "Spearman", "p", "known", "of", box=None, pad_edge=False)
    for name, report in reports.items():
        table.add_row(name, f"{report.spearman:.4f}", f"{report.p_value:.2g}", str(report.known), str(report.total))
    show(table)


@profiles_app.command(epilog="Example: dragoman profiles senses en.profiles bank --thesaurus wordnet")
def senses(
    profiles: ProfilesPath,
    words: Annotated[list[str], typer.Argument(help="Words.")],
    thesaurus: ThesaurusSpec = "wordnet",
    measure: Annotated[str, typer.Option(help="proportional, or filtered: contexts that a sense has at all.")] = (
        "proportional"
    ),
    bootstrap: Annotated[
        bool, typer.Option(help="Give each occurrence of a word to the sense that its neighbours speak for.")
    ] = True,
    k: Annotated[int, typer.Option("-k", help="So many contexts.", min=1)] = 5,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Divide the profiles of words among their senses: how much each is used, and its strongest contexts."""
    from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
    from dragoman.semantics.profiles import Profiles

    opened = Profiles.open(profiles, threads=threads)
    for word in words:
        opened.require(word)
    groups = opened_thesaurus(thesaurus)
    if groups is None:
        from dragoman.errors import SettingError

        raise SettingError("senses need a thesaurus", remedy="name one with --thesaurus")
    matrix = ConceptMatrix.base(opened.space, groups)
    divided = SenseProfiles(matrix.bootstrap() if bootstrap else matrix, kind=measure, association=opened.association)
    result = {word: [sense.to_dict() for sense in divided.describe(word, contexts=k)] for word in words}
    if as_json:
        show_json({"words": result})
        return
    from rich.table import Table
    from rich.text import Text

    for word, rows in result.items():
        table = Table(word, "share", "contexts", box=None, pad_edge=False)
        for row in rows:
            table.add_row(Text(row["sense"] or "-"), f"{row['share']:.2f}", Text(", ".join(row["contexts"])))
        show(table)


def register(app: typer.Typer) -> None:
    """Add this group to the program."""
    app.add_typer(profiles_app, name="profiles")
