"""`dragoman oov`: translations for words that a table lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.output import Json, Threads, note, show, show_json
from dragoman.cli.semantic_options import Association, Similarity, TablePath, Window, show_augmented

__all__ = ["register"]

oov_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Translations for words that a table lacks.")

Cased = Annotated[
    list[Path] | None, typer.Option(help="The same text with its capitals, to tell names; once per input.")
]
Inputs = Annotated[list[Path], typer.Argument(help="Tokenised text to translate, such as dev and test.")]


@oov_app.command(epilog="Example: dragoman oov find de-en.table dev.de test.de --cased dev.raw.de --cased test.raw.de")
def find(
    table: TablePath,
    inputs: Inputs,
    cased: Cased = None,
    definition: Annotated[str, typer.Option(help="in-no-phrase or no-rule (of its own).")] = "in-no-phrase",
    as_json: Json = False,
) -> None:
    """List the words that a table does not know; numbers and names apart."""
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.oov import find_unknown_words

    found = find_unknown_words(
        _all_lines(inputs), RuleTable.open(table), definition=definition, cased=_all_lines(cased) if cased else None
    )
    if as_json:
        show_json(found.to_dict())
        return
    for word in found.words:
        show(word)
    note(f"{len(found.words):,} words, {len(found.numbers):,} numbers, {len(found.names):,} names")


@oov_app.command(epilog="Example: dragoman oov translate de-en.table mono.de dev.de test.de -o oov.tsv")
def translate(
    table: TablePath,
    mono: Annotated[Path, typer.Argument(help="Tokenised text of the source language, as large as can be had.")],
    inputs: Inputs,
    cased: Cased = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write word, translation, p between tabs.")
    ] = None,
    graph: Annotated[str, typer.Option(help="tripartite, bipartite or full.")] = "tripartite",
    algorithm: Annotated[
        str, typer.Option(help="modified-adsorption, adsorption or label-propagation.")
    ] = "modified-adsorption",
    window: Window = 4,
    association: Association = "pmi",
    similarity: Similarity = "cosine",
    max_phrase: Annotated[int, typer.Option(help="Longest phrase of the table that is a node.", min=1)] = 1,
    min_count: Annotated[int, typer.Option(help="Other words of the text are nodes if seen so often.", min=1)] = 5,
    top: Annotated[int, typer.Option(help="Translations per word.", min=1)] = 20,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Give unknown words translations, over a graph of words that are used alike."""
    from dragoman.files import read_lines
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.association import Association as How
    from dragoman.semantics.cooccurrence import ContextSpace
    from dragoman.semantics.oov import find_unknown_words, graph_translations, write_lexicon
    from dragoman.semantics.similarity import Similarity as Measure
    from dragoman.text.index import CorpusIndex

    opened, wanted = RuleTable.open(table), _all_lines(inputs)
    words = list(find_unknown_words(wanted, opened, cased=_all_lines(cased) if cased else None).words)
    index = CorpusIndex.build([*read_lines(mono), *wanted], threads=threads)
    found = graph_translations(
        ContextSpace(index, window=window, threads=threads),
        opened,
        words,
        kind=graph,
        algorithm=algorithm,
        max_phrase=max_phrase,
        min_count=min_count,
        top=top,
        association=How(measure=association),
        similarity=Measure(measure=similarity),
    )
    if output is not None:
        write_lexicon(output, found.lexicon)
    elif as_json:

        def because(word: str, target: str) -> list[dict[str, Any]]:
            """The neighbours that bring a translation, each with a sentence it stands in."""
            return [
                {**reason, "sentence": index.sentence(index.occurrences(reason["neighbor"], limit=1)[0].sentence)}
                for reason in found.explain(word, target)
            ]

        show_json(
            {
                "words": {
                    word: [{**entry._asdict(), "because": because(word, entry.target)} for entry in entries]
                    for word, entries in found.lexicon.items()
                }
            }
        )
    else:
        from rich.table import Table
        from rich.text import Text

        rows = Table("word", "translation", "p", "because of", box=None, pad_edge=False)
        for word, entries in found.lexicon.items():
            for entry in entries[:3]:
                reasons = ", ".join(reason["neighbor"] for reason in found.explain(word, entry.target, limit=3))
                rows.add_row(Text(word), Text(entry.target), f"{entry.probability:.4f}", Text(reasons))
        show(rows)
    note(f"{len(found.lexicon):,} of {len(words):,} unknown words have translations now")


@oov_app.command(epilog="Example: dragoman oov graph de-en.table mono.de test.de -o graph.tsv --seeds seeds.tsv")
def graph(
    table: TablePath,
    mono: Annotated[Path, typer.Argument(help="Tokenised text of the source language, as large as can be had.")],
    inputs: Inputs,
    cased: Cased = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Write node, node, weight between tabs.")],
    seeds: Annotated[Path, typer.Option(help="Write node, translation, p of what the table knows, between tabs.")],
    kind: Annotated[str, typer.Option("--graph", help="tripartite, bipartite or full.")] = "tripartite",
    window: Window = 4,
    association: Association = "pmi",
    similarity: Similarity = "cosine",
    max_phrase: Annotated[int, typer.Option(help="Longest phrase of the table that is a node.", min=1)] = 1,
    min_count: Annotated[int, typer.Option(help="Other words of the text are nodes if seen so often.", min=1)] = 5,
    top: Annotated[int, typer.Option(help="Translations per known node.", min=1)] = 20,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Join unknown words to words that are used alike: the first half of `oov translate`, in files."""
    from dragoman.files import read_lines, require_writable
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.association import Association as How
    from dragoman.semantics.cooccurrence import ContextSpace
    from dragoman.semantics.oov import find_unknown_words, graph_of_table, seeds_of_table, write_labels
    from dragoman.semantics.similarity import Similarity as Measure
    from dragoman.text.index import CorpusIndex

    for path in (output, seeds):
        require_writable(path)
    opened, wanted = RuleTable.open(table), _all_lines(inputs)
    words = list(find_unknown_words(wanted, opened, cased=_all_lines(cased) if cased else None).words)
    index = CorpusIndex.build([*read_lines(mono), *wanted], threads=threads)
    made, labeled = graph_of_table(
        ContextSpace(index, window=window, threads=threads),
        opened,
        words,
        kind=kind,
        max_phrase=max_phrase,
        min_count=min_count,
        association=How(measure=association),
        similarity=Measure(measure=similarity),
    )
    made.write(output)
    known = seeds_of_table(opened, [node for node in labeled if node in made], top=top)
    write_labels(seeds, known)
    facts = {"nodes": len(made), "edges": int(made.matrix.nnz) // 2, "seeds": len(known), "graph": str(output)}
    if as_json:
        show_json(facts)
        return
    show(f"{facts['nodes']:,} nodes, {facts['edges']:,} edges, {facts['seeds']:,} known: {output}, {seeds}")


@oov_app.command("propagate", epilog="Example: dragoman oov propagate graph.tsv seeds.tsv -o labels.tsv")
def propagate_labels(
    graph: Annotated[Path, typer.Argument(help="Lines of node, node, weight between tabs.")],
    seeds: Annotated[Path, typer.Argument(help="Lines of node, label, value between tabs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write node, label, value between tabs.")],
    algorithm: Annotated[
        str, typer.Option(help="modified-adsorption, adsorption or label-propagation.")
    ] = "modified-adsorption",
    keep_top: Annotated[int, typer.Option(help="Labels that a node keeps; 0 for all.", min=0)] = 200,
    last_wins: Annotated[bool, typer.Option("--last-wins", help="Of two weights of an edge take the last.")] = False,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Let labels of some nodes of any graph spread to the others, in files as Junto has them."""
    from dragoman.files import require_writable
    from dragoman.semantics.graph import Graph
    from dragoman.semantics.oov import read_labels, write_labels
    from dragoman.semantics.propagation import propagate

    require_writable(output)
    opened = Graph.read(graph, last_wins=last_wins)
    found = propagate(opened, read_labels(seeds), algorithm=algorithm, keep_top=keep_top, threads=threads)
    write_labels(output, {node: found.of(node) for node in opened.nodes})
    facts = {"nodes": len(opened), "labels": len(found.labels) - 1, "rounds": found.rounds, "change": found.change}
    if as_json:
        show_json({**facts, "output": str(output)})
        return
    show(f"{facts['labels']:,} labels over {facts['nodes']:,} nodes in {found.rounds} rounds: {output}")


@oov_app.command(epilog="Example: dragoman oov forms de-en.table corpus.tok.de Haustürschlüssel")
def forms(
    table: TablePath,
    corpus: Annotated[Path, typer.Argument(help="Tokenised text of the source language, to learn forms from.")],
    words: Annotated[list[str] | None, typer.Argument(help="Words that the table lacks.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Text whose unknown words to take.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write word, translation, score between tabs.")
    ] = None,
    morphs: Annotated[bool, typer.Option(help="Look stems and affixes up.")] = True,
    top: Annotated[int, typer.Option(help="Translations per word.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Give unknown words translations by their form: compounds, stems and affixes, spelling."""
    from dragoman.errors import SettingError
    from dragoman.files import read_lines
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.forms import FormTranslations
    from dragoman.semantics.oov import find_unknown_words, write_lexicon
    from dragoman.text.compounds import CompoundModel
    from dragoman.text.morphs import Morphs

    opened, lines = RuleTable.open(table), list(read_lines(corpus))
    unknown = find_unknown_words(read_lines(file), opened).words if file is not None else {}
    wanted = [*(words or []), *unknown]
    if not wanted:
        raise SettingError("no unknown word", remedy="name some, or a text with --file")
    analyzer = FormTranslations(
        opened,
        compounds=CompoundModel.train(lines, preset="wmt13"),
        morphs=Morphs.train(lines) if morphs else None,
        top=top,
    )
    if output is not None:
        write_lexicon(output, analyzer.lexicon(wanted))
        return
    found = {word: analyzer.analyses(word) for word in wanted}
    if as_json:
        show_json({"words": {word: [entry.to_dict() for entry in entries] for word, entries in found.items()}})
        return
    from rich.table import Table
    from rich.text import Text

    rows = Table("word", "translation", "score", "by", "from", box=None, pad_edge=False)
    for word, entries in found.items():
        for entry in entries[:3]:
            rows.add_row(Text(word), Text(entry.target), f"{entry.score:.4f}", entry.kind, Text(entry.reason))
        if not entries:
            note(f"{word}: its form says nothing")
    show(rows)


@oov_app.command(epilog="Example: dragoman oov augment de-en.table oov.tsv -o de-en.oov.table")
def augment(
    table: TablePath,
    lexicon: Annotated[Path, typer.Argument(help="Translations written by `dragoman oov translate`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table to write.")],
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Put translations of unknown words into a table, with a column for tuning to weigh; tune afterwards."""
    from dragoman.grammar.augment import augment_table, rules_by_translation
    from dragoman.grammar.table import RuleTable
    from dragoman.semantics.oov import read_lexicon

    opened = RuleTable.open(table)
    rules = rules_by_translation(opened, read_lexicon(lexicon))
    made = augment_table(opened, rules, output, threads=threads)
    show_augmented(opened, made, len(rules), output, as_json)


@oov_app.command("evaluate", epilog="Example: dragoman oov evaluate oov.tsv test.de test.en test.align --json")
def evaluate_oov(
    lexicon: Annotated[Path, typer.Argument(help="Translations written by `dragoman oov translate`.")],
    source: Annotated[Path, typer.Argument(help="Tokenised source text with its unknown words.")],
    target: Annotated[Path, typer.Argument(help="Its translation.")],
    alignment: Annotated[Path, typer.Argument(help="Word alignment of the two, best learned from much text.")],
    top: Annotated[int, typer.Option(help="Look at so many translations of a word.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Compare translations of unknown words with those of an aligned text: mean reciprocal rank and recall."""
    from dragoman.files import read_parallel
    from dragoman.semantics.oov import evaluate_translations, gold_lexicon, read_lexicon

    found = read_lexicon(lexicon)
    sources, targets, links = read_parallel([source, target, alignment])
    gold = gold_lexicon(sources, targets, links, found)
    report = evaluate_translations(found, gold, top=top)
    if as_json:
        show_json(report.to_dict())
        return
    show(
        f"MRR {report.reciprocal_rank:.4f}, recall {report.recall:.4f} over {report.words:,} words, "
        f"{report.covered:,} with translations"
    )


def _all_lines(paths: list[Path]) -> list[str]:
    from dragoman.files import read_lines

    return [line for path in paths for line in read_lines(path)]


def register(app: typer.Typer) -> None:
    """Add this group to the program."""
    app.add_typer(oov_app, name="oov")
